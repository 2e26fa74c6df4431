//! Meshes and height fields: flat ones feel flat, closed ones feel solid.

use super::*;
use crate::contact::shape::{HeightField, TriangleMesh};

/// A flat floor of cells, with diagonals both ways.
pub(super) fn flat_mesh(cells: usize, cell: f32) -> Shape {
    let side = cells + 1;
    let middle = 0.5 * cells as f32 * cell;
    let vertices = (0..side * side)
        .map(|i| {
            Vec3::new((i % side) as f32 * cell - middle, 0.0, (i / side) as f32 * cell - middle)
        })
        .collect();
    let mut triangles = Vec::new();
    for r in 0..cells {
        for c in 0..cells {
            let corner = |dc: usize, dr: usize| ((r + dr) * side + c + dc) as u32;
            let [p, q, s, t] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            if (r + c) % 2 == 0 {
                triangles.extend([[p, t, s], [p, s, q]]);
            } else {
                triangles.extend([[p, t, q], [q, t, s]]);
            }
        }
    }
    Shape::TriangleMesh(TriangleMesh::new(vertices, triangles).unwrap())
}

pub(super) fn flat_field(cells: usize, cell: f32) -> Shape {
    let side = cells + 1;
    Shape::HeightField(HeightField::new(side, vec![0.0; side * side], [cell; 2]).unwrap())
}

/// All solids, sliding over a flat floor of triangles, see what they see of a half-space: the same
/// gap, straight up, at most four points. Also for boxes whose bottom is larger than triangles.
#[test]
fn floor_of_triangles_is_flat() {
    let mesh = flat_mesh(12, 0.37);
    let field = flat_field(12, 0.37);
    let corner = at(Vec3::new(-2.22, 0.0, -2.22));
    let ground = Shape::half_space(Vec3::Y).unwrap();
    let mut random = Random(11);
    for kind in 0..KINDS {
        for i in 0..60 {
            let shape = random.convex(kind);
            let rotation = if i % 2 == 0 { random.rotation() } else { Rot::IDENTITY };
            let lowest = shape.support(rotation.inverse() * Vec3::NEG_Y).unwrap();
            let depth = [0.05, 1.0e-3, 0.0, -0.02][i % 4];
            let height = -(rotation * lowest).y - depth;
            // on purpose often right on edges and corners of the floor
            let x = if i % 3 == 0 { 0.37 } else { random.within(-0.8, 0.8) };
            let z = if i % 5 == 0 { 0.0 } else { random.within(-0.8, 0.8) };
            let pose = Pose { rotation, position: Vec3::new(x, height, z) };
            let expected = points(&shape, &pose, &ground, &Pose::IDENTITY, 0.06);
            for (floor, place) in [(&mesh, &Pose::IDENTITY), (&field, &corner)] {
                let found = points(&shape, &pose, floor, place, 0.06);
                let case = format!("{} on {}: {pose:?} {found:?}", shape.kind(), floor.kind());
                assert!((1..=4).contains(&found.len()), "{case}");
                for p in &found {
                    assert!((p.normal - Vec3::Y).length() < 1.0e-5, "{case} {shape:?}");
                    let same = found.iter().filter(|q| q.feature == p.feature).count();
                    assert_eq!(same, 1, "{case}");
                }
                let (one, two) = (deepest(&found).gap, deepest(&expected).gap);
                assert!((one - two).abs() < 2.0e-5, "{one} against {two}, {case}");
                // of a tilted one the edge that touches counts first, and triangles cut that at other places
                let flat = rotation == Rot::IDENTITY;
                if flat && expected.len() == 4 && matches!(shape, Shape::Box(_)) {
                    let (one, two) = (area(&found), area(&expected));
                    assert!((one - two).abs() < 0.02 * two, "{one} of {two}, {case}");
                }
            }
        }
    }
}

/// From below, a sheet of triangles pushes down; a height field is solid and pushes up, however
/// deep.
#[test]
fn sheets_have_two_sides_and_fields_one() {
    let sphere = Shape::sphere(0.2).unwrap();
    let under = at(Vec3::new(0.1, -0.15, 0.2));
    let found = points(&sphere, &under, &flat_mesh(8, 0.3), &Pose::IDENTITY, 0.05);
    assert_eq!(found.len(), 1);
    assert!((found[0].normal + Vec3::Y).length() < 1.0e-6 && (found[0].gap + 0.05).abs() < 1.0e-6);

    let corner = at(Vec3::new(-1.2, 0.0, -1.2));
    for depth in [0.15, 1.0, 5.0] {
        let under = at(Vec3::new(0.1, -depth, 0.2));
        let found = points(&sphere, &under, &flat_field(8, 0.3), &corner, 0.05);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].normal - Vec3::Y).length() < 1.0e-6);
        assert!((found[0].gap + depth + 0.2).abs() < 1.0e-5, "{found:?}");
    }
}

/// The surface of a box as a mesh.
fn box_mesh(half: Vec3) -> Shape {
    let vertices = (0..8)
        .map(|k| half * Vec3::new([-1.0, 1.0][k & 1], [-1.0, 1.0][k >> 1 & 1], [-1.0, 1.0][k >> 2]))
        .collect();
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Shape::TriangleMesh(TriangleMesh::new(vertices, triangles).unwrap())
}

/// A closed mesh of a box is touched like the box: faces, edges and corners, apart and with a slight
/// overlap.
#[test]
fn mesh_of_a_box_feels_like_the_box() {
    let half = Vec3::new(0.5, 0.4, 0.6);
    let (solid, mesh) = (Shape::block(half).unwrap(), box_mesh(half));
    let mut random = Random(21);
    for kind in 0..KINDS {
        for i in 0..80 {
            let shape = random.convex(kind);
            let rotation = random.rotation();
            let n = random.vector().normalize();
            let far = Pose { rotation, position: 4.0 * n };
            // slide in along n until the wanted gap
            let gap = [0.03, 0.0, -1.0e-3, -0.02][i % 4];
            let mut pose = far;
            for _ in 0..60 {
                let p = deepest(&points(&shape, &pose, &solid, &Pose::IDENTITY, 20.0));
                let slope = p.normal.dot(n).max(0.2);
                pose.position -= n * ((p.gap - gap) / slope);
            }
            let expected = deepest(&points(&shape, &pose, &solid, &Pose::IDENTITY, 0.1));
            let found = points(&shape, &pose, &mesh, &Pose::IDENTITY, 0.1);
            let case = format!("{} at {pose:?}: {expected:?} {found:?}", shape.kind());
            assert!(!found.is_empty(), "{case}");
            let first = deepest(&found);
            assert!(found.iter().any(|p| (p.gap - expected.gap).abs() < 1.0e-3), "{case}");
            // beside an edge the way out along a face is longer
            assert!(first.gap > 4.0 * expected.gap.min(0.0) - 1.0e-3, "{case}");
            // depth is a matter of direction; no point may push into the box
            for p in &found {
                assert!(p.normal.dot(expected.normal) > -0.2, "{case}");
            }
            if gap > 0.0 {
                assert!((first.normal - expected.normal).length() < 0.01, "{case}");
            }
        }
    }
}

/// Hills as a height field and as a mesh of the same triangles are touched alike from above.
#[test]
fn height_field_is_its_mesh() {
    let (side, cell) = (13, 0.4f32);
    let mut random = Random(31);
    let heights: Vec<f32> = (0..side * side).map(|_| random.within(0.0, 0.3)).collect();
    let vertices = (0..side * side)
        .map(|i| Vec3::new((i % side) as f32 * cell, heights[i], (i / side) as f32 * cell))
        .collect();
    let mut triangles = Vec::new();
    for i in (0..side * (side - 1)).filter(|i| i % side + 1 < side) {
        let [p, q, s, t] = [i, i + 1, i + side + 1, i + side].map(|v| v as u32);
        triangles.extend([[p, t, s], [p, s, q]]);
    }
    let mesh = Shape::TriangleMesh(TriangleMesh::new(vertices, triangles).unwrap());
    let field = Shape::HeightField(HeightField::new(side, heights, [cell; 2]).unwrap());
    let tilted = Pose { rotation: Rot::exp(Vec3::new(0.2, 0.5, -0.1)), position: Vec3::Y };
    for kind in 0..KINDS {
        for _ in 0..30 {
            let shape = random.convex(kind);
            let x = Vec3::new(
                random.within(1.0, 3.8),
                random.within(0.7, 1.4),
                random.within(1.0, 3.8),
            );
            let pose = tilted.of(&Pose { rotation: random.rotation(), position: x });
            let one = points(&shape, &pose, &mesh, &tilted, 0.1);
            let two = points(&shape, &pose, &field, &tilted, 0.1);
            assert_eq!(one.is_empty(), two.is_empty(), "{one:?} {two:?}");
            if !one.is_empty() {
                let (one, two) = (deepest(&one).gap, deepest(&two).gap);
                assert!((one - two).abs() < 1.0e-5, "{one} {two} {} {pose:?}", shape.kind());
            }
        }
    }
}
