//! The lowest dihedral angle, by its cosine: no arc functions in loops.

use fracas::glam::DVec3;

use crate::tets;

/// Worse than every angle.
pub(super) const INVERTED: f64 = 2.0;

/// Cosine of the lowest angle between two faces of a tetrahedron: the higher, the worse.
/// [`INVERTED`] if it is flat or inside out.
pub(super) fn cosine(corners: [DVec3; 4]) -> f64 {
    let [a, b, c, d] = corners;
    let normals = tets::FACES.map(|[i, j, k]| {
        (corners[j] - corners[i]).cross(corners[k] - corners[i]).normalize_or_zero()
    });
    let volume = (b - a).cross(c - a).dot(d - a);
    if volume.is_nan() || volume <= 0.0 {
        return INVERTED;
    }
    let [p, q, r, s] = normals;
    let pairs = [p.dot(q), p.dot(r), p.dot(s), q.dot(r), q.dot(s), r.dot(s)];
    pairs.into_iter().fold(-1.0, |worst, dot| f64::max(worst, -dot))
}
