//! Does a boundary have the shape of the surface it came from: as many parts, each with as many
//! holes, and nowhere pinched?

use fracas::sets::Sets;

/// Why triangles bound no solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pinch {
    /// An edge without exactly two triangles, one in each direction.
    Edge([u32; 2]),
    /// A vertex where two sheets touch.
    Vertex(u32),
}

/// Euler characteristic of each part of closed triangles, sorted. Vertices are counted once for
/// each sheet that they belong to, so a surface that touches itself in points counts as if it did
/// not.
///
/// # Errors
///
/// [`Pinch::Edge`].
pub(super) fn parts(triangles: &[[u32; 3]]) -> Result<Vec<i64>, Pinch> {
    let (mut faces, mut sheets) = connect(triangles)?;
    // per part: corners that stand for a sheet, triangles, and 3/2 edges for each triangle
    let mut counts = vec![[0_i64; 2]; triangles.len()];
    for triangle in 0..triangles.len() as u32 {
        let part = faces.find(triangle) as usize;
        counts[part][1] += 1;
        for corner in 0..3 {
            let corner = 3 * triangle + corner;
            counts[part][0] += i64::from(sheets.find(corner) == corner);
        }
    }
    counts.retain(|&[_, faces]| faces > 0);
    let mut parts: Vec<i64> =
        counts.into_iter().map(|[sheets, faces]| sheets - 3 * faces / 2 + faces).collect();
    parts.sort_unstable();
    Ok(parts)
}

/// Is every vertex surrounded by one ring of triangles?
///
/// # Errors
///
/// [`Pinch`], the first one.
pub(super) fn check_manifold(triangles: &[[u32; 3]]) -> Result<(), Pinch> {
    let (_, mut sheets) = connect(triangles)?;
    let mut corners: Vec<(u32, u32)> = Vec::with_capacity(3 * triangles.len());
    for (&vertex, corner) in triangles.as_flattened().iter().zip(0..) {
        corners.push((vertex, sheets.find(corner)));
    }
    corners.sort_unstable();
    corners.dedup();
    match corners.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Pinch::Vertex(pair[0].0)),
        None => Ok(()),
    }
}

/// Joins triangles that share an edge, and their corners at the ends of it.
fn connect(triangles: &[[u32; 3]]) -> Result<(Sets, Sets), Pinch> {
    // sides by their ends, lower first, with the triangle's corners there
    let mut sides: Vec<([u32; 2], bool, [u32; 2])> = Vec::with_capacity(3 * triangles.len());
    for (triangle, t) in triangles.iter().zip(0_u32..) {
        for k in 0..3 {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            let (at_a, at_b) = (3 * t + k as u32, 3 * t + (k as u32 + 1) % 3);
            let turned = b < a;
            sides.push(if turned {
                ([b, a], true, [at_b, at_a])
            } else {
                ([a, b], false, [at_a, at_b])
            });
        }
    }
    sides.sort_unstable();
    let (mut faces, mut sheets) = (Sets::new(triangles.len()), Sets::new(3 * triangles.len()));
    for same in sides.chunk_by(|a, b| a.0 == b.0) {
        let [(ends, false, first), (_, true, second)] = *same else {
            return Err(Pinch::Edge(same[0].0));
        };
        if ends[0] == ends[1] {
            return Err(Pinch::Edge(ends));
        }
        faces.join(first[0] / 3, second[0] / 3);
        sheets.join(first[0], second[0]);
        sheets.join(first[1], second[1]);
    }
    Ok((faces, sheets))
}
