//! Textures drawn into on the way, and what reads them.

use super::passes::{DEPTH, MASK, NORMAL, Passes};

/// Width and height of the shadow map, in texels: as large as WebGL2 allows.
pub(super) const SHADOW_SIZE: u32 = 2048;

/// Textures for pictures of one size.
#[derive(Debug)]
pub(super) struct Targets {
    pub size: [u32; 2],
    pub shadow: wgpu::TextureView,
    /// Depth of what is seen, one sample a pixel.
    pub depth: wgpu::TextureView,
    pub normals: wgpu::TextureView,
    /// Occlusion with speckle.
    pub raw: wgpu::TextureView,
    /// How open each pixel is to the sky.
    pub open: wgpu::TextureView,
    /// Depth and colour of all samples; colour only if there are several.
    pub depths: wgpu::TextureView,
    pub colour: Option<wgpu::TextureView>,
    /// What shaders read: the frame, ...
    pub frame: wgpu::BindGroup,
    /// ... depth and normals, ...
    pub seen: wgpu::BindGroup,
    /// ... these and the raw occlusion, ...
    pub speckled: wgpu::BindGroup,
    /// ... how open a pixel is, and the shadow map.
    pub light: wgpu::BindGroup,
}

impl Targets {
    pub fn new(
        device: &wgpu::Device,
        passes: &Passes,
        frame: &wgpu::Buffer,
        format: wgpu::TextureFormat,
        samples: u32,
        size: [u32; 2],
    ) -> Self {
        let view = |[width, height]: [u32; 2], format, sample_count| {
            let read = if sample_count == 1 {
                wgpu::TextureUsages::TEXTURE_BINDING
            } else {
                wgpu::TextureUsages::empty()
            };
            let texture = device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | read,
                view_formats: &[],
            });
            texture.create_view(&Default::default())
        };
        let group = |layout, views: &[&wgpu::TextureView]| {
            let entries: Vec<_> = (0..)
                .zip(views)
                .map(|(binding, &view)| wgpu::BindGroupEntry {
                    binding,
                    resource: wgpu::BindingResource::TextureView(view),
                })
                .collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout,
                entries: &entries,
            })
        };
        let shadow = view([SHADOW_SIZE; 2], DEPTH, 1);
        let (depth, normals) = (view(size, DEPTH, 1), view(size, NORMAL, 1));
        let (raw, open) = (view(size, MASK, 1), view(size, MASK, 1));
        let frame = wgpu::BindGroupEntry { binding: 0, resource: frame.as_entire_binding() };
        Self {
            size,
            frame: device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("frame"),
                layout: &passes.frame_layout,
                entries: &[frame],
            }),
            // a texture cannot be read while it is drawn into: the normals stand in for it
            seen: group(&passes.occlusion_layout, &[&depth, &normals, &normals]),
            speckled: group(&passes.occlusion_layout, &[&depth, &normals, &raw]),
            light: group(&passes.light_layout, &[&open, &shadow]),
            depths: view(size, DEPTH, samples),
            colour: (samples > 1).then(|| view(size, format, samples)),
            shadow,
            depth,
            normals,
            raw,
            open,
        }
    }
}

/// A depth to begin anew and keep.
pub(super) fn depth(
    view: &wgpu::TextureView,
    clear: f32,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(clear),
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}

/// A colour to begin anew and keep.
pub(super) fn colour(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    let ops = wgpu::Operations {
        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
        store: wgpu::StoreOp::Store,
    };
    wgpu::RenderPassColorAttachment { view, depth_slice: None, resolve_target: None, ops }
}

/// White to begin anew and keep.
pub(super) fn white(view: &wgpu::TextureView) -> wgpu::RenderPassColorAttachment<'_> {
    let mut attachment = colour(view);
    attachment.ops.load = wgpu::LoadOp::Clear(wgpu::Color::WHITE);
    attachment
}

/// A colour of several samples, of which only the mean is kept; or of one.
pub(super) fn resolved<'v>(
    samples: Option<&'v wgpu::TextureView>,
    view: &'v wgpu::TextureView,
) -> wgpu::RenderPassColorAttachment<'v> {
    let Some(samples) = samples else { return colour(view) };
    let mut attachment = colour(samples);
    attachment.resolve_target = Some(view);
    attachment.ops.store = wgpu::StoreOp::Discard;
    attachment
}
