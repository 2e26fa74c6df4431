//! Pictures: pixels in memory, and as PNG.

use thiserror::Error;

use crate::camera::Camera;
use crate::drawing::Drawing;
use crate::gpu::Gpu;
use crate::render::Renderer;

/// Pixels from the upper left corner on, row by row, as screens take them (sRGB).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Red, green, blue, alpha.
    pub pixels: Vec<[u8; 4]>,
}

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// More pixels than the device can draw.
    #[error("a picture of {} × {} pixels: {most} across and down are the most here", size[0], size[1])]
    TooLarge {
        /// What was asked for.
        size: [u32; 2],
        /// What can be had.
        most: u32,
    },
    /// No pixels at all.
    #[error("a picture of {} × {} pixels has none", size[0], size[1])]
    Empty {
        /// What was asked for.
        size: [u32; 2],
    },
    /// More corners, particles or lines than the device can hold.
    #[error("the drawing takes {bytes} bytes in one part: {most} are the most here")]
    TooMuch {
        /// What the largest part takes.
        bytes: u64,
        /// What can be had.
        most: u64,
    },
    /// The device gave up.
    #[error("the picture could not be read back from the graphics device: {0}")]
    Lost(String),
}

/// Draws pictures without a screen.
///
/// ```
/// use fracas_view::{Artist, Camera, Drawing, Gpu, Ground, Line};
/// use fracas_view::glam::DVec3;
///
/// let mut artist = match Gpu::open() {
///     Ok(gpu) => Artist::new(gpu),
///     Err(error) => return Ok(println!("skipped: {error}")),
/// };
/// let axis = Line { from: [0.0; 3], to: [0.0, 1.0, 0.0], paint: [255, 0, 0, 0] };
/// let ground = Ground { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };
/// let drawing = Drawing { lines: vec![axis], grounds: vec![ground], ..Drawing::default() };
/// let camera = Camera::framing(DVec3::NEG_X, DVec3::ONE, 1.5);
/// let picture = artist.draw(&drawing, &camera, [96, 64])?;
/// assert_eq!(picture.pixels.len(), 96 * 64);
/// # Ok::<(), fracas_view::PictureError>(())
/// ```
#[derive(Debug)]
pub struct Artist {
    gpu: Gpu,
    renderer: Renderer,
}

impl Artist {
    /// Draws with this device.
    pub fn new(gpu: Gpu) -> Self {
        let format = wgpu::TextureFormat::Rgba8UnormSrgb;
        let renderer = Renderer::new(gpu.device.clone(), gpu.queue.clone(), format);
        Self { gpu, renderer }
    }

    /// What it draws with.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// A picture of so many pixels across and down.
    ///
    /// # Errors
    /// [`PictureError`].
    pub fn draw(
        &mut self,
        drawing: &Drawing,
        camera: &Camera,
        size: [u32; 2],
    ) -> Result<Picture, PictureError> {
        self.check(drawing, size)?;
        let [width, height] = size;
        let device = &self.gpu.device;
        let target = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.renderer.format(),
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        self.renderer.draw(drawing, camera, &target.create_view(&Default::default()), size);
        let pixels = read_back(device, &self.gpu.queue, &target)?;
        Ok(Picture { size, pixels })
    }

    fn check(&self, drawing: &Drawing, size: [u32; 2]) -> Result<(), PictureError> {
        let limits = self.gpu.device.limits();
        let most = limits.max_texture_dimension_2d;
        if size.contains(&0) {
            return Err(PictureError::Empty { size });
        }
        if size[0].max(size[1]) > most {
            return Err(PictureError::TooLarge { size, most });
        }
        let bytes = [
            size_of_val(drawing.vertices.as_slice()),
            size_of_val(drawing.triangles.as_slice()),
            size_of_val(drawing.ellipsoids.as_slice()),
            size_of_val(drawing.lines.as_slice()),
        ];
        let bytes = bytes.into_iter().max().unwrap_or(0) as u64;
        let most = limits.max_buffer_size;
        if bytes > most {
            return Err(PictureError::TooMuch { bytes, most });
        }
        Ok(())
    }
}

/// The pixels of a texture of four bytes a pixel.
///
/// # Errors
/// If the device gave up.
pub(crate) fn read_back(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    texture: &wgpu::Texture,
) -> Result<Vec<[u8; 4]>, PictureError> {
    let size = texture.size();
    let row = 4 * size.width;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: u64::from(padded) * u64::from(size.height),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(padded),
        rows_per_image: None,
    };
    let copy = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texture.as_image_copy(), copy, size);
    queue.submit([encoder.finish()]);

    let (tell, told) = std::sync::mpsc::channel();
    buffer.slice(..).map_async(wgpu::MapMode::Read, move |result| {
        // nobody listens any more only if this function has returned
        let _ = tell.send(result);
    });
    let lost = |reason: &dyn ToString| PictureError::Lost(reason.to_string());
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| lost(&error))?;
    told.recv().map_err(|error| lost(&error))?.map_err(|error| lost(&error))?;
    let mapped = buffer.slice(..).get_mapped_range().map_err(|error| lost(&error))?;
    let rows = mapped.chunks_exact(padded as usize);
    Ok(rows.flat_map(|bytes| bytemuck::cast_slice(&bytes[..row as usize]).to_vec()).collect())
}

impl Picture {
    /// As the bytes of a PNG file.
    ///
    /// # Errors
    /// If the picture has not as many pixels as its size says.
    pub fn to_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(bytemuck::cast_slice(&self.pixels))?;
        writer.finish()?;
        Ok(bytes)
    }
}
