//! Surfaces with a thickness.

#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

mod tet_checks;

use std::f64::consts::PI;

use fracas::glam::DVec3;
use fracas_mesh::generate::{GenerateError, shell, surfaces};
use fracas_mesh::surface::SurfaceError;
use fracas_mesh::{Attribute, Objects, Surface};
use proptest::prelude::*;
use tet_checks::*;

/// A grid of so many squares, bent by `place` from (u, v) in 0…1.
fn panel(across: u32, along: u32, place: impl Fn(f64, f64) -> DVec3) -> Surface {
    let mut surface = Surface::default();
    for i in 0..=along {
        for j in 0..=across {
            let (u, v) = (f64::from(j) / f64::from(across), f64::from(i) / f64::from(along));
            surface.vertices.push(place(u, v));
            if i < along && j < across {
                let [a, b] = [i * (across + 1) + j, (i + 1) * (across + 1) + j];
                surface.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
            }
        }
    }
    surface
}

#[test]
fn a_pane_is_a_box() {
    let pane = panel(10, 6, |u, v| DVec3::new(u, v * 0.6, 0.25));
    for layers in [1, 2, 3] {
        let mesh = shell(&pane, 0.01, layers).unwrap();
        assert_sound(&mesh);
        assert_eq!(mesh.tets.len(), 10 * 6 * 2 * 3 * layers as usize);
        assert_close(mesh.volume(), 0.6 * 0.01, 1.0e-9);
        assert_eq!(boundary(&mesh).euler_characteristic(), 2, "a ball");
        assert_close(boundary(&mesh).area(), 2.0 * 0.6 + 2.0 * 1.6 * 0.01, 1.0e-6);
        let heights = mesh.vertices.iter().map(|x| x.z);
        assert_close(heights.clone().fold(f64::MIN, f64::max), 0.255, 1.0e-9);
        assert_close(heights.fold(f64::MAX, f64::min), 0.245, 1.0e-9);
    }
}

/// Half a pipe: π r l t, since the shell is centred on the surface.
#[test]
fn a_curved_panel_has_area_times_thickness() {
    let bent = panel(40, 20, |u, v| DVec3::new(-(PI * u).cos(), (PI * u).sin(), -2.0 * v));
    let mesh = shell(&bent, 0.05, 2).unwrap();
    assert_sound(&mesh);
    assert_eq!(boundary(&mesh).euler_characteristic(), 2);
    assert_close(mesh.volume(), bent.area() * 0.05, 1.0e-3);
    assert_close(mesh.volume(), PI * 2.0 * 0.05, 2.0e-3);
}

/// V = 4π/3 (R³ − r³); ∫ x² dV = 4π/15 (R⁵ − r⁵).
#[test]
fn a_thin_ball_has_the_moments_of_a_thin_ball() {
    let ball = surfaces::sphere(1.0, 4).unwrap();
    for (thickness, layers) in [(0.02, 1), (0.2, 3)] {
        let mesh = shell(&ball, thickness, layers).unwrap();
        assert_sound(&mesh);
        assert_eq!(boundary(&mesh).euler_characteristic(), 4, "two shells");
        let (outer, inner): (f64, f64) = (1.0 + 0.5 * thickness, 1.0 - 0.5 * thickness);
        assert_close(mesh.volume(), 4.0 / 3.0 * PI * (outer.powi(3) - inner.powi(3)), 0.003);
        for moment in second_moment(&mesh) {
            let expected = 4.0 / 15.0 * PI * (outer.powi(5) - inner.powi(5));
            assert_close(moment, expected, 0.006);
        }
    }
}

/// The corners of a box are mitred: the shell is a box with a box taken out.
#[test]
fn a_box_keeps_its_wall_at_the_corners() {
    let mesh = shell(&surfaces::block([1.0, 2.0, 3.0]).unwrap(), 0.2, 1).unwrap();
    assert_sound(&mesh);
    assert_close(mesh.volume(), 1.2 * 2.2 * 3.2 - 0.8 * 1.8 * 2.8, 1.0e-6);
    let ring = shell(&surfaces::torus(1.0, 0.3, 48, 24).unwrap(), 0.05, 1).unwrap();
    assert_sound(&ring);
    assert_eq!(boundary(&ring).euler_characteristic(), 0);
}

#[test]
fn names_and_values_are_carried_over() {
    let mut pane = panel(2, 1, |u, v| DVec3::new(u, v, 0.0));
    pane.objects = Objects { names: vec!["left".into(), "right".into()], of: vec![0, 0, 1, 1] };
    let values: Vec<f32> = (0..6).map(|v| v as f32).collect();
    pane.attributes = vec![Attribute { name: "heat".into(), values: values.clone() }];
    let mesh = shell(&pane, 0.1, 2).unwrap();
    assert_eq!(mesh.objects.names, ["left", "right"]);
    for tet in 0..mesh.tets.len() {
        let right = mesh.centre(tet).x > 0.5;
        assert_eq!(mesh.objects.get(tet), Some(u32::from(right)));
    }
    assert_eq!(mesh.vertex_attributes[0].name, "heat");
    for (v, x) in mesh.vertices.iter().enumerate() {
        assert_eq!(mesh.vertex_attributes[0].values[v], (2.0 * x.x + 3.0 * x.y) as f32);
    }
}

#[test]
fn what_cannot_be_thickened_is_refused() {
    let pane = panel(3, 3, |u, v| DVec3::new(u, v, 0.0));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(shell(&pane, bad, 1), Err(GenerateError::BadLength { .. })));
    }
    assert!(matches!(shell(&pane, 0.1, 0), Err(GenerateError::NoLayers)));
    assert!(matches!(shell(&pane, 0.1, u32::MAX), Err(GenerateError::TooManyElements { .. })));

    let mut turned = pane.clone();
    turned.triangles[4].swap(0, 1);
    let refused = shell(&turned, 0.1, 1);
    assert!(matches!(refused, Err(GenerateError::Surface(SurfaceError::Inconsistent { .. }))));
    let (mended, _) = turned.repair();
    shell(&mended, 0.1, 1).unwrap();
    let mut lost = pane.clone();
    lost.vertices[5].y = f64::NAN;
    let refused = shell(&lost, 0.1, 1);
    assert!(matches!(refused, Err(GenerateError::Surface(SurfaceError::NotFinite { .. }))));
    let refused = shell(&Surface::default(), 0.1, 1);
    assert!(matches!(refused, Err(GenerateError::Surface(SurfaceError::Empty))));

    // half the thickness must stay below the radius of curvature
    let ball = surfaces::sphere(0.1, 3).unwrap();
    shell(&ball, 0.18, 1).unwrap();
    match shell(&ball, 0.22, 1) {
        Err(GenerateError::TooThick { tets, at, .. }) => assert!(tets > 0 && at.length() < 0.25),
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_panel_is_sound_or_refused(
        waves in prop::collection::vec((-0.2f64..0.2, 0.0f64..9.0, 0.0f64..9.0), 0..4),
        thickness in 0.001f64..0.3,
        layers in 1u32..4,
        size in -3.0f64..3.0,
    ) {
        let size = 10.0f64.powf(size);
        let bent = panel(8, 8, |u, v| {
            let height: f64 = waves.iter().map(|(h, a, b)| h * (a * u + b * v).sin()).sum();
            size * DVec3::new(u, v, height)
        });
        if let Ok(mesh) = shell(&bent, size * thickness, layers) {
            assert_sound(&mesh);
            prop_assert_eq!(boundary(&mesh).euler_characteristic(), 2);
            // as thick as it should be, but where the mitre is bounded or waves fold
            if thickness < 0.02 {
                assert_close(mesh.volume(), bent.area() * size * thickness, 0.05);
            }
        }
    }
}
