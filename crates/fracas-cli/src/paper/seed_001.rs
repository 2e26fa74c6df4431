//! Seed 001: brittle objects around rigid references.
//!
//! Left out on purpose: the QR decomposition of sec. 3.2, since isolated tetrahedra are rigid and keep their angular momentum, so that nothing is left
//! to be steadied; exponential integrators (sec. 3.1), since u is solved to convergence with a constant matrix and what is free
//! stores nothing that an integrator could lose.

use super::Row;
use crate::check;
use crate::clock;
use crate::stats::median;
use anyhow::Result;
use fracas::glam::Vec3;
use fracas::math::{Sym3, symmetric_eigen};
use fracas::solids::fem::stress_bound;
use fracas::solids::fem::topology::{Born, NONE, OPENED, Topology};
use fracas_mesh::TetMesh;
use fracas_mesh::generate::{Resolution, tets};
use fracas_mesh::random::{signed, unit};

const TABLE_1: &str = "001 table 1";
const TABLE_3: &str = "001 table 3";
const TABLE_4: &str = "001 table 4";
const SEC_5: &str = "001 sec. 5";

/// What is left out on purpose, and why.
pub const LEFT_OUT: [&str; 2] = [
    "001 sec. 3.2, QR decomposition of isolated tetrahedra: they are rigid and keep their angular momentum",
    "001 sec. 3.1, exponential integrators: what is free moves as a rigid body, and u is solved for anew in every substep",
];

/// All claims but those of whole scenes.
pub fn rows() -> Result<Vec<Row>> {
    let mut rows = meshes()?;
    rows.extend(bounds());
    rows.extend(oracle()?);
    Ok(rows)
}

/// Table 1: how fine the bodies are.
fn meshes() -> Result<Vec<Row>> {
    const HOW: &str = "gallery scene, without the ball";
    const FILLED: &str =
        "gallery scene; tetrahedra of the text share more vertices than a lattice does";

    let mut rows = Vec::new();
    for (name, claims, tets, vertices, share) in [
        ("struck-monolith", ["monolith: tetrahedra", "monolith: vertices"], 413.0, 174.0, 0.05),
        ("strained-block", ["block: tetrahedra", "block: vertices"], 413.0, 174.0, 0.05),
        ("falling-bunny", ["bunny: tetrahedra", "bunny: vertices"], 6142.0, 1363.0, 0.03),
    ] {
        let contents = check::contents(name)?;
        // a rigid body is one particle
        let found = contents.particles - (contents.bodies - 1);
        let how = if contents.bodies > 1 || tets < 1000.0 { HOW } else { FILLED };
        let within = |count: f64| (share * count).floor();
        rows.push(Row::equal(TABLE_1, claims[0], HOW, tets, within(tets), contents.tets as f64));
        rows.push(Row::equal(TABLE_1, claims[1], how, vertices, within(vertices), found as f64));
    }
    Ok(rows)
}

/// Sec. 4.1 and 5: bounds are right, and cheaper than the eigenvalues they spare.
fn bounds() -> [Row; 2] {
    const HOW: &str = "Gerschgorin's and that of the deviator, on 100,000 random tensors";

    let tensor = |k: u64| {
        let x = |i: u64| signed(1, &[k, i]) as f32;
        Sym3 { xx: x(0), yy: x(1), zz: x(2), xy: x(3), yz: x(4), zx: x(5) }
    };
    let tensors: Vec<Sym3> = (0..100_000).map(tensor).collect();
    let time = |of: &dyn Fn(&Sym3) -> f32| {
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let start = clock::processor_seconds();
                let sum: f32 = tensors.iter().map(of).sum();
                std::hint::black_box(sum);
                clock::processor_seconds() - start
            })
            .collect();
        times.sort_by(f64::total_cmp);
        median(&times)
    };
    let (quick, slow) = (time(&stress_bound), time(&|a| symmetric_eigen(a).0[0]));
    let below = |a: &&Sym3| stress_bound(a) < symmetric_eigen(a).0[0] - 1e-6;
    let wrong = tensors.iter().filter(below).count();
    [
        Row::at_least(SEC_5, "bounds: times as fast as eigenvalues", HOW, 3.0, slow / quick),
        Row::at_most("001 eq. 7", "bounds below the largest eigenvalue", HOW, 0.0, wrong as f64),
    ]
}

/// How the split-vertex oracle did on a body whose fans are opened one after the other.
#[derive(Clone, Copy, Debug, Default)]
struct Oracle {
    fans: f64,
    /// Fans that made a new component.
    created: f64,
    /// Fans of which the oracle said so.
    predicted: f64,
    /// Those that made one though it did not.
    missed: f64,
    /// Seconds with and without it, of fans that made a component and of those that did not.
    with: [f64; 2],
    without: [f64; 2],
}

/// Sec. 4.2, tables 3 and 4: fans at random vertices along random planes, as the text opens them, faces with an edge at the surface first.
fn oracle() -> Result<Vec<Row>> {
    const SMALL: &str = "block of 420 tetrahedra, vertices split along random planes until it is gravel; whole walks";
    const LARGE: &str = "block of 6,000 tetrahedra, likewise: before cracks meet, what parts here is joined farther away";

    let mut rows = Vec::new();
    for (how, cells, claims, efficiency, saving) in [
        (
            SMALL,
            [14, 3, 2],
            [
                "small body: % of predictions of the oracle that are right",
                "small body: components that it missed",
                "small body: % more time with the oracle where a component begins",
                "small body: % less time where none begins",
            ],
            93.7,
            55.0,
        ),
        (
            LARGE,
            [20, 10, 6],
            [
                "large body: % of predictions of the oracle that are right",
                "large body: components that it missed",
                "large body: % more time with the oracle where a component begins",
                "large body: % less time where none begins",
            ],
            91.1,
            67.0,
        ),
    ] {
        let mesh = tets::block([1.4, 0.3, 0.2], Resolution::Lattice(cells))?;
        let found = open_fans(&mesh);
        let right = 100.0 * (found.created - found.missed) / found.predicted;
        let cost = 100.0 * (found.with[0] / found.without[0] - 1.0);
        let saved = 100.0 * (1.0 - found.with[1] / found.without[1]);
        rows.push(Row::at_least(TABLE_3, claims[0], how, efficiency, right));
        rows.push(Row::at_most(TABLE_3, claims[1], how, 0.0, found.missed));
        rows.push(Row::at_most(TABLE_4, claims[2], how, 2.0, cost));
        rows.push(Row::at_least(TABLE_4, claims[3], how, saving, saved));
    }
    Ok(rows)
}

fn open_fans(mesh: &TetMesh) -> Oracle {
    let places: Vec<Vec3> = mesh.vertices.iter().map(|x| x.as_vec3()).collect();
    let (mut corners, mut topology) = (mesh.tets.clone(), Topology::new(&mesh.tets));
    let mut home = vec![0u32; places.len()];
    for (tet, k) in mesh.tets.iter().zip(0..) {
        tet.iter().for_each(|&v| home[v as usize] = k);
    }
    let mut order: Vec<u32> = (0..places.len() as u32).collect();
    order.sort_by(|&a, &b| unit(2, &[a.into()]).total_cmp(&unit(2, &[b.into()])));
    let (mut born, mut after, mut found) = (Vec::new(), Vec::new(), Oracle::default());
    let mut seen = vec![0u32; mesh.tets.len()];
    for &v in &order {
        // of a vertex that has split, the fan that still has its number
        let tet = home[v as usize];
        if !corners[tet as usize].contains(&v) {
            continue;
        }
        let normal = Vec3::from([0, 1, 2].map(|k| signed(3, &[v.into(), k]) as f32));
        let at = |v: u32| places[root(&born, places.len(), v) as usize];
        let now: Vec<Vec3> = (0..places.len() + born.len()).map(|v| at(v as u32)).collect();
        let point = now[v as usize];
        let sides = topology.plane_sides(&corners, &now, v, tet, normal, point);
        let faces = between(&topology, &corners, &sides, v);
        if faces.is_empty() {
            continue;
        }
        after.clear();
        let start = clock::seconds();
        for &(_, t, k, other) in &faces {
            topology.split_face(&mut corners, t, k, places.len(), &mut born);
            // later faces of the fan may part what this one has not
            after.push([t, other].map(|t| corners[t as usize]));
        }
        let opened = clock::seconds();
        let predicted = after.iter().any(|[a, b]| !a.iter().any(|v| b.contains(v)));
        let asked = clock::seconds();
        let created = faces.iter().any(|&(_, t, _, other)| !joined(&topology, &mut seen, t, other));
        let walked = clock::seconds();
        let kind = usize::from(!created);
        found.fans += 1.0;
        found.created += f64::from(created);
        found.predicted += f64::from(predicted);
        found.missed += f64::from(created && !predicted);
        found.without[kind] += opened - start + walked - asked;
        found.with[kind] += asked - start + if predicted { walked - asked } else { 0.0 };
    }
    found
}

/// Not beside the surface, tetrahedron, its corner across from the face, the tetrahedron behind it.
type Opening = (bool, u32, usize, u32);

/// The faces between both sides of a fan, those beside a surface first.
fn between(
    topology: &Topology,
    corners: &[[u32; 4]],
    sides: &[(u32, bool)],
    vertex: u32,
) -> Vec<Opening> {
    let is_outside =
        |t: u32| topology.across()[t as usize].iter().any(|&u| u == NONE || u == OPENED);
    let mut faces = Vec::new();
    for &(t, _) in sides.iter().filter(|side| side.1) {
        for k in 0..4 {
            let other = topology.across()[t as usize][k];
            let opens = corners[t as usize][k] != vertex && sides.contains(&(other, false));
            if opens {
                faces.push((!is_outside(t) && !is_outside(other), t, k, other));
            }
        }
    }
    faces.sort_unstable();
    faces
}

/// Whether two tetrahedra hang together: a walk through all that the first does.
fn joined(topology: &Topology, seen: &mut [u32], from: u32, to: u32) -> bool {
    seen.fill(0);
    let mut walk = vec![from];
    seen[from as usize] = 1;
    while let Some(t) = walk.pop() {
        for &next in topology.across()[t as usize].iter().filter(|&&u| u != NONE && u != OPENED) {
            if seen[next as usize] == 0 {
                seen[next as usize] = 1;
                walk.push(next);
            }
        }
    }
    seen[to as usize] == 1
}

/// The vertex of the mesh that a vertex was.
fn root(born: &[Born], count: usize, mut vertex: u32) -> u32 {
    while let Some(k) = (vertex as usize).checked_sub(count) {
        vertex = born[k].parent;
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oracle_misses_nothing() {
        let mesh = tets::block([1.4, 0.3, 0.2], Resolution::Lattice([14, 3, 2])).unwrap();
        let found = open_fans(&mesh);
        assert_eq!(found.missed, 0.0, "{found:#?}");
        assert!(found.created > 20.0 && found.fans > found.created, "{found:#?}");
    }
}
