//! A triangle surface with a thickness: panes, car bodies, balls.

use fracas::glam::DVec3;
use fracas::math::ops;

use super::GenerateError;
use super::error::require_length;
use super::prisms::{inverted, prisms, require_tets};
use crate::attributes::{Attribute, Objects};
use crate::surface::{Surface, require_manifold};
use crate::tets::TetMesh;

/// At a sharp edge the offset is longer than half the thickness, so that both sides keep theirs; at
/// most so many times. At 3 the sides turn by 141°.
const LONGEST_MITRE: f64 = 3.0;

/// A surface, open or closed, with a `thickness` in m: prisms in so many layers, centred on the
/// surface, each cut into three tetrahedra; walls at open borders. Values at vertices and the names
/// of objects are carried over, layer by layer.
///
/// Vertices move along the normal weighted by angles (Thürmer & Wüthrich, *Computing Vertex Normals
/// from Polygonal Facets*, 1998), as far as keeps the thickness of the triangles around. Whether
/// distant parts of the surface come to overlap is not looked at.
///
/// # Errors
///
/// Surfaces that are not manifold and oriented ([`Surface::repair`] may help), and thicknesses that
/// the surface is too curved for; see [`GenerateError`].
pub fn shell(surface: &Surface, thickness: f64, layers: u32) -> Result<TetMesh, GenerateError> {
    require_length("thickness", thickness)?;
    require_manifold(surface)?;
    require_tets(surface.triangles.len(), layers)?;
    let surface = &surface.clone().without_unused();

    let offsets = offsets(surface);
    let layer = |j: u32| {
        let height = thickness * (f64::from(j) / f64::from(layers) - 0.5);
        surface.vertices.iter().zip(&offsets).map(move |(&x, &offset)| x + height * offset)
    };
    let count = surface.triangles.len();
    let per_triangle = 3 * layers as usize;
    let mesh = TetMesh {
        vertices: (0..=layers).flat_map(layer).collect(),
        tets: prisms(&surface.triangles, surface.vertices.len(), layers),
        objects: if surface.objects.of.is_empty() {
            Objects::NONE
        } else {
            surface.objects.select((0..count).flat_map(|t| std::iter::repeat_n(t, per_triangle)))
        },
        vertex_attributes: surface.attributes.iter().map(|a| repeated(a, layers)).collect(),
        tet_attributes: Vec::new(),
    };
    match inverted(&mesh) {
        Some((tets, at)) => Err(GenerateError::TooThick { thickness, tets, at }),
        None => Ok(mesh),
    }
}

fn repeated(attribute: &Attribute, layers: u32) -> Attribute {
    let values = attribute.values.repeat(layers as usize + 1);
    Attribute { name: attribute.name.clone(), values }
}

/// For each vertex, how it moves for each metre of offset.
fn offsets(surface: &Surface) -> Vec<DVec3> {
    let count = surface.vertices.len();
    // Σ w n and Σ w over the corners at a vertex, with the angle as weight
    let (mut normals, mut weights) = (vec![DVec3::ZERO; count], vec![0.0; count]);
    for (t, corners) in surface.triangles.iter().enumerate() {
        let places = surface.corners(t);
        let normal = (places[1] - places[0]).cross(places[2] - places[0]).normalize_or_zero();
        for k in 0..3 {
            let [x, y, z] = [0, 1, 2].map(|i| places[(k + i) % 3]);
            let (to, from) = ((y - x).normalize_or_zero(), (z - x).normalize_or_zero());
            let (sine, cosine) = (to.cross(from).length(), to.dot(from));
            // a weight needs no more digits
            let angle = f64::from(ops::atan2(sine as f32, cosine as f32));
            normals[corners[k] as usize] += angle * normal;
            weights[corners[k] as usize] += angle;
        }
    }
    let offset = |(sum, weight): (DVec3, f64)| {
        // The mean of n·m over the triangles around is 1 for m = Σwn Σw / |Σwn|².
        let square = sum.length_squared();
        if square == 0.0 {
            return DVec3::ZERO; // a fold with no outside: its prisms have no volume, and are refused
        }
        (sum * (weight / square)).clamp_length_max(LONGEST_MITRE)
    };
    normals.into_iter().zip(weights).map(offset).collect()
}
