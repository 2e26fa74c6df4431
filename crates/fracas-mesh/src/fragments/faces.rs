//! Which faces bound a fragment: those of the solid, and those it shares.

use std::collections::BTreeMap;

use super::Interface;
use crate::tets::TetMesh;

/// Faces of each fragment on the boundary of the solid, and the interfaces in order of their pairs.
pub(super) fn sort_faces(
    mesh: &TetMesh,
    neighbours: &[[Option<u32>; 4]],
    of_tet: &[u32],
    count: usize,
) -> (Vec<Vec<[u32; 3]>>, Vec<Interface>) {
    let mut boundaries = vec![Vec::new(); count];
    let mut interfaces: BTreeMap<[u32; 2], Interface> = BTreeMap::new();
    for tet in 0..of_tet.len() {
        for face in 0..4 {
            let from = of_tet[tet];
            let Some(next) = neighbours[tet][face] else {
                boundaries[from as usize].push(mesh.face(tet, face));
                continue;
            };
            let to = of_tet[next as usize];
            if from < to {
                let pair = [from, to];
                let new = || Interface { fragments: pair, ..Interface::default() };
                let interface = interfaces.entry(pair).or_insert_with(new);
                interface.faces.push(mesh.face(tet, face));
                interface.area += mesh.face_area(tet, face);
            }
        }
    }
    (boundaries, interfaces.into_values().collect())
}
