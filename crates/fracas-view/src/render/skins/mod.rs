//! Skins on the graphics device (000 sec. 4.2): meshes go there once, states every frame, and the vertex stage does the rest.
//!
//! ```text
//! SkinUpdate: states   → texture, every frame          positions of all bodies in one
//!             rings    → texture, rows that changed    whom the vertices of an owner follow
//!             clusters → buffers, clusters that cracks touched: owner of each vertex, triangles that are drawn
//! ```
//!
//! Faces between fragments are on the device but not drawn until they are broken: the triangles of a cluster that are
//! drawn lie side by side in the index buffer.

mod arena;
mod read_back;
mod table;

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use fracas::glam::Vec3;
use fracas::skin::{ClusterChange, ClusterMesh, GONE, Owners, SkinBasis, SkinRest, SkinState};
use wgpu::{BufferUsages, TextureFormat};

use crate::drawing::Paint;
use crate::picture::PictureError;
use crate::shown::ShownSkin;
use arena::Arena;
use table::{Table, WIDTH};

pub use read_back::SkinOnDevice;

/// The most particles that the vertices of an owner follow, as in the engine.
const RING: usize = 32;
/// Texels of a ring.
const RING_TEXELS: usize = RING / 4;
/// As in `skin.wgsl`.
const ALONE: u32 = 1 << 31;
const INSIDE: u32 = 1 << 31;
const AFFINE: u32 = 1 << 30;

/// A vertex at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct Point {
    rest: [f32; 3],
    normal: [f32; 3],
}

/// Whom a vertex follows, and the skin it is part of; see `skin.wgsl`.
pub(super) type Owner = [u32; 2];

/// All skins that are drawn.
#[derive(Debug)]
pub(super) struct Skins {
    device: wgpu::Device,
    queue: wgpu::Queue,
    skins: Vec<Skin>,
    points: Arena,
    owners: Arena,
    triangles: Arena,
    states: Table,
    rests: Table,
    rings: Table,
    paints: Table,
    skin_table: Table,
    layout: wgpu::BindGroupLayout,
    /// Of the tables as they are.
    group: wgpu::BindGroup,
    /// Indices that are drawn: of skins that nothing is seen through, and of the others.
    drawn: [Vec<Range<u32>>; 2],
    /// Low and high corner of all.
    bounds: Option<[Vec3; 2]>,
}

/// A skin as its updates tell it.
#[derive(Debug, Default)]
struct Skin {
    number: u32,
    basis: SkinBasis,
    /// Where its states are.
    states: Range<usize>,
    rings: Vec<[u32; RING]>,
    clusters: Vec<Cluster>,
    paints: Option<Arc<[Paint]>>,
    outside: Option<Paint>,
    grain: [f32; 3],
    clear: bool,
}

#[derive(Debug, Default)]
struct Cluster {
    mesh: Arc<ClusterMesh>,
    shown: Vec<u32>,
    points: Range<u32>,
    triangles: Range<u32>,
    /// How many of those are drawn.
    drawn: u32,
}

/// What must be written besides the states.
#[derive(Debug, Default)]
struct Stale {
    /// Skins came or went: every number is another.
    all: bool,
    /// Some skin has more or fewer states.
    states: bool,
    paints: bool,
    ranges: bool,
    /// Rings, over all skins.
    rings: Vec<u32>,
}

impl Skins {
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let arena = |label, stride: usize, usage| Arena::new(device, label, stride as u64, usage);
        let table = |label, format| Table::new(device, label, format);
        let tables = [
            table("states", TextureFormat::Rgba32Float),
            table("rests", TextureFormat::Rgba32Float),
            table("rings", TextureFormat::Rgba32Uint),
            table("paints", TextureFormat::Rgba8Unorm),
            table("skins", TextureFormat::Rgba32Float),
        ];
        let layout = layout(device);
        let group = group(device, &layout, &tables.each_ref());
        let [states, rests, rings, paints, skin_table] = tables;
        Self {
            device: device.clone(),
            queue: queue.clone(),
            skins: Vec::new(),
            points: arena("points", size_of::<Point>(), BufferUsages::VERTEX),
            owners: arena("owners", size_of::<Owner>(), BufferUsages::VERTEX),
            triangles: arena("triangles", size_of::<[u32; 3]>(), BufferUsages::INDEX),
            states,
            rests,
            rings,
            paints,
            skin_table,
            layout,
            group,
            drawn: Default::default(),
            bounds: None,
        }
    }

    pub fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// What the shaders of skins read.
    pub fn group(&self) -> &wgpu::BindGroup {
        &self.group
    }

    pub fn bounds(&self) -> Option<[Vec3; 2]> {
        self.bounds
    }

    /// Takes in a moment, with every skin that there is, by number. Tells the bytes that go to the device.
    ///
    /// # Errors
    /// [`PictureError::TooMuch`] if the device has no room for so many particles; nothing was taken in then, and the
    /// updates are lost.
    pub fn take(&mut self, shown: &[ShownSkin]) -> Result<u64, PictureError> {
        self.check(shown)?;
        let mut stale = Stale::default();
        self.match_up(shown, &mut stale);
        let mut bytes = 0;
        for (k, given) in shown.iter().enumerate() {
            bytes += self.change(k, given, &mut stale);
        }
        self.lay_out(shown, &mut stale);
        Ok(bytes + self.write(shown, &stale))
    }

    /// Rings are the largest table: eight texels of each owner.
    fn check(&self, shown: &[ShownSkin]) -> Result<(), PictureError> {
        let owners = |given: &ShownSkin| {
            let begun = given.update.begun.as_ref();
            let known = self.skins.binary_search_by_key(&given.number, |skin| skin.number);
            let known = known.ok().map(|k| &self.skins[k].basis);
            match begun.or(known).map(|basis| &basis.owners) {
                Some(Owners::Tets(tets)) => tets.len(),
                _ => given.update.states.len(),
            }
        };
        let rings: usize = shown.iter().map(owners).sum();
        let row = u64::from(WIDTH) * 16;
        let bytes = (size_of::<[u32; RING]>() * rings) as u64;
        let most = row * u64::from(self.device.limits().max_texture_dimension_2d);
        if bytes > most { Err(PictureError::TooMuch { bytes, most }) } else { Ok(()) }
    }

    /// Lets go of skins that are gone and begins those that are new.
    fn match_up(&mut self, shown: &[ShownSkin], stale: &mut Stale) {
        let same = |(skin, given): (&Skin, &ShownSkin)| {
            skin.number == given.number && given.update.begun.is_none()
        };
        if self.skins.len() == shown.len() && self.skins.iter().zip(shown).all(same) {
            return;
        }
        *stale = Stale { all: true, states: true, paints: true, ranges: true, rings: Vec::new() };
        let mut before = std::mem::take(&mut self.skins).into_iter().peekable();
        for given in shown {
            while let Some(gone) = before.next_if(|skin| skin.number < given.number) {
                self.free(gone);
            }
            let mut skin = before.next_if(|skin| skin.number == given.number);
            if given.update.begun.is_some()
                && let Some(old) = skin.take()
            {
                self.free(old);
            }
            self.skins.push(skin.unwrap_or(Skin { number: given.number, ..Skin::default() }));
        }
        before.for_each(|gone| self.free(gone));
    }

    fn free(&mut self, skin: Skin) {
        for cluster in skin.clusters {
            self.points.give(cluster.points.clone());
            self.owners.give(cluster.points);
            self.triangles.give(cluster.triangles);
        }
    }

    /// Takes in what changed of a skin.
    fn change(&mut self, k: usize, given: &ShownSkin, stale: &mut Stale) -> u64 {
        let skin = &mut self.skins[k];
        if let Some(basis) = &given.update.begun {
            skin.basis = basis.clone();
            skin.clusters.resize_with(basis.clusters as usize, Cluster::default);
        }
        skin.basis.particles.extend(&given.update.grown);
        let looks = (given.outside, given.grain);
        stale.paints |= !skin.paints.as_ref().is_some_and(|old| Arc::ptr_eq(old, &given.paints));
        stale.all |= (skin.outside, skin.grain) != looks;
        skin.paints = Some(Arc::clone(&given.paints));
        (skin.outside, skin.grain) = looks;
        let clear = given.is_clear();
        stale.ranges |= skin.clear != clear || !given.update.clusters.is_empty();
        skin.clear = clear;
        for ring in &given.update.rings {
            let owner = ring.owner as usize;
            if skin.rings.len() <= owner {
                skin.rings.resize(owner + 1, [GONE; RING]);
                stale.all = true;
            }
            let mut members = [GONE; RING];
            let count = ring.members.len().min(RING);
            members[..count].copy_from_slice(&ring.members[..count]);
            skin.rings[owner] = members;
        }
        if !stale.all && !given.update.rings.is_empty() {
            let first: usize = self.skins[..k].iter().map(|skin| skin.rings.len()).sum();
            stale.rings.extend(given.update.rings.iter().map(|ring| first as u32 + ring.owner));
        }
        self.change_clusters(k, &given.update.clusters)
    }

    fn change_clusters(&mut self, k: usize, changes: &[ClusterChange]) -> u64 {
        for change in changes {
            let known = self.skins[k].clusters.get_mut(change.cluster as usize);
            let (Some(mesh), Some(cluster)) = (&change.mesh, known) else { continue };
            self.points.give(cluster.points.clone());
            self.owners.give(cluster.points.clone());
            self.triangles.give(cluster.triangles.clone());
            let points = mesh.points.len() as u32;
            cluster.points = self.points.take(points);
            // the two are taken and given alike, and so lie alike
            self.owners.take(points);
            cluster.triangles = self.triangles.take(mesh.triangles.len() as u32);
            cluster.mesh = Arc::clone(mesh);
        }
        for arena in [&mut self.points, &mut self.owners, &mut self.triangles] {
            arena.grow(&self.device, &self.queue);
        }
        let mut bytes = 0;
        for change in changes {
            let Skin { number, clusters, basis, rings, .. } = &mut self.skins[k];
            // of a skin whose beginning was missed nothing is drawn
            let Some(cluster) = clusters.get_mut(change.cluster as usize) else { continue };
            cluster.shown.clone_from(&change.shown);
            if change.mesh.is_some() {
                let points = cluster.points_at_rest();
                bytes += self.points.write(&self.queue, cluster.points.start, &points);
            }
            let owners = cluster.owners(*number, &change.owners, basis, rings.len());
            bytes += self.owners.write(&self.queue, cluster.points.start, &owners);
            let triangles = cluster.triangles_shown();
            cluster.drawn = triangles.len() as u32;
            bytes += self.triangles.write(&self.queue, cluster.triangles.start, &triangles);
        }
        bytes
    }

    /// Gives every skin its place among the states, and finds where all of them are.
    fn lay_out(&mut self, shown: &[ShownSkin], stale: &mut Stale) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut end = 0;
        for (skin, given) in self.skins.iter_mut().zip(shown) {
            let states = end..end + given.update.states.len();
            end = states.end;
            stale.states |= skin.states != states;
            skin.states = states;
            for (k, state) in given.update.states.iter().enumerate() {
                if state.piece != GONE {
                    let reach = skin.basis.particles.get(k).map_or(0.0, |rest| rest.reach);
                    let at = Vec3::from(state.position);
                    low = low.min(at - reach);
                    high = high.max(at + reach);
                }
            }
        }
        self.bounds = low.cmple(high).all().then_some([low, high]);
    }

    fn write(&mut self, shown: &[ShownSkin], stale: &Stale) -> u64 {
        let count = self.skins.last().map_or(0, |skin| skin.states.end);
        let ring_count: usize = self.skins.iter().map(|skin| skin.rings.len()).sum();
        let device = &self.device;
        let tables = [
            (&mut self.states, 2 * count),
            (&mut self.rests, count),
            (&mut self.rings, RING_TEXELS * ring_count),
            (&mut self.paints, 2 * count),
            (
                &mut self.skin_table,
                4 * self.skins.last().map_or(0, |skin| skin.number as usize + 1),
            ),
        ];
        // all of them, also after the first that grew
        let grown = tables.map(|(table, texels)| table.reserve(device, texels)).contains(&true);
        if grown {
            let tables = [&self.states, &self.rests, &self.rings, &self.paints, &self.skin_table];
            self.group = group(device, &self.layout, &tables);
        }
        let mut bytes = self.write_states(shown);
        if grown || stale.all || stale.states {
            bytes += self.rests.write(&self.queue, &self.all_rests());
            bytes += self.skin_table.write(&self.queue, &self.all_skins());
        }
        if grown || stale.paints || stale.states {
            bytes += self.paints.write(&self.queue, &self.all_paints());
        }
        bytes += self.write_rings(grown || stale.all, &stale.rings);
        if stale.ranges {
            self.drawn = [false, true].map(|clear| self.ranges(clear));
        }
        bytes
    }

    fn write_states(&self, shown: &[ShownSkin]) -> u64 {
        if let [only] = shown {
            return self.states.write(&self.queue, &only.update.states);
        }
        let all = shown.iter().flat_map(|given| &given.update.states).copied();
        self.states.write(&self.queue, &all.collect::<Vec<SkinState>>())
    }

    fn all_rests(&self) -> Vec<SkinRest> {
        let of = |skin: &Skin| {
            let mut rests = skin.basis.particles.clone();
            // parts of fragments lie about their own centre
            rests.resize(skin.states.len(), SkinRest::default());
            rests
        };
        self.skins.iter().flat_map(of).collect()
    }

    fn all_paints(&self) -> Vec<Paint> {
        let of = |skin: &Skin| {
            let mut paints = skin.paints.as_deref().unwrap_or_default().to_vec();
            paints.resize(skin.states.len(), Paint::default());
            paints
        };
        self.skins.iter().flat_map(of).collect()
    }

    /// Four texels each, by number; see `skin.wgsl`.
    fn all_skins(&self) -> Vec<[[f32; 4]; 4]> {
        let mut all = Vec::new();
        let mut ring = 0;
        for skin in &self.skins {
            let [colour, finish] = skin.outside.unwrap_or_default().to_shares();
            let painted = if skin.outside.is_some() { 1.0 } else { 0.0 };
            // exact: textures have fewer texels than f32 has integers
            let first = [skin.states.start as f32, ring as f32, painted, 0.0];
            ring += skin.rings.len();
            let [x, y, z] = skin.grain;
            all.resize(skin.number as usize, [[0.0; 4]; 4]);
            all.push([first, [x, y, z, 0.0], colour, finish]);
        }
        all
    }

    /// All rings, or the rows that hold some.
    fn write_rings(&self, all: bool, some: &[u32]) -> u64 {
        if !all && some.is_empty() {
            return 0;
        }
        let rings: Vec<[u32; RING]> =
            self.skins.iter().flat_map(|skin| &skin.rings).copied().collect();
        if all {
            return self.rings.write(&self.queue, &rings);
        }
        let row_of = |&ring: &u32| ring / (WIDTH / RING_TEXELS as u32);
        let mut rows: Vec<u32> = some.iter().map(row_of).collect();
        rows.sort_unstable();
        rows.dedup();
        rows.iter().map(|&row| self.rings.write_rows(&self.queue, &rings, row..row + 1)).sum()
    }

    /// Indices to draw, those that lie side by side in one.
    fn ranges(&self, clear: bool) -> Vec<Range<u32>> {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        let skins = self.skins.iter().filter(|skin| skin.clear == clear);
        for cluster in skins.flat_map(|skin| &skin.clusters).filter(|cluster| cluster.drawn > 0) {
            let start = 3 * cluster.triangles.start;
            let end = start + 3 * cluster.drawn;
            match ranges.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => ranges.push(start..end),
            }
        }
        ranges
    }

    /// Draws all that is opaque, or all that is clear, with a pipeline of the right kind.
    pub fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        pipeline: &wgpu::RenderPipeline,
        clear: bool,
    ) {
        let ranges = &self.drawn[usize::from(clear)];
        if ranges.is_empty() {
            return;
        }
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, self.points.buffer().slice(..));
        pass.set_vertex_buffer(1, self.owners.buffer().slice(..));
        pass.set_index_buffer(self.triangles.buffer().slice(..), wgpu::IndexFormat::Uint32);
        for range in ranges {
            pass.draw_indexed(range.clone(), 0, 0..1);
        }
    }
}

impl Cluster {
    fn points_at_rest(&self) -> Vec<Point> {
        let at = |place: u32| self.mesh.places[place as usize];
        let points = self.mesh.points.iter();
        points.map(|point| Point { rest: at(point.place), normal: point.normal }).collect()
    }

    /// Whom each point follows. What has no ring is alone: parts of fragments.
    fn owners(&self, skin: u32, of_places: &[u32], basis: &SkinBasis, rings: usize) -> Vec<Owner> {
        let affine = if matches!(basis.owners, Owners::Tets(_)) { AFFINE } else { 0 };
        let mut owners = vec![[GONE, skin | affine]; self.mesh.points.len()];
        for part in &self.mesh.parts {
            let inside = if part.inside { INSIDE } else { 0 };
            for k in part.points.start as usize..part.points.end as usize {
                let owner = of_places[self.mesh.points[k].place as usize];
                let alone = if (owner as usize) < rings { 0 } else { ALONE };
                owners[k] = [owner | alone, skin | affine | inside];
            }
        }
        owners
    }

    /// The triangles of the parts that are drawn, with the places of their corners in the buffer.
    fn triangles_shown(&self) -> Vec<[u32; 3]> {
        let first = self.points.start;
        let of = |&part: &u32| {
            let range = &self.mesh.parts[part as usize].triangles;
            &self.mesh.triangles[range.start as usize..range.end as usize]
        };
        self.shown.iter().flat_map(of).map(|t| t.map(|k| first + k)).collect()
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    use wgpu::TextureSampleType::{Float, Uint};
    let kinds = [0, 1, 2, 3, 4].map(|k| if k == 2 { Uint } else { Float { filterable: false } });
    let entries: Vec<_> = (0..)
        .zip(kinds)
        .map(|(binding, sample_type)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: wgpu::BindingType::Texture {
                sample_type,
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            count: None,
        })
        .collect();
    let label = Some("skins");
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries })
}

fn group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    tables: &[&Table; 5],
) -> wgpu::BindGroup {
    let views = tables.map(Table::view);
    let entry = |(binding, view)| wgpu::BindGroupEntry {
        binding,
        resource: wgpu::BindingResource::TextureView(view),
    };
    let entries: Vec<_> = (0..).zip(&views).map(entry).collect();
    let label = Some("skins");
    device.create_bind_group(&wgpu::BindGroupDescriptor { label, layout, entries: &entries })
}
