//! A solid in fragments against closed forms: mass, moments, curvature, attributes, named parts.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::f64::consts::PI;

use fracas::glam::DVec3;
use fracas_mesh::fragments::{Fracture, Pattern};
use fracas_mesh::generate::surfaces;
use fracas_mesh::nearest::NearestOnSurface;
use fracas_mesh::objects::{self, PartError};
use fracas_mesh::solid::FragmentedSolid;
use fracas_mesh::stuffing::{self, Filling};
use fracas_mesh::{Attribute, ClosedSurface, Objects, Surface};

fn solid(surface: Surface, tets: u32, count: u32) -> FragmentedSolid {
    let surface = ClosedSurface::new(surface).unwrap();
    let mesh = stuffing::fill(&surface, &Filling::tets(tets)).unwrap();
    let fracture = Fracture::new(Pattern::KMeans, count);
    FragmentedSolid::of_surface(&surface, mesh, &fracture).unwrap()
}

/// Volume, and ∫xxᵀ dV about the origin as xx, yy, zz, xy, yz, zx, put together from the fragments
/// by Steiner's theorem.
fn moments(solid: &FragmentedSolid) -> (f64, [f64; 6]) {
    let (mut volume, mut second) = (0.0, [0.0; 6]);
    for fragment in &solid.fragments.fragments {
        let DVec3 { x, y, z } = fragment.centre;
        volume += fragment.volume;
        for (k, product) in [x * x, y * y, z * z, x * y, y * z, z * x].into_iter().enumerate() {
            second[k] += fragment.second_moment[k] + fragment.volume * product;
        }
    }
    (volume, second)
}

fn near(found: f64, wanted: f64, tolerance: f64) -> bool {
    (found - wanted).abs() <= tolerance * wanted.abs()
}

/// ∫x² over a ball is V r²/5. What is filled is a polyhedron inside the ball, which lacks 0.2 % of
/// its volume.
#[test]
fn a_ball_has_the_volume_and_moments_of_a_ball() {
    let radius = 0.7;
    let ball = solid(surfaces::sphere(radius, 4).unwrap(), 4000, 60);
    let (volume, second) = moments(&ball);
    let wanted = 4.0 / 3.0 * PI * radius.powi(3);
    assert!(near(volume, wanted, 0.003), "volume {volume}, not {wanted}");
    let wanted = wanted * radius * radius / 5.0;
    for k in 0..3 {
        assert!(near(second[k], wanted, 0.005), "moment {k} is {}, not {wanted}", second[k]);
        assert!(second[k + 3].abs() < 0.005 * wanted, "mixed moment {k} is {}", second[k + 3]);
    }
}

/// About the axis y of a torus, ∫y² = V t²/4 and ∫(x² + z²) = V (R² + ¾t²).
#[test]
fn a_torus_has_the_volume_and_moments_of_a_torus() {
    let (radius, tube) = (0.3, 0.1);
    let ring = solid(surfaces::torus(radius, tube, 64, 32).unwrap(), 4000, 60);
    let (volume, second) = moments(&ring);
    let wanted = 2.0 * PI * PI * radius * tube * tube;
    assert!(near(volume, wanted, 0.01), "volume {volume}, not {wanted}");
    let across = volume * (radius * radius + 0.75 * tube * tube);
    assert!(near(second[0] + second[2], across, 0.01), "{} not {across}", second[0] + second[2]);
    let along = volume * tube * tube / 4.0;
    assert!(near(second[1], along, 0.01), "{} not {along}", second[1]);
}

/// What the engine gets weighs what the tetrahedra weigh.
#[test]
fn the_body_has_the_volume_of_its_tetrahedra() {
    let ring = solid(surfaces::torus(0.3, 0.1, 32, 16).unwrap(), 2000, 40);
    let body: f64 = ring.shape.points.iter().map(|point| f64::from(point.volume)).sum();
    assert!(near(body, ring.mesh.volume(), 1e-6), "{body} not {}", ring.mesh.volume());
    assert_eq!(ring.shape.points.len(), 40);
    assert_eq!(ring.shape.bonds.len(), ring.fragments.interfaces.len());
}

/// The mean curvature of a ball is 1/r, whether it is that of the surface or of the tetrahedra.
#[test]
fn fragments_of_a_ball_have_its_curvature() {
    let radius = 0.25;
    let ball = solid(surfaces::sphere(radius, 4).unwrap(), 3000, 50);
    for &curvature in &ball.shape.values.curvature {
        assert!(near(f64::from(curvature), 1.0 / radius, 1e-3), "{curvature} not {}", 1.0 / radius);
    }
    // the boundary of the tetrahedra is coarser: right on the mean
    let again = FragmentedSolid::from_labels(ball.mesh.clone(), &ball.fragments.of_tet).unwrap();
    let on_boundary: Vec<f64> = (0..50)
        .filter(|&i| !again.fragments.fragments[i].boundary.is_empty())
        .map(|i| f64::from(again.shape.values.curvature[i]))
        .collect();
    let mean = on_boundary.iter().sum::<f64>() / on_boundary.len() as f64;
    assert!(near(mean, 1.0 / radius, 0.02), "{mean} not {}", 1.0 / radius);
}

/// Labels in, the same fragments and bonds out.
#[test]
fn labels_give_the_same_body_again() {
    let ring = solid(surfaces::torus(0.3, 0.1, 32, 16).unwrap(), 1500, 30);
    let again = FragmentedSolid::from_labels(ring.mesh.clone(), &ring.fragments.of_tet).unwrap();
    assert_eq!(again.fragments, ring.fragments);
    assert_eq!(again.shape.bonds, ring.shape.bonds);
    assert_eq!(again.shape.points, ring.shape.points);
}

/// An attribute that is linear in space: a fragment has its value where the surface is nearest to
/// its centre, which for a ball is straight outwards.
#[test]
fn fragments_have_the_attributes_of_the_nearest_point() {
    let mut surface = surfaces::sphere(1.0, 4).unwrap();
    let values = surface.vertices.iter().map(|v| (3.0 * v.x + 10.0) as f32).collect();
    surface.attributes.push(Attribute { name: "warmth".into(), values });
    let ball = solid(surface, 2000, 40);
    let (name, values) = &ball.shape.values.attributes[0];
    assert_eq!(name, "warmth");
    let mut spread = 0.0f32;
    for (fragment, &value) in ball.fragments.fragments.iter().zip(values) {
        // near the middle "outwards" is anywhere
        if fragment.centre.length() > 0.3 {
            let wanted = (3.0 * fragment.centre.normalize().x + 10.0) as f32;
            assert!((value - wanted).abs() < 0.1, "{value} not {wanted} at {}", fragment.centre);
            spread = spread.max((value - 10.0).abs());
        }
    }
    assert!(spread > 2.0, "all values are near the mean");
}

/// Weights are those of the nearest point of all triangles, found by looking at many points.
#[test]
fn the_nearest_point_is_the_nearest() {
    let surface = surfaces::torus(0.3, 0.1, 12, 8).unwrap();
    let nearest = NearestOnSurface::new(&surface).unwrap();
    for k in 0..200 {
        let angle = f64::from(k);
        let from = DVec3::new((1.7 * angle).sin(), (2.3 * angle).sin(), (3.1 * angle).cos()) * 0.5;
        let weights = nearest.weights(from);
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-9 && weights.iter().all(|&(_, w)| w > -1e-9), "{weights:?}");
        let place: DVec3 = weights.iter().map(|&(v, w)| surface.vertices[v as usize] * w).sum();
        let (found, mut best) = (place.distance(from), f64::INFINITY);
        for t in 0..surface.triangles.len() {
            let [a, b, c] = surface.corners(t);
            for i in 0..=8 {
                for j in 0..=8 - i {
                    let (u, v) = (f64::from(i) / 8.0, f64::from(j) / 8.0);
                    best = best.min((a + u * (b - a) + v * (c - a)).distance(from));
                }
            }
        }
        assert!(found <= best + 1e-9, "{found} from {from}, but {best} is nearer");
    }
}

/// A block by its lowest corner and size, as a part of `surface` of this name.
fn add_block(surface: &mut Surface, name: &str, low: DVec3, size: [f64; 3]) {
    let block = surfaces::block(size).unwrap();
    let (first, part) = (surface.vertices.len() as u32, surface.objects.names.len() as u32);
    let shift = low + 0.5 * DVec3::from(size);
    surface.vertices.extend(block.vertices.iter().map(|&v| v + shift));
    surface.triangles.extend(block.triangles.iter().map(|t| t.map(|v| v + first)));
    surface.objects.of.extend(std::iter::repeat_n(part, block.triangles.len()));
    surface.objects.names.push(name.into());
}

/// Two boxes that share a whole face, of 1 and 2 units of volume.
#[test]
fn named_parts_get_their_own_tetrahedra() {
    let mut surface = Surface::default();
    add_block(&mut surface, "short", DVec3::ZERO, [1.0, 1.0, 1.0]);
    add_block(&mut surface, "long", DVec3::X, [2.0, 1.0, 1.0]);
    let parts = objects::parts(&surface).unwrap();
    assert_eq!(parts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["short", "long"]);
    assert!(near(parts[1].1.surface().volume(), 2.0, 1e-12));

    let whole = ClosedSurface::new(surface.repair().0).unwrap();
    assert!(near(whole.surface().volume(), 3.0, 1e-12));
    let mut mesh = stuffing::fill(&whole, &Filling::tets(2000)).unwrap();
    objects::assign(&mut mesh, &parts);
    for tet in 0..mesh.tets.len() {
        let wanted = u32::from(mesh.centre(tet).x > 1.0);
        assert_eq!(mesh.objects.get(tet), Some(wanted), "at {}", mesh.centre(tet));
    }
    let solid = FragmentedSolid::new(mesh, &Fracture::new(Pattern::Objects, 1)).unwrap();
    assert_eq!(solid.fragments.fragments.len(), 2);
    assert_eq!(solid.shape.bonds, [[0, 1]]);
}

#[test]
fn parts_that_are_none_are_refused_by_name() {
    let plain = surfaces::block([1.0; 3]).unwrap();
    assert_eq!(objects::parts(&plain), Err(PartError::NoNames));
    let mut open = Surface::default();
    add_block(&mut open, "whole", DVec3::ZERO, [1.0; 3]);
    add_block(&mut open, "lidless", 5.0 * DVec3::X, [1.0; 3]);
    open.triangles.pop();
    open.objects.of.pop();
    let error = objects::parts(&open).unwrap_err().to_string();
    assert!(error.starts_with("object \"lidless\" is no solid by itself: "), "{error}");
    // a name without triangles is no part
    let mut named = plain;
    named.objects = Objects { names: vec!["none".into(), "all".into()], of: vec![1; 12] };
    let parts = objects::parts(&named).unwrap();
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].0, "all");
}
