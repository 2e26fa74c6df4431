//! Closed surfaces become tetrahedra: angles, topology, volume, count, on real and analytic
//! surfaces.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use fracas::glam::{DQuat, DVec3};
use fracas_mesh::distance::SignedDistance;
use fracas_mesh::stuffing::{self, FillError, Filling, Fit};
use fracas_mesh::{ClosedSurface, Surface, TetMesh};

fn asset(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../assets/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn obj(name: &str) -> Surface {
    let text = String::from_utf8(asset(name)).unwrap();
    let mut surface = Surface::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let x: Vec<f64> = words.map(|w| w.parse().unwrap()).collect();
                surface.vertices.push(DVec3::new(x[0], x[1], x[2]));
            }
            Some("f") => {
                let v = |w: &str| w.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                let f: Vec<u32> = words.map(v).collect();
                surface.triangles.push([f[0], f[1], f[2]]);
            }
            _ => {}
        }
    }
    surface
}

fn f32_at(bytes: &[u8], at: usize) -> f64 {
    f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
}

fn xyz_at(bytes: &[u8], at: usize) -> DVec3 {
    DVec3::new(f32_at(bytes, at), f32_at(bytes, at + 4), f32_at(bytes, at + 8))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// Binary STL, vertices at the same place joined.
fn stl(name: &str) -> Surface {
    let bytes = asset(name);
    let mut surface = Surface::default();
    let mut known = BTreeMap::new();
    for t in 0..u32_at(&bytes, 80) as usize {
        let corner = |k: usize| xyz_at(&bytes, 84 + 50 * t + 12 + 12 * k);
        let triangle = [0, 1, 2].map(|k| {
            let x = corner(k);
            let key = x.to_array().map(|c| (c + 0.0).to_bits());
            *known.entry(key).or_insert_with(|| {
                surface.vertices.push(x);
                surface.vertices.len() as u32 - 1
            })
        });
        surface.triangles.push(triangle);
    }
    surface
}

/// Binary little-endian PLY of float positions and triangles.
fn ply(name: &str) -> Surface {
    let bytes = asset(name);
    let end = b"end_header\n";
    let body = bytes.windows(end.len()).position(|w| w == end).unwrap() + end.len();
    let header = String::from_utf8_lossy(&bytes[..body]).to_string();
    let count = |what: &str| -> usize {
        let line = header.lines().find(|l| l.starts_with(&format!("element {what}"))).unwrap();
        line.split_whitespace().last().unwrap().parse().unwrap()
    };
    let (vertices, faces) = (count("vertex"), count("face"));
    let first_face = body + 12 * vertices;
    Surface {
        vertices: (0..vertices).map(|v| xyz_at(&bytes, body + 12 * v)).collect(),
        triangles: (0..faces)
            .map(|f| [0, 1, 2].map(|k| u32_at(&bytes, first_face + 13 * f + 1 + 4 * k)))
            .collect(),
        ..Surface::default()
    }
}

/// A surface over a grid of two angles, closed by joining ends.
fn torus(ring: f64, tube: f64, n: u32, m: u32) -> Surface {
    let point = |i: u32, j: u32| {
        let (u, v) = (TAU * f64::from(i) / f64::from(n), TAU * f64::from(j) / f64::from(m));
        let r = ring + tube * v.cos();
        DVec3::new(r * u.cos(), r * u.sin(), tube * v.sin())
    };
    let id = |i: u32, j: u32| (i % n) * m + j % m;
    let cells = || (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)));
    Surface {
        vertices: cells().map(|(i, j)| point(i, j)).collect(),
        triangles: cells()
            .flat_map(|(i, j)| {
                let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect(),
        ..Surface::default()
    }
}

/// A sphere of latitudes and longitudes.
fn sphere(radius: f64, n: u32) -> Surface {
    let mut vertices = vec![DVec3::Z * radius, DVec3::NEG_Z * radius];
    for i in 1..n {
        for j in 0..2 * n {
            let (theta, phi) = (PI * f64::from(i) / f64::from(n), PI * f64::from(j) / f64::from(n));
            let ring = theta.sin();
            vertices.push(radius * DVec3::new(ring * phi.cos(), ring * phi.sin(), theta.cos()));
        }
    }
    let id = |i: u32, j: u32| 2 + (i - 1) * 2 * n + j % (2 * n);
    let mut triangles = Vec::new();
    for j in 0..2 * n {
        triangles.push([0, id(1, j), id(1, j + 1)]);
        triangles.push([1, id(n - 1, j + 1), id(n - 1, j)]);
        for i in 1..n - 1 {
            let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Surface { vertices, triangles, ..Surface::default() }
}

/// A box from the origin.
fn cuboid(size: DVec3) -> Surface {
    let corner = |k: u32| size * DVec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    Surface {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        ..Surface::default()
    }
}

trait Append {
    fn append(&mut self, other: Surface, offset: DVec3, turned: bool);
}

impl Append for Surface {
    /// Adds another surface, moved, as a cavity if it is turned.
    fn append(&mut self, other: Surface, offset: DVec3, turned: bool) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices.iter().map(|x| *x + offset));
        self.triangles.extend(other.triangles.iter().map(|&[a, b, c]| {
            let [b, c] = if turned { [c, b] } else { [b, c] };
            [a + first, b + first, c + first]
        }));
    }
}

fn closed(surface: Surface) -> ClosedSurface {
    ClosedSurface::new(surface).unwrap()
}

fn conform(surface: &ClosedSurface, tets: u32) -> Result<TetMesh, FillError> {
    stuffing::fill(surface, &Filling { tets, fit: Fit::Conform })
}

/// Lowest angle between faces, in degrees, by the textbook: the angle between the parts of two
/// edges that stand across the third.
fn least_dihedral(mesh: &TetMesh) -> f64 {
    let mut least = 180.0_f64;
    for t in 0..mesh.tets.len() {
        let x = mesh.corners(t);
        for [i, j, k, l] in
            [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]]
        {
            let axis = (x[j] - x[i]).normalize();
            let across = |y: DVec3| (y - x[i]) - axis * axis.dot(y - x[i]);
            least = least.min(across(x[k]).angle_between(across(x[l])).to_degrees());
        }
    }
    least
}

/// Positive, closed, oriented, nowhere pinched, no face with three tetrahedra.
fn assert_sound(mesh: &TetMesh, name: &str) {
    for t in 0..mesh.tets.len() {
        assert!(mesh.tet_volume(t) > 0.0, "{name}: tetrahedron {t} has {} m³", mesh.tet_volume(t));
    }
    let mut faces: BTreeMap<[u32; 3], Vec<[u32; 3]>> = BTreeMap::new();
    for t in 0..mesh.tets.len() {
        for f in 0..4 {
            let face = mesh.face(t, f);
            let mut key = face;
            key.sort_unstable();
            faces.entry(key).or_default().push(face);
        }
    }
    let mut boundary = Vec::new();
    for (key, same) in faces {
        assert!(same.len() <= 2, "{name}: face {key:?} has {} tetrahedra", same.len());
        if let [face] = same[..] {
            boundary.push(face);
        } else {
            let turns = |f: [u32; 3]| (0..3).any(|k| f[k] == key[0] && f[(k + 1) % 3] == key[1]);
            assert_ne!(turns(same[0]), turns(same[1]), "{name}: face {key:?} is seen twice alike");
        }
    }
    // next[v]: for each edge that ends at v's triangle fan, the way around v
    let mut next: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for face in &boundary {
        for k in 0..3 {
            let [v, from, to] = [face[k], face[(k + 1) % 3], face[(k + 2) % 3]];
            let twice = next.entry(v).or_default().insert(from, to);
            assert!(twice.is_none(), "{name}: edge {v}-{from} has two triangles in one direction");
        }
    }
    for (v, ring) in next {
        let start = *ring.keys().next().unwrap();
        let (mut at, mut steps) = (start, 0);
        loop {
            at = *ring.get(&at).unwrap_or_else(|| panic!("{name}: boundary open at {v}"));
            steps += 1;
            if at == start {
                break;
            }
        }
        assert_eq!(steps, ring.len(), "{name}: the boundary is pinched at vertex {v}");
    }
}

fn boundary_euler(mesh: &TetMesh) -> i64 {
    let triangles = mesh.boundary().into_iter().map(|(face, _)| face).collect();
    Surface { triangles, ..Surface::default() }.euler_characteristic()
}

/// Everything that is promised of a mesh.
fn assert_promises(surface: &ClosedSurface, mesh: &TetMesh, tets: u32, name: &str) {
    assert_sound(mesh, name);
    let surface = surface.surface();
    let count = mesh.tets.len() as f64;
    assert!((count / f64::from(tets) - 1.0).abs() <= 0.03, "{name}: {count} for {tets}");
    let angle = least_dihedral(mesh);
    assert!(angle > 8.9, "{name}: lowest dihedral angle {angle}°");
    assert_eq!(boundary_euler(mesh), surface.euler_characteristic(), "{name}: Euler");
    let error = mesh.volume() / surface.volume() - 1.0;
    assert!(error.abs() < 2.1e-3, "{name}: volume off by {error:.2e}");
}

/// Greatest distance from the surface's vertices to the mesh, and from the mesh's boundary
/// vertices to the surface, over the size.
fn deviation(surface: &ClosedSurface, mesh: &TetMesh) -> f64 {
    let faces = mesh.boundary().into_iter().map(|(face, _)| face).collect::<Vec<_>>();
    let on_boundary: Vec<DVec3> =
        faces.iter().flatten().map(|&v| mesh.vertices[v as usize]).collect();
    let vertices = mesh.vertices.clone();
    let boundary = closed(Surface { vertices, triangles: faces, ..Surface::default() });
    let (there, back) =
        (SignedDistance::new(&boundary).unwrap(), SignedDistance::new(surface).unwrap());
    let [low, high] = surface.surface().bounds().unwrap();
    let lost =
        surface.surface().vertices.iter().map(|&x| there.foot(x).distance(x)).fold(0.0, f64::max);
    let added = on_boundary.iter().map(|&x| back.foot(x).distance(x)).fold(0.0, f64::max);
    lost.max(added) / (high - low).max_element()
}

/// Bunny, spot and the rings of real files, at the counts that are promised.
#[test]
fn real_surfaces_keep_shape_volume_and_angles() {
    let bunny = closed(obj("bunny.obj"));
    let spot = closed(ply("spot.ply"));
    let gear = closed(stl("gear.stl"));
    let nut = closed(ply("nut.ply"));
    assert_eq!(bunny.surface().euler_characteristic(), 2);
    assert_eq!(gear.surface().euler_characteristic(), 0);
    assert_eq!(nut.surface().euler_characteristic(), 0);
    for (name, surface) in [("bunny", bunny), ("spot", spot), ("gear", gear), ("nut", nut)] {
        let [low, high] = surface.surface().bounds().unwrap();
        let size = (high - low).max_element();
        for tets in [5_000, 20_000] {
            let mesh = conform(&surface, tets).unwrap_or_else(|e| panic!("{name} {tets}: {e}"));
            assert_promises(&surface, &mesh, tets, &format!("{name} {tets}"));
            // one cell, of which twelve tetrahedra fill one; cut ones are smaller, so cells are
            // up to a fifth wider
            let cell = 1.2 * (12.0 * surface.surface().volume() / f64::from(tets)).cbrt();
            let off = size * deviation(&surface, &mesh);
            assert!(off < cell, "{name} {tets}: {off} m off the surface with cells of {cell} m");
        }
    }
}

/// Shapes with known topology: ball, ring, ball in a ball (a cavity), two balls.
#[test]
fn analytic_surfaces_keep_their_topology() {
    let mut hollow = sphere(1.0, 16);
    hollow.append(sphere(0.5, 12), DVec3::ZERO, true);
    let mut pair = sphere(1.0, 16);
    pair.append(sphere(1.0, 16), 2.3 * DVec3::X, false);
    for (name, surface, euler) in [
        ("ball", sphere(1.0, 24), 2),
        ("ring", torus(1.0, 0.35, 48, 24), 0),
        ("box", cuboid(DVec3::new(1.0, 2.0, 3.0)), 2),
        ("cavity", hollow, 4),
        ("pair", pair, 4),
    ] {
        let surface = closed(surface);
        for tets in [1_000, 4_000] {
            let mesh = conform(&surface, tets).unwrap_or_else(|e| panic!("{name} {tets}: {e}"));
            assert_promises(&surface, &mesh, tets, name);
            assert_eq!(boundary_euler(&mesh), euler, "{name}");
        }
    }
}

/// A box is all edges and corners: snapped onto them, nothing of it is missing. What is left is the
/// common offset for the volume, below a thousandth of the size.
#[test]
fn a_box_keeps_its_edges_and_corners() {
    let surface = closed(cuboid(DVec3::new(1.0, 2.0, 3.0)));
    let mesh = conform(&surface, 5_000).unwrap();
    for corner in &surface.surface().vertices {
        let nearest = mesh.vertices.iter().map(|x| x.distance(*corner)).fold(1.0, f64::min);
        assert!(nearest < 1.0e-3, "the corner at {corner} is {nearest} m off");
    }
    assert!(deviation(&surface, &mesh) < 1.0e-3);
}

/// Walls far thinner than the cells are refused with the least count that is tried.
#[test]
fn a_thin_plate_is_refused_until_cells_are_fine_enough() {
    let plate = closed(cuboid(DVec3::new(1.0, 1.0, 0.02)));
    let error = conform(&plate, 300).unwrap_err();
    let FillError::TooThin { least, wall, .. } = error else { panic!("{error}") };
    assert!((wall - 0.02).abs() < 1.0e-6, "{wall}");
    let least = u32::try_from(least).unwrap();
    assert!(matches!(conform(&plate, least - 1), Err(FillError::TooThin { .. })));
    let mesh = conform(&plate, 2 * least).unwrap_or_else(|error| panic!("{error}"));
    assert_promises(&plate, &mesh, 2 * least, "plate");
}

/// Lengths have no meaning of their own: the same mesh at every scale and place.
#[test]
fn scale_and_place_change_nothing() {
    for surface in [obj("bunny.obj"), ply("nut.ply"), cuboid(DVec3::new(1.0, 2.0, 3.0))] {
        let whole = conform(&closed(surface.clone()), 2_000).unwrap();
        let [low, high] = surface.bounds().unwrap();
        let close = 1.0e-6 * (high - low).max_element();
        for scale in [1.0e-3, 7.0, 1.0e3] {
            let mut scaled = surface.clone();
            scaled.vertices.iter_mut().for_each(|x| *x = scale * (*x + 0.3));
            let mesh = conform(&closed(scaled), 2_000).unwrap();
            let vertices = surface.vertices.len();
            assert!(mesh.tets == whole.tets, "{vertices} vertices scaled by {scale}: other tets");
            for (x, y) in mesh.vertices.iter().zip(&whole.vertices) {
                let off = (*x / scale - 0.3).distance(*y);
                assert!(off < close, "scaled by {scale}: {x} for {y}");
            }
        }
    }
}

/// Every vertex of the surface lies in a tetrahedron, by the signs of four volumes.
#[test]
fn enclosing_cells_hold_the_whole_surface() {
    for (surface, tets) in [(ply("nut.ply"), 2_000), (torus(1.0, 0.35, 24, 12), 1_000)] {
        let surface = closed(surface);
        let mesh = stuffing::fill(&surface, &Filling { tets, fit: Fit::Enclose }).unwrap();
        let count = mesh.tets.len() as f64;
        assert!((count / f64::from(tets) - 1.0).abs() <= 0.03, "{count} for {tets}");
        for t in 0..mesh.tets.len() {
            assert!(mesh.tet_volume(t) > 0.0, "tetrahedron {t} is inside out");
        }
        for &x in &surface.surface().vertices {
            let holds = |t: usize| {
                (0..4).all(|k| {
                    let mut corners = mesh.corners(t);
                    corners[k] = x;
                    fracas_mesh::tets::volume(corners) >= -1.0e-9 * mesh.tet_volume(t)
                })
            };
            assert!((0..mesh.tets.len()).any(holds), "{x} lies outside");
        }
    }
}

#[test]
fn senseless_wishes_are_refused() {
    let ball = closed(sphere(1.0, 8));
    assert_eq!(conform(&ball, 0), Err(FillError::NoTets));
    let tets = stuffing::MAX_TETS + 1;
    assert_eq!(conform(&ball, tets), Err(FillError::TooManyTets { tets }));
    // a needle across its box
    let mut needle = cuboid(DVec3::new(1.0, 1.0e-4, 1.0e-4));
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, -1.0, 0.3).normalize(), 0.9);
    needle.vertices.iter_mut().for_each(|x| *x = turn * *x);
    let error = conform(&closed(needle), 1_000_000).unwrap_err();
    assert!(matches!(error, FillError::LatticeTooLarge { .. }), "{error}");
    // inside out
    let mut turned = sphere(1.0, 8);
    turned.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    if let Ok(turned) = ClosedSurface::new(turned) {
        let error = conform(&turned, 100).unwrap_err();
        assert!(matches!(error, FillError::NoInside { .. }), "{error}");
    }
}

/// The sign agrees with the winding number, summed over all triangles, also at stretched and
/// noisy surfaces whose triangles are slivers.
#[test]
fn the_sign_of_the_distance_is_that_of_the_winding_number() {
    let mut random = Random(1);
    let mut slivers = torus(1.0, 0.35, 40, 10);
    slivers.vertices.iter_mut().for_each(|x| x.z *= 0.01);
    for surface in [ply("nut.ply"), slivers, cuboid(DVec3::new(1.0, 1.0, 1.0e-4))] {
        let [low, high] = surface.bounds().unwrap();
        let closed = closed(surface.clone());
        let distance = SignedDistance::new(&closed).unwrap();
        for _ in 0..2_000 {
            let x = low + (high - low) * (1.2 * random.point() - 0.1);
            let winding: f64 = (0..surface.triangles.len())
                .map(|t| {
                    let [a, b, c] = surface.corners(t).map(|y| (y - x).normalize());
                    2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
                })
                .sum::<f64>()
                / (2.0 * TAU);
            let d = distance.at(x);
            assert_eq!(d < 0.0, winding > 0.5, "at {x}: distance {d}, winding number {winding}");
        }
    }
}

/// Reproducible numbers in 0…1 (Knuth's 64-bit congruential generator).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn point(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }
}

/// Stretched, turned, scaled and noisy surfaces, some of which cross themselves: a mesh that keeps
/// all promises, or a reason.
#[test]
fn deformed_surfaces_are_filled_or_refused() {
    let cases = 60;
    let mut random = Random(7);
    let shapes = [
        ply("nut.ply"),
        sphere(1.0, 10),
        torus(1.0, 0.3, 20, 10),
        cuboid(DVec3::new(1.0, 2.0, 0.5)),
    ];
    let mut filled = 0;
    for case in 0..cases {
        let mut surface = shapes[case % shapes.len()].clone();
        let [low, high] = surface.bounds().unwrap();
        let size = (high - low).max_element();
        let turn = DQuat::from_axis_angle(
            (2.0 * random.point() - 1.0).normalize_or(DVec3::X),
            TAU * random.unit(),
        );
        let stretch = (2.0 * (random.point() - 0.5)).exp();
        let scale = 10.0_f64.powf(6.0 * random.unit() - 3.0);
        let noise = if random.unit() < 0.5 { 0.0 } else { 0.01 * random.unit() };
        for x in &mut surface.vertices {
            let moved = *x + size * noise * (2.0 * random.point() - 1.0);
            *x = scale * (turn * (stretch * moved));
        }
        let Ok(surface) = ClosedSurface::new(surface) else { continue };
        let tets = 500 + (500.0 * random.unit()) as u32;
        match conform(&surface, tets) {
            Ok(mesh) => {
                filled += 1;
                assert_promises(&surface, &mesh, tets, &format!("case {case}"));
            }
            Err(error) => {
                println!("case {case}, {tets}: {error}");
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(5 * filled >= 3 * cases, "only {filled} of {cases} were filled");
}
