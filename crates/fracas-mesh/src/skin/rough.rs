//! Rough fracture faces: the faces between fragments or tetrahedra, divided and displaced by noise. Both sides of a face are made of
//! the same vertices, so they fit.

use std::collections::BTreeMap;

use fracas::glam::Vec3;
use fracas::skin::{Face, InsideFace, Owners, SkinMesh};

use super::nearest::NearestPoint;
use crate::random::signed;

/// Largest displacement over the grain: slopes of up to some 40°.
const HEIGHT: f32 = 0.3;

/// The same over the distance to the nearest vertex of the surface: a crack that runs just below it stays there.
const BELOW: f32 = 0.4;

/// The same over the shortest edge at a vertex where several faces meet.
const OF_EDGE: f32 = 0.3;

/// How often the volume of fragments is put right: it is linear in every height, but not in two that are neighbours.
const CORRECTIONS: usize = 4;

/// Halvings of an edge, at most: a thousandth of its length.
const MOST_PASSES: usize = 10;

/// Divides faces between fragments until no edge of theirs is longer than `grain`, in m, and moves the vertices that are
/// new in them in and out by chance, by up to 0.3 grains. The surface stays as it is, but that the edges it has in
/// common with them are divided too. Fragments keep their volume.
///
/// A crack through tetrahedra passes from one to the next: their edges and corners inside are moved as well, anywhere, or they would be seen as straight
/// teeth. Faces with vertices of their own make up for it, so that a tetrahedron keeps its volume if all of its faces have some.
///
/// ```
/// use fracas_mesh::generate::Sampling;
/// use fracas_mesh::skin;
///
/// let smooth = skin::block([1.0; 3], &Sampling::lattice([4, 4, 4]))?;
/// let rough = skin::roughen(smooth.clone(), 0.1, 0);
/// assert!(rough.inside.len() > 4 * smooth.inside.len());
/// # Ok::<(), fracas_mesh::generate::GenerateError>(())
/// ```
pub fn roughen(mut mesh: SkinMesh, grain: f32, seed: u64) -> SkinMesh {
    let first_new = mesh.vertices.len();
    for _ in 0..MOST_PASSES {
        let halves = halved_edges(&mut mesh, grain);
        if halves.is_empty() {
            break;
        }
        divide(&mut mesh, &halves);
    }
    displace(&mut mesh, first_new, grain, seed);
    mesh
}

/// The vertex in the middle of each edge that is too long, by its ends.
type Halves = BTreeMap<[u32; 2], u32>;

fn sorted(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

fn halved_edges(mesh: &mut SkinMesh, grain: f32) -> Halves {
    let mut halves = Halves::new();
    let at = |mesh: &SkinMesh, v: u32| Vec3::from(mesh.vertices[v as usize]);
    for face in mesh.inside.clone() {
        for k in 0..3 {
            let edge @ [a, b] = sorted(face.corners[k], face.corners[(k + 1) % 3]);
            let (from, to) = (at(mesh, a), at(mesh, b));
            if from.distance(to) > grain && !halves.contains_key(&edge) {
                halves.insert(edge, mesh.vertices.len() as u32);
                mesh.vertices.push((0.5 * (from + to)).to_array());
            }
        }
    }
    halves
}

/// Corners 0 to 2 of a triangle, and 3 to 5: the middles of its edges from 0, 1 and 2 on.
fn parts(middles: [bool; 3]) -> Vec<[usize; 3]> {
    let turned = |by: usize, parts: &[[usize; 3]]| -> Vec<[usize; 3]> {
        let turn = |k: usize| if k < 3 { (k + by) % 3 } else { 3 + (k - 3 + by) % 3 };
        parts.iter().map(|part| part.map(turn)).collect()
    };
    match middles {
        [false, false, false] => vec![[0, 1, 2]],
        [true, false, false] => turned(0, &[[0, 3, 2], [3, 1, 2]]),
        [false, true, false] => turned(1, &[[0, 3, 2], [3, 1, 2]]),
        [false, false, true] => turned(2, &[[0, 3, 2], [3, 1, 2]]),
        [true, true, false] => turned(0, &[[3, 1, 4], [0, 3, 4], [0, 4, 2]]),
        [false, true, true] => turned(1, &[[3, 1, 4], [0, 3, 4], [0, 4, 2]]),
        [true, false, true] => turned(2, &[[3, 1, 4], [0, 3, 4], [0, 4, 2]]),
        [true, true, true] => vec![[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
    }
}

/// Divides all faces that have a halved edge.
fn divide(mesh: &mut SkinMesh, halves: &Halves) {
    let cut = |corners: [u32; 3]| {
        let middles = [0, 1, 2].map(|k| halves.get(&sorted(corners[k], corners[(k + 1) % 3])));
        let vertex = move |k: usize| {
            if k < 3 { corners[k] } else { middles[k - 3].copied().unwrap_or(corners[k - 3]) }
        };
        (parts(middles.map(|middle| middle.is_some())), vertex)
    };
    let mut outside = Vec::with_capacity(mesh.outside.len());
    let mut uvs = Vec::with_capacity(mesh.uvs.len());
    let mut normals = Vec::with_capacity(mesh.normals.len());
    for (f, face) in mesh.outside.iter().enumerate() {
        let (parts, vertex) = cut(face.corners);
        for part in parts {
            outside.push(Face { corners: part.map(&vertex), owner: face.owner });
            if let Some(own) = mesh.uvs.get(f) {
                uvs.push(part.map(|k| between(own, k)));
            }
            if let Some(own) = mesh.normals.get(f) {
                let unit = |x: [f32; 3]| Vec3::from(x).normalize_or_zero().to_array();
                normals.push(part.map(|k| unit(between(own, k))));
            }
        }
    }
    let mut inside = Vec::with_capacity(2 * mesh.inside.len());
    for face in &mesh.inside {
        let (parts, vertex) = cut(face.corners);
        let between = face.between;
        inside.extend(parts.iter().map(|part| InsideFace { corners: part.map(&vertex), between }));
    }
    (mesh.outside, mesh.inside, mesh.uvs, mesh.normals) = (outside, inside, uvs, normals);
}

/// A value of a triangle at corner 0 to 2, or at 3 to 5 in the middle of an edge.
fn between<const N: usize>(own: &[[f32; N]; 3], k: usize) -> [f32; N] {
    if k < 3 {
        return own[k];
    }
    std::array::from_fn(|i| 0.5 * (own[k - 3][i] + own[(k - 2) % 3][i]))
}

/// A vertex of one interface alone.
#[derive(Clone, Copy, Default)]
struct Free {
    between: Option<[u32; 2]>,
    /// Sum of the areas around it as vectors: three times what the volume on its first side grows by when it moves.
    area: Vec3,
    taken: bool,
    /// On the surface.
    outside: bool,
}

/// Moves what is new and inside, in and out.
fn displace(mesh: &mut SkinMesh, first_new: usize, grain: f32, seed: u64) {
    let mut free = vec![Free::default(); mesh.vertices.len()];
    for v in mesh.outside.iter().flat_map(|face| face.corners) {
        (free[v as usize].taken, free[v as usize].outside) = (true, true);
    }
    for face in &mesh.inside {
        let [a, b, c] = face.corners.map(|v| Vec3::from(mesh.vertices[v as usize]));
        let area = 0.5 * (b - a).cross(c - a);
        for v in face.corners {
            let vertex = &mut free[v as usize];
            vertex.taken |= *vertex.between.get_or_insert(face.between) != face.between;
            vertex.area += area;
        }
    }
    let outside = (0..free.len()).filter(|&v| free[v].outside).map(|v| mesh.vertices[v].into());
    let outside: Vec<Vec3> = outside.collect();
    let tree = NearestPoint::new(outside.iter().copied());
    let below = |at: Vec3| tree.of(at).map_or(f32::MAX, |k| at.distance(outside[k as usize]));
    let mut of_interface: BTreeMap<[u32; 2], Vec<(u32, f32)>> = BTreeMap::new();
    for v in first_new..mesh.vertices.len() {
        if let Free { between: Some(between), taken: false, .. } = free[v] {
            let most = (HEIGHT * grain).min(BELOW * below(mesh.vertices[v].into()));
            let height = most * signed(seed, &[v as u64]) as f32;
            of_interface.entry(between).or_default().push((v as u32, height));
        }
    }
    let mut faces: BTreeMap<[u32; 2], Vec<[u32; 3]>> = BTreeMap::new();
    for face in &mesh.inside {
        faces.entry(face.between).or_default().push(face.corners);
    }
    let before: Vec<f64> =
        of_interface.keys().map(|between| swept(mesh, &faces[between])).collect();
    if let Owners::Tets(_) = mesh.owners {
        let joints = (0..free.len()).filter(|&v| {
            let Free { between, taken, outside, .. } = free[v];
            between.is_some() && taken && !outside
        });
        let joints: Vec<(usize, f32)> = joints
            .map(|v| (v, (HEIGHT * grain).min(BELOW * below(mesh.vertices[v].into()))))
            .collect();
        shake(mesh, &joints, seed);
    }
    for ((between, vertices), before) in of_interface.iter().zip(before) {
        for &(v, height) in vertices {
            lift(&mut mesh.vertices[v as usize], height, &free[v as usize]);
        }
        // back by what the volume has changed, each in the measure in which it changes it
        let area = |v: u32| f64::from(free[v as usize].area.length());
        let squares: f64 = vertices.iter().map(|&(v, _)| area(v) * area(v)).sum();
        for _ in 0..CORRECTIONS {
            let change = 3.0 * (swept(mesh, &faces[between]) - before);
            for &(v, _) in vertices.iter().filter(|_| squares > 0.0) {
                let height = (-area(v) * change / squares) as f32;
                lift(&mut mesh.vertices[v as usize], height, &free[v as usize]);
            }
        }
    }
}

/// Moves vertices anywhere, each by so much at most and by less than its shortest edge.
fn shake(mesh: &mut SkinMesh, vertices: &[(usize, f32)], seed: u64) {
    let mut shortest = vec![f32::INFINITY; mesh.vertices.len()];
    for face in &mesh.inside {
        for k in 0..3 {
            let [a, b] = [face.corners[k], face.corners[(k + 1) % 3]].map(|v| v as usize);
            let length = Vec3::from(mesh.vertices[a]).distance(mesh.vertices[b].into());
            (shortest[a], shortest[b]) = (shortest[a].min(length), shortest[b].min(length));
        }
    }
    for &(v, most) in vertices {
        let along = |axis: u64| signed(seed, &[v as u64, axis]) as f32;
        let way = Vec3::new(along(1), along(2), along(3)) / 3.0f32.sqrt();
        let moved = Vec3::from(mesh.vertices[v]) + most.min(OF_EDGE * shortest[v]) * way;
        mesh.vertices[v] = moved.to_array();
    }
}

fn lift(at: &mut [f32; 3], height: f32, free: &Free) {
    *at = (Vec3::from(*at) + height * free.area.normalize_or_zero()).to_array();
}

/// Volume between faces and the origin, in m³.
fn swept(mesh: &SkinMesh, faces: &[[u32; 3]]) -> f64 {
    let at = |v: u32| Vec3::from(mesh.vertices[v as usize]).as_dvec3();
    let volume = |&corners: &[u32; 3]| {
        let [a, b, c] = corners.map(at);
        a.dot(b.cross(c)) / 6.0
    };
    faces.iter().map(volume).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]
    use super::*;
    use crate::generate::Sampling;
    use crate::skin::own::closed_cells;
    use fracas::glam::DVec3;

    fn volumes(mesh: &SkinMesh, count: usize) -> Vec<f64> {
        let volume = |t: &[DVec3; 3]| t[0].dot(t[1].cross(t[2])) / 6.0;
        closed_cells(mesh, count).iter().map(|cell| cell.iter().map(volume).sum()).collect()
    }

    /// Every fragment is closed and has the volume that it had; the surface has not moved.
    #[test]
    fn rough_fragments_fit_and_keep_their_volume() {
        let smooth = crate::skin::block([1.0, 0.7, 0.5], &Sampling::lattice([4, 3, 2])).unwrap();
        for grain in [0.3, 0.1, 0.04] {
            let rough = roughen(smooth.clone(), grain, 5);
            let mut edges = BTreeMap::new();
            let mut pass = |owner: u32, [a, b, c]: [u32; 3]| {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    let sign = if from < to { 1 } else { -1 };
                    *edges.entry((owner, sorted(from, to))).or_insert(0) += sign;
                }
            };
            for face in &rough.outside {
                pass(face.owner, face.corners);
            }
            for face in &rough.inside {
                let [a, b, c] = face.corners;
                pass(face.between[0], [a, b, c]);
                pass(face.between[1], [a, c, b]);
            }
            assert!(edges.values().all(|&sum| sum == 0), "grain {grain}: not closed");
            let (before, after) = (volumes(&smooth, 24), volumes(&rough, 24));
            for (before, after) in before.iter().zip(&after) {
                assert!((after / before - 1.0).abs() < 1e-5, "grain {grain}: {after} of {before}");
            }
            let whole: f64 = after.iter().sum();
            assert!((whole - 0.35).abs() < 1e-6, "{whole}");
            let moved = rough.vertices.iter().zip(&smooth.vertices).filter(|(a, b)| a != b).count();
            assert_eq!(moved, 0, "old vertices stay");
            // it is rough: normals within an interface differ
            let flat = |face: &InsideFace| {
                let [a, b, c] = face.corners.map(|v| Vec3::from(rough.vertices[v as usize]));
                (b - a).cross(c - a).normalize().abs().max_element()
            };
            let tilted = rough.inside.iter().filter(|face| flat(face) < 0.99).count();
            assert!(grain > 0.2 || tilted > rough.inside.len() / 4, "{tilted}");
        }
    }

    /// Faces that run just below the surface do not come through it.
    #[test]
    fn what_is_inside_stays_inside() {
        let ball = crate::skin::sphere(0.5, &Sampling::count(150)).unwrap();
        let first_new = ball.vertices.len();
        let rough = roughen(ball, 0.06, 3);
        // the surface is made of chords
        let inside = |x: &&[f32; 3]| Vec3::from(**x).length() < 0.4995;
        let new = rough.vertices[first_new..].iter();
        assert!(new.clone().filter(inside).count() > 1000);
        let out = new.filter(|&&x| Vec3::from(x).length() > 0.5).count();
        assert_eq!(out, 0, "vertices beyond the ball");
    }
}
