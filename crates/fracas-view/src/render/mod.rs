//! From a drawing to pixels.
//!
//! ```text
//! shadow → seen (depth, normals) → occlusion → smooth → shade (sky, grounds, bodies, lines; 4 samples a pixel)
//! ```
//!
//! One renderer for pictures and for a window: it takes a [`wgpu::Device`] and draws into a view it is
//! given. Needs no more than WebGL2 has: no storage buffers, no compute, textures read by
//! coordinates.

mod frame;
mod geometry;
mod passes;
mod skins;
mod targets;

use std::ops::Range;

use wgpu::util::DeviceExt;

use crate::camera::Camera;
use crate::drawing::Drawing;
use crate::picture::PictureError;
use crate::shown::ShownSkin;
use frame::Frame;
use passes::{Over, Passes, Pipelines};
use skins::Skins;
use targets::Targets;

pub use frame::grid_cell;
pub use passes::Quality;
pub use skins::SkinOnDevice;

/// Draws [`Drawing`]s.
#[derive(Debug)]
pub struct Renderer {
    device: wgpu::Device,
    queue: wgpu::Queue,
    format: wgpu::TextureFormat,
    quality: Quality,
    passes: Passes,
    frame: wgpu::Buffer,
    ball: Mesh,
    skins: Skins,
    targets: Option<Targets>,
}

/// Corners and, if they are shared, indices on the device.
#[derive(Debug)]
struct Mesh {
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    count: u32,
}

/// What changes from picture to picture, on the device. Empty parts are not there.
struct Uploaded {
    surface: Option<Mesh>,
    /// Its triangles that are clear.
    clear: Option<Rows>,
    see_through: bool,
    ellipsoids: Option<Rows>,
    lines: Option<Rows>,
    grounds: Option<Rows>,
}

/// A buffer of instances or corners.
struct Rows {
    buffer: wgpu::Buffer,
    count: u32,
}

impl Renderer {
    /// For views of this format, which should be an sRGB one.
    pub fn new(device: wgpu::Device, queue: wgpu::Queue, format: wgpu::TextureFormat) -> Self {
        Self::with_quality(device, queue, format, Quality::Full)
    }

    /// The same, with more or less work for a picture.
    pub fn with_quality(
        device: wgpu::Device,
        queue: wgpu::Queue,
        format: wgpu::TextureFormat,
        quality: Quality,
    ) -> Self {
        let skins = Skins::new(&device, &queue);
        let passes = Passes::new(&device, format, skins.layout(), quality);
        let frame = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<Frame>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let (corners, triangles) = geometry::ball();
        let ball = mesh(&device, bytemuck::cast_slice(&corners), &triangles);
        Self { device, queue, format, quality, passes, frame, ball, skins, targets: None }
    }

    /// The format of the views it draws into.
    pub fn format(&self) -> wgpu::TextureFormat {
        self.format
    }

    /// Takes in the skins of a moment: all that there are, with what changed since the moment before. They are drawn
    /// from then on, together with what is in the drawing, whose origin must be theirs. Tells the bytes that go to
    /// the device.
    ///
    /// # Errors
    /// [`PictureError::TooMuch`] if the device has no room for so many particles; the updates are lost then.
    pub fn take(&mut self, skins: &[ShownSkin]) -> Result<u64, PictureError> {
        self.skins.take(skins)
    }

    /// Where the device puts every vertex of the skins.
    ///
    /// # Errors
    /// [`PictureError::Lost`] if the device gave up.
    pub fn read_back(&self) -> Result<Vec<SkinOnDevice>, PictureError> {
        self.skins.read_back()
    }

    /// Draws into a view of so many pixels across and down, replacing what it held.
    pub fn draw(
        &mut self,
        drawing: &Drawing,
        camera: &Camera,
        view: &wgpu::TextureView,
        size: [u32; 2],
    ) {
        let frame = Frame::new(drawing, self.skins.bounds(), camera, size);
        self.queue.write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        let uploaded = self.upload(drawing, camera, &frame);
        let targets = match self.targets.take() {
            Some(targets) if targets.size == size => targets,
            _ => {
                let samples = self.quality.samples();
                Targets::new(&self.device, &self.passes, &self.frame, self.format, samples, size)
            }
        };
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.draw_shadow(&mut encoder, &targets, &uploaded);
        match self.quality {
            Quality::Full => self.draw_occlusion(&mut encoder, &targets, &uploaded),
            Quality::Draft => {
                begin(&mut encoder, "open", Some(targets::white(&targets.open)), None);
            }
        }
        self.draw_shaded(&mut encoder, &targets, &uploaded, view);
        self.queue.submit([encoder.finish()]);
        self.targets = Some(targets);
    }

    fn upload(&self, drawing: &Drawing, camera: &Camera, frame: &Frame) -> Uploaded {
        let surface = (!drawing.vertices.is_empty()).then(|| {
            mesh(&self.device, bytemuck::cast_slice(&drawing.vertices), &drawing.triangles)
        });
        let indices = |triangles: &[[u32; 3]]| Rows {
            buffer: buffer(
                &self.device,
                bytemuck::cast_slice(triangles),
                wgpu::BufferUsages::INDEX,
            ),
            count: 3 * triangles.len() as u32,
        };
        let reach = frame.horizon();
        let corners = |ground| geometry::ground(ground, drawing.origin, camera, reach);
        let grounds: Vec<_> = drawing.grounds.iter().flat_map(corners).collect();
        Uploaded {
            surface,
            clear: (!drawing.clear.is_empty()).then(|| indices(&drawing.clear)),
            see_through: drawing.see_through,
            ellipsoids: self.rows(&drawing.ellipsoids),
            lines: self.rows(&drawing.lines),
            grounds: self.rows(&grounds),
        }
    }

    fn rows<T: bytemuck::NoUninit>(&self, rows: &[T]) -> Option<Rows> {
        let count = u32::try_from(rows.len()).ok().filter(|&count| count > 0)?;
        let bytes = bytemuck::cast_slice(rows);
        Some(Rows { buffer: buffer(&self.device, bytes, wgpu::BufferUsages::VERTEX), count })
    }

    fn draw_shadow(&self, encoder: &mut wgpu::CommandEncoder, targets: &Targets, up: &Uploaded) {
        let depth = targets::depth(&targets.shadow, 1.0);
        let mut pass = begin(encoder, "shadow", None, Some(depth));
        pass.set_bind_group(0, &targets.frame, &[]);
        pass.set_bind_group(2, self.skins.group(), &[]);
        self.draw_bodies(&mut pass, &self.passes.shadow, up);
        draw_clear(&mut pass, &self.passes.clear_shadow, up);
    }

    fn draw_occlusion(&self, encoder: &mut wgpu::CommandEncoder, targets: &Targets, up: &Uploaded) {
        let colour = targets::colour(&targets.normals);
        let mut pass =
            begin(encoder, "seen", Some(colour), Some(targets::depth(&targets.depth, 0.0)));
        pass.set_bind_group(0, &targets.frame, &[]);
        pass.set_bind_group(2, self.skins.group(), &[]);
        if !up.see_through {
            self.draw_bodies(&mut pass, &self.passes.seen, up);
        }
        if let Some(grounds) = &up.grounds {
            draw_rows(&mut pass, &self.passes.seen_ground, grounds, 0..grounds.count, 0..1);
        }
        drop(pass);
        for (label, pipeline, sources, target) in [
            ("occlusion", &self.passes.occlusion, &targets.seen, &targets.raw),
            ("smooth", &self.passes.smooth, &targets.speckled, &targets.open),
        ] {
            let mut pass = begin(encoder, label, Some(targets::colour(target)), None);
            pass.set_bind_group(0, &targets.frame, &[]);
            pass.set_bind_group(1, sources, &[]);
            pass.set_pipeline(pipeline);
            pass.draw(0..3, 0..1);
        }
    }

    fn draw_shaded(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        targets: &Targets,
        up: &Uploaded,
        view: &wgpu::TextureView,
    ) {
        let colour = targets::resolved(targets.colour.as_ref(), view);
        let depth = targets::depth(&targets.depths, 0.0);
        let mut pass = begin(encoder, "shade", Some(colour), Some(depth));
        pass.set_bind_group(0, &targets.frame, &[]);
        pass.set_bind_group(2, self.skins.group(), &[]);
        pass.set_bind_group(1, &targets.light, &[]);
        if !up.see_through {
            self.draw_surfaces(&mut pass, &self.passes.shade, up);
        }
        self.draw_ellipsoids(&mut pass, &self.passes.shade.ellipsoid, up);
        if let Some(lines) = &up.lines {
            draw_rows(&mut pass, &self.passes.line, lines, 0..6, 0..lines.count);
        }
        if let Some(grounds) = &up.grounds {
            draw_rows(&mut pass, &self.passes.ground, grounds, 0..grounds.count, 0..1);
        }
        pass.set_pipeline(&self.passes.sky);
        pass.draw(0..3, 0..1);
        if up.see_through {
            self.draw_ghosts(&mut pass, &self.passes.ghost, up);
        } else {
            for side in &self.passes.clear {
                draw_clear(&mut pass, &side.surface, up);
                self.skins.draw(&mut pass, &side.skin, true);
            }
        }
    }

    fn draw_ghosts(&self, pass: &mut wgpu::RenderPass<'_>, ghost: &Over, up: &Uploaded) {
        if let Some(surface) = &up.surface {
            draw_mesh(pass, &ghost.surface, surface, 0..1);
        }
        draw_clear(pass, &ghost.surface, up);
        for clear in [false, true] {
            self.skins.draw(pass, &ghost.skin, clear);
        }
    }

    fn draw_bodies(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines, up: &Uploaded) {
        self.draw_surfaces(pass, pipelines, up);
        self.draw_ellipsoids(pass, &pipelines.ellipsoid, up);
    }

    fn draw_surfaces(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines, up: &Uploaded) {
        if let Some(surface) = &up.surface {
            draw_mesh(pass, &pipelines.surface, surface, 0..1);
        }
        self.skins.draw(pass, &pipelines.skin, false);
        self.skins.draw(pass, &pipelines.clear_skin, true);
    }

    fn draw_ellipsoids(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: &wgpu::RenderPipeline,
        up: &Uploaded,
    ) {
        if let Some(particles) = &up.ellipsoids {
            pass.set_vertex_buffer(1, particles.buffer.slice(..));
            draw_mesh(pass, pipeline, &self.ball, 0..particles.count);
        }
    }
}

fn mesh(device: &wgpu::Device, vertices: &[u8], triangles: &[[u32; 3]]) -> Mesh {
    Mesh {
        vertices: buffer(device, vertices, wgpu::BufferUsages::VERTEX),
        indices: buffer(device, bytemuck::cast_slice(triangles), wgpu::BufferUsages::INDEX),
        count: 3 * triangles.len() as u32,
    }
}

fn buffer(device: &wgpu::Device, contents: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let label = None;
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label, contents, usage })
}

/// The clear triangles of the drawing.
fn draw_clear(pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline, up: &Uploaded) {
    let (Some(surface), Some(clear)) = (&up.surface, &up.clear) else { return };
    pass.set_pipeline(pipeline);
    pass.set_vertex_buffer(0, surface.vertices.slice(..));
    pass.set_index_buffer(clear.buffer.slice(..), wgpu::IndexFormat::Uint32);
    pass.draw_indexed(0..clear.count, 0, 0..1);
}

fn draw_mesh(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    mesh: &Mesh,
    instances: Range<u32>,
) {
    // all of it may be clear
    if mesh.count == 0 {
        return;
    }
    pass.set_pipeline(pipeline);
    pass.set_vertex_buffer(0, mesh.vertices.slice(..));
    pass.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
    pass.draw_indexed(0..mesh.count, 0, instances);
}

fn draw_rows(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    rows: &Rows,
    corners: Range<u32>,
    instances: Range<u32>,
) {
    pass.set_pipeline(pipeline);
    pass.set_vertex_buffer(0, rows.buffer.slice(..));
    pass.draw(corners, instances);
}

fn begin<'e>(
    encoder: &'e mut wgpu::CommandEncoder,
    label: &str,
    colour: Option<wgpu::RenderPassColorAttachment<'_>>,
    depth: Option<wgpu::RenderPassDepthStencilAttachment<'_>>,
) -> wgpu::RenderPass<'e> {
    let colours = [colour];
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: if colours[0].is_some() { &colours } else { &[] },
        depth_stencil_attachment: depth,
        ..Default::default()
    })
}
