//! Bonds that are cut. (Which, and when, is not decided here yet: a command says so.)

use super::Oriented;
use crate::solids::Particles;
use crate::world::Changes;

/// Removes the bond of particles `a` and `b` and rebuilds the two groups centred on them; no
/// other group has lost a member ("After a cut" of 000).
pub(super) fn cut(
    solid: &mut Oriented,
    particles: &mut Particles,
    a: usize,
    b: usize,
    changes: &mut Changes,
) {
    for (g, j) in [(a, b), (b, a)] {
        solid.rest.groups.remove(g, j);
        solid.rest.rebuild_group(g, &particles.rest);
    }
    for j in [a, b] {
        solid.rest.rebuild_share(j);
        particles.broken[j] = true;
    }
    changes.bonds_cut.push([particles.id[a], particles.id[b]]);
}
