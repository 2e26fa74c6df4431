//! Bodies of revolution against Pappus.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod tet_checks;

use std::f64::consts::{PI, TAU};

use fracas_mesh::ClosedSurface;
use fracas_mesh::generate::{GenerateError, Lathe, LatheResolution, lathe, surfaces};
use proptest::prelude::*;
use tet_checks::*;

const MM: f64 = 1.0e-3;

fn body(profile: &[[f64; 2]], wall: f64, resolution: LatheResolution) -> Lathe {
    Lathe { profile: profile.to_vec(), wall, layers: 1, resolution }
}

/// ∫ 2πr dA over a polygon in the (r, y) plane, by Green: the volume of the body it sweeps.
fn pappus(outline: &[[f64; 2]]) -> f64 {
    let mut sum = 0.0;
    for (i, &[r, y]) in outline.iter().enumerate() {
        let [s, z] = outline[(i + 1) % outline.len()];
        sum += PI * (z - y) * (r * r + r * s + s * s) / 3.0;
    }
    sum.abs()
}

/// A tumbler of 2 mm wall: bottom 30 mm, rim 35 mm wide, 100 mm high.
fn tumbler() -> (Vec<[f64; 2]>, f64) {
    let outer = vec![[0.0, 0.0], [30.0 * MM, 0.0], [35.0 * MM, 100.0 * MM]];
    // the inside by hand: the wall leans by atan(5/100)
    let lean = (5.0f64 / 100.0).atan();
    let across = 2.0 / lean.cos(); // the wall, measured level
    let r_at = |y: f64| 30.0 + y * 0.05 - across;
    let rim = [35.0 - 2.0 * lean.cos(), 100.0 + 2.0 * lean.sin()];
    let inner = [[rim[0], rim[1]], [r_at(2.0), 2.0], [0.0, 2.0]];
    let mut outline = outer.clone();
    outline.extend(inner.map(|[r, y]| [r * MM, y * MM]));
    (outer, pappus(&outline))
}

/// A foot, a hollow stem and a bowl, 2 mm thick, about 180 mm high.
fn wine_glass() -> Vec<[f64; 2]> {
    let mut profile =
        vec![[0.0, 0.0], [35.0, 0.0], [35.0, 6.0], [8.0, 10.0], [5.0, 20.0], [5.0, 90.0]];
    for k in 1..=24 {
        let angle = 0.75 * PI * f64::from(k) / 24.0;
        profile.push([5.0 + 31.0 * angle.sin(), 90.0 + 40.0 * (1.0 - angle.cos())]);
    }
    profile.into_iter().map(|point| point.map(|x| x * MM)).collect()
}

#[test]
fn a_tumbler_has_its_volume() {
    let (profile, volume) = tumbler();
    for (tets, tolerance) in [(1_000, 0.05), (5_000, 0.02), (20_000, 0.01), (80_000, 0.003)] {
        let mesh = lathe(&body(&profile, 2.0 * MM, LatheResolution::Tets(tets))).unwrap();
        assert_sound(&mesh);
        assert_close(mesh.tets.len() as f64, f64::from(tets), 0.03);
        assert_close(mesh.volume(), volume, tolerance);
        assert_eq!(boundary(&mesh).euler_characteristic(), 2, "a ball");
        println!(
            "tumbler {tets}: {} tets, volume {:+.3} %, least angle {:.1}°",
            mesh.tets.len(),
            100.0 * (mesh.volume() / volume - 1.0),
            least_dihedral(&mesh)
        );
        assert!(least_dihedral(&mesh) > 8.0);
    }
}

#[test]
fn a_wine_glass_of_two_millimetres() {
    let profile = wine_glass();
    for tets in [20_000, 50_000] {
        let mesh = lathe(&body(&profile, 2.0 * MM, LatheResolution::Tets(tets))).unwrap();
        assert_sound(&mesh);
        assert_close(mesh.tets.len() as f64, f64::from(tets), 0.03);
        assert_eq!(boundary(&mesh).euler_characteristic(), 2);
        println!("wine glass {tets}: least angle {:.1}°", least_dihedral(&mesh));
        assert!(least_dihedral(&mesh) > 8.0);
        // finer is truth: the volume has converged
        let fine = lathe(&body(&profile, 2.0 * MM, LatheResolution::Tets(400_000))).unwrap();
        assert_close(mesh.volume(), fine.volume(), 0.01);
        // and the surface is one that could be filled
        ClosedSurface::new(boundary(&mesh)).unwrap();
    }
}

/// A pipe: V = π (R² − r²) h, and ∫ y² dV = V h²/12, ∫ x² dV = π (R⁴ − r⁴) h/4.
#[test]
fn a_pipe_has_the_moments_of_a_pipe() {
    let (outer, wall, height) = (0.5, 0.1, 0.8);
    let profile = [[outer, -0.5 * height], [outer, 0.5 * height]];
    for layers in [1, 2, 3] {
        let pipe = Lathe { layers, ..body(&profile, wall, LatheResolution::Segments(48)) };
        let mesh = lathe(&pipe).unwrap();
        assert_sound(&mesh);
        assert_eq!(boundary(&mesh).euler_characteristic(), 0, "a ring");
        let inner: f64 = outer - wall;
        let volume = PI * (outer * outer - inner * inner) * height;
        // equal rings, turned by half an edge: a little less than the polygon between them
        assert_close(mesh.volume(), volume, 0.005);
        let [xx, yy, zz] = second_moment(&mesh);
        assert_close(yy, mesh.volume() * height * height / 12.0, 0.005);
        let across = PI * (outer.powi(4) - inner.powi(4)) * height / 4.0;
        assert_close(xx, across, 0.01);
        assert_close(zz, across, 0.01);
        assert!(least_dihedral(&mesh) > 8.0, "{}", least_dihedral(&mesh));
    }
}

/// A hollow ball: closed at both ends, two shells. V = 4π/3 (R³ − r³).
#[test]
fn a_hollow_ball_has_two_boundaries() {
    let profile: Vec<[f64; 2]> = (0..=60)
        .map(|k| {
            let angle = PI * f64::from(k) / 60.0;
            [if k % 60 == 0 { 0.0 } else { 0.1 * angle.sin() }, -0.1 * angle.cos()]
        })
        .collect();
    let mesh = lathe(&body(&profile, 0.005, LatheResolution::Tets(20_000))).unwrap();
    assert_sound(&mesh);
    assert_eq!(boundary(&mesh).euler_characteristic(), 4);
    assert_close(mesh.volume(), 4.0 / 3.0 * PI * (1.0e-3 - f64::powi(0.095, 3)), 0.01);
    // either direction is the same body
    let reversed: Vec<_> = profile.iter().rev().copied().collect();
    let same = lathe(&body(&reversed, 0.005, LatheResolution::Tets(20_000))).unwrap();
    assert_eq!(same, mesh);
}

/// The distance between the inner and the outer side of a wall with a right-angled corner is the
/// wall everywhere: that of all inner vertices to the outer outline.
#[test]
fn walls_are_mitred() {
    let profile = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.2], [0.05, 0.25], [0.05, 0.4]];
    let wall = 0.01;
    let mesh = lathe(&body(&profile, wall, LatheResolution::Segments(64))).unwrap();
    assert_sound(&mesh);
    let distance = |[r, y]: [f64; 2]| {
        let to_segment = |pair: &[[f64; 2]]| {
            let ([a, b], [c, d]) = (pair[0], pair[1]);
            let t = ((r - a) * (c - a) + (y - b) * (d - b)) / ((c - a).powi(2) + (d - b).powi(2));
            let t = t.clamp(0.0, 1.0);
            (r - a - t * (c - a)).hypot(y - b - t * (d - b))
        };
        profile.windows(2).map(to_segment).fold(f64::INFINITY, f64::min)
    };
    let (inner, _) = mesh.vertices.split_at(mesh.vertices.len() / 2);
    for x in inner {
        // At a corner that turns away by 45° the mitre is longer by 1/cos 22.5°, 1.082. Rings are
        // widened by up to 5 % near the axis, where the bottom is level, and by less than 0.5 % of
        // the radius, that is 5 % of the wall, elsewhere.
        let walls = distance([x.x.hypot(x.z), x.y]) / wall;
        assert!((0.94..=1.082 + 0.06).contains(&walls), "{x}: {walls}");
    }
}

#[test]
fn solids_of_revolution_are_closed_surfaces() {
    let cone = surfaces::revolved(&[[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]], 64).unwrap();
    let volume = ClosedSurface::new(cone).unwrap().surface().volume();
    assert_close(volume, TAU / 3.0, 0.01);
    let cylinder = surfaces::cylinder(0.5, 1.5, 48).unwrap();
    let volume = ClosedSurface::new(cylinder).unwrap().surface().volume();
    assert_close(volume, PI * 0.25 * 1.5, 0.01);
    // listed downwards
    let cup = surfaces::revolved(&[[1.0, 1.0], [0.5, 0.0]], 24).unwrap();
    assert!(ClosedSurface::new(cup).unwrap().surface().volume() > 0.0);
}

#[test]
fn what_cannot_be_turned_is_refused() {
    let fine = |profile: &[[f64; 2]]| body(profile, 0.01, LatheResolution::Segments(24));
    let refuse = |lathe_: &Lathe| lathe(lathe_).unwrap_err();
    let straight = [[0.5, 0.0], [0.5, 1.0]];

    let crossing_axis = fine(&[[0.5, 0.0], [-0.1, 0.5], [0.5, 1.0]]);
    assert!(matches!(refuse(&crossing_axis), GenerateError::BadProfilePoint { index: 1, .. }));
    let on_axis = fine(&[[0.5, 0.0], [0.0, 0.5], [0.5, 1.0]]);
    assert!(matches!(refuse(&on_axis), GenerateError::BadProfilePoint { index: 1, .. }));
    for bad in [f64::NAN, f64::INFINITY, 1.0e300] {
        let nowhere = fine(&[[0.5, 0.0], [0.5, bad]]);
        assert!(matches!(refuse(&nowhere), GenerateError::BadProfilePoint { index: 1, .. }));
        let nowhere = fine(&[[bad, 0.0], [0.5, 1.0]]);
        assert!(matches!(refuse(&nowhere), GenerateError::BadProfilePoint { index: 0, .. }));
        let wall = body(&straight, bad, LatheResolution::Segments(24));
        assert!(matches!(refuse(&wall), GenerateError::BadLength { what: "wall", .. }));
    }
    assert!(matches!(refuse(&fine(&[])), GenerateError::BadProfile { points: 0 }));
    assert!(matches!(refuse(&fine(&[[1.0, 0.0]])), GenerateError::BadProfile { points: 1 }));
    let long: Vec<[f64; 2]> = (0..2_001).map(|k| [1.0, 0.01 * f64::from(k)]).collect();
    assert!(matches!(refuse(&fine(&long)), GenerateError::BadProfile { points: 2_001 }));
    lathe(&fine(&long[..2_000])).unwrap();
    let repeated = fine(&[[0.5, 0.0], [0.5, 0.0], [0.5, 1.0]]);
    assert!(matches!(refuse(&repeated), GenerateError::RepeatedProfilePoint { index: 1 }));
    let knot = fine(&[[0.5, 0.0], [1.0, 1.0], [0.5, 1.0], [1.0, 0.0]]);
    assert!(matches!(refuse(&knot), GenerateError::CrossingProfile { segments: [0, 2] }));
    let back = fine(&[[0.5, 0.0], [0.5, 1.0], [0.51, 0.1]]);
    assert!(matches!(refuse(&back), GenerateError::SharpCorner { .. }));

    for wall in [0.5, 0.6, 2.0] {
        let thick = body(&straight, wall, LatheResolution::Segments(24));
        assert!(matches!(refuse(&thick), GenerateError::ThickWall { .. }), "{wall}");
    }
    // a groove narrower than twice the wall, and a foot lower than that
    let rib = [[0.5, 0.0], [0.5, 0.4], [0.6, 0.4], [0.6, 0.5], [0.5, 0.5], [0.5, 1.0]];
    lathe(&body(&rib, 0.04, LatheResolution::Segments(60))).unwrap();
    let thick = body(&rib, 0.06, LatheResolution::Segments(60));
    assert!(matches!(refuse(&thick), GenerateError::ThickWall { .. }));
    let foot = [[0.0, 0.0], [0.5, 0.0], [0.5, 0.1], [0.2, 0.1], [0.2, 1.0]];
    let thick = body(&foot, 0.051, LatheResolution::Segments(60));
    assert!(matches!(refuse(&thick), GenerateError::ThickWall { .. }));

    let segments = body(&straight, 0.01, LatheResolution::Segments(0));
    assert!(matches!(refuse(&segments), GenerateError::FewSegments { segments: 0 }));
    let layers = Lathe { layers: 0, ..fine(&straight) };
    assert!(matches!(refuse(&layers), GenerateError::NoLayers));
    let none = body(&straight, 0.01, LatheResolution::Tets(0));
    assert!(matches!(refuse(&none), GenerateError::NoTets));
    for many in [LatheResolution::Tets(u32::MAX), LatheResolution::Segments(u32::MAX)] {
        assert!(matches!(
            refuse(&body(&straight, 0.01, many)),
            GenerateError::TooManyElements { .. }
        ));
    }
    let layers = Lathe { layers: u32::MAX, ..fine(&straight) };
    assert!(matches!(refuse(&layers), GenerateError::TooManyElements { .. }));
    assert_eq!(
        refuse(&knot).to_string(),
        "the profile crosses itself: its segments 0 and 2 meet (counted from 0)"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// A random line is turned into a sound mesh with the volume of its wall, or refused.
    #[test]
    fn any_profile_is_sound_or_refused(
        steps in prop::collection::vec((-0.3f64..0.3, 0.02f64..0.4), 1..8),
        start in 0.0f64..0.6,
        wall in 0.001f64..0.1,
        closed in any::<bool>(),
        layers in 1u32..3,
        tets in 500u32..8_000,
    ) {
        let mut profile = if closed { vec![[0.0, 0.0]] } else { vec![] };
        let mut at = [start, 0.0];
        for (dr, dy) in steps {
            profile.push(at);
            at = [at[0] + dr, at[1] + dy];
        }
        profile.push(at);
        let lathe_ = Lathe { layers, ..body(&profile, wall, LatheResolution::Tets(tets)) };
        if let Ok(mesh) = lathe(&lathe_) {
            assert_sound(&mesh);
            prop_assert_eq!(boundary(&mesh).euler_characteristic(), if closed { 2 } else { 0 });
            if tets >= 1_000 * layers {
                assert_close(mesh.tets.len() as f64, tets.into(), 0.03);
            }
        }
    }

    #[test]
    fn any_numbers_are_refused_or_fit(
        profile in prop::collection::vec(prop::array::uniform2(prop::num::f64::ANY), 0..5),
        wall in prop::num::f64::ANY,
        tets in 0u32..3_000,
    ) {
        let odd: Vec<_> = profile.iter().map(|[r, y]| [r.abs() % 1.0e7, y % 1.0e7]).collect();
        for profile in [profile, odd] {
            for wall in [wall, 1.0e-3] {
                for resolution in [LatheResolution::Tets(tets), LatheResolution::Segments(tets)] {
                    if let Ok(mesh) = lathe(&body(&profile, wall, resolution)) {
                        assert_sound(&mesh);
                    }
                }
            }
        }
    }
}
