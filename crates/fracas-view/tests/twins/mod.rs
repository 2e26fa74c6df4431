//! Skins on the graphics device beside those of the processor, vertex by vertex.

use std::collections::BTreeMap;

use fracas::skin::Drawn;
use fracas_scene::Scene;
use fracas_view::glam::{DVec3, Vec3};
use fracas_view::{Gpu, Renderer, Shown, SkinOnDevice, Stage, Style, wgpu};

fn renderer(gpu: &Gpu) -> Renderer {
    let format = wgpu::TextureFormat::Rgba8UnormSrgb;
    Renderer::new(gpu.device.clone(), gpu.queue.clone(), format)
}

/// The processor's and the device's skins of one stage.
pub struct Twins {
    drawn: BTreeMap<u32, Drawn>,
    renderer: Renderer,
    /// Largest difference of positions in m, of normals.
    pub off: [f32; 2],
    pub vertices: usize,
    /// Edges of the device's surfaces that are open, of all moments.
    pub open: usize,
    /// Moments that were compared.
    pub moments: usize,
}

impl Twins {
    fn new(gpu: &Gpu) -> Self {
        Self {
            drawn: BTreeMap::new(),
            renderer: renderer(gpu),
            off: [0.0; 2],
            vertices: 0,
            open: 0,
            moments: 0,
        }
    }

    fn take(&mut self, shown: &Shown) -> Vec<SkinOnDevice> {
        self.renderer.take(&shown.skins).unwrap();
        self.drawn.retain(|number, _| shown.skins.iter().any(|skin| skin.number == *number));
        let device = self.renderer.read_back().unwrap();
        assert_eq!(device.len(), shown.skins.len());
        for (skin, on_device) in shown.skins.iter().zip(&device) {
            let drawn = self.drawn.entry(skin.number).or_default();
            drawn.apply(&skin.update);
            let truth = drawn.evaluate();
            assert_eq!(truth.triangles, on_device.triangles);
            assert_eq!(truth.positions.len(), on_device.positions.len());
            self.vertices = self.vertices.max(truth.positions.len());
            let pairs = [
                truth.positions.iter().zip(&on_device.positions),
                truth.normals.iter().zip(&on_device.normals),
            ];
            for (off, pairs) in self.off.iter_mut().zip(pairs) {
                for (&a, &b) in pairs {
                    let distance = Vec3::from(a).distance(Vec3::from(b));
                    assert!(distance.is_finite(), "{a:?}, {b:?}");
                    *off = off.max(distance);
                }
            }
        }
        device
    }
}

/// Edges that are not passed as often one way as the other, by the bits of their ends.
fn open_edges(skin: &SkinOnDevice) -> usize {
    let bits = |k: u32| skin.positions[k as usize].map(f32::to_bits);
    let mut edges: BTreeMap<[[u32; 3]; 2], i32> = BTreeMap::new();
    for triangle in &skin.triangles {
        for k in 0..3 {
            let [a, b] = [bits(triangle[k]), bits(triangle[(k + 1) % 3])];
            *edges.entry([a.min(b), a.max(b)]).or_default() += if a < b { 1 } else { -1 };
        }
    }
    edges.values().filter(|&&count| count != 0).count()
}

/// Plays so many frames of a scene and compares every so many.
pub fn run(gpu: &Gpu, name: &str, frames: u32, every: u32) -> Twins {
    let scene = Scene::open(name).unwrap();
    let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
    let mut stage = Stage::new(&world, looks).unwrap();
    let origin = scene.camera().map_or(DVec3::ZERO, |camera| camera.target.into());
    let mut twins = Twins::new(gpu);
    for frame in 0..=frames {
        let shown = stage.show(&world, &Style::default(), origin);
        if frame % every == 0 {
            let device = twins.take(&shown);
            twins.open += device.iter().map(open_edges).sum::<usize>();
            twins.moments += 1;
        } else {
            // what is not looked at must be taken in all the same
            twins.renderer.take(&shown.skins).unwrap();
            for skin in &shown.skins {
                twins.drawn.entry(skin.number).or_default().apply(&skin.update);
            }
        }
        world.step(scene.dt());
    }
    let [place, normal] = twins.off;
    println!("{name}: {} vertices, off by {place:.1e} m, normals {normal:.1e}", twins.vertices);
    twins
}
