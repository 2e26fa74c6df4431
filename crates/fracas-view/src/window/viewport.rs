//! The 3-D view: a picture of its own on the device of the window, drawn when something changed.

use eframe::egui;
use eframe::egui_wgpu::RenderState;
use fracas::parallel::Workers;

use crate::camera::Camera;
use crate::cpu_skins::CpuSkins;
use crate::drawing::Drawing;
use crate::picture::{self, Picture, PictureError};
use crate::render::{Quality, Renderer};
use crate::shown::Shown;

/// The renderer wants light to be stored as screens take it.
const DRAWN: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// The same bytes; egui wants to see them as they are.
const SHOWN: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// The 3-D view of a window.
pub(super) struct Viewport {
    state: RenderState,
    renderer: Renderer,
    /// For drafts, where the device is software.
    draft: Option<Renderer>,
    /// Whether the device moves the skins, else the processor.
    pub by_device: bool,
    skins: CpuSkins,
    /// The last there is, but for what the device has of it.
    drawing: Drawing,
    /// Bytes that the last moment took to the device.
    pub bytes: u64,
    canvas: Option<Canvas>,
    drawn: Option<Drawn>,
}

/// Textures of one size.
struct Canvas {
    size: [u32; 2],
    drawn: wgpu::Texture,
    shown: wgpu::Texture,
    id: egui::TextureId,
}

/// What the picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drawn {
    version: u64,
    camera: Camera,
    size: [u32; 2],
    quality: Quality,
}

impl Viewport {
    /// Draws with the device of a window. One that is software moves skins more slowly than the processor does.
    pub fn new(state: RenderState) -> Self {
        let software = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let renderer = |quality| {
            let (device, queue) = (state.device.clone(), state.queue.clone());
            Renderer::with_quality(device, queue, DRAWN, quality)
        };
        Self {
            renderer: renderer(Quality::Full),
            draft: software.then(|| renderer(Quality::Draft)),
            by_device: !software,
            skins: CpuSkins::new(Workers::default()),
            drawing: Drawing::default(),
            bytes: 0,
            state,
            canvas: None,
            drawn: None,
        }
    }

    /// What it draws with.
    pub fn adapter(&self) -> wgpu::AdapterInfo {
        self.state.adapter.get_info()
    }

    /// Gives up the device, as a driver may do at any time.
    pub fn lose_device(&self) {
        self.state.device.destroy();
        // the device tells that it is gone only when it is asked
        let _ = self.state.device.poll(wgpu::PollType::Poll);
    }

    /// The largest picture, across and down.
    fn largest(&self) -> u32 {
        self.state.device.limits().max_texture_dimension_2d
    }

    /// Takes in a moment, or the sum of several.
    ///
    /// # Errors
    /// If the device has no room for it.
    pub fn take(&mut self, shown: &Shown) -> Result<(), PictureError> {
        if self.by_device {
            self.bytes = self.renderer.take(&shown.skins)?;
            self.drawing = shown.drawing.clone();
        } else {
            self.drawing = self.skins.drawing(shown);
            self.bytes = (size_of_val(&self.drawing.vertices[..])
                + size_of_val(&self.drawing.triangles[..])
                + size_of_val(&self.drawing.clear[..])) as u64;
        }
        Ok(())
    }

    /// Draws, unless this is what was drawn last. `version` is another for every moment.
    pub fn draw(
        &mut self,
        version: u64,
        camera: &Camera,
        size: [u32; 2],
        quality: Quality,
    ) -> egui::TextureId {
        let size = size.map(|side| side.clamp(1, self.largest()));
        let wanted = Drawn { version, camera: *camera, size, quality };
        let canvas = match self.canvas.take() {
            Some(canvas) if canvas.size == size => canvas,
            old => canvas(&self.state, old, size),
        };
        if self.drawn != Some(wanted) {
            let view = canvas.drawn.create_view(&Default::default());
            let renderer = match (quality, &mut self.draft) {
                (Quality::Draft, Some(draft)) => draft,
                _ => &mut self.renderer,
            };
            renderer.draw(&self.drawing, camera, &view, size);
            self.copy(&canvas);
            self.drawn = Some(wanted);
        }
        self.canvas.insert(canvas).id
    }

    fn copy(&self, canvas: &Canvas) {
        let mut encoder = self.state.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_texture(
            canvas.drawn.as_image_copy(),
            canvas.shown.as_image_copy(),
            canvas.shown.size(),
        );
        self.state.queue.submit([encoder.finish()]);
    }

    /// What is seen now.
    ///
    /// # Errors
    /// If nothing was drawn yet, or the device gave up.
    pub fn picture(&self) -> Result<Picture, PictureError> {
        let Some(canvas) = &self.canvas else { return Err(PictureError::Empty { size: [0, 0] }) };
        let pixels = picture::read_back(&self.state.device, &self.state.queue, &canvas.drawn)?;
        Ok(Picture { size: canvas.size, pixels })
    }
}

/// Textures of a size, known to egui by the id of the old ones if there are some.
fn canvas(state: &RenderState, old: Option<Canvas>, size: [u32; 2]) -> Canvas {
    use wgpu::TextureUsages as Usage;
    let texture = |label, format, usage| {
        let [width, height] = size;
        state.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage,
            view_formats: &[],
        })
    };
    let drawn = texture("drawn", DRAWN, Usage::RENDER_ATTACHMENT | Usage::COPY_SRC);
    let shown = texture("shown", SHOWN, Usage::TEXTURE_BINDING | Usage::COPY_DST);
    let view = shown.create_view(&Default::default());
    let mut egui = state.renderer.write();
    let filter = wgpu::FilterMode::Linear;
    let id = match old {
        Some(Canvas { id, .. }) => {
            egui.update_egui_texture_from_wgpu_texture(&state.device, &view, filter, id);
            id
        }
        None => egui.register_native_texture(&state.device, &view, filter),
    };
    Canvas { size, drawn, shown, id }
}
