//! What the renderer draws: plain columns, whatever they came from.

use bytemuck::{Pod, Zeroable};
use fracas::glam::Vec3;

/// A colour as screens take it (sRGB) in the first three bytes, roughness in the fourth.
pub type Paint = [u8; 4];

/// A corner of a surface.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// Relative to [`Drawing::origin`], in m.
    pub position: [f32; 3],
    /// Unit normal, pointing out of the body.
    pub normal: [f32; 3],
    /// Colour and roughness.
    pub paint: Paint,
}

/// A particle.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Ellipsoid {
    /// Relative to [`Drawing::origin`], in m.
    pub centre: [f32; 3],
    /// Its three half axes, in m.
    pub half_axes: [[f32; 3]; 3],
    /// Colour and roughness.
    pub paint: Paint,
}

/// A line of constant width on the screen.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Line {
    /// One end, relative to [`Drawing::origin`], in m.
    pub from: [f32; 3],
    /// The other.
    pub to: [f32; 3],
    /// Colour; the fourth byte has no effect.
    pub paint: Paint,
}

/// A plane that bodies rest on, drawn with a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// A point of the plane where two lines of the grid cross, in m in the world.
    pub point: [f64; 3],
    /// Unit normal, pointing out of the solid.
    pub normal: [f32; 3],
}

/// Everything in a picture but the camera.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// What positions are relative to, in m: near what is drawn, so that f32 is fine enough.
    pub origin: [f64; 3],
    /// Corners of all surfaces.
    pub vertices: Vec<Vertex>,
    /// Triangles of all surfaces, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Surfaces are drawn as glass, so that what is inside can be seen.
    pub see_through: bool,
    /// Particles.
    pub ellipsoids: Vec<Ellipsoid>,
    /// Bonds, edges of tetrahedra.
    pub lines: Vec<Line>,
    /// Planes.
    pub grounds: Vec<Ground>,
}

impl Drawing {
    /// The smallest box, along the axes, around all bodies, relative to the origin; `None` if there
    /// is nothing.
    pub fn bounds(&self) -> Option<[Vec3; 2]> {
        let corners = self.vertices.iter().map(|vertex| Vec3::from(vertex.position));
        let ends = self.lines.iter().flat_map(|line| [line.from, line.to]).map(Vec3::from);
        let particles = self.ellipsoids.iter().flat_map(|particle| {
            // the box around an ellipsoid reaches as far as its axes together do, squared
            let [a, b, c] = particle.half_axes.map(Vec3::from);
            let reach = (a * a + b * b + c * c).map(f32::sqrt);
            [Vec3::from(particle.centre) - reach, Vec3::from(particle.centre) + reach]
        });
        let none = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let grow = |[low, high]: [Vec3; 2], x: Vec3| [low.min(x), high.max(x)];
        let [low, high] = corners.chain(ends).chain(particles).fold(none, grow);
        low.cmple(high).all().then_some([low, high])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tilted needle reaches as far along x as its tip.
    #[test]
    fn the_box_holds_tilted_ellipsoids() {
        let s = 0.5_f32.sqrt();
        let half_axes = [[2.0 * s, 2.0 * s, 0.0], [-0.1 * s, 0.1 * s, 0.0], [0.0, 0.0, 0.1]];
        let needle = Ellipsoid { centre: [1.0, 0.0, 0.0], half_axes, paint: [0; 4] };
        let drawing = Drawing { ellipsoids: vec![needle], ..Drawing::default() };
        let [low, high] = drawing.bounds().unwrap();
        let reach = (2.0_f32 + 0.005).sqrt();
        assert!((high - Vec3::new(1.0 + reach, reach, 0.1)).length() < 1e-6, "{high}");
        assert!((low - Vec3::new(1.0 - reach, -reach, -0.1)).length() < 1e-6, "{low}");
        assert_eq!(Drawing::default().bounds(), None);
    }
}
