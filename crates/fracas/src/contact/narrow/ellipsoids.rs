//! Two ellipsoids: the hot pair.

use super::super::shape::Pose;
use super::Point;
use crate::math::Sym3;
use glam::{Mat3, Vec3};

/// Steps of the ascent at most; most pairs need one or two.
const STEPS: usize = 12;
/// Sideways mismatch of the contact points at which the ascent ends, in smallest radii. The gap
/// is then right to the square of this.
const MISMATCH: f32 = 1.0e-3;
/// Largest turn of the normal per step, in rad.
const MAX_TURN: f32 = 0.5;

/// Contact of two ellipsoids given by their radii, if the gap is at most `reach`.
///
/// The gap along a unit vector n out of b towards a is a lower bound of the distance, and the
/// largest is the distance (overlap: the least depth):
///
/// ```text
/// gap(n) = n·Δ − h_a(n) − h_b(n),   h(n) = √(nᵀ A n),   A = R diag(r²) Rᵀ,   Δ = x_a − x_b
/// ∇gap   = Δ − s_a − s_b,           s = A n / h:        from support point to support point
/// ```
///
/// At the largest Δ = (A/h_a + B/h_b + gap) n, which solved with h and gap of the centre line gives a
/// good start. Newton's method on the sphere goes on from there; its matrix is
/// H_a + H_b + gap with H = (A − s sᵀ)/h, the radii of curvature at the support points. Of deep
/// overlaps the ascent is repeated from the best of all axes.
pub fn ellipsoid_ellipsoid(
    radii_a: Vec3,
    pose_a: &Pose,
    radii_b: Vec3,
    pose_b: &Pose,
    reach: f32,
) -> Option<Point> {
    let between = pose_a.position - pose_b.position;
    let largest = radii_a.max_element() + radii_b.max_element();
    let squared = between.length_squared();
    if squared > (largest + reach) * (largest + reach) {
        return None;
    }
    let smallest = radii_a.min_element().min(radii_b.min_element());
    let round = |r: Vec3| r.x == r.y && r.y == r.z;
    if round(radii_a) && round(radii_b) {
        let normal = direction(between, squared, smallest).unwrap_or(Vec3::Y);
        let (arm_a, arm_b) = (-radii_a.x * normal, radii_b.x * normal);
        let gap = normal.dot(between) - largest;
        return point(pose_a, pose_b, arm_a, arm_b, normal, gap, reach);
    }

    let pair = Pair::new(radii_a, pose_a, radii_b, pose_b, between, smallest);
    let line = direction(between, squared, smallest).unwrap_or_else(|| pair.best_axis());
    let mut best = pair.ascend(pair.start(line, reach)?, reach)?;
    // Beyond half the smallest radius other ways out may be shorter.
    if best.gap < -0.5 * smallest {
        let axis = pair.best_axis();
        if let Some(other) = pair.ascend(pair.gap(axis), reach).filter(|other| other.gap > best.gap)
        {
            best = other;
        }
    }
    point(pose_a, pose_b, -best.arm_a, best.arm_b, best.normal, best.gap, reach)
}

/// Unit vector along the centre line, if the centres are apart.
fn direction(between: Vec3, squared: f32, smallest: f32) -> Option<Vec3> {
    (squared > 1.0e-10 * smallest * smallest).then(|| between / squared.sqrt())
}

fn point(
    pose_a: &Pose,
    pose_b: &Pose,
    arm_a: Vec3,
    arm_b: Vec3,
    normal: Vec3,
    gap: f32,
    reach: f32,
) -> Option<Point> {
    let (on_a, on_b) = (pose_a.position + arm_a, pose_b.position + arm_b);
    (gap <= reach).then_some(Point { on_a, on_b, normal, gap, feature: 0 })
}

/// What is constant during the ascent.
struct Pair {
    between: Vec3,
    /// R diag(r)
    axes_a: Mat3,
    axes_b: Mat3,
    /// A of a and b.
    a: Sym3,
    b: Sym3,
    smallest: f32,
}

/// The gap along a normal.
#[derive(Clone, Copy)]
struct Gap {
    normal: Vec3,
    gap: f32,
    /// s_a and s_b.
    arm_a: Vec3,
    arm_b: Vec3,
    /// 1/h_a and 1/h_b.
    inverse_a: f32,
    inverse_b: f32,
}

fn scaled_axes(radii: Vec3, pose: &Pose) -> Mat3 {
    let r = pose.rotation.to_mat3();
    Mat3::from_cols(r.x_axis * radii.x, r.y_axis * radii.y, r.z_axis * radii.z)
}

/// B Bᵀ
fn square(b: &Mat3) -> Sym3 {
    let [x, y, z] = [b.row(0), b.row(1), b.row(2)];
    Sym3 { xx: x.dot(x), yy: y.dot(y), zz: z.dot(z), xy: x.dot(y), yz: y.dot(z), zx: z.dot(x) }
}

#[inline]
fn times(a: &Sym3, n: Vec3) -> Vec3 {
    Vec3::new(
        a.xx * n.x + a.xy * n.y + a.zx * n.z,
        a.xy * n.x + a.yy * n.y + a.yz * n.z,
        a.zx * n.x + a.yz * n.y + a.zz * n.z,
    )
}

impl Pair {
    fn new(
        radii_a: Vec3,
        pose_a: &Pose,
        radii_b: Vec3,
        pose_b: &Pose,
        between: Vec3,
        smallest: f32,
    ) -> Self {
        let (axes_a, axes_b) = (scaled_axes(radii_a, pose_a), scaled_axes(radii_b, pose_b));
        let (a, b) = (square(&axes_a), square(&axes_b));
        Self { between, axes_a, axes_b, a, b, smallest }
    }

    #[inline]
    fn gap(&self, normal: Vec3) -> Gap {
        let (a, b) = (times(&self.a, normal), times(&self.b, normal));
        let (height_a, height_b) = (normal.dot(a).sqrt(), normal.dot(b).sqrt());
        let (inverse_a, inverse_b) = (1.0 / height_a, 1.0 / height_b);
        let gap = normal.dot(self.between) - (height_a + height_b);
        Gap { normal, gap, arm_a: a * inverse_a, arm_b: b * inverse_b, inverse_a, inverse_b }
    }

    /// The axis of either ellipsoid, towards a, along which the gap is largest; the first of equals.
    fn best_axis(&self) -> Vec3 {
        let mut best = (f32::NEG_INFINITY, Vec3::Y);
        for axes in [&self.axes_a, &self.axes_b] {
            for axis in [axes.x_axis, axes.y_axis, axes.z_axis] {
                let axis = axis.normalize();
                let n = if axis.dot(self.between) < 0.0 { -axis } else { axis };
                let gap = self.gap(n).gap;
                if gap > best.0 {
                    best = (gap, n);
                }
            }
        }
        best.1
    }

    /// A normal near the largest gap, from the centre line; nothing if that parts the two.
    fn start(&self, line: Vec3, reach: f32) -> Option<Gap> {
        let centre = self.gap(line);
        if centre.gap > reach {
            return None;
        }
        let (a, b, apart) = (&self.a, &self.b, centre.gap.max(0.0));
        let (ia, ib) = (centre.inverse_a, centre.inverse_b);
        let m = Sym3 {
            xx: a.xx * ia + b.xx * ib + apart,
            yy: a.yy * ia + b.yy * ib + apart,
            zz: a.zz * ia + b.zz * ib + apart,
            xy: a.xy * ia + b.xy * ib,
            yz: a.yz * ia + b.yz * ib,
            zx: a.zx * ia + b.zx * ib,
        };
        // the adjugate: only the direction of M⁻¹ Δ counts
        let adjugate = Sym3 {
            xx: m.yy * m.zz - m.yz * m.yz,
            yy: m.zz * m.xx - m.zx * m.zx,
            zz: m.xx * m.yy - m.xy * m.xy,
            xy: m.yz * m.zx - m.xy * m.zz,
            yz: m.zx * m.xy - m.yz * m.xx,
            zx: m.xy * m.yz - m.zx * m.yy,
        };
        let solved = times(&adjugate, line);
        let squared = solved.length_squared();
        if !(squared > 0.0 && squared.is_finite()) {
            return Some(centre);
        }
        let better = self.gap(solved * (1.0 / squared.sqrt()));
        Some(if better.gap > centre.gap { better } else { centre })
    }

    /// The largest gap uphill of `start`; nothing once it is known to be above `reach`.
    fn ascend(&self, start: Gap, reach: f32) -> Option<Gap> {
        let mut best = start;
        let mut turn = self.newton(&best);
        for _ in 0..STEPS {
            // Every gap is a lower bound.
            if best.gap > reach {
                return None;
            }
            let Some(step) = turn else { break };
            let next = self.gap((best.normal + step).normalize());
            if next.gap < best.gap {
                turn = Some(0.25 * step);
            } else {
                best = next;
                turn = self.newton(&best);
            }
        }
        Some(best)
    }

    /// The turn n ← n + d that Newton's method asks for, nothing at the top.
    #[inline]
    fn newton(&self, at: &Gap) -> Option<Vec3> {
        let n = at.normal;
        let gradient = self.between - (at.arm_a + at.arm_b);
        let t = gradient - n * n.dot(gradient);
        let mismatch = t.length_squared();
        if mismatch <= MISMATCH * MISMATCH * self.smallest * self.smallest {
            return None;
        }
        let (ia, ib) = (at.inverse_a, at.inverse_b);
        let (a, b, p, q) = (&self.a, &self.b, at.arm_a, at.arm_b);
        let h = Sym3 {
            xx: (a.xx - p.x * p.x) * ia + (b.xx - q.x * q.x) * ib,
            yy: (a.yy - p.y * p.y) * ia + (b.yy - q.y * q.y) * ib,
            zz: (a.zz - p.z * p.z) * ia + (b.zz - q.z * q.z) * ib,
            xy: (a.xy - p.x * p.y) * ia + (b.xy - q.x * q.y) * ib,
            yz: (a.yz - p.y * p.z) * ia + (b.yz - q.y * q.z) * ib,
            zx: (a.zx - p.z * p.x) * ia + (b.zx - q.z * q.x) * ib,
        };
        // H n = 0; its other two eigenvalues have this sum and product
        let sum = h.xx + h.yy + h.zz;
        let product =
            (h.xx * h.yy - h.xy * h.xy) + (h.yy * h.zz - h.yz * h.yz) + (h.zz * h.xx - h.zx * h.zx);
        let mut shift = at.gap;
        if product + shift * (sum + shift) < 0.2 * product || sum + shift < 0.0 {
            // As deep as the smallest radius of curvature there is no top to step to: climb.
            let low = product / (0.5 * sum + (0.25 * sum * sum - product).max(0.0).sqrt());
            shift = shift.max(-0.7 * low);
        }
        // M = H + shift across n;  M⁻¹ t = (tr M t − M t) / det M
        let trace = sum + 2.0 * shift;
        let determinant = product + shift * (sum + shift);
        let d = (t * (trace - shift) - times(&h, t)) * (1.0 / determinant);
        let squared = d.length_squared();
        if !squared.is_finite() {
            return Some(t * (MAX_TURN / mismatch.sqrt()));
        }
        let limit = if squared > MAX_TURN * MAX_TURN { MAX_TURN / squared.sqrt() } else { 1.0 };
        Some(d * limit)
    }
}
