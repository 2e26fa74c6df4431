//! glTF 2.0, as JSON and as GLB: a tree of nodes that place meshes.
//!
//! Read are the triangles of every mesh of the scene, moved by their nodes, with the names of the
//! nodes, texture coordinates, colours and attributes of the writer's own (`_NAME`). Skins, morph
//! targets, materials and animations are left out. Written by hand on `serde_json` rather than with
//! the crate `gltf`, which takes 224 bytes for a node of 3, adds lengths of the file without
//! asking for overflow, and refuses a mesh for what its materials lack.

mod document;

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::error::MeshFileError;
use super::parts::Parts;
use super::text::quoted;
use crate::assets::Assets;
use document::{Buffers, Mesh, Node, Primitive, Root, json_error, split};
use fracas::glam::{DAffine3, DMat4, DQuat, DVec3};
use fracas_mesh::{Attribute, Surface};

/// More columns of values at vertices are refused.
const MOST_ATTRIBUTES: usize = 256;

/// Bytes that a placed mesh takes beside its vertices and triangles, at most.
const PER_NODE: usize = 400;

/// The triangles of a file. `folder` is what external buffers are relative to.
pub(crate) fn read(
    bytes: &[u8],
    folder: &str,
    assets: &dyn Assets,
) -> Result<Surface, MeshFileError> {
    let (json, blob) = split(bytes)?;
    let root: Root = serde_json::from_slice(json).map_err(|error| json_error(bytes, &error))?;
    root.check()?;
    let buffers = Buffers::read(&root, blob, folder, assets)?;
    let file = File { root: &root, buffers: &buffers };
    let placed = placed(&root)?;
    let plan = file.plan(&placed, bytes.len() + buffers.size())?;
    file.surface(&placed, &plan)
}

/// A mesh where a node puts it.
struct Placed<'a> {
    name: Cow<'a, str>,
    mesh: &'a Mesh,
    /// Number of the mesh.
    number: usize,
    transform: DAffine3,
}

/// The meshes of the scene in the order of the tree; those of all nodes where there is no scene.
fn placed(root: &Root) -> Result<Vec<Placed<'_>>, MeshFileError> {
    let mut starts: Vec<u32> = match (root.scenes.get(root.scene.unwrap_or(0)), root.scene) {
        (Some(scene), _) => scene.nodes.to_vec(),
        (None, None) => top_nodes(root),
        (None, Some(scene)) => {
            let count = root.scenes.len();
            return Err(MeshFileError::new(format!(
                "the scene is number {scene}, but there are only {count}"
            )));
        }
    };
    starts.reverse();
    // A node and the index of its parent's transform: many children share one.
    let mut transforms = vec![DAffine3::IDENTITY];
    let mut left: Vec<(u32, u32)> = Vec::new();
    let mut seen = vec![false; root.nodes.len()];
    let mut placed = Vec::new();
    let mut visit = |left: &mut Vec<(u32, u32)>, number: u32, parent: usize| {
        let what = match seen.get_mut(number as usize) {
            None => format!("is named, but there are only {} nodes", root.nodes.len()),
            Some(true) => "has more than one parent; nodes must form a tree".into(),
            Some(seen) => {
                *seen = true;
                left.push((number, parent as u32));
                return Ok(());
            }
        };
        Err(MeshFileError::new(format!("node {number} {what}")))
    };
    starts.into_iter().try_for_each(|start| visit(&mut left, start, 0))?;
    while let Some((number, parent)) = left.pop() {
        let wrong = |what: String| Err(MeshFileError::new(format!("node {number} {what}")));
        let node = &root.nodes[number as usize];
        let transform = transforms[parent as usize] * node.transform();
        if !transform.is_finite() {
            return wrong("has a transform that is not finite".into());
        }
        if let Some(mesh) = node.mesh {
            let Some(found) = root.meshes.get(mesh as usize) else {
                let count = root.meshes.len();
                return wrong(format!("names mesh {mesh}, but there are only {count}"));
            };
            let name = node.name.as_deref().or(found.name.as_deref()).map(Cow::Borrowed);
            let name = name.unwrap_or_else(|| format!("node {number}").into());
            placed.push(Placed { name, mesh: found, number: mesh as usize, transform });
        }
        if !node.children.is_empty() {
            transforms.push(transform);
            let (children, parent) = (node.children.iter().rev(), transforms.len() - 1);
            children.copied().try_for_each(|child| visit(&mut left, child, parent))?;
        }
    }
    Ok(placed)
}

/// The nodes that are nobody's child.
fn top_nodes(root: &Root) -> Vec<u32> {
    let mut top = vec![true; root.nodes.len()];
    for &child in root.nodes.iter().flat_map(|node| node.children.iter()) {
        if let Some(top) = top.get_mut(child as usize) {
            *top = false;
        }
    }
    (0..root.nodes.len() as u32).filter(|&node| top[node as usize]).collect()
}

impl Node {
    fn transform(&self) -> DAffine3 {
        if let Some(matrix) = &self.matrix {
            return DAffine3::from_mat4(DMat4::from_cols_array(matrix));
        }
        let translation = self.translation.as_deref().map_or(DVec3::ZERO, |&t| t.into());
        let scale = self.scale.as_deref().map_or(DVec3::ONE, |&s| s.into());
        let rotation = self.rotation.as_deref().map_or(DQuat::IDENTITY, |&r| {
            // Writers round; a rotation of no length turns nothing.
            let rotation = DQuat::from_array(r);
            if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY }
        });
        DAffine3::from_scale_rotation_translation(scale, rotation, translation)
    }
}

struct File<'a> {
    root: &'a Root,
    buffers: &'a Buffers<'a>,
}

/// Values that an accessor gives, checked to lie in its buffer.
#[derive(Clone, Copy)]
struct Values<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    /// Numbers in a value.
    width: usize,
    component: Component,
    normalized: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

impl Values<'_> {
    /// Number `k` of value `i`.
    fn get(&self, i: usize, k: usize) -> f64 {
        let at = i * self.stride + k * self.component.size();
        let byte = |b: usize| self.bytes[at + b];
        let (value, full) = match self.component {
            Component::I8 => (f64::from(byte(0) as i8), 127.0),
            Component::U8 => (f64::from(byte(0)), 255.0),
            Component::I16 => (f64::from(i16::from_le_bytes([0, 1].map(byte))), 32767.0),
            Component::U16 => (f64::from(u16::from_le_bytes([0, 1].map(byte))), 65535.0),
            Component::U32 => (f64::from(u32::from_le_bytes([0, 1, 2, 3].map(byte))), 1.0),
            Component::F32 => (f64::from(f32::from_le_bytes([0, 1, 2, 3].map(byte))), 1.0),
        };
        // −128 stands for −1, as −127 does.
        if self.normalized { (value / full).max(-1.0) } else { value }
    }

    /// A whole number, for indices.
    fn index(&self, i: usize) -> usize {
        self.get(i, 0) as usize
    }
}

/// What a primitive will give.
struct Piece<'a> {
    positions: Values<'a>,
    indices: Option<Values<'a>>,
    shape: Shape,
    texture: Option<Values<'a>>,
    /// Name and letters of the columns.
    attributes: Vec<(&'a str, &'static str, Values<'a>)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Triangles,
    Strip,
    Fan,
}

impl Piece<'_> {
    /// The columns that attributes become: `colour.r`, `colour.g`, …; a single one has no letter.
    fn columns(&self) -> impl Iterator<Item = (String, Values<'_>, usize)> {
        self.attributes.iter().flat_map(|&(name, letters, values)| {
            letters.chars().take(values.width).enumerate().map(move |(k, letter)| {
                let alone = values.width == 1;
                let name = if alone { name.into() } else { format!("{name}.{letter}") };
                (name, values, k)
            })
        })
    }

    fn corners(&self) -> usize {
        self.indices.map_or(self.positions.count, |indices| indices.count)
    }

    fn triangles(&self) -> usize {
        match self.shape {
            Shape::Triangles => self.corners() / 3,
            Shape::Strip | Shape::Fan => self.corners().saturating_sub(2),
        }
    }

    /// Places of the corners of a triangle in the list of corners.
    fn triangle(&self, t: usize) -> [usize; 3] {
        match self.shape {
            Shape::Triangles => [3 * t, 3 * t + 1, 3 * t + 2],
            Shape::Strip if t.is_multiple_of(2) => [t, t + 1, t + 2],
            Shape::Strip => [t + 1, t, t + 2],
            Shape::Fan => [0, t + 1, t + 2],
        }
    }
}

/// All primitives of all placed meshes, and what they add up to.
#[derive(Default)]
struct Plan<'a> {
    /// By number of the mesh, for those that are placed.
    pieces: BTreeMap<usize, Vec<Piece<'a>>>,
    vertices: usize,
    triangles: usize,
    attributes: Vec<String>,
    textured: bool,
}

impl Plan<'_> {
    fn check(&self, placed: usize, size: usize) -> Result<(), MeshFileError> {
        let Self { vertices, triangles, .. } = *self;
        if triangles == 0 {
            return Err(MeshFileError::new("the file holds no triangles in its scene"));
        }
        let per_vertex = size_of::<DVec3>() + 4 * self.attributes.len();
        let per_triangle = 16 + if self.textured { 24 } else { 0 };
        let bytes = (vertices.saturating_mul(per_vertex))
            .saturating_add(triangles.saturating_mul(per_triangle))
            .saturating_add(placed.saturating_mul(PER_NODE));
        if bytes > size.saturating_mul(32).saturating_add(8 << 20) {
            return Err(MeshFileError::new(format!(
                "{placed} nodes repeat meshes until there are {vertices} vertices and {triangles} \
                 triangles, more than 32 times the size of the file"
            )));
        }
        if u32::try_from(vertices).is_err() {
            return Err(MeshFileError::new(format!(
                "there are {vertices} vertices, more than 32 bits can count"
            )));
        }
        Ok(())
    }
}

impl<'a> File<'a> {
    /// Checks every accessor, and that the surface does not outgrow the file: nodes and accessors
    /// may repeat the same bytes as often as they like.
    fn plan(&self, placed: &[Placed<'a>], size: usize) -> Result<Plan<'a>, MeshFileError> {
        let mut plan = Plan::default();
        let mut names = BTreeSet::new();
        for one in placed {
            if let Entry::Vacant(entry) = plan.pieces.entry(one.number) {
                let pieces = entry.insert(self.pieces(one.mesh, one.number)?);
                plan.textured |= pieces.iter().any(|piece| piece.texture.is_some());
                names.extend(pieces.iter().flat_map(Piece::columns).map(|column| column.0));
                if names.len() > MOST_ATTRIBUTES {
                    return Err(MeshFileError::new(format!(
                        "the vertices have more than {MOST_ATTRIBUTES} attributes"
                    )));
                }
            }
            for piece in &plan.pieces[&one.number] {
                plan.vertices = plan.vertices.saturating_add(piece.positions.count);
                plan.triangles = plan.triangles.saturating_add(piece.triangles());
            }
        }
        plan.attributes = names.into_iter().collect();
        plan.check(placed.len(), size)?;
        Ok(plan)
    }

    /// The primitives of a mesh that are made of triangles.
    fn pieces(&self, mesh: &'a Mesh, number: usize) -> Result<Vec<Piece<'a>>, MeshFileError> {
        let mut pieces = Vec::new();
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            let wrong =
                |what: String| MeshFileError::new(format!("mesh {number}, primitive {k}: {what}"));
            let shape = match primitive.mode {
                None | Some(4) => Shape::Triangles,
                Some(5) => Shape::Strip,
                Some(6) => Shape::Fan,
                // Points and lines.
                Some(0..=3) => continue,
                Some(mode) => return Err(wrong(format!("there is no mode {mode}"))),
            };
            pieces.push(self.piece(primitive, shape).map_err(wrong)?);
        }
        Ok(pieces)
    }

    fn piece(&self, primitive: &'a Primitive, shape: Shape) -> Result<Piece<'a>, String> {
        let Some(&positions) = primitive.attributes.get("POSITION") else {
            return Err("there is no attribute POSITION".into());
        };
        let positions = self.values(positions)?;
        if positions.width != 3 {
            return Err(format!("POSITION has {} numbers each; it must have 3", positions.width));
        }
        let indices = primitive.indices.map(|accessor| self.values(accessor)).transpose()?;
        let unsigned = [Component::U8, Component::U16, Component::U32];
        if indices.is_some_and(|i| i.width != 1 || i.normalized || !unsigned.contains(&i.component))
        {
            return Err("the indices must be SCALAR, unsigned and not normalized".into());
        }
        if primitive.attributes.len() > MOST_ATTRIBUTES {
            return Err(format!("there are more than {MOST_ATTRIBUTES} attributes"));
        }
        let mut texture = None;
        let mut attributes = Vec::new();
        for (name, &accessor) in &primitive.attributes {
            let own = name.starts_with('_');
            if !own && !matches!(&**name, "TEXCOORD_0" | "COLOR_0") {
                continue;
            }
            let values = self.values(accessor)?;
            if values.count != positions.count {
                let (count, right) = (values.count, positions.count);
                return Err(format!("{name} has {count} values, but there are {right} vertices"));
            }
            match &**name {
                "TEXCOORD_0" if values.width == 2 => texture = Some(values),
                "COLOR_0" if values.width >= 3 => attributes.push(("colour", "rgba", values)),
                _ if own => attributes.push((&name[1..], "xyzw", values)),
                _ => return Err(format!("{name} has {} numbers each", values.width)),
            }
        }
        let piece = Piece { positions, indices, shape, texture, attributes };
        if shape == Shape::Triangles && !piece.corners().is_multiple_of(3) {
            let corners = piece.corners();
            return Err(format!("there are {corners} corners, which is no multiple of 3"));
        }
        Ok(piece)
    }

    /// The values of an accessor.
    fn values(&self, number: usize) -> Result<Values<'a>, String> {
        let wrong = |what: String| format!("accessor {number} {what}");
        let Some(accessor) = self.root.accessors.get(number) else {
            let count = self.root.accessors.len();
            return Err(wrong(format!("is named, but there are only {count}")));
        };
        let view = match (accessor.buffer_view, &accessor.sparse) {
            (Some(view), None) => view,
            _ => {
                return Err(wrong(
                    "is sparse or has no buffer view, which cannot be read; export plain ones"
                        .into(),
                ));
            }
        };
        let component = match accessor.component_type {
            5120 => Component::I8,
            5121 => Component::U8,
            5122 => Component::I16,
            5123 => Component::U16,
            5125 => Component::U32,
            5126 => Component::F32,
            other => return Err(wrong(format!("has the unknown component type {other}"))),
        };
        let width = match &*accessor.kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            other => {
                let other = quoted(other.as_bytes());
                return Err(wrong(format!(
                    "has the type {other}; SCALAR and VEC2 to VEC4 can be read"
                )));
            }
        };
        let (bytes, stride) = self.view(view)?;
        let (count, size) = (accessor.count, width * component.size());
        let stride = stride.unwrap_or(size);
        if stride < size {
            return Err(wrong(format!("has a stride of {stride} bytes for values of {size}")));
        }
        let end = count.checked_sub(1).and_then(|last| last.checked_mul(stride)?.checked_add(size));
        let bytes = bytes.get(accessor.byte_offset..).unwrap_or_default();
        if end.is_none_or(|end| end > bytes.len()) {
            let left = bytes.len();
            return Err(wrong(format!(
                "has {count} values of {size} bytes, {stride} apart, but its view has {left} bytes \
                 for them"
            )));
        }
        Ok(Values { bytes, stride, count, width, component, normalized: accessor.normalized })
    }

    /// The bytes of a buffer view, and its stride.
    fn view(&self, number: usize) -> Result<(&'a [u8], Option<usize>), String> {
        let Some(view) = self.root.buffer_views.get(number) else {
            let count = self.root.buffer_views.len();
            return Err(format!("buffer view {number} is named, but there are only {count}"));
        };
        let source = self.buffers.of.get(view.buffer);
        let Some(buffer) = source.map(|&source| &self.buffers.sources[source]) else {
            let (buffer, count) = (view.buffer, self.buffers.of.len());
            return Err(format!(
                "buffer view {number} names buffer {buffer}, but there are only {count}"
            ));
        };
        let end = view.byte_offset.saturating_add(view.byte_length);
        let Some(bytes) = buffer.get(view.byte_offset..end) else {
            let (start, has) = (view.byte_offset, buffer.len());
            return Err(format!(
                "buffer view {number} spans bytes {start} to {end} of a buffer of {has} bytes"
            ));
        };
        Ok((bytes, view.byte_stride))
    }

    fn surface(&self, placed: &[Placed<'_>], plan: &Plan<'_>) -> Result<Surface, MeshFileError> {
        let mut surface = Surface {
            vertices: Vec::with_capacity(plan.vertices),
            triangles: Vec::with_capacity(plan.triangles),
            ..Surface::default()
        };
        if plan.textured {
            surface.uvs.reserve_exact(plan.triangles);
        }
        // Meshes that lack an attribute that others have: zero.
        surface.attributes = (plan.attributes.iter())
            .map(|name| Attribute { name: name.clone(), values: vec![0.0; plan.vertices] })
            .collect();
        let mut parts = Parts::with_capacity(plan.triangles);
        for one in placed {
            parts.begin(one.name.to_string());
            for piece in &plan.pieces[&one.number] {
                let before = surface.triangles.len();
                add(&mut surface, piece, one, plan)?;
                parts.add(surface.triangles.len() - before);
            }
        }
        surface.objects = parts.finish();
        Ok(surface)
    }
}

/// Adds the vertices and triangles of a primitive.
fn add(
    surface: &mut Surface,
    piece: &Piece<'_>,
    placed: &Placed<'_>,
    plan: &Plan<'_>,
) -> Result<(), MeshFileError> {
    let wrong = |what: String| {
        Err(MeshFileError::new(format!("mesh {} of {:?}: {what}", placed.number, placed.name)))
    };
    let first = surface.vertices.len();
    for i in 0..piece.positions.count {
        let local = DVec3::from_array([0, 1, 2].map(|k| piece.positions.get(i, k)));
        let position = placed.transform.transform_point3(local);
        if !position.is_finite() {
            return wrong(format!("vertex {i} is at {local}, moved to {position}"));
        }
        surface.vertices.push(position);
    }
    for (name, values, k) in piece.columns() {
        let column = plan.attributes.binary_search(&name).unwrap_or_default();
        let column = &mut surface.attributes[column].values[first..];
        for (i, slot) in column.iter_mut().enumerate().take(values.count) {
            *slot = values.get(i, k) as f32;
            if !slot.is_finite() {
                return wrong(format!("`{name}` of vertex {i} is {slot}"));
            }
        }
    }
    // A transform that mirrors turns triangles inside out; the winding is turned back.
    let mirrored = placed.transform.matrix3.determinant() < 0.0;
    for t in 0..piece.triangles() {
        let mut corners = piece.triangle(t);
        if mirrored {
            corners.swap(1, 2);
        }
        let corners = corners.map(|c| piece.indices.map_or(c, |indices| indices.index(c)));
        if let Some(vertex) = corners.iter().find(|&&vertex| vertex >= piece.positions.count) {
            let count = piece.positions.count;
            return wrong(format!(
                "triangle {t} names vertex {vertex}, but there are only {count}"
            ));
        }
        surface.triangles.push(corners.map(|vertex| (first + vertex) as u32));
        if plan.textured {
            let uv = |values: Values<'_>| corners.map(|v| [0, 1].map(|k| values.get(v, k) as f32));
            let uv = piece.texture.map_or([[0.0; 2]; 3], uv);
            if uv.iter().flatten().any(|value| !value.is_finite()) {
                return wrong(format!("a texture coordinate of triangle {t} is not finite"));
            }
            surface.uvs.push(uv);
        }
    }
    Ok(())
}
