//! What the renderer draws: plain columns, whatever they came from.

use bytemuck::{Pod, Zeroable};
use fracas::glam::Vec3;

/// What a surface looks like, in eight bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct Paint {
    /// Red, green and blue as screens take them (sRGB).
    pub colour: [u8; 3],
    /// From a mirror, 0, to chalk, 255.
    pub roughness: u8,
    /// From none, 0, to all of it metal, 255.
    pub metallic: u8,
    /// From opaque, 0, to clear, 255.
    pub transparency: u8,
    /// Distance of growth rings in tenths of a millimetre, low byte first; 0 for none.
    pub rings: [u8; 2],
}

impl Paint {
    /// Neither metal, nor clear, nor wood.
    pub const fn plain(colour: [u8; 3], roughness: u8) -> Self {
        Self { colour, roughness, metallic: 0, transparency: 0, rings: [0; 2] }
    }

    /// The same with the colour and roughness of several in these shares, which sum to 1.
    pub(crate) fn mixed(self, of: [(Self, f32); 4]) -> Self {
        let byte = |channel: &dyn Fn(&Self) -> u8| {
            let sum: f32 = of.iter().map(|(paint, share)| share * f32::from(channel(paint))).sum();
            sum.round() as u8
        };
        let colour = [0, 1, 2].map(|k| byte(&|paint| paint.colour[k]));
        Self { colour, roughness: byte(&|paint| paint.roughness), ..self }
    }

    /// As shaders get it: each byte from 0 to 1.
    pub(crate) fn to_shares(self) -> [[f32; 4]; 2] {
        let shares = |bytes: [u8; 4]| bytes.map(|byte| f32::from(byte) / 255.0);
        let ([r, g, b], [low, high]) = (self.colour, self.rings);
        [shares([r, g, b, self.roughness]), shares([self.metallic, self.transparency, low, high])]
    }
}

/// A corner of a surface.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// Relative to [`Drawing::origin`], in m.
    pub position: [f32; 3],
    /// Unit normal, pointing out of the body.
    pub normal: [f32; 3],
    /// What it looks like.
    pub paint: Paint,
    /// Where it is in the wood, in m: growth rings are around the third axis.
    pub grain: [f32; 3],
}

/// A particle.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Ellipsoid {
    /// Relative to [`Drawing::origin`], in m.
    pub centre: [f32; 3],
    /// Its three half axes, in m.
    pub half_axes: [[f32; 3]; 3],
    /// What it looks like.
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
    /// Of which only the colour is seen.
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
    /// The same of what is clear.
    pub clear: Vec<[u32; 3]>,
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
        let needle = Ellipsoid { centre: [1.0, 0.0, 0.0], half_axes, paint: Paint::default() };
        let drawing = Drawing { ellipsoids: vec![needle], ..Drawing::default() };
        let [low, high] = drawing.bounds().unwrap();
        let reach = (2.0_f32 + 0.005).sqrt();
        assert!((high - Vec3::new(1.0 + reach, reach, 0.1)).length() < 1e-6, "{high}");
        assert!((low - Vec3::new(1.0 - reach, -reach, -0.1)).length() < 1e-6, "{low}");
        assert_eq!(Drawing::default().bounds(), None);
    }
}
