//! What is drawn of tetrahedra as splinters (003): bricks, shards and slivers of wood that no crack tears.
//!
//! ```text
//! surface, Partition → clip → cells, each closed → joints → Splinter: owner, homes, reach
//! (bricks, shards)
//! ```

mod bricks;
mod shards;

use std::collections::BTreeMap;
use std::sync::Arc;

use fracas::glam::{DVec3, Vec3};
use fracas::skin::{Face, GONE, InsideFace, Owners, SkinMesh, Splinter};

use crate::clip::{self, ClipError, Partition};
use crate::skin::of_clipped;
use crate::skin::tets::{Holder, edges};
use crate::surface::{ClosedSurface, Surface};
use crate::tets::TetMesh;

/// How often random cells are drawn anew where a surface cannot be cut along them.
const ATTEMPTS: u64 = 4;

/// Share of a splinter's depth that its joints take at most, on each side.
const DEEPEST_JOINT: f64 = 0.3;

/// Pieces that a body is drawn in.
#[derive(Clone, Debug)]
pub enum Splinters {
    /// Boxes along x, y and z; courses are stacked along y, every other shifted by half a length.
    Bricks {
        /// Length, height and depth, in m.
        size: DVec3,
        /// How far two are apart, in m.
        joint: f64,
    },
    /// Voronoi cells of random points.
    Shards {
        /// How many points.
        count: u32,
    },
    /// The same, drawn out along a direction.
    Slivers {
        /// Need not be of unit length.
        direction: DVec3,
        /// About how long they are, in m.
        length: f64,
        /// And how wide.
        width: f64,
    },
    /// Closed surfaces, drawn as they are.
    Objects(Arc<Vec<(String, ClosedSurface)>>),
}

/// Why a body is not drawn in splinters.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplinterError {
    /// A number is out of range.
    #[error("`{what}` of the splinters is {found}, not {allowed}")]
    OutOfRange {
        /// Which.
        what: &'static str,
        /// What would be right.
        allowed: &'static str,
        /// What it is.
        found: f64,
    },
    /// There would be too many.
    #[error("there would be about {count} splinters, at most {MOST} are drawn: make them larger")]
    TooMany {
        /// How many.
        count: f64,
    },
    /// The surface could not be cut.
    #[error("its surface cannot be cut into splinters: {0}")]
    Clip(#[from] ClipError),
}

/// The most splinters of a body.
pub const MOST: usize = 20_000;

/// What is drawn of tetrahedra in splinters, with their edges. `surface` is what is cut up: their boundary, or one that they fill.
///
/// # Errors
///
/// See [`SplinterError`].
pub fn splintered(
    surface: &Surface,
    mesh: &TetMesh,
    splinters: &Splinters,
    seed: u64,
) -> Result<SkinMesh, SplinterError> {
    let bounds = surface.bounds().unwrap_or_default();
    let cut =
        |partition: &Partition| Ok(of_clipped(surface, &clip::clip(surface, partition, seed)?));
    let (cells, joint) = match splinters {
        Splinters::Bricks { size, joint } => {
            check("size", "above 0", size.min_element(), size.min_element() > 0.0)?;
            check("joint", "0 or above", *joint, *joint >= 0.0)?;
            few(((bounds[1] - bounds[0]) / *size).max(DVec3::ONE).element_product())?;
            (cut(&bricks::partition(bounds, *size))?, *joint)
        }
        Splinters::Shards { count } => {
            check("count", "1 or above", f64::from(*count), *count > 0)?;
            few(f64::from(*count))?;
            (shards(surface, mesh, *count, (DVec3::X, 1.0), seed, cut)?, 0.0)
        }
        Splinters::Slivers { direction, length, width } => {
            check("width", "above 0", *width, *width > 0.0)?;
            check("length", "at least `width`", *length, length >= width)?;
            check("direction", "longer than 0", direction.length(), direction.length() > 0.0)?;
            let count = (surface.volume() / (length * width * width)).ceil().max(1.0);
            few(count)?;
            let drawn_out = (direction.normalize(), length / width);
            (shards(surface, mesh, count as u32, drawn_out, seed, cut)?, 0.0)
        }
        Splinters::Objects(parts) => (side_by_side(parts), 0.0),
    };
    Ok(gather(&cells, mesh, joint))
}

/// Closed surfaces as the cells of a mesh.
fn side_by_side(parts: &[(String, ClosedSurface)]) -> SkinMesh {
    let mut mesh = SkinMesh::default();
    for ((_, part), owner) in parts.iter().zip(0..) {
        let (surface, first) = (part.surface(), mesh.vertices.len() as u32);
        mesh.vertices.extend(surface.vertices.iter().map(|x| x.as_vec3().to_array()));
        let own = surface.triangles.iter();
        mesh.outside.extend(own.map(|t| Face { corners: t.map(|v| first + v), owner }));
    }
    mesh
}

fn check(
    what: &'static str,
    allowed: &'static str,
    found: f64,
    right: bool,
) -> Result<(), SplinterError> {
    let right = right && found.is_finite();
    if right { Ok(()) } else { Err(SplinterError::OutOfRange { what, allowed, found }) }
}

fn few(count: f64) -> Result<(), SplinterError> {
    if count <= MOST as f64 { Ok(()) } else { Err(SplinterError::TooMany { count }) }
}

fn shards(
    surface: &Surface,
    mesh: &TetMesh,
    count: u32,
    drawn_out: (DVec3, f64),
    seed: u64,
    cut: impl Fn(&Partition) -> Result<SkinMesh, ClipError>,
) -> Result<SkinMesh, ClipError> {
    let mut result = Err(ClipError::Flat);
    for attempt in 0..ATTEMPTS {
        let sites = shards::sites(mesh, count, drawn_out, [seed, attempt]);
        result = cut(&shards::partition(surface, &sites, drawn_out));
        if result.is_ok() {
            break;
        }
    }
    result
}

/// Gives every cell of a mesh, whose owners are the cells, its own vertices, and its owner, homes and reach among tetrahedra.
fn gather(cells: &SkinMesh, mesh: &TetMesh, joint: f64) -> SkinMesh {
    let mut by_cell: BTreeMap<u32, Cell> = BTreeMap::new();
    for (face, k) in cells.outside.iter().zip(0..) {
        by_cell.entry(face.owner).or_default().outside.push((face.corners, k));
    }
    for face in &cells.inside {
        let ([i, j, k], [a, b]) = (face.corners, face.between);
        by_cell.entry(a).or_default().inside.push([i, j, k]);
        by_cell.entry(b).or_default().inside.push([i, k, j]);
    }
    let holder = Holder::new(mesh);
    let boxes = Boxes::new(mesh);
    let mut skin = SkinMesh { owners: Owners::Tets(mesh.tets.clone()), ..SkinMesh::default() };
    for cell in by_cell.values() {
        cell.add(cells, &holder, &boxes, joint, &mut skin);
    }
    // the corners of tetrahedra, for their edges
    let first = skin.vertices.len() as u32;
    skin.edges = edges(mesh, first);
    skin.vertices.extend(mesh.vertices.iter().map(|x| x.as_vec3().to_array()));
    let mut home_of_corner = vec![0; mesh.vertices.len()];
    for (corners, tet) in mesh.tets.iter().zip(0..) {
        corners.iter().for_each(|&v| home_of_corner[v as usize] = tet);
    }
    skin.homes.extend(home_of_corner);
    skin
}

/// Faces of a splinter.
#[derive(Default)]
struct Cell {
    /// With their place among all that are outside.
    outside: Vec<([u32; 3], usize)>,
    inside: Vec<[u32; 3]>,
}

impl Cell {
    fn add(
        &self,
        cells: &SkinMesh,
        holder: &Holder<'_>,
        boxes: &Boxes,
        joint: f64,
        skin: &mut SkinMesh,
    ) {
        let all = || self.outside.iter().map(|face| face.0).chain(self.inside.iter().copied());
        let mut used: Vec<u32> = all().flatten().collect();
        used.sort_unstable();
        used.dedup();
        let at = |v: u32| Vec3::from(cells.vertices[v as usize]).as_dvec3();
        let mut places: Vec<DVec3> = used.iter().map(|&v| at(v)).collect();
        if joint > 0.0 {
            self.part(&used, &mut places, joint);
        }
        let local = |v: u32| used.partition_point(|&u| u < v);
        let owner = holder.of(middle(all().map(|face| face.map(|v| places[local(v)]))));
        let first = skin.vertices.len() as u32;
        let number = |corners: [u32; 3]| corners.map(|v| first + local(v) as u32);
        skin.vertices.extend(places.iter().map(|x| x.as_vec3().to_array()));
        let homes: Vec<u32> = places.iter().map(|&x| holder.of(x)).collect();
        for &(corners, k) in &self.outside {
            skin.outside.push(Face { corners: number(corners), owner });
            skin.uvs.extend(cells.uvs.get(k));
            skin.normals.extend(cells.normals.get(k));
        }
        let between = [owner, GONE];
        let inside = self.inside.iter();
        skin.inside.extend(inside.map(|&c| InsideFace { corners: number(c), between }));
        let mut reach = boxes.overlapping(&places);
        reach.extend(&homes);
        reach.push(owner);
        reach.sort_unstable();
        reach.dedup();
        skin.homes.extend(homes);
        skin.splinters.push(Splinter { owner, vertices: first..skin.vertices.len() as u32, reach });
    }

    /// Moves the faces that were between cells inwards by half a joint.
    fn part(&self, used: &[u32], places: &mut [DVec3], joint: f64) {
        let local = |v: u32| used.partition_point(|&u| u < v);
        let mut normals: Vec<Vec<DVec3>> = vec![Vec::new(); places.len()];
        for face in &self.inside {
            let [a, b, c] = face.map(|v| places[local(v)]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            for &v in face {
                let known = &mut normals[local(v)];
                // faces of one plane, shaken a little, count once
                if !known.iter().any(|n| n.dot(normal) > 0.99) {
                    known.push(normal);
                }
            }
        }
        let (low, high) =
            places.iter().fold((places[0], places[0]), |(low, high), &x| (low.min(x), high.max(x)));
        let most = DEEPEST_JOINT * (high - low);
        for (place, normals) in places.iter_mut().zip(normals) {
            let inwards: DVec3 = normals.iter().map(|&n| -0.5 * joint * n).sum();
            *place += inwards.clamp(-most, most);
        }
    }
}

/// Centre of the solid that some triangles enclose.
fn middle(triangles: impl Iterator<Item = [DVec3; 3]>) -> DVec3 {
    let (mut sum, mut volume, mut corners, mut count) = (DVec3::ZERO, 0.0, DVec3::ZERO, 0.0);
    let mut origin = None;
    for [a, b, c] in triangles {
        let o = *origin.get_or_insert(a);
        let six = (a - o).dot((b - o).cross(c - o));
        sum += six * (a + b + c - 3.0 * o) / 4.0;
        volume += six;
        corners += a + b + c;
        count += 3.0;
    }
    let o = origin.unwrap_or_default();
    // a sliver without volume
    if volume > 0.0 { o + sum / volume } else { corners / f64::max(count, 1.0) }
}

/// Bounds of tetrahedra.
struct Boxes {
    bounds: Vec<[DVec3; 2]>,
}

impl Boxes {
    fn new(mesh: &TetMesh) -> Self {
        let of = |tet: usize| {
            let [a, b, c, d] = mesh.corners(tet);
            [a.min(b).min(c).min(d), a.max(b).max(c).max(d)]
        };
        Self { bounds: (0..mesh.tets.len()).map(of).collect() }
    }

    /// Those that overlap the bounds of some points, and do not only touch them.
    fn overlapping(&self, points: &[DVec3]) -> Vec<u32> {
        let Some(&first) = points.first() else { return Vec::new() };
        let (low, high) =
            points.iter().fold((first, first), |(low, high), &x| (low.min(x), high.max(x)));
        let edge = 1e-3 * (high - low);
        let (low, high) = (low + edge, high - edge);
        let meets = |(bounds, tet): (&[DVec3; 2], u32)| {
            let [from, to] = bounds;
            (from.cmplt(high).all() && to.cmpgt(low).all()).then_some(tet)
        };
        self.bounds.iter().zip(0..).filter_map(meets).collect()
    }
}
