//! Energy, forces and rotations.
//!
//! ```text
//! F = I + H,   H = Σ (u_j − u_0) g_jᵀ,   R from F (one Newton step on SO(3) from the last),   ε = sym(RᵀF) − I      (003, errata 003.3, 003.4)
//! Ψ = Σ V ( μ ε:ε + λ/2 tr(ε)² ),   σ = λ tr(ε) I + 2 μ ε,   ∇Ψ_i = V R σ g_i
//! ```
//!
//! All of it is in the frame of the piece, with u how far a vertex is from where the rest shape would be. There H and R − I are small in what is stiff, and
//! ε = sym(H + (R−I)ᵀ (I + H)) is told to a part in 10⁷ of them; as RᵀF − I it would be lost below 1e-7, which in glass is 10 kPa.
//!
//! Linear strain does not know volume beyond the first order (erratum 003.6). Where it is to be kept, λ/2 (J − 1)² with J = det F takes the
//! place of λ/2 tr(ε)², J − 1 = tr H + ½ (tr² H − tr H²) + det H,
//! its gradient is V λ (J − 1) c_i with c_i = cof(F) g_i, and its matrix V λ c_i c_jᵀ: the part that cannot be below 0.
//!
//! Of what has flowed (`plastic`) F_E = F F_P⁻¹ takes the place of F: with P = F_P⁻¹ − I, H_E = H + F P and g_E = g + Pᵀ g.

use crate::math::fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use crate::math::wide::columns::{load_lanes, load_rotations, store_rotations, vec3};
use crate::math::wide::{Mat3x8, Rotx8, Sym3x8, Vec3x8, WideMat3, newton_step};
use crate::math::{Rot, Sym3, rotation};
use crate::parallel::{Span, Workers};
use crate::solids::fem::lanes::{Point, gather, store};
use crate::solids::fem::system::{System, load_gradients, outer_sum, slot_columns};
use crate::solids::fem::tets::Tets;
use glam::Mat3;

/// What [`linearise`] writes, each from the first tetrahedron of the range on: R, a, forces, and c where the volume is kept by a term of
/// its own.
type Written<'a> =
    (&'a mut [Rot], [&'a mut [f32]; 9], [&'a mut [Point]; 4], Option<[&'a mut [f32]; 9]>);

/// F_P⁻¹ − I of each tetrahedron, column by column; none of a body that has never flowed.
pub(super) type Plastic<'a> = Option<&'a [Vec<f32>; 9]>;

/// Brings rotations, which are those in the world, up to the particles; gradients a = R g and forces ∇Ψ in the frame of the piece, which is turned by `turn`.
/// Returns Ψ, in J.
pub(super) fn linearise(
    tets: &Tets,
    plastic: Plastic<'_>,
    of: Span,
    turn: Rot,
    (rotation, system): (&mut [Rot], &mut System),
    workers: &Workers,
) -> f64 {
    let System { moved_by, gradient, swelling, slots, .. } = system;
    let moved_by = &moved_by[..];
    fn part(columns: &mut [Vec<f32>; 9], of: Span) -> [&mut [f32]; 9] {
        columns.each_mut().map(|column| &mut column[of.clone()])
    }
    let columns = (
        &mut rotation[of.clone()],
        part(gradient, of.clone()),
        slot_columns(slots, tets.len(), of.clone()),
        swelling.as_mut().map(|columns| part(columns, of.clone())),
    );
    workers.fold_span(of, columns, &|range, columns| {
        dispatch!(Level::new(), simd => linearise_range(simd, tets, plastic, moved_by, range, turn, columns))
    })
}

#[inline(always)]
fn linearise_range<S: Simd>(
    simd: S,
    tets: &Tets,
    plastic: Plastic<'_>,
    moved_by: &[Point],
    range: Span,
    turn: Rot,
    (rotations, mut gradient, [f0, f1, f2, f3], mut swelling): Written<'_>,
) -> f64 {
    let turn = Rotx8::from_lanes(simd, &[turn; 8]);
    let back = turn.inverse();
    let zero = f32x8::splat(simd, 0.0);
    let mut energy = 0.0;
    let mut at = 0;
    while at < range.len() {
        let (t, end) = (range.start + at, range.len().min(at + 8));
        let (h, [g1, g2, g3]) = deformation(simd, tets, plastic, moved_by, t);
        let f = plus_one(simd, h);
        let q = newton_step(&f, back * load_rotations(simd, &rotations[at..end]));
        let q = turn_inverted(simd, &f, q, end - at);
        store_rotations(turn * q, &mut rotations[at..end]);

        let r = plus_one(simd, minus_one(q));
        let strain = strain_in(q, &h, &f);
        let (lambda, mu) = (load_lanes(simd, &tets.lame[0], t), load_lanes(simd, &tets.lame[1], t));
        let mut stress = strain * (mu + mu);
        let kept = swelling.is_some();
        let grown = if kept { grown_by(&h) } else { strain.trace() };
        if !kept {
            stress.xx += lambda * grown;
            stress.yy += lambda * grown;
            stress.zz += lambda * grown;
        }
        let half = f32x8::splat(simd, 0.5);
        let stored = mu * strain.norm_squared() + half * lambda * (grown * grown);
        energy += sum_of_lanes(stored, end - at);

        store_gradients([r * g1, r * g2, r * g3], &mut gradient, at..end);
        let (mut b1, mut b2, mut b3) = (r * (stress * g1), r * (stress * g2), r * (stress * g3));
        if let Some(columns) = &mut swelling {
            let c = cofactor(&f);
            let (c1, c2, c3) = (c * g1, c * g2, c * g3);
            store_gradients([c1, c2, c3], columns, at..end);
            let pressure = lambda * grown;
            b1 = b1 + c1 * pressure;
            b2 = b2 + c2 * pressure;
            b3 = b3 + c3 * pressure;
        }
        store(simd, vec3(zero, zero, zero) - (b1 + b2 + b3), &mut f0[at..end]);
        store(simd, b1, &mut f1[at..end]);
        store(simd, b2, &mut f2[at..end]);
        store(simd, b3, &mut f3[at..end]);
        at += 8;
    }
    energy
}

/// H_E and g_E of eight tetrahedra.
#[inline(always)]
fn deformation<S: Simd>(
    simd: S,
    tets: &Tets,
    plastic: Plastic<'_>,
    moved_by: &[Point],
    t: usize,
) -> (Mat3x8<S>, [Vec3x8<S>; 3]) {
    let corners = &tets.corners[..];
    let u0 = gather(simd, moved_by, corners, t, 0);
    let d1 = gather(simd, moved_by, corners, t, 1) - u0;
    let d2 = gather(simd, moved_by, corners, t, 2) - u0;
    let d3 = gather(simd, moved_by, corners, t, 3) - u0;
    let [g1, g2, g3] = load_gradients(simd, &tets.gradient, t);
    let h = outer_sum(d1, g1, d2, g2, d3, g3);
    let Some(columns) = plastic else { return (h, [g1, g2, g3]) };
    let [x_axis, y_axis, z_axis] = load_gradients(simd, columns, t);
    let p = WideMat3 { x_axis, y_axis, z_axis };
    let moved = [g1, g2, g3].map(|g| g + p.transpose_mul_vec(g));
    (h + plus_one(simd, h) * p, moved)
}

/// ε = sym(H + (R−I)ᵀ (I + H)) for F = I + H.
#[inline(always)]
fn strain_in<S: Simd>(q: Rotx8<S>, h: &Mat3x8<S>, f: &Mat3x8<S>) -> Sym3x8<S> {
    (*h + minus_one(q).transpose_mul(f)).symmetric_part()
}

/// Brings rotations up to the particles and tells the elastic strain of every tetrahedron, in its frame.
pub(super) fn measure(
    tets: &Tets,
    plastic: Plastic<'_>,
    of: Span,
    turn: Rot,
    moved_by: &[Point],
    (rotation, strain): (&mut [Rot], &mut [Sym3]),
    workers: &Workers,
) {
    let columns = [&mut strain[of.clone()]];
    let columns = (&mut rotation[of.clone()], columns);
    workers.for_span(of, columns, &|range, (rotation, [strain])| {
        dispatch!(Level::new(), simd => {
            measure_range(simd, tets, plastic, moved_by, range, turn, (rotation, strain));
        });
    });
}

#[inline(always)]
fn measure_range<S: Simd>(
    simd: S,
    tets: &Tets,
    plastic: Plastic<'_>,
    moved_by: &[Point],
    range: Span,
    turn: Rot,
    (rotations, strains): (&mut [Rot], &mut [Sym3]),
) {
    let turn = Rotx8::from_lanes(simd, &[turn; 8]);
    let back = turn.inverse();
    for at in (0..range.len()).step_by(8) {
        let (t, end) = (range.start + at, range.len().min(at + 8));
        let (h, _) = deformation(simd, tets, plastic, moved_by, t);
        let f = plus_one(simd, h);
        let q = newton_step(&f, back * load_rotations(simd, &rotations[at..end]));
        let q = turn_inverted(simd, &f, q, end - at);
        store_rotations(turn * q, &mut rotations[at..end]);
        let lanes = strain_in(q, &h, &f).to_lanes();
        strains[at..end].copy_from_slice(&lanes[..end - at]);
    }
}

/// I + A.
#[inline(always)]
fn plus_one<S: Simd>(simd: S, mut a: Mat3x8<S>) -> Mat3x8<S> {
    let one = f32x8::splat(simd, 1.0);
    a.x_axis.x += one;
    a.y_axis.y += one;
    a.z_axis.z += one;
    a
}

/// R − I of a unit quaternion, 2 w v× + 2 v× v×, whose small numbers keep their digits.
#[inline(always)]
fn minus_one<S: Simd>(q: Rotx8<S>) -> Mat3x8<S> {
    let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
    let (xx, yy, zz) = (q.x * x2, q.y * y2, q.z * z2);
    let (xy, yz, zx) = (q.x * y2, q.y * z2, q.z * x2);
    let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
    WideMat3 {
        x_axis: vec3(-(yy + zz), xy + wz, zx - wy),
        y_axis: vec3(xy - wz, -(zz + xx), yz + wx),
        z_axis: vec3(zx + wy, yz - wx, -(xx + yy)),
    }
}

/// det(I + H) − 1 = tr H + ½ (tr² H − tr H²) + det H: what the volume has grown by.
#[inline(always)]
fn grown_by<S: Simd>(h: &Mat3x8<S>) -> f32x8<S> {
    let WideMat3 { x_axis: a, y_axis: b, z_axis: c } = *h;
    let second = (a.x * b.y - a.y * b.x) + (b.y * c.z - b.z * c.y) + (c.z * a.x - c.x * a.z);
    a.x + b.y + c.z + second + a.cross(b).dot(c)
}

/// det(F) F⁻ᵀ.
#[inline(always)]
fn cofactor<S: Simd>(f: &Mat3x8<S>) -> Mat3x8<S> {
    let WideMat3 { x_axis: x, y_axis: y, z_axis: z } = *f;
    WideMat3 { x_axis: y.cross(z), y_axis: z.cross(x), z_axis: x.cross(y) }
}

/// Three gradients of eight tetrahedra, or of as many as the range is long.
#[inline(always)]
fn store_gradients<S: Simd>(all: [Vec3x8<S>; 3], columns: &mut [&mut [f32]; 9], range: Span) {
    let [a, b, c] = all;
    let lanes = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
    for k in 0..9 {
        store_lanes(lanes[k], &mut columns[k][range.clone()]);
    }
}

#[inline(always)]
fn store_lanes<S: Simd>(v: f32x8<S>, column: &mut [f32]) {
    match column.first_chunk_mut::<8>() {
        Some(all) => v.store_slice(all),
        None => {
            let mut lanes = [0.0; 8];
            v.store_slice(&mut lanes);
            column.copy_from_slice(&lanes[..column.len()]);
        }
    }
}

/// Sum of the first lanes, in their order.
#[inline(always)]
fn sum_of_lanes<S: Simd>(v: f32x8<S>, count: usize) -> f64 {
    let mut lanes = [0.0; 8];
    v.store_slice(&mut lanes);
    lanes[..count].iter().map(|&x| f64::from(x)).sum()
}

/// Where an element is inside out, the rotation with the sign on its smallest stretch (erratum 003.4), unless the one that it
/// came from is as good.
#[inline(always)]
fn turn_inverted<S: Simd>(simd: S, f: &Mat3x8<S>, q: Rotx8<S>, count: usize) -> Rotx8<S> {
    let WideMat3 { x_axis, y_axis, z_axis } = *f;
    let volume = x_axis.cross(y_axis).dot(z_axis);
    let mut volumes = [0.0; 8];
    volume.store_slice(&mut volumes);
    if volumes[..count].iter().all(|&volume| volume > 0.0) {
        return q;
    }
    let (f, mut q) = (f.to_lanes(), q.to_lanes());
    for lane in 0..count {
        if volumes[lane] <= 0.0 {
            q[lane] = better(&f[lane], q[lane]);
        }
    }
    Rotx8::from_lanes(simd, &q)
}

/// How much better another rotation must fit an element that is inside out before it is taken, of its size: where several are as good
/// it keeps its own.
const BETTER: f32 = 1e-3;

fn better(f: &Mat3, warm: Rot) -> Rot {
    let fit = |q: Rot| {
        let r = q.to_mat3();
        r.x_axis.dot(f.x_axis) + r.y_axis.dot(f.y_axis) + r.z_axis.dot(f.z_axis)
    };
    let cold = rotation(f);
    let size = f.x_axis.length() + f.y_axis.length() + f.z_axis.length();
    if fit(cold) > fit(warm) + BETTER * size { cold } else { warm }
}
