//! Pipelines: which shader draws what, into what.

use wgpu::{CompareFunction, Face, PrimitiveTopology, TextureFormat, VertexStepMode};
use wgpu::{VertexAttribute, VertexBufferLayout, vertex_attr_array};

use super::geometry::GroundCorner;
use super::skins::{Owner, Point};
use crate::drawing::{Ellipsoid, Line, Vertex};

/// Format of all depths.
pub(super) const DEPTH: TextureFormat = TextureFormat::Depth32Float;
/// Format of normals.
pub(super) const NORMAL: TextureFormat = TextureFormat::Rgba8Unorm;
/// Format of occlusion.
pub(super) const MASK: TextureFormat = TextureFormat::R8Unorm;
/// How much work goes into a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Smooth edges, soft shadows, corners darker.
    #[default]
    Full,
    /// A third of the work, for a window on a device that is software: none of these.
    Draft,
}

impl Quality {
    /// Samples of a pixel.
    pub(super) fn samples(self) -> u32 {
        match self {
            Self::Full => 4,
            Self::Draft => 1,
        }
    }

    /// Of the shader that shades; as it has them if there are none.
    fn constants(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Full => &[],
            Self::Draft => &[("BLOCKER_TAPS", 4.0), ("SHADOW_TAPS", 4.0)],
        }
    }
}

/// The same for surfaces, for skins and for particles.
#[derive(Debug)]
pub(super) struct Pipelines {
    pub surface: wgpu::RenderPipeline,
    pub skin: wgpu::RenderPipeline,
    /// Of skins that may be clear in parts, what is opaque, or its shadow.
    pub clear_skin: wgpu::RenderPipeline,
    pub ellipsoid: wgpu::RenderPipeline,
}

/// Over what is there already.
#[derive(Debug)]
pub(super) struct Over {
    pub surface: wgpu::RenderPipeline,
    pub skin: wgpu::RenderPipeline,
}

/// All pipelines, and the layouts of what they read.
#[derive(Debug)]
pub(super) struct Passes {
    pub frame_layout: wgpu::BindGroupLayout,
    pub occlusion_layout: wgpu::BindGroupLayout,
    pub light_layout: wgpu::BindGroupLayout,
    pub shadow: Pipelines,
    pub seen: Pipelines,
    pub seen_ground: wgpu::RenderPipeline,
    pub occlusion: wgpu::RenderPipeline,
    pub smooth: wgpu::RenderPipeline,
    pub shade: Pipelines,
    pub line: wgpu::RenderPipeline,
    pub ground: wgpu::RenderPipeline,
    pub sky: wgpu::RenderPipeline,
    /// Shadows of surfaces that are clear.
    pub clear_shadow: wgpu::RenderPipeline,
    /// Everything as if of glass, so that what is inside can be seen.
    pub ghost: Over,
    /// What is clear: its far side, then its near side.
    pub clear: [Over; 2],
}

const VERTEX: [VertexAttribute; 5] = vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4, 3 => Unorm8x4, 4 => Float32x3];
pub(super) const POINT: [VertexAttribute; 2] = vertex_attr_array![0 => Float32x3, 1 => Float32x3];
pub(super) const OWNER: [VertexAttribute; 1] = vertex_attr_array![2 => Uint32x2];
const BALL: [VertexAttribute; 1] = vertex_attr_array![0 => Float32x3];
const ELLIPSOID: [VertexAttribute; 6] = vertex_attr_array![1 => Float32x3, 2 => Float32x3, 3 => Float32x3, 4 => Float32x3, 5 => Unorm8x4, 6 => Unorm8x4];
const LINE: [VertexAttribute; 3] =
    vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4];
const GROUND: [VertexAttribute; 3] =
    vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2];

const SURFACE: [Option<VertexBufferLayout<'static>>; 1] =
    [rows::<Vertex>(VertexStepMode::Vertex, &VERTEX)];
const SKIN: [Option<VertexBufferLayout<'static>>; 2] =
    [rows::<Point>(VertexStepMode::Vertex, &POINT), rows::<Owner>(VertexStepMode::Vertex, &OWNER)];

const fn rows<T>(
    step_mode: VertexStepMode,
    attributes: &[VertexAttribute],
) -> Option<VertexBufferLayout<'_>> {
    Some(VertexBufferLayout { array_stride: size_of::<T>() as u64, step_mode, attributes })
}

/// What a group of pipelines has in common.
struct Stage<'a> {
    device: &'a wgpu::Device,
    layout: wgpu::PipelineLayout,
    module: wgpu::ShaderModule,
    /// `None` where only depth is drawn.
    colour: Option<TextureFormat>,
    depth: Option<CompareFunction>,
    samples: u32,
    constants: &'static [(&'static str, f64)],
}

impl Stage<'_> {
    fn new<'a>(
        device: &'a wgpu::Device,
        source: &str,
        groups: [Option<&wgpu::BindGroupLayout>; 3],
        colour: Option<TextureFormat>,
        depth: Option<CompareFunction>,
    ) -> Stage<'a> {
        let shared = concat!(include_str!("frame.wgsl"), include_str!("skin.wgsl"));
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(format!("{shared}\n{source}").into()),
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        Stage { device, layout, module, colour, depth, samples: 1, constants: &[] }
    }

    fn surface(&self, vertex: &str, fragment: &str) -> wgpu::RenderPipeline {
        self.pipeline(vertex, fragment, &SURFACE)
    }

    fn skin(&self, vertex: &str, fragment: &str) -> wgpu::RenderPipeline {
        self.pipeline(vertex, fragment, &SKIN)
    }

    fn ellipsoid(&self, vertex: &str, fragment: &str) -> wgpu::RenderPipeline {
        let ball = rows::<[f32; 3]>(VertexStepMode::Vertex, &BALL);
        let buffers = [ball, rows::<Ellipsoid>(VertexStepMode::Instance, &ELLIPSOID)];
        self.pipeline(vertex, fragment, &buffers)
    }

    fn line(&self, fragment: &str) -> wgpu::RenderPipeline {
        self.pipeline("line", fragment, &[rows::<Line>(VertexStepMode::Instance, &LINE)])
    }

    fn ground(&self, fragment: &str) -> wgpu::RenderPipeline {
        self.pipeline("ground", fragment, &[rows::<GroundCorner>(VertexStepMode::Vertex, &GROUND)])
    }

    fn everywhere(&self, fragment: &str) -> wgpu::RenderPipeline {
        self.pipeline("everywhere", fragment, &[])
    }

    fn pipeline(
        &self,
        vertex: &str,
        fragment: &str,
        buffers: &[Option<VertexBufferLayout<'_>>],
    ) -> wgpu::RenderPipeline {
        self.blended(vertex, fragment, buffers, None)
    }

    /// Over what is there already, without hiding what comes later, and without the faces of one side.
    fn over(&self, fragment: &str, blend: wgpu::BlendState, culled: Face) -> Over {
        let how = Some((blend, culled));
        Over {
            surface: self.blended("surface", fragment, &SURFACE, how),
            skin: self.blended("skinned", fragment, &SKIN, how),
        }
    }

    fn blended(
        &self,
        vertex: &str,
        fragment: &str,
        buffers: &[Option<VertexBufferLayout<'_>>],
        over: Option<(wgpu::BlendState, Face)>,
    ) -> wgpu::RenderPipeline {
        let blend = over.map(|(blend, _)| blend);
        let targets = self.colour.map(|format| {
            Some(wgpu::ColorTargetState { format, blend, write_mask: wgpu::ColorWrites::ALL })
        });
        let depth_stencil = self.depth.map(|compare| wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(over.is_none()),
            depth_compare: Some(compare),
            stencil: Default::default(),
            bias: Default::default(),
        });
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(vertex),
            layout: Some(&self.layout),
            vertex: wgpu::VertexState {
                module: &self.module,
                entry_point: Some(vertex),
                compilation_options: Default::default(),
                buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: PrimitiveTopology::TriangleList,
                cull_mode: over.map(|(_, culled)| culled),
                ..Default::default()
            },
            depth_stencil,
            multisample: wgpu::MultisampleState { count: self.samples, ..Default::default() },
            fragment: (!fragment.is_empty()).then(|| wgpu::FragmentState {
                module: &self.module,
                entry_point: Some(fragment),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: self.constants,
                    ..Default::default()
                },
                targets: targets.as_slice(),
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

impl Passes {
    pub fn new(
        device: &wgpu::Device,
        format: TextureFormat,
        skins: &wgpu::BindGroupLayout,
        quality: Quality,
    ) -> Self {
        let frame_layout = frame_layout(device);
        let occlusion_layout = texture_layout(device, 3);
        let light_layout = texture_layout(device, 2);
        let (frame, skins) = (Some(&frame_layout), Some(skins));

        let source = include_str!("shadow.wgsl");
        let nearer = Some(CompareFunction::Less);
        let shadow = Stage::new(device, source, [frame, None, skins], None, nearer);

        let source = include_str!("occlusion.wgsl");
        let nearer = Some(CompareFunction::Greater);
        let seen = Stage::new(device, source, [frame, None, skins], Some(NORMAL), nearer);
        let groups = [frame, Some(&occlusion_layout), None];
        let occlusion = Stage::new(device, source, groups, Some(MASK), None);

        let source = include_str!("shade.wgsl");
        let groups = [frame, Some(&light_layout), skins];
        // the sky is as far away as what was not drawn
        let nearer = Some(CompareFunction::GreaterEqual);
        let shade = Stage {
            samples: quality.samples(),
            constants: quality.constants(),
            ..Stage::new(device, source, groups, Some(format), nearer)
        };

        Self {
            shadow: Pipelines {
                surface: shadow.surface("surface_from_sun", ""),
                skin: shadow.skin("skin_from_sun", ""),
                clear_skin: shadow.skin("skin_from_sun", "sun_through"),
                ellipsoid: shadow.ellipsoid("ellipsoid_from_sun", ""),
            },
            seen: Pipelines {
                surface: seen.surface("surface", "normal_seen"),
                skin: seen.skin("skinned", "normal_seen"),
                clear_skin: seen.skin("skinned", "normal_of_opaque"),
                ellipsoid: seen.ellipsoid("ellipsoid", "normal_seen"),
            },
            seen_ground: seen.ground("normal_seen"),
            occlusion: occlusion.everywhere("occlusion"),
            smooth: occlusion.everywhere("smooth_occlusion"),
            shade: Pipelines {
                surface: shade.surface("surface", "shaded"),
                skin: shade.skin("skinned", "shaded"),
                clear_skin: shade.skin("skinned", "opaque_part"),
                ellipsoid: shade.ellipsoid("ellipsoid", "shaded"),
            },
            line: shade.line("plain"),
            ground: shade.ground("grounded"),
            sky: shade.everywhere("sky_seen"),
            clear_shadow: shadow.surface("surface_from_sun", "sun_through"),
            ghost: shade.over("shaded", wgpu::BlendState::ALPHA_BLENDING, Face::Back),
            clear: [Face::Front, Face::Back].map(|culled| {
                let blend = wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING;
                shade.over("clear_part", blend, culled)
            }),
            frame_layout,
            occlusion_layout,
            light_layout,
        }
    }
}

fn frame_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("frame"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        }],
    })
}

/// Textures that fragment shaders read by coordinates. Depths count as numbers among others.
fn texture_layout(device: &wgpu::Device, count: u32) -> wgpu::BindGroupLayout {
    let entry = |binding| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty: wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
        count: None,
    };
    let entries: Vec<_> = (0..count).map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}
