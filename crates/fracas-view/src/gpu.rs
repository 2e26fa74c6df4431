//! Finding something to draw with.

use thiserror::Error;

/// A device to draw with, and what it is.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// What the renderer draws with.
    pub device: wgpu::Device,
    /// Where its work is handed in.
    pub queue: wgpu::Queue,
    /// Name, kind and driver.
    pub info: wgpu::AdapterInfo,
}

/// Why there is nothing to draw with.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GpuError {
    /// No graphics driver, not even one in software.
    #[error("there is nothing to draw with: {reason}\n{}", advice())]
    NoAdapter {
        /// What was tried.
        reason: String,
    },
    /// The driver is there, but refuses.
    #[error("{adapter} cannot be used to draw: {reason}")]
    NoDevice {
        /// Its name.
        adapter: String,
        /// What it says.
        reason: String,
    },
}

/// What to install, on this system.
fn advice() -> &'static str {
    if cfg!(target_os = "linux") {
        "help: install a Vulkan driver. Without a graphics card Mesa's software driver will do: `./setup` \
         in the folder of the project installs it, or on Debian and Ubuntu\n\
         \x20     sudo apt-get install --no-install-recommends libvulkan1 mesa-vulkan-drivers"
    } else {
        "help: install the driver of your graphics card"
    }
}

impl Gpu {
    /// The fastest device there is: a graphics card, else software. The variable `WGPU_BACKEND`
    /// (`vulkan`, `gl`, `metal`, `dx12`) chooses by which door it is looked for.
    ///
    /// # Errors
    /// [`GpuError`], with what to install.
    pub fn open() -> Result<Self, GpuError> {
        Self::open_within(None)
    }

    /// The same device, held to the limits of WebGL2: what a browser without WebGPU can do.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open_as_webgl2() -> Result<Self, GpuError> {
        Self::open_within(Some(wgpu::Limits::downlevel_webgl2_defaults()))
    }

    fn open_within(limits: Option<wgpu::Limits>) -> Result<Self, GpuError> {
        let chosen = wgpu::Backends::from_env();
        // OpenGL only if there is nothing better: to look for it takes time and prints warnings
        let first = chosen.unwrap_or(wgpu::Backends::PRIMARY);
        let adapter = adapter(first).or_else(|_| adapter(chosen.unwrap_or_default()))?;
        let info = adapter.get_info();
        let required_limits = limits.unwrap_or_else(|| limits_of(&adapter));
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        let request = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = request.map_err(|reason| GpuError::NoDevice {
            adapter: info.name.clone(),
            reason: reason.to_string(),
        })?;
        Ok(Self { device, queue, info })
    }

    /// Whether it is software: skinning is then faster outside of it.
    pub fn is_cpu(&self) -> bool {
        self.info.device_type == wgpu::DeviceType::Cpu
    }
}

/// What is asked of an adapter: no more than WebGL2 has, but for the size of pictures.
pub(crate) fn limits_of(adapter: &wgpu::Adapter) -> wgpu::Limits {
    wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter.limits())
}

fn adapter(backends: wgpu::Backends) -> Result<wgpu::Adapter, GpuError> {
    let descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor { backends, ..descriptor });
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..Default::default()
    };
    pollster::block_on(instance.request_adapter(&options))
        .map_err(|reason| GpuError::NoAdapter { reason: reason.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_driver_the_message_says_what_to_install() {
        let error = adapter(wgpu::Backends::empty()).unwrap_err().to_string();
        assert!(error.starts_with("there is nothing to draw with: "), "{error}");
        assert!(error.contains("driver"), "{error}");
        if cfg!(target_os = "linux") {
            assert!(error.contains("libvulkan1 mesa-vulkan-drivers"), "{error}");
        }
    }
}
