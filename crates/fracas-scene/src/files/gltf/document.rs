//! The two layers of a glTF file below its meshes: JSON with the chunks around it, and buffers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::error::MeshFileError;
use super::super::text::quoted;
use super::super::{LARGEST, base64};
use crate::assets::Assets;

/// Extensions that a file may require because nothing that is read here depends on them;
/// `KHR_mesh_quantization` is read.
const HARMLESS: [&str; 5] = [
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "EXT_texture_",
];

/// The JSON and the binary chunk of a GLB file; everything is JSON in others.
pub(super) fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshFileError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let version = u32_at(bytes, 4)?;
    if version != 2 {
        return Err(MeshFileError::at_byte(4, format!("the version is {version}; it must be 2")));
    }
    let length = u32_at(bytes, 8)? as usize;
    let Some(whole) = bytes.get(..length) else {
        let has = bytes.len();
        let what = format!("the file should have {length} bytes, but has {has}: it is cut off");
        return Err(MeshFileError::at_byte(8, what));
    };
    let (json, at) = chunk(whole, 12, b"JSON")?;
    let blob = if at < length { Some(chunk(whole, at, b"BIN\0")?.0) } else { None };
    Ok((json, blob))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, MeshFileError> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk());
    let cut_off = || MeshFileError::at_byte(bytes.len(), "the file ends inside a GLB header");
    word.map(|word| u32::from_le_bytes(*word)).ok_or_else(cut_off)
}

/// The chunk that starts at a byte, and where the next one would start.
fn chunk<'a>(
    bytes: &'a [u8],
    at: usize,
    kind: &[u8; 4],
) -> Result<(&'a [u8], usize), MeshFileError> {
    let length = u32_at(bytes, at)? as usize;
    let found = u32_at(bytes, at + 4)?.to_le_bytes();
    if found != *kind {
        let (found, kind) = (quoted(&found), quoted(kind));
        let what = format!("the chunk is of kind {found}, but {kind} should stand here");
        return Err(MeshFileError::at_byte(at + 4, what));
    }
    let (start, end) = (at + 8, (at + 8).saturating_add(length));
    let Some(chunk) = bytes.get(start..end) else {
        let left = bytes.len() - start;
        let what = format!("the chunk should have {length} bytes, but only {left} are left");
        return Err(MeshFileError::at_byte(at, what));
    };
    Ok((chunk, end))
}

pub(super) fn json_error(bytes: &[u8], error: &serde_json::Error) -> MeshFileError {
    let message = error.to_string();
    // "… at line 1 column 2": the place is told by us.
    let what = message.split(" at line ").next().unwrap_or_default();
    let what = format!("the JSON is not glTF: {what}");
    match bytes.starts_with(b"glTF") {
        true if error.line() == 1 => {
            MeshFileError::at_byte(20 + error.column().saturating_sub(1), what)
        }
        true => MeshFileError::new(what),
        false => MeshFileError::at_line(error.line(), what),
    }
}

// The parts of the JSON that are read. Boxed where seldom used: a node may be 3 bytes of text.

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root {
    pub(super) asset: Asset,
    pub(super) scene: Option<usize>,
    #[serde(default)]
    pub(super) scenes: Box<[Scene]>,
    #[serde(default)]
    pub(super) nodes: Box<[Node]>,
    #[serde(default)]
    pub(super) meshes: Box<[Mesh]>,
    #[serde(default)]
    pub(super) accessors: Box<[Accessor]>,
    #[serde(default)]
    pub(super) buffer_views: Box<[View]>,
    #[serde(default)]
    pub(super) buffers: Box<[Buffer]>,
    #[serde(default)]
    pub(super) extensions_required: Box<[Box<str>]>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) version: Box<str>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Box<[u32]>,
}

#[derive(Deserialize)]
pub(super) struct Node {
    pub(super) name: Option<Box<str>>,
    pub(super) mesh: Option<u32>,
    #[serde(default)]
    pub(super) children: Box<[u32]>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<Box<[f64; 3]>>,
    pub(super) rotation: Option<Box<[f64; 4]>>,
    pub(super) scale: Option<Box<[f64; 3]>>,
}

#[derive(Deserialize)]
pub(super) struct Mesh {
    pub(super) name: Option<Box<str>>,
    pub(super) primitives: Box<[Primitive]>,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: BTreeMap<Box<str>, usize>,
    pub(super) indices: Option<usize>,
    pub(super) mode: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: Box<str>,
    pub(super) sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<Box<str>>,
    pub(super) byte_length: usize,
}

impl Root {
    pub(super) fn check(&self) -> Result<(), MeshFileError> {
        let version = &self.asset.version;
        if !version.starts_with("2.") {
            let version = quoted(version.as_bytes());
            return Err(MeshFileError::new(format!(
                "the version of glTF is {version}; it must be 2.0"
            )));
        }
        let harmless = |name: &str| HARMLESS.iter().any(|known| name.starts_with(known));
        if let Some(name) = self.extensions_required.iter().find(|name| !harmless(name)) {
            let name = quoted(name.as_bytes());
            return Err(MeshFileError::new(format!(
                "the file requires the extension {name}, which cannot be read; export it without \
                 compression and without extensions"
            )));
        }
        Ok(())
    }
}

/// The bytes of the buffers.
pub(super) struct Buffers<'a> {
    pub(super) sources: Vec<Cow<'a, [u8]>>,
    /// Index into `sources` for each buffer: several may be the same file.
    pub(super) of: Vec<usize>,
}

impl<'a> Buffers<'a> {
    /// Each buffer is the binary chunk, base64 in the file, or a file of its own.
    pub(super) fn read(
        root: &Root,
        blob: Option<&'a [u8]>,
        folder: &str,
        assets: &dyn Assets,
    ) -> Result<Self, MeshFileError> {
        let mut buffers = Self { sources: Vec::new(), of: Vec::new() };
        let mut files = BTreeMap::new();
        for (k, buffer) in root.buffers.iter().enumerate() {
            let wrong = |what: String| MeshFileError::new(format!("buffer {k} {what}"));
            let next = buffers.sources.len();
            let mut source = next;
            match (buffer.uri.as_deref(), blob) {
                (None, Some(blob)) if k == 0 => buffers.sources.push(blob.into()),
                (None, _) => {
                    return Err(wrong("has no `uri`, and the file no binary chunk".into()));
                }
                (Some(uri), _) => match uri.strip_prefix("data:") {
                    Some(data) => buffers.sources.push(data_uri(data).map_err(wrong)?.into()),
                    None => {
                        source = *files.entry(uri).or_insert(next);
                        if source == next {
                            let read = assets.read(&format!("{folder}{}", unescape(uri)));
                            let read =
                                read.map_err(|error| wrong(format!("is missing: {error}")))?;
                            buffers.sources.push(read.into());
                        }
                    }
                },
            }
            let (right, has) = (buffer.byte_length, buffers.sources[source].len());
            if has < right {
                return Err(wrong(format!("should have {right} bytes, but has only {has}")));
            }
            if buffers.size() > LARGEST {
                return Err(wrong(format!("makes them more than {LARGEST} bytes (1 GiB)")));
            }
            buffers.of.push(source);
        }
        Ok(buffers)
    }

    pub(super) fn size(&self) -> usize {
        self.sources.iter().map(|source| source.len()).sum()
    }
}

/// What follows `data:`.
fn data_uri(data: &str) -> Result<Vec<u8>, String> {
    let Some((_, base64)) = data.split_once(";base64,") else {
        return Err("is a `data:` address without `;base64,`".into());
    };
    base64::decode(base64.as_bytes()).map_err(|at| format!("is no base64 at its character {at}"))
}

/// A path without its `%20` and the like.
fn unescape(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%');
        let value = digits.and_then(|digits| str::from_utf8(digits).ok());
        match value.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                bytes.push(value);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
