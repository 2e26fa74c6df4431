//! Where the device puts every vertex, brought back: to hold it against the processor's skin.

use fracas::skin::GONE;
use wgpu::TextureFormat;

use super::super::passes::{OWNER, POINT};
use super::table::WIDTH;
use super::{Owner, Point, Skins};
use crate::picture::{self, PictureError};

/// What the device draws of a skin, in the order in which [`Skinned`](fracas::skin::Skinned) lists it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinOnDevice {
    /// Vertices relative to the origin of the last update, in m.
    pub positions: Vec<[f32; 3]>,
    /// Of unit length.
    pub normals: Vec<[f32; 3]>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

impl Skins {
    /// Draws every vertex as a pixel whose colour is its position, another whose colour is its normal, and reads them.
    ///
    /// # Errors
    /// A device that cannot draw numbers, or gave up.
    pub fn read_back(&self) -> Result<Vec<SkinOnDevice>, PictureError> {
        let count = self.points.len();
        let rows = count.div_ceil(WIDTH).max(1);
        let targets = [(); 2].map(|()| self.target(rows));
        let views = targets.each_ref().map(|target| target.create_view(&Default::default()));
        let pipeline = self.pipeline();
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let attachment = |view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("read back"),
            color_attachments: &views.each_ref().map(attachment),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(2, &self.group, &[]);
        pass.set_vertex_buffer(0, self.points.buffer().slice(..));
        pass.set_vertex_buffer(1, self.owners.buffer().slice(..));
        pass.draw(0..count, rows..rows + 1);
        drop(pass);
        self.queue.submit([encoder.finish()]);
        let read = |target| picture::read_back::<[f32; 4]>(&self.device, &self.queue, target);
        let [positions, normals] = [read(&targets[0])?, read(&targets[1])?];
        Ok(self.skins.iter().map(|skin| gather(skin, &positions, &normals)).collect())
    }

    fn target(&self, rows: u32) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("read back"),
            size: wgpu::Extent3d { width: WIDTH, height: rows, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: TextureFormat::Rgba32Float,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    fn pipeline(&self) -> wgpu::RenderPipeline {
        let source = concat!(
            include_str!("../frame.wgsl"),
            include_str!("../skin.wgsl"),
            include_str!("read_back.wgsl")
        );
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("read back"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[None, None, Some(&self.layout)],
            immediate_size: 0,
        });
        let rows = |stride: usize, attributes| {
            Some(wgpu::VertexBufferLayout {
                array_stride: stride as u64,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes,
            })
        };
        let target = Some(wgpu::ColorTargetState::from(TextureFormat::Rgba32Float));
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("read back"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("as_pixel"),
                compilation_options: Default::default(),
                buffers: &[rows(size_of::<Point>(), &POINT), rows(size_of::<Owner>(), &OWNER)],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::PointList,
                ..Default::default()
            },
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("as_numbers"),
                compilation_options: Default::default(),
                targets: &[target.clone(), target],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn gather(skin: &super::Skin, positions: &[[f32; 4]], normals: &[[f32; 4]]) -> SkinOnDevice {
    let mut out = SkinOnDevice::default();
    for cluster in &skin.clusters {
        let mut new = vec![GONE; cluster.mesh.points.len()];
        for &part in &cluster.shown {
            let part = &cluster.mesh.parts[part as usize];
            for k in part.points.clone() {
                new[k as usize] = out.positions.len() as u32;
                let at = (cluster.points.start + k) as usize;
                let three = |[x, y, z, _]: [f32; 4]| [x, y, z];
                out.positions.push(three(positions[at]));
                out.normals.push(three(normals[at]));
            }
            let own = part.triangles.start as usize..part.triangles.end as usize;
            let triangles = cluster.mesh.triangles[own].iter();
            out.triangles.extend(triangles.map(|t| t.map(|k| new[k as usize])));
        }
    }
    out
}
