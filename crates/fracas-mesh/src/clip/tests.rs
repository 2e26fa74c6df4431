//! The cut, against what is known of the shapes.

use std::collections::BTreeMap;
use std::time::Instant;

use proptest::prelude::*;

use super::*;
use crate::distance::SignedDistance;
use crate::fragments::{Fracture, Fragments, Pattern};
use crate::generate::surfaces;
use crate::stuffing::{Filling, fill};
use crate::{ClosedSurface, TetMesh};

/// Boxes between planes along x, y and z; numbered along x first.
fn boxes(planes: [&[f64]; 3]) -> Partition {
    let counts = planes.map(<[f64]>::len);
    let vertex = |at: [usize; 3]| (at[0] + counts[0] * (at[1] + counts[1] * at[2])) as u32;
    let cell =
        |at: [usize; 3]| (at[0] + (counts[0] - 1) * (at[1] + (counts[1] - 1) * at[2])) as u32;
    let mut partition = Partition::default();
    for z in planes[2] {
        for y in planes[1] {
            partition.vertices.extend(planes[0].iter().map(|&x| DVec3::new(x, *y, *z)));
        }
    }
    for axis in 0..3 {
        let (along, across) = ((axis + 1) % 3, (axis + 2) % 3);
        for level in 1..counts[axis] - 1 {
            for i in 0..counts[along] - 1 {
                for j in 0..counts[across] - 1 {
                    let at = |level: usize, di: usize, dj: usize| {
                        let mut at = [level; 3];
                        (at[along], at[across]) = (i + di, j + dj);
                        at
                    };
                    let between = [cell(at(level - 1, 0, 0)), cell(at(level, 0, 0))];
                    let [a, b, c, d] =
                        [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| vertex(at(level, i, j)));
                    for corners in [[a, b, c], [a, c, d]] {
                        partition.faces.push(PartitionFace { corners, between });
                    }
                }
            }
        }
    }
    partition
}

/// The triangles of each cell, checked to close and to wind outwards.
fn cells(clipped: &Clipped) -> BTreeMap<u32, Vec<[u32; 3]>> {
    let mut cells: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
    for part in &clipped.outside {
        cells.entry(part.cell).or_default().push(part.corners);
    }
    for part in &clipped.inside {
        let [a, b, c] = part.corners;
        cells.entry(part.between[0]).or_default().push([a, b, c]);
        cells.entry(part.between[1]).or_default().push([a, c, b]);
    }
    for (cell, triangles) in &cells {
        let mut balance: BTreeMap<[u32; 2], i32> = BTreeMap::new();
        for &[a, b, c] in triangles {
            assert!(a != b && b != c && c != a);
            for [from, to] in [[a, b], [b, c], [c, a]] {
                *balance.entry([from.min(to), from.max(to)]).or_default() +=
                    if from < to { 1 } else { -1 };
            }
        }
        assert!(balance.values().all(|&sum| sum == 0), "cell {cell} is open");
    }
    cells
}

/// Volume of each cell, in m³.
fn volumes(clipped: &Clipped) -> BTreeMap<u32, f64> {
    let volume = |triangles: Vec<[u32; 3]>| {
        Surface { vertices: clipped.vertices.clone(), triangles, ..Surface::default() }.volume()
    };
    cells(clipped).into_iter().map(|(cell, triangles)| (cell, volume(triangles))).collect()
}

/// What holds of every cut: volumes add up, no vertex moved, parts cover their triangles.
fn check(surface: &Surface, clipped: &Clipped) -> BTreeMap<u32, f64> {
    assert_eq!(clipped.vertices[..surface.vertices.len()], surface.vertices[..]);
    let volumes = volumes(clipped);
    let (sum, whole) = (volumes.values().sum::<f64>(), surface.volume());
    assert!((sum / whole - 1.0).abs() < 1.0e-9, "{sum} m³ of {whole} m³");
    assert!(volumes.values().all(|&volume| volume > -1.0e-12 * whole));
    let [low, high] = surface.bounds().unwrap();
    let size = low.distance(high);
    let mut areas = vec![0.0; surface.triangles.len()];
    for part in &clipped.outside {
        let t = part.triangle as usize;
        let source = surface.corners(t);
        let normal = (source[1] - source[0]).cross(source[2] - source[0]);
        let [a, b, c] = part.corners.map(|v| clipped.vertices[v as usize]);
        let area = (b - a).cross(c - a).dot(normal) / normal.length_squared();
        assert!(area > -1.0e-9, "a part is turned over");
        areas[t] += area;
        for corner in 0..3 {
            let weights = clipped.weights(surface, part, corner);
            assert!(weights.iter().all(|&w| w >= 0.0));
            let place: DVec3 = (0..3).map(|k| weights[k] * source[k]).sum();
            let vertex = clipped.vertices[part.corners[corner] as usize];
            assert!(place.distance(vertex) < 1.0e-12 * size, "a part leaves its triangle");
        }
    }
    assert!(areas.iter().all(|&area| (area - 1.0).abs() < 1.0e-8), "a triangle is not covered");
    volumes
}

#[test]
fn a_plane_halves_a_block() {
    let block = surfaces::block([1.0, 0.8, 0.6]).unwrap();
    let partition = boxes([&[-5.0, 0.1, 5.0], &[-5.0, 5.0], &[-5.0, 5.0]]);
    assert_eq!(partition.faces.len(), 2);
    let clipped = clip(&block, &partition, 1).unwrap();
    let volumes = check(&block, &clipped);
    assert_eq!(volumes.len(), 2);
    assert!((volumes[&0] - 0.6 * 0.48).abs() < 1.0e-4);
    assert!((volumes[&1] - 0.4 * 0.48).abs() < 1.0e-4);
    assert!(clipped.inside.iter().all(|part| part.between == [0, 1]));
    assert_eq!(clipped, clip(&block, &partition, 1).unwrap());
}

#[test]
fn boxes_divide_a_sphere() {
    let sphere = surfaces::sphere(1.0, 5).unwrap();
    let planes = [-1.5, -0.35, 0.3, 1.5];
    let volumes = check(&sphere, &clip(&sphere, &boxes([&planes; 3]), 7).unwrap());
    assert_eq!(volumes.len(), 27);
    // by columns along z through the round sphere, which is 0.1 % larger than the triangles
    let fine = 1000;
    let mut expected = vec![0.0; 27];
    let place = |i: usize| -1.0 + 2.0 * (i as f64 + 0.5) / fine as f64;
    let slot = |x: f64| (x > planes[1]) as usize + (x > planes[2]) as usize;
    for (x, y) in (0..fine * fine).map(|k| (place(k % fine), place(k / fine))) {
        let half = (1.0 - x * x - y * y).max(0.0).sqrt();
        for z in 0..3 {
            let height = half.min(planes[z + 1]) - (-half).max(planes[z]);
            expected[slot(x) + 3 * slot(y) + 9 * z] += height.max(0.0) * 4.0 / (fine * fine) as f64;
        }
    }
    for (cell, volume) in volumes {
        let expected = expected[cell as usize];
        assert!((volume / expected - 1.0).abs() < 0.01, "cell {cell}: {volume} of {expected}");
    }
}

#[test]
fn planes_along_the_edges_of_a_grid_divide_it() {
    let block = surfaces::block_grid([1.0; 3], [4; 3]).unwrap();
    let planes = [-2.0, -0.25, 0.0, 0.25, 2.0];
    for seed in 0..20 {
        let volumes = check(&block, &clip(&block, &boxes([&planes; 3]), seed).unwrap());
        assert_eq!(volumes.len(), 64);
        assert!(volumes.values().all(|&volume| (64.0 * volume - 1.0).abs() < 1.0e-3));
    }
}

#[test]
fn a_surface_within_a_cell_belongs_to_it() {
    let sphere = surfaces::sphere(0.2, 2).unwrap();
    let planes = [-1.5, -0.35, 0.3, 1.5];
    let clipped = clip(&sphere, &boxes([&planes; 3]), 0).unwrap();
    assert!(clipped.outside.iter().all(|part| part.cell == 13));
    assert_eq!((clipped.outside.len(), clipped.inside.len()), (sphere.triangles.len(), 0));
    let none = Partition { lone: 5, ..Partition::default() };
    let clipped = clip(&sphere, &none, 0).unwrap();
    assert!(clipped.outside.iter().all(|part| part.cell == 5));
    assert_eq!(check(&sphere, &clipped).len(), 1);
}

#[test]
fn parts_of_a_surface_are_cut_each_by_itself() {
    let mut surface = surfaces::sphere(0.2, 2).unwrap();
    let other = surface.clone();
    let first = surface.vertices.len() as u32;
    surface.vertices.extend(other.vertices.iter().map(|&x| x + DVec3::new(0.3, 0.0, 0.0)));
    surface.triangles.extend(other.triangles.iter().map(|t| t.map(|v| first + v)));
    let partition = boxes([&[-5.0, 0.05, 5.0], &[-5.0, 5.0], &[-5.0, 5.0]]);
    let clipped = clip(&surface, &partition, 0).unwrap();
    assert_eq!(check(&surface, &clipped).len(), 2);
    let second = |part: &&OutsidePart| part.triangle as usize >= other.triangles.len();
    assert!(clipped.outside.iter().filter(second).all(|part| part.cell == 1));
}

#[test]
fn a_cell_within_keeps_all_its_faces() {
    let block = surfaces::block_grid([1.0; 3], [5; 3]).unwrap();
    let ball = surfaces::sphere(0.3, 3).unwrap();
    let faces = ball.triangles.iter().map(|&corners| PartitionFace { corners, between: [1, 0] });
    let mut partition =
        Partition { vertices: ball.vertices.clone(), faces: faces.collect(), lone: 0 };
    let clipped = clip(&block, &partition, 3).unwrap();
    assert_eq!(clipped.inside.len(), ball.triangles.len());
    let volumes = check(&block, &clipped);
    assert!((volumes[&1] / ball.volume() - 1.0).abs() < 1.0e-4);
    assert!(clipped.outside.iter().all(|part| part.cell == 0));
    // beside the block it is no part of it
    partition.vertices.iter_mut().for_each(|x| x.x += 2.0);
    assert!(clip(&block, &partition, 3).unwrap().inside.is_empty());
}

#[test]
fn what_does_not_part_is_refused() {
    let block = surfaces::block([1.0; 3]).unwrap();
    let half = boxes([&[-5.0, 0.1, 5.0], &[0.13, 5.0], &[-5.0, 5.0]]);
    assert!(matches!(clip(&block, &half, 0), Err(ClipError::NotParted { cells: [0, 1], .. })));
    let within = boxes([&[-5.0, 0.1, 5.0], &[-0.1, 0.1], &[-0.1, 0.1]]);
    assert!(matches!(clip(&block, &within, 0), Err(ClipError::Open { cell: 0 })));
    let mut bad = boxes([&[-5.0, 0.1, 5.0], &[-5.0, 5.0], &[-5.0, 5.0]]);
    bad.faces[1].between = [3, 3];
    assert_eq!(clip(&block, &bad, 0), Err(ClipError::SameCell { face: 1, cell: 3 }));
    bad.faces[0].corners[2] = 99;
    assert_eq!(clip(&block, &bad, 0), Err(ClipError::MissingPartitionVertex { face: 0 }));
    let mut nowhere = block.clone();
    nowhere.vertices[3].y = f64::NAN;
    assert_eq!(clip(&nowhere, &half, 0), Err(ClipError::NotFinite));
    let mut open = block.clone();
    open.triangles.pop();
    let plane = boxes([&[-5.0, 0.1, 5.0], &[-5.0, 5.0], &[-5.0, 5.0]]);
    assert!(clip(&open, &plane, 0).is_err());
}

/// The faces between tetrahedra of different labels.
fn between_labels(mesh: &TetMesh, labels: &[u32]) -> Partition {
    let mut faces = Vec::new();
    for (tet, neighbours) in mesh.neighbours().into_iter().enumerate() {
        for (face, other) in (0..4).zip(neighbours) {
            let Some(other) = other.map(|other| other as usize).filter(|&other| other > tet) else {
                continue;
            };
            let between = [labels[tet], labels[other]];
            if between[0] != between[1] {
                faces.push(PartitionFace { corners: mesh.face(tet, face), between });
            }
        }
    }
    Partition { vertices: mesh.vertices.clone(), faces, lone: labels[0] }
}

/// Tetrahedra in a block around a surface, larger than it by a fifth on all sides.
fn around(surface: &Surface, tets: u32) -> TetMesh {
    let [low, high] = surface.bounds().unwrap();
    let mut block = surfaces::block((1.4 * (high - low)).to_array()).unwrap();
    block.vertices.iter_mut().for_each(|x| *x += 0.5 * (low + high));
    fill(&ClosedSurface::new(block).unwrap(), &Filling::tets(tets)).unwrap()
}

/// A grid of so many cubes along each axis of the same block, each of six tetrahedra around its
/// diagonal, with all vertices off their places by chance.
fn scattered(surface: &Surface, cells: usize, seed: u64) -> TetMesh {
    let [low, high] = surface.bounds().unwrap();
    let width = 1.4 * (high - low) / cells as f64;
    let corner = 0.5 * (low + high) - 0.5 * cells as f64 * width;
    let side = cells + 1;
    let place = |v: usize| {
        let at = [v % side, v / side % side, v / side / side].map(|x| x as f64);
        let aside = [0, 1, 2].map(|axis| 0.1 * random::signed(seed, &[v as u64, axis]));
        corner + width * (DVec3::from(at) + DVec3::from(aside))
    };
    let steps = [1, side, side * side];
    let mut tets = Vec::new();
    for cube in 0..cells * cells * cells {
        let a = cube % cells + side * (cube / cells % cells + side * (cube / cells / cells));
        for [i, j, even] in [[0, 1, 1], [1, 2, 1], [2, 0, 1], [1, 0, 0], [2, 1, 0], [0, 2, 0]] {
            let [b, c, d] =
                [a + steps[i], a + steps[i] + steps[j], a + steps.iter().sum::<usize>()];
            let [c, d] = if even == 1 { [c, d] } else { [d, c] };
            tets.push([a, b, c, d].map(|v| v as u32));
        }
    }
    let vertices = (0..side * side * side).map(place).collect();
    let mesh = TetMesh { vertices, tets, ..TetMesh::default() };
    assert!((0..mesh.tets.len()).all(|tet| mesh.tet_volume(tet) > 0.0));
    mesh
}

fn bunny() -> Surface {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/bunny.obj");
    let mut surface = Surface::default();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| word.split('/').next().unwrap().parse::<f64>().unwrap();
        match words.as_slice() {
            ["v", x, y, z] => surface.vertices.push(DVec3::from([x, y, z].map(|x| number(x)))),
            ["f", a, b, c] => surface.triangles.push([a, b, c].map(|v| number(v) as u32 - 1)),
            _ => {}
        }
    }
    surface
}

/// Every triangle in four.
fn divided(surface: &Surface) -> Surface {
    let mut divided = Surface { vertices: surface.vertices.clone(), ..Surface::default() };
    let mut known = BTreeMap::new();
    for &[a, b, c] in &surface.triangles {
        let [d, e, f] = [[a, b], [b, c], [c, a]].map(|[a, b]| {
            *known.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                let middle = divided.vertices[a as usize].midpoint(divided.vertices[b as usize]);
                divided.vertices.push(middle);
                divided.vertices.len() as u32 - 1
            })
        });
        divided.triangles.extend([[a, d, f], [d, b, e], [f, e, c], [d, e, f]]);
    }
    divided
}

/// Whether parts of fair size lie where their cells are, and inside ones inside.
fn check_places(surface: &Surface, mesh: &TetMesh, labels: &[u32], clipped: &Clipped) {
    let distance = SignedDistance::of(surface.vertices.clone(), surface.triangles.clone()).unwrap();
    let [low, high] = mesh.surface().bounds().unwrap();
    let clear = 1.0e-3 * low.distance(high);
    let middle = |corners: [u32; 3]| -> DVec3 {
        corners.iter().map(|&v| clipped.vertices[v as usize] / 3.0).sum()
    };
    for part in clipped.inside.iter().step_by(17) {
        let at = distance.at(middle(part.corners));
        assert!(at < 1.0e-9, "a part inside is {at} m outside");
    }
    for part in clipped.outside.iter().step_by(1 + clipped.outside.len() / 100) {
        let at = middle(part.corners);
        let tet = (0..mesh.tets.len()).find(|&tet| {
            let [a, b, c, d] = mesh.corners(tet);
            let depth = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).normalize().dot(a - at);
            [[b, c, d], [a, d, c], [a, b, d], [a, c, b]].into_iter().map(depth).all(|d| d > clear)
        });
        assert!(tet.is_none_or(|tet| labels[tet] == part.cell), "a part has a wrong cell");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..Default::default() })]
    #[test]
    fn random_cells_close(
        shape in 0..3,
        cells in 3usize..11,
        count in 2u64..60,
        seed in any::<u64>(),
    ) {
        let surface = match shape {
            0 => surfaces::torus(0.5, 0.2, 40, 20).unwrap(),
            1 => surfaces::sphere(0.4, 3).unwrap(),
            _ => bunny(),
        };
        let mesh = scattered(&surface, cells, seed);
        let label = |tet| (random::unit(seed, &[tet]) * count as f64) as u32;
        let labels: Vec<u32> = (0..mesh.tets.len() as u64).map(label).collect();
        let clipped = clip(&surface, &between_labels(&mesh, &labels), seed).unwrap();
        check(&surface, &clipped);
        check_places(&surface, &mesh, &labels, &clipped);
    }
}

#[test]
fn a_fine_surface_is_cut_fast() {
    let fine = divided(&divided(&bunny()));
    let mesh = around(&fine, 40_000);
    let fragments = Fragments::new(&mesh, &Fracture::new(Pattern::Voronoi, 300)).unwrap();
    let partition = between_labels(&mesh, &fragments.of_tet);
    let start = Instant::now();
    let clipped = clip(&fine, &partition, 0).unwrap();
    println!(
        "{} triangles × {} faces: {} parts outside, {} inside, {:?}",
        fine.triangles.len(),
        partition.faces.len(),
        clipped.outside.len(),
        clipped.inside.len(),
        start.elapsed()
    );
    check(&fine, &clipped);
    check_places(&fine, &mesh, &fragments.of_tet, &clipped);
}
