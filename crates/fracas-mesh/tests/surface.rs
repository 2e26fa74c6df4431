//! Repairs, checks and measures of surfaces.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod tet_checks;

use std::path::Path;
use std::time::Instant;

use fracas::glam::{DQuat, DVec3};
use fracas_mesh::generate::surfaces::{block, cylinder, sphere, torus};
use fracas_mesh::generate::{GenerateError, shell};
use fracas_mesh::surface::{SurfaceError, SurfaceRepairs};
use fracas_mesh::{Attribute, ClosedSurface, Objects, Surface};
use proptest::prelude::*;
use tet_checks::{assert_close, assert_closed, assert_sound, boundary};

fn cube() -> Surface {
    block([1.0; 3]).unwrap()
}

fn moved(mut surface: Surface, by: [f64; 3]) -> Surface {
    surface.vertices.iter_mut().for_each(|x| *x += DVec3::from(by));
    surface
}

fn turned(mut surface: Surface) -> Surface {
    surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    surface
}

fn joined(parts: &[Surface]) -> Surface {
    let mut all = Surface::default();
    for (number, part) in parts.iter().enumerate() {
        let base = all.vertices.len() as u32;
        all.vertices.extend(&part.vertices);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| base + v)));
        all.objects.names.push(format!("part {number}"));
        all.objects.of.extend(part.triangles.iter().map(|_| number as u32));
    }
    all
}

/// Every triangle with vertices of its own, as STL has them.
fn soup(surface: &Surface) -> Surface {
    let vertices = (0..surface.triangles.len()).flat_map(|t| surface.corners(t)).collect();
    let triangles = (0..surface.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    Surface { vertices, triangles: triangles.collect(), ..surface.clone() }
}

fn check(surface: Surface) -> Result<ClosedSurface, SurfaceError> {
    ClosedSurface::new(surface)
}

fn asset(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(name)).unwrap()
}

/// `v` and `f` lines of plain triangles.
fn obj(name: &str) -> Surface {
    let text = String::from_utf8(asset(name)).unwrap();
    let mut surface = Surface::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["v", x, y, z] => {
                surface.vertices.push(DVec3::from([x, y, z].map(|x| x.parse().unwrap())));
            }
            ["f", a, b, c] => {
                let index =
                    |word: &str| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                surface.triangles.push([a, b, c].map(index));
            }
            _ => {}
        }
    }
    surface
}

/// Binary, triangles only.
fn ply(name: &str) -> Surface {
    let bytes = asset(name);
    let end = bytes.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let count = |of: &str| -> usize {
        header.lines().find_map(|line| line.strip_prefix(of)).unwrap().trim().parse().unwrap()
    };
    let (vertices, faces) = (count("element vertex"), count("element face"));
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    let vertex = |v: usize| {
        DVec3::from([0, 1, 2].map(|k| f64::from(f32::from_le_bytes(word(end + 12 * v + 4 * k)))))
    };
    let face = |t: usize| {
        let start = end + 12 * vertices + 13 * t;
        assert_eq!(bytes[start], 3);
        [0, 1, 2].map(|k| u32::from_le_bytes(word(start + 1 + 4 * k)))
    };
    Surface {
        vertices: (0..vertices).map(vertex).collect(),
        triangles: (0..faces).map(face).collect(),
        ..Surface::default()
    }
}

/// Binary: every triangle with its own corners.
fn stl(name: &str) -> Surface {
    let bytes = asset(name);
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    let count = u32::from_le_bytes(word(80));
    let corner = |c: u32| {
        let start = 84 + 50 * (c / 3) as usize + 12 + 12 * (c % 3) as usize;
        DVec3::from([0, 1, 2].map(|k| f64::from(f32::from_le_bytes(word(start + 4 * k)))))
    };
    Surface {
        vertices: (0..3 * count).map(corner).collect(),
        triangles: (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        ..Surface::default()
    }
}

#[test]
fn sound_surfaces_need_no_repair() {
    for surface in [
        cube(),
        sphere(0.5, 3).unwrap(),
        torus(1.0, 0.3, 24, 12).unwrap(),
        cylinder(0.2, 1.0, 24).unwrap(),
    ] {
        assert_closed(&surface.triangles);
        let (same, repairs) = surface.clone().repair();
        assert_eq!((&same, repairs), (&surface, SurfaceRepairs::default()));
        assert_eq!(repairs.to_string(), "");
        assert!(check(surface).unwrap().surface().volume() > 0.0);
    }
}

#[test]
fn shapes_have_their_volume_area_and_genus() {
    use std::f64::consts::PI;
    let ball = sphere(2.0, 5).unwrap();
    assert_eq!(ball.triangles.len(), 20 * 4usize.pow(5));
    assert_close(ball.volume(), 4.0 / 3.0 * PI * 8.0, 0.002);
    assert_close(ball.area(), 4.0 * PI * 4.0, 0.002);
    assert_eq!(ball.euler_characteristic(), 2);
    let ring = torus(1.0, 0.3, 128, 64).unwrap();
    assert_close(ring.volume(), 2.0 * PI * PI * 0.09, 0.003);
    assert_eq!(ring.euler_characteristic(), 0);
    let brick = block([1.0, 2.0, 3.0]).unwrap();
    assert_close(brick.volume(), 6.0, 1.0e-15);
    assert_close(brick.area(), 22.0, 1.0e-15);
    for divisions in [9, 40, u32::MAX] {
        let refused = sphere(1.0, divisions);
        assert!(
            matches!(refused, Err(GenerateError::TooManyElements { count }) if count > 5_000_000)
        );
    }
    assert!(matches!(torus(1.0, 1.0, 8, 8), Err(GenerateError::ThickTube { .. })));
    assert!(matches!(torus(1.0, 0.1, 8, 2), Err(GenerateError::FewSegments { segments: 2 })));
    assert!(matches!(block([1.0, f64::NAN, 1.0]), Err(GenerateError::BadLength { .. })));
    assert!(matches!(cylinder(1.0, 0.0, 9), Err(GenerateError::BadLength { what: "height", .. })));
    let pair = joined(&[brick.clone(), moved(brick, [5.0, 0.0, 0.0])]);
    assert_eq!(pair.components(), [(0..12).collect::<Vec<u32>>(), (12..24).collect()]);
}

#[test]
fn assets_become_closed_surfaces() {
    for (name, surface, euler) in [
        ("bunny", obj("bunny.obj"), 2),
        ("goblet", obj("goblet.obj"), 2),
        ("spot", ply("spot.ply"), 2),
        ("nut", ply("nut.ply"), 0),
        ("gear", stl("gear.stl"), 0),
    ] {
        let count = surface.triangles.len();
        let start = Instant::now();
        let (surface, repairs) = surface.repair();
        let repaired = start.elapsed();
        let closed = check(surface).unwrap_or_else(|error| panic!("{name}: {error}"));
        println!(
            "{name}: {count} triangles, {repaired:?} + {:?}: {repairs}",
            start.elapsed() - repaired
        );
        assert_eq!(closed.surface().euler_characteristic(), euler, "{name}");
    }
}

#[test]
fn assets_become_shells() {
    for (name, surface, thickness) in [
        ("panel", obj("panel.obj"), 1.0e-3),
        ("panel", obj("panel.obj"), 1.0e-2),
        ("bunny", obj("bunny.obj"), 2.0e-4),
        ("spot", ply("spot.ply"), 1.0e-3),
        ("nut", ply("nut.ply"), 1.0e-2),
    ] {
        let mesh = shell(&surface, thickness, 1).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_sound(&mesh);
        assert_close(mesh.volume(), surface.area() * thickness, 1.0e-3);
        let twice = 2 * surface.euler_characteristic();
        // a disk becomes a ball, what is closed two shells
        let expected = if name == "panel" { 2 } else { twice };
        assert_eq!(boundary(&mesh).euler_characteristic(), expected, "{name}");
    }
    assert!(matches!(check(obj("panel.obj")), Err(SurfaceError::Open { edges: 60, .. })));
}

#[test]
fn a_soup_is_welded() {
    let ball = sphere(1.0, 2).unwrap();
    let mut loose = soup(&ball);
    loose.attributes = vec![Attribute {
        name: "n".into(),
        values: (0..loose.vertices.len()).map(|v| v as f32).collect(),
    }];
    loose.uvs = (0..loose.triangles.len()).map(|t| [[t as f32, 0.0]; 3]).collect();
    assert!(matches!(check(loose.clone()), Err(SurfaceError::Open { edges: 960, .. })));
    let (welded, repairs) = loose.clone().repair();
    assert_eq!(repairs.to_string(), "798 duplicate vertices welded");
    assert_eq!(welded.vertices.len(), ball.vertices.len());
    assert_eq!(welded.uvs, loose.uvs);
    // the value of a vertex is that of the first at its place
    for (v, x) in welded.vertices.iter().enumerate() {
        let first = loose.vertices.iter().position(|y| y == x).unwrap();
        assert_eq!(welded.attributes[0].values[v], first as f32);
    }
    check(welded).unwrap();
}

/// Rounded to a millionth of the size, corners no longer agree to the bit.
#[test]
fn near_vertices_are_welded_only_if_that_closes() {
    let ball = sphere(1.0, 2).unwrap();
    let mut loose = soup(&ball);
    for (k, x) in loose.vertices.iter_mut().enumerate() {
        *x *= 1.0 + 1.0e-8 * (k % 7) as f64;
    }
    let (welded, repairs) = loose.clone().repair();
    assert_eq!(repairs.welded + repairs.welded_near, 798);
    assert!(repairs.welded_near > 500, "{repairs}");
    check(welded).unwrap();
    // with a hole it stays open, and as it was
    loose.triangles.pop();
    let (same, repairs) = loose.clone().repair();
    assert_eq!(repairs.welded_near, 0);
    assert!(matches!(check(same), Err(SurfaceError::Open { .. })));
}

#[test]
fn degenerate_and_double_triangles_go() {
    let mut surface = cube();
    surface.uvs = (0..12).map(|t| [[t as f32; 2]; 3]).collect();
    let uvs = surface.uvs.clone();
    surface.triangles.insert(3, [1, 1, 2]);
    surface.uvs.insert(3, [[-1.0; 2]; 3]);
    surface.triangles.push(surface.triangles[0]);
    surface.uvs.push([[-1.0; 2]; 3]);
    surface.vertices.push(DVec3::splat(9.0));
    let (mended, repairs) = surface.repair();
    assert_eq!(
        repairs.to_string(),
        "1 triangle without area removed, 1 duplicate triangle removed, 1 unused vertex removed"
    );
    assert_eq!(mended, Surface { uvs, ..cube() });
    check(mended).unwrap();
}

/// A flat triangle between an edge and the same edge in two parts: taken out, it would leave a gap.
#[test]
fn flat_triangles_are_swapped_without_a_gap() {
    // the square between y = 0 and 1 at z = 1 of a cube is cut along an edge with a middle point
    let mut surface = cube();
    let middle = surface.vertices.len() as u32;
    let [a, b, c] = surface.triangles[0];
    let place = 0.25 * surface.vertices[a as usize] + 0.75 * surface.vertices[b as usize];
    surface.vertices.push(place);
    // (a, b, c) as (a, m, c) and (m, b, c), with a flat triangle (a, b, m) at its side
    surface.triangles[0] = [a, middle, c];
    surface.triangles.extend([[middle, b, c], [a, b, middle]]);
    assert_closed(&surface.triangles);
    assert!(matches!(check(surface.clone()), Err(SurfaceError::Flat { triangles: 1, .. })));
    let volume = surface.volume();
    surface.uvs = (0..14).map(|t| surface.corners(t).map(|x| [x.x as f32, x.y as f32])).collect();
    let (mended, repairs) = surface.repair();
    assert_eq!(repairs.to_string(), "1 triangle without area removed");
    assert_closed(&mended.triangles);
    assert_close(mended.volume(), volume, 1.0e-15);
    assert_close(mended.area(), 6.0, 1.0e-15);
    // texture coordinates that were linear in the place still are
    for (t, uvs) in mended.uvs.iter().enumerate() {
        assert_eq!(*uvs, mended.corners(t).map(|x| [x.x as f32, x.y as f32]));
    }
    check(mended).unwrap();
}

#[test]
fn touching_objects_become_one_body() {
    let chunks = joined(&[cube(), moved(cube(), [1.0, 0.0, 0.0])]);
    let (whole, repairs) = chunks.repair();
    assert_eq!(repairs.to_string(), "4 duplicate vertices welded, 2 faces between objects removed");
    assert_eq!(whole.objects.of, [[0; 10], [1; 10]].concat());
    let closed = check(whole).unwrap();
    assert_close(closed.surface().volume(), 2.0, 1.0e-12);
    assert_eq!(closed.surface().components().len(), 1);

    // with other diagonals the faces are not the same: refused, not guessed
    let mut other = cube();
    other.vertices.iter_mut().for_each(|x| *x = DVec3::new(x.x, -x.z, x.y));
    let (whole, repairs) = joined(&[cube(), moved(other, [1.0, 0.0, 0.0])]).repair();
    assert_eq!(repairs.inner_faces, 0);
    assert!(check(whole).is_err());
    // nor are faces of one object cancelled
    let mut one = joined(&[cube(), cube()]);
    one.objects = Objects::NONE;
    one.triangles[12..].iter_mut().for_each(|t| t.swap(1, 2));
    assert!(matches!(one.clone().repair().1, SurfaceRepairs { inner_faces: 0, welded: 8, .. }));
}

#[test]
fn triangles_are_turned_to_face_outwards() {
    let ball = sphere(1.0, 2).unwrap();
    let mut mixed = ball.clone();
    for t in [3, 50, 51, 200] {
        mixed.triangles[t].swap(0, 1);
    }
    assert!(matches!(check(mixed.clone()), Err(SurfaceError::Inconsistent { .. })));
    let (mended, repairs) = mixed.repair();
    assert_eq!(repairs.to_string(), "4 triangles turned");
    assert_close(mended.volume(), ball.volume(), 1.0e-12);

    assert!(matches!(check(turned(ball.clone())), Err(SurfaceError::InsideOut { parts: 1, .. })));
    let (mended, repairs) = turned(ball.clone()).repair();
    assert_eq!(repairs.to_string(), "1 inside-out part turned");
    assert_close(mended.volume(), ball.volume(), 1.0e-12);
}

#[test]
fn cavities_stay_cavities() {
    let (outer, inner) = (sphere(1.0, 2).unwrap(), sphere(0.5, 2).unwrap());
    let seed = sphere(0.2, 1).unwrap();
    let hollow = joined(&[outer.clone(), turned(inner.clone()), seed.clone()]);
    let expected = outer.volume() - inner.volume() + seed.volume();
    let (same, repairs) = hollow.clone().repair();
    assert_eq!((&same, repairs), (&hollow, SurfaceRepairs::default()));
    assert_close(check(hollow.clone()).unwrap().surface().volume(), expected, 1.0e-12);
    // all of it inside out: all of it turns
    let (mended, repairs) = turned(hollow).repair();
    assert_eq!(repairs.inside_out, 3);
    assert_close(check(mended).unwrap().surface().volume(), expected, 1.0e-12);
    // one solid in another is no solid that one can fill
    let nested = joined(&[outer, inner]);
    let (nested, repairs) = nested.repair();
    assert_eq!(repairs, SurfaceRepairs::default());
    assert!(matches!(check(nested), Err(SurfaceError::Nested { parts: 1, .. })));
}

#[test]
fn parts_that_touch_in_a_vertex_are_split() {
    let pair = joined(&[cube(), moved(cube(), [1.0; 3])]);
    let mut pinched = pair;
    // the corner that both have
    let (a, b) = (7, 8);
    assert_eq!(pinched.vertices[a], pinched.vertices[b]);
    pinched.triangles.iter_mut().flatten().filter(|v| **v == b as u32).for_each(|v| *v = a as u32);
    assert!(matches!(
        check(pinched.clone()),
        Err(SurfaceError::NonManifoldVertex { vertices: 1, at }) if at == DVec3::splat(0.5)
    ));
    let (split, repairs) = pinched.repair();
    assert_eq!(repairs.split, 1);
    assert_close(check(split).unwrap().surface().volume(), 2.0, 1.0e-12);

    // in a dent, where the other is nearly all around
    let mut dented = cube();
    dented.vertices[7] = DVec3::splat(-0.4);
    let spike = Surface {
        vertices: vec![
            DVec3::splat(-0.4),
            DVec3::new(0.2, 0.45, 0.45),
            DVec3::new(0.45, 0.2, 0.45),
            DVec3::new(0.45, 0.45, 0.2),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]],
        ..Surface::default()
    };
    let volume = dented.volume().abs() + spike.volume().abs();
    let (pair, _) = joined(&[turned(spike), dented]).repair();
    assert_close(check(pair).unwrap().surface().volume(), volume, 1.0e-12);
}

#[test]
fn what_bounds_no_solid_is_refused_with_the_place() {
    assert_eq!(check(Surface::default()), Err(SurfaceError::Empty));
    let refuse = |surface: Surface| check(surface).unwrap_err();

    let mut bad = cube();
    bad.triangles[5][1] = 8;
    assert!(matches!(
        refuse(bad.clone()),
        SurfaceError::BadIndex { triangle: 5, vertex: 8, vertices: 8 }
    ));
    assert_eq!(bad.clone().repair(), (bad, SurfaceRepairs::default()));
    for (x, index) in [(f64::NAN, 3), (f64::INFINITY, 0), (1.0e10, 7)] {
        let mut bad = cube();
        bad.vertices[index].y = x;
        assert!(matches!(refuse(bad), SurfaceError::NotFinite { vertex, .. } if vertex == index));
    }
    let mut bad = cube();
    bad.uvs = vec![[[0.0; 2]; 3]; 11];
    assert!(matches!(refuse(bad), SurfaceError::WrongLength { found: 11, expected: 12, .. }));
    let mut bad = cube();
    bad.attributes = vec![Attribute { name: "a".into(), values: vec![0.0; 9] }];
    assert!(matches!(refuse(bad), SurfaceError::WrongLength { found: 9, expected: 8, .. }));
    let mut bad = cube();
    bad.objects.of = vec![0; 12];
    assert!(matches!(refuse(bad), SurfaceError::BadObject { triangle: 0, object: 0, objects: 0 }));

    let mut open = cube();
    open.triangles.pop();
    let message = refuse(open).to_string();
    assert_eq!(
        message,
        "the surface is open: 3 edges have one triangle only, for example near (-0.5, 0, 0.5); \
         close the hole in your modelling program, or give the surface a thickness (shell)"
    );
    let wall = Surface { triangles: vec![[0, 1, 2], [0, 2, 1]], ..cube() };
    assert!(matches!(refuse(wall), SurfaceError::NoVolume { .. }));
    // two cubes that share an edge: which is inside cannot be told at that edge
    let (touching, _) = joined(&[cube(), moved(cube(), [1.0, 1.0, 0.0])]).repair();
    let refused = refuse(touching);
    assert!(matches!(refused, SurfaceError::NonManifoldEdge { edges: 1, .. }));
    assert!(refused.to_string().starts_with("1 edge has more than two triangles"), "{refused}");
    let mut far = cube();
    far.vertices[0][1] = 1e30;
    assert!(refuse(far).to_string().contains("1e30,"), "not thirty zeros");
    // a wall inside
    let mut walled = cube();
    walled.triangles.push([0, 1, 7]);
    assert!(matches!(refuse(walled), SurfaceError::NonManifoldEdge { .. }));
}

#[test]
fn surfaces_that_cross_are_refused() {
    let refuse = |surface: Surface| match check(surface) {
        Err(SurfaceError::SelfCrossing { pairs, at }) => (pairs, at),
        other => panic!("{other:?}"),
    };
    // two balls that overlap: they cross in the plane x = 0.4
    let ball = sphere(0.5, 3).unwrap();
    let (pairs, at) = refuse(joined(&[ball.clone(), moved(ball.clone(), [0.8, 0.0, 0.0])]));
    assert!(pairs > 10 && (at.x - 0.4).abs() < 0.15, "{pairs} near {at}");
    // cubes that touch with whole faces but other diagonals, without shared vertices
    refuse(joined(&[cube(), moved(block([0.5; 3]).unwrap(), [0.75, 0.0, 0.0])]));
    // a corner pulled through the opposite face
    let mut pulled = cube();
    pulled.vertices[0] = DVec3::new(0.1, 0.2, 0.7);
    refuse(pulled);
    // one triangle folded over its neighbour in their plane, still closed and with volume
    let mut folded = block([1.0; 3]).unwrap();
    let centre = folded.vertices.len() as u32;
    let [a, b, c] = folded.triangles[0];
    let places = folded.corners(0);
    folded.vertices.push(1.2 * places[0] - 0.1 * places[1] - 0.1 * places[2]);
    folded.triangles[0] = [a, b, centre];
    folded.triangles.extend([[b, c, centre], [c, a, centre]]);
    assert_closed(&folded.triangles);
    refuse(folded);
}

#[test]
fn a_large_surface_is_checked_in_time() {
    let ball = sphere(1.0, 6).unwrap();
    assert_eq!(ball.triangles.len(), 81_920);
    let start = Instant::now();
    let (ball, repairs) = ball.repair();
    println!("81,920 triangles: repair {:?}", start.elapsed());
    assert_eq!(repairs, SurfaceRepairs::default());
    let start = Instant::now();
    check(ball).unwrap();
    println!("81,920 triangles: check {:?}", start.elapsed());
}

/// Heaps that a search of all pairs would drown in.
#[test]
fn heaps_are_refused_in_time() {
    // all through one point, so that each crosses all others
    let needle = |k: u32| {
        let tip = DVec3::new(1.0, 0.000_7 * f64::from(k), 0.0);
        let mut needle = block([1.0; 3]).unwrap();
        for x in &mut needle.vertices {
            *x = DVec3::new(-tip.x, -tip.y, 0.0) * x.x.signum() + 1.0e-3 * *x;
        }
        needle
    };
    let needles: Vec<Surface> = (0..500).map(needle).collect();
    let (heap, _) = joined(&needles).repair();
    let refused = check(heap).unwrap_err();
    assert!(matches!(refused, SurfaceError::SelfCrossing { pairs: 1000, .. }), "{refused}");
    // loose triangles in one plane, none near another
    let mut loose = Surface::default();
    for k in 0..60_000 {
        let corner = DVec3::new(0.0, f64::from(k % 250), f64::from(k / 250));
        loose.vertices.extend([corner, corner + 0.1 * DVec3::Y, corner + 0.1 * DVec3::Z]);
        loose.triangles.push([3 * k, 3 * k + 1, 3 * k + 2]);
    }
    let (same, repairs) = loose.clone().repair();
    assert_eq!((&same, repairs), (&loose, SurfaceRepairs::default()));
    assert!(matches!(check(same), Err(SurfaceError::Open { edges: 180_000, .. })));
}

/// Mean curvature 1/r on a ball, 1/(2r) on a cylinder, and (R + 2r cos v)/(2r (R + r cos v)) on a
/// torus; 0 inside a flat face.
#[test]
fn mean_curvature_of_known_shapes() {
    for radius in [0.01, 3.0] {
        for h in sphere(radius, 4).unwrap().mean_curvature() {
            assert_close(h, 1.0 / radius, 0.01);
        }
        for h in turned(sphere(radius, 4).unwrap()).mean_curvature() {
            assert_close(h, -1.0 / radius, 0.01);
        }
    }
    let (radius, tube) = (1.0, 0.4);
    let ring = torus(radius, tube, 160, 96).unwrap();
    for (x, h) in ring.vertices.iter().zip(ring.mean_curvature()) {
        let cosine = (x.x.hypot(x.z) - radius) / tube;
        let expected = (radius + 2.0 * tube * cosine) / (2.0 * tube * (radius + tube * cosine));
        assert!((h - expected).abs() < 0.01, "{h} at {x} should be {expected}");
    }
    let radius = 0.25;
    let rod = cylinder(radius, 1.0, 96).unwrap();
    let (mut round, mut flat) = (0, 0);
    for (x, h) in rod.vertices.iter().zip(rod.mean_curvature()) {
        if x.y.abs() < 0.45 {
            assert_close(h, 0.5 / radius, 0.03);
            round += 1;
        } else if x.x.hypot(x.z) < 0.2 {
            assert!(h.abs() < 1.0e-9, "{h}");
            flat += 1;
        }
    }
    assert!(round > 100 && flat > 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// However mixed up, a ball comes back whole, at any size and turn.
    #[test]
    fn mixed_up_surfaces_come_back(
        turns in prop::collection::vec(0usize..320, 0..400),
        scale in -3.0f64..3.0,
        axis in prop::array::uniform3(-1.0f64..1.0),
        angle in 0.0f64..6.0,
        far in prop::array::uniform3(-10.0f64..10.0),
        loose in any::<bool>(),
    ) {
        let scale = 10.0f64.powf(scale);
        let turn = DQuat::from_axis_angle(DVec3::from(axis).normalize_or(DVec3::X), angle);
        let mut ball = sphere(1.0, 2).unwrap();
        let volume = ball.volume() * scale.powi(3);
        for x in &mut ball.vertices {
            *x = scale * (turn * *x + DVec3::from(far));
        }
        for t in turns {
            ball.triangles[t].swap(0, 1);
        }
        if loose {
            ball = soup(&ball);
        }
        let (mended, _) = ball.repair();
        let closed = check(mended).unwrap();
        assert_close(closed.surface().volume(), volume, 1.0e-9);
    }

    /// Noise makes a surface cross itself or not; it is never a panic, and repairing twice changes
    /// nothing more.
    #[test]
    fn noisy_surfaces_are_checked_or_refused(
        noise in 0.0f64..0.4,
        seed in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 162),
        drop in prop::collection::vec(0usize..320, 0..3),
        odd in prop::collection::vec(prop::array::uniform3(0u32..162), 0..3),
    ) {
        let mut ball = sphere(1.0, 2).unwrap();
        for (x, shift) in ball.vertices.iter_mut().zip(seed) {
            *x += noise * DVec3::from(shift);
        }
        for t in drop {
            ball.triangles.swap_remove(t.min(ball.triangles.len() - 1));
        }
        ball.triangles.extend(odd);
        let (mended, _) = ball.repair();
        let (again, repairs) = mended.clone().repair();
        prop_assert_eq!(repairs.welded + repairs.turned + repairs.inside_out, 0);
        prop_assert_eq!(&again, &mended);
        let _ = check(mended);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Assets pass at any size and turn; with noise they pass or are refused.
    #[test]
    fn moved_assets_are_still_closed(
        which in 0usize..4,
        scale in -3.0f64..3.0,
        axis in prop::array::uniform3(-1.0f64..1.0),
        angle in 0.0f64..6.0,
        noise in -8.0f64..0.0,
    ) {
        let asset = match which {
            0 => obj("bunny.obj"),
            1 => obj("goblet.obj"),
            2 => ply("nut.ply"),
            _ => stl("gear.stl"),
        };
        let turn = DQuat::from_axis_angle(DVec3::from(axis).normalize_or(DVec3::X), angle);
        let mut surface = asset;
        for x in &mut surface.vertices {
            *x = 10.0f64.powf(scale) * (turn * *x);
        }
        let (mut surface, _) = surface.repair();
        prop_assert!(check(surface.clone()).is_ok());
        let [low, high] = surface.bounds().unwrap();
        let reach = 10.0f64.powf(noise) * low.distance(high);
        for (k, x) in surface.vertices.iter_mut().enumerate() {
            let k = k as f64;
            *x += reach * DVec3::new((17.0 * k).sin(), (29.0 * k).sin(), (43.0 * k).sin());
        }
        let (surface, repairs) = surface.repair();
        prop_assert_eq!(repairs.welded, 0);
        let _ = check(surface);
    }
}
