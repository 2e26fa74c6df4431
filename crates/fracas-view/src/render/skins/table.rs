//! Numbers that vertex shaders look up, in a texture: WebGL2 has no other large store.

use bytemuck::NoUninit;
use std::ops::Range;

/// Texels in a row: as many as WebGL2 allows.
pub(super) const WIDTH: u32 = 2048;

/// Rows of texels on the device, as many as were ever needed.
#[derive(Debug)]
pub(super) struct Table {
    label: &'static str,
    format: wgpu::TextureFormat,
    /// Of one texel.
    bytes: u32,
    texture: wgpu::Texture,
}

impl Table {
    pub fn new(device: &wgpu::Device, label: &'static str, format: wgpu::TextureFormat) -> Self {
        // every format here has blocks of one texel
        let bytes = format.block_copy_size(None).unwrap_or(1);
        Self { label, format, bytes, texture: texture(device, label, format, 1) }
    }

    pub fn view(&self) -> wgpu::TextureView {
        self.texture.create_view(&Default::default())
    }

    /// Makes room for so many texels; whether the texture is another than before, and empty.
    pub fn reserve(&mut self, device: &wgpu::Device, texels: usize) -> bool {
        let rows = (texels as u32).div_ceil(WIDTH);
        if rows <= self.texture.height() {
            return false;
        }
        let rows = rows.next_power_of_two().min(device.limits().max_texture_dimension_2d).max(rows);
        self.texture = texture(device, self.label, self.format, rows);
        true
    }

    /// Writes all texels from the first on, which must fit; the bytes that this took.
    pub fn write<T: NoUninit>(&self, queue: &wgpu::Queue, values: &[T]) -> u64 {
        let texels = (size_of_val(values) / self.bytes as usize) as u32;
        self.write_rows(queue, values, 0..texels.div_ceil(WIDTH))
    }

    /// Writes some rows of all values; the bytes that this took.
    pub fn write_rows<T: NoUninit>(
        &self,
        queue: &wgpu::Queue,
        values: &[T],
        rows: Range<u32>,
    ) -> u64 {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let row = (WIDTH * self.bytes) as usize;
        let end = bytes.len().min(rows.end as usize * row);
        let own = &bytes[(rows.start as usize * row).min(end)..end];
        let (whole, rest) = own.split_at(own.len() / row * row);
        let full = (whole.len() / row) as u32;
        self.write_block(queue, whole, rows.start, [WIDTH, full]);
        self.write_block(queue, rest, rows.start + full, [rest.len() as u32 / self.bytes, 1]);
        own.len() as u64
    }

    fn write_block(&self, queue: &wgpu::Queue, bytes: &[u8], row: u32, [width, height]: [u32; 2]) {
        if bytes.is_empty() {
            return;
        }
        let origin = wgpu::Origin3d { x: 0, y: row, z: 0 };
        let copy = wgpu::TexelCopyTextureInfo { origin, ..self.texture.as_image_copy() };
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(width * self.bytes),
            rows_per_image: None,
        };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        queue.write_texture(copy, bytes, layout, size);
    }
}

fn texture(
    device: &wgpu::Device,
    label: &'static str,
    format: wgpu::TextureFormat,
    rows: u32,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width: WIDTH, height: rows, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}
