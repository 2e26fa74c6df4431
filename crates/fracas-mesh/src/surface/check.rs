//! Is a surface closed, oriented, free of crossings: may it become a solid?

use fracas::glam::DVec3;

use super::crossing::{collinear, crossings};
use super::edges::{Side, by_edge, fans, sides};
use super::shells::shells;
use super::{Surface, describe};

/// A surface that bounds a solid: closed, oriented outwards, not crossing itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedSurface {
    surface: Surface,
}

impl ClosedSurface {
    /// Checks a surface. It may have several parts, and cavities: parts inside another that face
    /// the other way.
    ///
    /// # Errors
    ///
    /// See [`SurfaceError`]. What [`Surface::repair`] can mend is refused here too.
    pub fn new(surface: Surface) -> Result<Self, SurfaceError> {
        require_manifold(&surface)?;
        require_closed(&surface)?;
        require_volume(&surface)?;
        require_no_crossing(&surface)?;
        require_outwards(&surface)?;
        Ok(Self { surface })
    }

    /// The surface.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// Back to the surface.
    pub fn into_surface(self) -> Surface {
        self.surface
    }
}

/// Farthest a vertex may lie from the origin along an axis, in m: beyond it volumes and exact
/// predicates lose their meaning, and so does single precision in the engine.
const FARTHEST: f64 = 1.0e9;

/// Why a surface cannot become a solid. `at` is a place where, in m.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// There is no triangle.
    #[error("the surface has no triangles")]
    Empty,
    /// A list is not as long as what it belongs to.
    #[error("the surface has {expected} {of}, but {found} {what}")]
    WrongLength {
        /// Of what there are too few or too many.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// What they belong to.
        of: &'static str,
        /// How many there should be.
        expected: usize,
    },
    /// A triangle uses a vertex that does not exist.
    #[error(
        "triangle {triangle} uses vertex {vertex}, but there are only {vertices} (counted from 0)"
    )]
    BadIndex {
        /// The triangle.
        triangle: usize,
        /// What it uses.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle belongs to an object that does not exist.
    #[error(
        "triangle {triangle} belongs to object {object}, but there are only {objects} (counted from 0)"
    )]
    BadObject {
        /// The triangle.
        triangle: usize,
        /// What it belongs to.
        object: u32,
        /// How many objects there are.
        objects: usize,
    },
    /// A vertex is nowhere.
    #[error("vertex {vertex} is at {}, but must be within 1e9 m of the origin", describe(*.at))]
    NotFinite {
        /// The vertex.
        vertex: usize,
        /// Where it is.
        at: DVec3,
    },
    /// Triangles have no area.
    #[error("{triangles} triangles have no area, for example near {}: repair the surface", describe(*.at))]
    Flat {
        /// How many.
        triangles: usize,
        /// Where.
        at: DVec3,
    },
    /// Edges have a triangle on one side only.
    #[error(
        "the surface is open: {} one triangle only, for example near {}; close the \
         hole in your modelling program, or give the surface a thickness (shell)",
        have(*.edges), describe(*.at)
    )]
    Open {
        /// How many edges.
        edges: usize,
        /// Where.
        at: DVec3,
    },
    /// Edges have more than two triangles.
    #[error(
        "{} more than two triangles, for example near {}; remove walls inside the \
         body, and part bodies that touch along an edge",
        have(*.edges), describe(*.at)
    )]
    NonManifoldEdge {
        /// How many edges.
        edges: usize,
        /// Where.
        at: DVec3,
    },
    /// Parts of the surface touch in a single vertex.
    #[error(
        "parts of the surface touch in {vertices} single vertices, for example at {}: repair the \
         surface, or part them",
        describe(*.at)
    )]
    NonManifoldVertex {
        /// How many vertices.
        vertices: usize,
        /// Where.
        at: DVec3,
    },
    /// Neighbouring triangles face different ways.
    #[error(
        "across {edges} edges the triangles face different ways, for example near {}: repair the \
         surface; if that does not help, it has one side only, as a Möbius strip has",
        describe(*.at)
    )]
    Inconsistent {
        /// How many edges.
        edges: usize,
        /// Where.
        at: DVec3,
    },
    /// Nothing is enclosed.
    #[error("the surface encloses no volume: {volume:e} m³ on {area:e} m²")]
    NoVolume {
        /// What it encloses, in m³.
        volume: f64,
        /// Its area, in m².
        area: f64,
    },
    /// Triangles cross, touch or lie upon each other.
    #[error(
        "the surface crosses or touches itself: {pairs} pairs of triangles, for example near {}; \
         join the parts with a boolean union or a remesh in your modelling program",
        describe(*.at)
    )]
    SelfCrossing {
        /// How many pairs; no more than 1,000 are counted.
        pairs: usize,
        /// Where.
        at: DVec3,
    },
    /// Parts face inwards.
    #[error(
        "{parts} closed parts are inside out, for example near {}: repair the surface",
        describe(*.at)
    )]
    InsideOut {
        /// How many.
        parts: usize,
        /// Where.
        at: DVec3,
    },
    /// Parts lie inside others, and face the same way.
    #[error(
        "{parts} closed parts lie inside another and face the same way, for example near {}; \
         remove them, or turn their triangles if they are cavities",
        describe(*.at)
    )]
    Nested {
        /// How many.
        parts: usize,
        /// Where.
        at: DVec3,
    },
}

/// `Ok` if all lists fit together and all vertices are somewhere.
pub(super) fn require_usable(surface: &Surface) -> Result<(), SurfaceError> {
    let (vertices, triangles) = (surface.vertices.len(), surface.triangles.len());
    if triangles == 0 {
        return Err(SurfaceError::Empty);
    }
    let length = |what, found: usize, of, expected| {
        if found == expected {
            Ok(())
        } else {
            Err(SurfaceError::WrongLength { what, found, of, expected })
        }
    };
    if !surface.uvs.is_empty() {
        length("texture coordinates", surface.uvs.len(), "triangles", triangles)?;
    }
    if !surface.objects.of.is_empty() {
        length("object numbers", surface.objects.of.len(), "triangles", triangles)?;
    }
    for attribute in &surface.attributes {
        length("values of an attribute", attribute.values.len(), "vertices", vertices)?;
    }
    for (triangle, corners) in surface.triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(SurfaceError::BadIndex { triangle, vertex, vertices });
        }
    }
    let objects = surface.objects.names.len();
    for (triangle, &object) in surface.objects.of.iter().enumerate() {
        if object as usize >= objects {
            return Err(SurfaceError::BadObject { triangle, object, objects });
        }
    }
    for (vertex, &at) in surface.vertices.iter().enumerate() {
        // written so that NaN fails
        if !at.abs().cmple(DVec3::splat(FARTHEST)).all() {
            return Err(SurfaceError::NotFinite { vertex, at });
        }
    }
    Ok(())
}

/// So many edges, with their verb.
fn have(edges: usize) -> String {
    if edges == 1 { "1 edge has".into() } else { format!("{edges} edges have") }
}

/// `Ok` for a surface that is usable and has two sides everywhere; it may be open.
pub(crate) fn require_manifold(surface: &Surface) -> Result<(), SurfaceError> {
    require_usable(surface)?;
    let flat = (0..surface.triangles.len()).filter(|&t| collinear(surface.corners(t)));
    if let Some((triangles, t)) = count(flat) {
        return Err(SurfaceError::Flat { triangles, at: surface.corners(t)[0] });
    }
    let sides = sides(&surface.triangles);
    if let Some((edges, at)) = count_edges(surface, &sides, |same| same.len() > 2) {
        return Err(SurfaceError::NonManifoldEdge { edges, at });
    }
    let agrees = |same: &[Side]| matches!(same, [a, b] if a.forward == b.forward);
    if let Some((edges, at)) = count_edges(surface, &sides, agrees) {
        return Err(SurfaceError::Inconsistent { edges, at });
    }
    let fans = fans(&surface.triangles);
    let mut fan_at = vec![u32::MAX; surface.vertices.len()];
    let mut touching = Vec::new();
    for (&vertex, fan) in surface.triangles.iter().flatten().zip(fans) {
        match std::mem::replace(&mut fan_at[vertex as usize], fan) {
            u32::MAX => {}
            before if before != fan => touching.push(vertex),
            _ => {}
        }
    }
    touching.sort_unstable();
    touching.dedup();
    if let Some((vertices, vertex)) = count(touching.into_iter()) {
        let at = surface.vertices[vertex as usize];
        return Err(SurfaceError::NonManifoldVertex { vertices, at });
    }
    Ok(())
}

fn require_closed(surface: &Surface) -> Result<(), SurfaceError> {
    match count_edges(surface, &sides(&surface.triangles), |same| same.len() == 1) {
        Some((edges, at)) => Err(SurfaceError::Open { edges, at }),
        None => Ok(()),
    }
}

fn require_volume(surface: &Surface) -> Result<(), SurfaceError> {
    let [low, high] = surface.bounds().unwrap_or_default();
    let (volume, area) = (surface.volume(), surface.area());
    // Rounding leaves about 1e-16 of area times size.
    if volume.abs() > 1.0e-12 * area * low.distance(high) {
        Ok(())
    } else {
        Err(SurfaceError::NoVolume { volume, area })
    }
}

fn require_no_crossing(surface: &Surface) -> Result<(), SurfaceError> {
    let pairs = crossings(surface);
    match pairs.first() {
        Some(&[t, _]) => {
            let at = surface.centre(t as usize);
            Err(SurfaceError::SelfCrossing { pairs: pairs.len(), at })
        }
        None => Ok(()),
    }
}

fn require_outwards(surface: &Surface) -> Result<(), SurfaceError> {
    let shells = shells(surface);
    let wrong = |nested: bool| {
        let wrong = shells.iter().filter(|shell| {
            let cavity = shell.depth % 2 == 1;
            cavity == nested && (shell.volume < 0.0) != cavity
        });
        count(wrong.map(|shell| surface.centre(shell.triangles[0] as usize)))
    };
    if let Some((parts, at)) = wrong(false) {
        return Err(SurfaceError::InsideOut { parts, at });
    }
    match wrong(true) {
        Some((parts, at)) => Err(SurfaceError::Nested { parts, at }),
        None => Ok(()),
    }
}

/// How many there are, and the first; `None` for none.
fn count<T>(mut of: impl Iterator<Item = T>) -> Option<(usize, T)> {
    let first = of.next()?;
    Some((1 + of.count(), first))
}

/// How many edges are so, and the middle of the first.
fn count_edges(
    surface: &Surface,
    sides: &[Side],
    so: impl Fn(&[Side]) -> bool,
) -> Option<(usize, DVec3)> {
    let (edges, first) = count(by_edge(sides).filter(|same| so(same)))?;
    let [a, b] = first[0].edge.map(|v| surface.vertices[v as usize]);
    Some((edges, 0.5 * (a + b)))
}
