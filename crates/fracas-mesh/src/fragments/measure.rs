//! Fragments as particles: exact integrals, ellipsoids, means.

use fracas::glam::{DMat3, DVec3};
use fracas::math::{Rot, Sym3, symmetric_eigen};
use fracas::solids::oriented::OrientedPoint;

use super::{Fragment, Interface};
use crate::attributes::Attribute;
use crate::tets::{TetMesh, volume as tet_volume};

/// Least radius of an ellipsoid over the mean distance of bonded centres: thinner ones give the
/// search for the contact normal nothing to hold on to, and slip past each other within a step.
const LEAST_RADIUS: f64 = 0.1;

/// Least eigenvalue of a second moment over the largest, once it is rounded to single precision:
/// above the rounding of six entries, about 1e-7, so that the moment stays positive definite. Only
/// fragments 300 times wider than thick are below.
const LEAST_MOMENT: f64 = 1.0e-5;

/// Measures all fragments.
pub(super) fn fragments(
    mesh: &TetMesh,
    of_tet: &[u32],
    boundaries: Vec<Vec<[u32; 3]>>,
    interfaces: &[Interface],
) -> Vec<Fragment> {
    let mut tets = vec![Vec::new(); boundaries.len()];
    for (tet, &fragment) in of_tet.iter().enumerate() {
        tets[fragment as usize].push(tet);
    }
    let mut fragments: Vec<Fragment> = tets
        .iter()
        .zip(boundaries)
        .map(|(tets, boundary)| {
            let tets: Vec<[DVec3; 4]> = tets.iter().map(|&tet| mesh.corners(tet)).collect();
            Fragment { boundary, ..measured(&tets) }
        })
        .collect();
    limit_radii(&mut fragments, interfaces);
    fragments
}

/// Measures all fragments anew, each by the triangles of the closed surface around it.
pub(super) fn by_surfaces(
    fragments: &mut [Fragment],
    interfaces: &[Interface],
    surfaces: &[Vec<[DVec3; 3]>],
) {
    for (fragment, triangles) in fragments.iter_mut().zip(surfaces) {
        // tetrahedra from a point to all triangles, with the sign of their volume
        let apex = fragment.centre;
        let tets: Vec<[DVec3; 4]> = triangles.iter().map(|&[a, b, c]| [apex, a, b, c]).collect();
        let Fragment { boundary, material, .. } = std::mem::take(fragment);
        *fragment = Fragment { boundary, material, ..measured(&tets) };
    }
    limit_radii(fragments, interfaces);
}

fn limit_radii(fragments: &mut [Fragment], interfaces: &[Interface]) {
    let floor = LEAST_RADIUS * mean_bond(fragments, interfaces);
    for radius in fragments.iter_mut().flat_map(|fragment| &mut fragment.radii) {
        *radius = radius.max(floor);
    }
}

/// Mean distance of bonded centres, in m; 0 without bonds.
fn mean_bond(fragments: &[Fragment], interfaces: &[Interface]) -> f64 {
    let length = |interface: &Interface| {
        let [a, b] = interface.fragments.map(|f| fragments[f as usize].centre);
        a.distance(b)
    };
    interfaces.iter().map(length).sum::<f64>() / interfaces.len().max(1) as f64
}

/// Volume, centre, second moment and ellipsoid of some tetrahedra.
///
/// ```text
/// ∫ x xᵀ dV = V/20 (Σ x_i x_iᵀ + s sᵀ),   s = Σ x_i,   over the corners x_i of a tetrahedron
/// ```
fn measured(tets: &[[DVec3; 4]]) -> Fragment {
    let volume = tets.iter().map(|&tet| tet_volume(tet)).sum();
    let centre_of = |tet: &[DVec3; 4]| 0.25 * (tet[0] + tet[1] + tet[2] + tet[3]);
    // about the first centre, so that a mesh far from the origin loses no digits
    let origin = tets.first().map_or(DVec3::ZERO, centre_of);
    let first_moment: DVec3 =
        tets.iter().map(|tet| tet_volume(*tet) * (centre_of(tet) - origin)).sum();
    let centre = origin + first_moment / volume;

    let mut moment = DMat3::ZERO;
    for &tet in tets {
        let x = tet.map(|x| x - centre);
        let s: DVec3 = x.iter().sum();
        let squares = x.iter().fold(outer(s), |sum, &x| sum + outer(x));
        moment += tet_volume(tet) / 20.0 * squares;
    }
    let (axes, radii) = ellipsoid(tets, centre, volume, &moment);
    let second_moment = as_six(&moment);
    Fragment { volume, centre, second_moment, axes, radii, ..Fragment::default() }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v.x * v, v.y * v, v.z * v)
}

/// As xx, yy, zz, xy, yz, zx.
fn as_six(m: &DMat3) -> [f64; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.y_axis.z, m.z_axis.x]
}

/// The other way.
fn from_six([xx, yy, zz, xy, yz, zx]: [f64; 6]) -> DMat3 {
    DMat3::from_cols_array(&[xx, xy, zx, xy, yy, yz, zx, yz, zz])
}

/// Eigenvalues, largest first, over their sum, and eigenvectors.
fn eigen(moment: &DMat3) -> ([f32; 3], fracas::glam::Mat3) {
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    symmetric_eigen(&Sym3::from_mat3(&(*moment * (1.0 / trace)).as_mat3()))
}

/// Axes from the covariance, radii from the box along them (000 sec. 5), scaled so that the
/// ellipsoid has the fragment's volume.
fn ellipsoid(tets: &[[DVec3; 4]], centre: DVec3, volume: f64, moment: &DMat3) -> (Rot, [f64; 3]) {
    let (_, vectors) = eigen(moment);
    let to_axes = vectors.as_dmat3().transpose();
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for &x in tets.iter().flatten() {
        let x = to_axes * (x - centre);
        (low, high) = (low.min(x), high.max(x));
    }
    let half = 0.5 * (high - low);
    // 4/3 π s³ a b c = V
    let ball = 4.0 / 3.0 * std::f64::consts::PI * half.x * half.y * half.z;
    let scale = (volume / ball).cbrt();
    (Rot::from_mat3(&vectors), (scale * half).to_array())
}

/// A fragment in single precision.
pub(super) fn oriented_point(fragment: &Fragment) -> OrientedPoint {
    OrientedPoint {
        position: fragment.centre.as_vec3().to_array(),
        volume: fragment.volume as f32,
        second_moment: safely_positive(fragment.second_moment).map(|x| x as f32),
        radii: fragment.radii.map(|r| r as f32),
        axes: [fragment.axes.x, fragment.axes.y, fragment.axes.z, fragment.axes.w],
        material: fragment.material,
    }
}

/// A second moment with no eigenvalue below [`LEAST_MOMENT`].
fn safely_positive(moment: [f64; 6]) -> [f64; 6] {
    let matrix = from_six(moment);
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let [largest, _, least] = eigen(&matrix).0.map(f64::from);
    let lift = trace * (LEAST_MOMENT * largest - least).max(0.0);
    as_six(&(matrix + DMat3::from_diagonal(DVec3::splat(lift))))
}

/// Means over fragments, weighted by volume.
pub(crate) fn attributes(mesh: &TetMesh, of_tet: &[u32], count: usize) -> Vec<Attribute> {
    let mut volumes = vec![0.0; count];
    for (tet, &fragment) in of_tet.iter().enumerate() {
        volumes[fragment as usize] += mesh.tet_volume(tet);
    }
    let mean = |name: &str, value: &dyn Fn(usize) -> f64| {
        let mut sums = vec![0.0; count];
        for (tet, &fragment) in of_tet.iter().enumerate() {
            sums[fragment as usize] += mesh.tet_volume(tet) * value(tet);
        }
        let values = sums.iter().zip(&volumes).map(|(sum, volume)| (sum / volume) as f32);
        Attribute { name: name.into(), values: values.collect() }
    };
    let at_vertices = mesh.vertex_attributes.iter().map(|attribute| {
        let at = |vertex: u32| f64::from(attribute.values[vertex as usize]);
        mean(&attribute.name, &|tet| 0.25 * mesh.tets[tet].map(at).iter().sum::<f64>())
    });
    let of_tets = mesh
        .tet_attributes
        .iter()
        .map(|attribute| mean(&attribute.name, &|tet| f64::from(attribute.values[tet])));
    at_vertices.chain(of_tets).collect()
}
