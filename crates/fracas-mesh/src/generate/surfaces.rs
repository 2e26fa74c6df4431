//! Closed surfaces of simple shapes, around the origin: input for the filling with tetrahedra.

use fracas::glam::DVec3;

use super::GenerateError;
use super::circle::turn;
use super::error::require_length;
use crate::surface::Surface;

pub use super::lathe::revolved;

/// The most times a sphere is divided: then it has 1.3 million triangles.
const MOST_DIVISIONS: u32 = 8;

/// A block of `size` along x, y and z, in m: 8 vertices, 12 triangles.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn block(size: [f64; 3]) -> Result<Surface, GenerateError> {
    for (what, length) in ["size along x", "size along y", "size along z"].into_iter().zip(size) {
        require_length(what, length)?;
    }
    let size = DVec3::from(size);
    let sign = |bit: usize| if bit == 0 { -0.5 } else { 0.5 };
    let corner = |k: usize| size * DVec3::new(sign(k & 1), sign(k & 2), sign(k & 4));
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Surface { vertices: (0..8).map(corner).collect(), triangles, ..Surface::default() })
}

/// A block of `size` along x, y and z, in m, with so many quads of two triangles along each: a
/// surface that can bend.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn block_grid(size: [f64; 3], counts: [u32; 3]) -> Result<Surface, GenerateError> {
    block(size)?;
    if counts.contains(&0) {
        return Err(GenerateError::EmptyLattice(counts));
    }
    let [x, y, z] = counts.map(u64::from);
    let count = [x.checked_mul(y), y.checked_mul(z), z.checked_mul(x)]
        .into_iter()
        .try_fold(0u64, |sum, quads| sum.checked_add(quads?.checked_mul(4)?))
        .unwrap_or(u64::MAX);
    if count > super::MAX_ELEMENTS {
        return Err(GenerateError::TooManyElements { count });
    }
    let mut surface = Surface::default();
    let mut known = std::collections::BTreeMap::new();
    let mut vertex = |at: [u32; 3]| {
        *known.entry(at).or_insert_with(|| {
            let place = |k: usize| size[k] * (f64::from(at[k]) / f64::from(counts[k]) - 0.5);
            surface.vertices.push(DVec3::from([0, 1, 2].map(place)));
            surface.vertices.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        let (along, across) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, counts[axis]] {
            for i in 0..counts[along] {
                for j in 0..counts[across] {
                    let [a, b, c, d] = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[di, dj]| {
                        let mut at = [side; 3];
                        (at[along], at[across]) = (i + di, j + dj);
                        vertex(at)
                    });
                    let [b, d] = if side == 0 { [d, b] } else { [b, d] };
                    surface.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    Ok(surface)
}

/// A ball: an icosahedron whose triangles are divided into four so many times, with all vertices at
/// `radius`, in m. 20 × 4ⁿ triangles.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn sphere(radius: f64, divisions: u32) -> Result<Surface, GenerateError> {
    require_length("radius", radius)?;
    if divisions > MOST_DIVISIONS {
        return Err(GenerateError::TooManyElements {
            count: 20 << divisions.saturating_mul(2).min(58),
        });
    }
    let golden = 0.5 * (1.0 + 5.0f64.sqrt());
    let mut vertices = Vec::new();
    for axis in 0..3 {
        for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let mut corner = [0.0; 3];
            corner[axis] = s;
            corner[(axis + 1) % 3] = t * golden;
            vertices.push(DVec3::from(corner).normalize());
        }
    }
    let mut triangles = icosahedron(&vertices);
    for _ in 0..divisions {
        triangles = divided(&triangles, &mut vertices);
    }
    let vertices = vertices.into_iter().map(|x| radius * x).collect();
    Ok(Surface { vertices, triangles, ..Surface::default() })
}

/// The triples of vertices that are all neighbours, facing outwards.
fn icosahedron(vertices: &[DVec3]) -> Vec<[u32; 3]> {
    // neighbours are 63° apart, others at least 117°
    let near = |i: usize, j: usize| vertices[i].dot(vertices[j]) > 0.0;
    let mut triangles = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in (j + 1..12).filter(|&k| near(i, j) && near(j, k) && near(k, i)) {
                let outwards = vertices[i].dot(vertices[j].cross(vertices[k])) > 0.0;
                let [j, k] = if outwards { [j, k] } else { [k, j] };
                triangles.push([i, j, k].map(|v| v as u32));
            }
        }
    }
    triangles
}

/// Four triangles for each, with the middles of edges moved out to the unit ball.
fn divided(triangles: &[[u32; 3]], vertices: &mut Vec<DVec3>) -> Vec<[u32; 3]> {
    let mut middles = std::collections::BTreeMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
            vertices.len() as u32 - 1
        })
    };
    let mut divided = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        divided.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
    }
    divided
}

/// A ring around the y axis: `radius` from the axis to the middle of the `tube`, whose radius is
/// smaller, in m; so many edges around the axis and around the tube, all vertices on the ring.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn torus(radius: f64, tube: f64, segments: u32, sides: u32) -> Result<Surface, GenerateError> {
    require_length("radius", radius)?;
    require_length("tube", tube)?;
    if tube >= radius {
        return Err(GenerateError::ThickTube { radius, tube });
    }
    for segments in [segments, sides] {
        if segments < 3 {
            return Err(GenerateError::FewSegments { segments });
        }
    }
    let count = 2 * u64::from(segments) * u64::from(sides);
    if count > super::MAX_ELEMENTS {
        return Err(GenerateError::TooManyElements { count });
    }
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..segments {
        let [along_z, along_x] = turn(i.into(), segments.into());
        for j in 0..sides {
            let [out, up] = turn(j.into(), sides.into());
            let r = radius + tube * out;
            vertices.push(DVec3::new(r * along_x, tube * up, r * along_z));
            let [i_next, j_next] = [(i + 1) % segments, (j + 1) % sides];
            let [a, b, c, d] =
                [i * sides + j, i_next * sides + j, i_next * sides + j_next, i * sides + j_next];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Ok(Surface { vertices, triangles, ..Surface::default() })
}

/// A cylinder of `height` along y, in m, with so many edges around, widened so that its section has
/// the area of the circle.
///
/// # Errors
///
/// See [`GenerateError`].
pub fn cylinder(radius: f64, height: f64, segments: u32) -> Result<Surface, GenerateError> {
    require_length("radius", radius)?;
    require_length("height", height)?;
    revolved(&[[radius, -0.5 * height], [radius, 0.5 * height]], segments)
}
