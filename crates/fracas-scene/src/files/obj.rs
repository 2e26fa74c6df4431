//! Wavefront OBJ: text, one statement a line, corners by index.
//!
//! Read are `v` (with colours), `vt`, `f`, `l`, `o` and `g`. Normals, materials and groups for
//! smoothing are left out: a solid has its own. Written by hand rather than with `tobj`, which
//! tells no line, takes NaN for a position and stops at a comment that is not UTF-8.

use fracas::glam::DVec3;
use fracas_mesh::{Attribute, Surface};

use super::error::MeshFileError;
use super::parts::Parts;
use super::polygon::triangulate;
use super::text::{Lines, integer, name, number, quoted, words};

/// Statements without a say in shape, texture or names.
const IGNORED: [&[u8]; 15] = [
    b"vn",
    b"vp",
    b"s",
    b"mg",
    b"p",
    b"mtllib",
    b"usemtl",
    b"maplib",
    b"usemap",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"lod",
    b"shadow_obj",
    b"trace_obj",
];

/// The triangles of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Surface, MeshFileError> {
    let mut file = File::default();
    for (line, text) in Lines::joined(bytes) {
        file.statement(text).map_err(|what| MeshFileError::at_line(line, what))?;
    }
    file.surface()
}

/// The polylines of a file, its `l` elements.
pub(crate) fn read_curves(bytes: &[u8]) -> Result<Vec<Vec<[f32; 3]>>, MeshFileError> {
    let mut file = File::default();
    let mut curves = Vec::new();
    for (line, text) in Lines::joined(bytes) {
        let mut rest = words(without_comment(text));
        let outcome = match rest.next() {
            Some(b"l") => file.curve(rest).map(|curve| curves.push(curve)),
            Some(b"v") => file.vertex(rest),
            _ => Ok(()),
        };
        outcome.map_err(|what| MeshFileError::at_line(line, what))?;
    }
    if curves.is_empty() {
        return Err(MeshFileError::new(
            "the file holds no curves: there must be at least one line `l 1 2 …`",
        ));
    }
    Ok(curves)
}

fn without_comment(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == b'#').next().unwrap_or_default()
}

/// A corner of a face: a vertex and a texture coordinate.
type Corner = (u32, Option<u32>);

/// What has been read so far.
#[derive(Default)]
struct File {
    vertices: Vec<DVec3>,
    /// For every vertex, or for none.
    colours: Vec<[f32; 3]>,
    texture: Vec<[f32; 2]>,
    triangles: Vec<[u32; 3]>,
    /// For every triangle from the first that has some; zero where a face has none.
    uvs: Vec<[[f32; 2]; 3]>,
    parts: Parts,
    curves: usize,
    corners: Vec<Corner>,
}

impl File {
    fn statement(&mut self, line: &[u8]) -> Result<(), String> {
        let line = without_comment(line).trim_ascii_start();
        let mut rest = words(line);
        match rest.next() {
            None => {}
            Some(b"v") => self.vertex(rest)?,
            Some(b"vt") => self.texture_coordinate(rest)?,
            Some(b"f" | b"fo") => self.face(rest)?,
            Some(b"o" | b"g") => self.parts.begin(name(&line[1..])),
            Some(b"l") => {
                self.curve(rest)?;
                self.curves += 1;
            }
            Some(word @ (b"curv" | b"curv2" | b"surf" | b"cstype")) => {
                let word = quoted(word);
                return Err(format!("{word} is a free-form shape; export polygons instead"));
            }
            Some(word) if IGNORED.contains(&word) => {}
            Some(word) => {
                let word = quoted(word);
                return Err(format!("{word} is no statement of OBJ such as `v`, `vt`, `f` or `o`"));
            }
        }
        Ok(())
    }

    /// `v x y z`, then a weight, or a colour, or both.
    fn vertex<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let (values, count) = numbers::<7>(words)?;
        let [x, y, z, ..] = values;
        let colour = match count {
            3 | 4 => None,
            6 => Some([values[3], values[4], values[5]]),
            7 => Some([values[4], values[5], values[6]]),
            _ => {
                return Err(format!(
                    "a vertex has 3 coordinates, then perhaps a colour of 3; here are {count} \
                     numbers"
                ));
            }
        };
        if colour.is_some() != (self.colours.len() == self.vertices.len())
            && !self.vertices.is_empty()
        {
            let vertex = self.vertices.len() + 1;
            let (this, others) = if colour.is_some() { ("a", "no") } else { ("no", "a") };
            return Err(format!(
                "vertex {vertex} has {this} colour, but those before it have {others} colour; all \
                 or none must"
            ));
        }
        if let Some(colour) = colour {
            self.colours.push(colour.map(|value| value as f32));
        }
        self.vertices.push(DVec3::new(x, y, z));
        Ok(())
    }

    /// `vt u`, then v, then w, which is left out.
    fn texture_coordinate<'a>(
        &mut self,
        words: impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), String> {
        let ([u, v, _], count) = numbers::<3>(words)?;
        if count == 0 {
            return Err("a texture coordinate has 1 to 3 numbers; here are none".into());
        }
        self.texture.push([u as f32, v as f32]);
        Ok(())
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a [u8]>) -> Result<(), String> {
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        for (k, word) in words.enumerate() {
            corners.push(self.corner(word, k + 1)?);
        }
        if corners.len() < 3 {
            return Err(format!("a face has at least 3 corners; here are {}", corners.len()));
        }
        let textured = corners[0].1.is_some();
        if corners.iter().any(|corner| corner.1.is_some() != textured) {
            return Err(
                "some corners of the face have texture coordinates and some have not; all \
                        or none must"
                    .into(),
            );
        }
        let before = self.triangles.len();
        if textured {
            self.uvs.resize(before, [[0.0; 2]; 3]);
        }
        let (vertices, texture) = (&self.vertices, &self.texture);
        let uv = |k: usize| corners[k].1.map_or([0.0; 2], |t| texture[t as usize]);
        triangulate(
            corners.len(),
            |k| vertices[corners[k].0 as usize],
            |triangle| {
                self.triangles.push(triangle.map(|k| corners[k].0));
                if textured {
                    self.uvs.push(triangle.map(uv));
                }
            },
        )
        .map_err(|error| error.to_string())?;
        self.parts.add(self.triangles.len() - before);
        self.corners = corners;
        Ok(())
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&self, word: &[u8], corner: usize) -> Result<Corner, String> {
        let mut fields = word.splitn(3, |&byte| byte == b'/');
        let vertex = fields.next().unwrap_or_default();
        let vertex = index(vertex, self.vertices.len(), "vertex", "vertices")
            .map_err(|what| format!("face corner {corner} {what}"))?;
        let texture = match fields.next() {
            None | Some(b"") => None,
            Some(texture) => Some(
                index(texture, self.texture.len(), "texture coordinate", "texture coordinates")
                    .map_err(|what| format!("face corner {corner} {what}"))?,
            ),
        };
        Ok((vertex, texture))
    }

    fn curve<'a>(&self, words: impl Iterator<Item = &'a [u8]>) -> Result<Vec<[f32; 3]>, String> {
        let mut curve = Vec::new();
        for (k, word) in words.enumerate() {
            let vertex = word.split(|&byte| byte == b'/').next().unwrap_or_default();
            let vertex = index(vertex, self.vertices.len(), "vertex", "vertices")
                .map_err(|what| format!("curve point {} {what}", k + 1))?;
            let point = self.vertices[vertex as usize].as_vec3();
            if !point.is_finite() {
                return Err(format!("curve point {} is too far away for a curve", k + 1));
            }
            curve.push(point.to_array());
        }
        if curve.len() < 2 {
            return Err(format!("a curve has at least 2 points; here are {}", curve.len()));
        }
        Ok(curve)
    }

    fn surface(mut self) -> Result<Surface, MeshFileError> {
        if self.triangles.is_empty() {
            let curves = match self.curves {
                0 => String::new(),
                n => format!(", only {n} curves"),
            };
            return Err(MeshFileError::new(format!(
                "the file holds no faces{curves}: there must be at least one line `f 1 2 3`"
            )));
        }
        if !self.uvs.is_empty() {
            self.uvs.resize(self.triangles.len(), [[0.0; 2]; 3]);
        }
        let attributes = ["colour.r", "colour.g", "colour.b"].iter().enumerate();
        let attributes = attributes.filter(|_| !self.colours.is_empty()).map(|(k, name)| {
            let values = self.colours.iter().map(|colour| colour[k]).collect();
            Attribute { name: (*name).into(), values }
        });
        let attributes = attributes.collect();
        Ok(Surface {
            vertices: self.vertices,
            triangles: self.triangles,
            uvs: self.uvs,
            objects: self.parts.finish(),
            attributes,
        })
    }
}

/// Up to N numbers, and how many there are.
fn numbers<'a, const N: usize>(
    words: impl Iterator<Item = &'a [u8]>,
) -> Result<([f64; N], usize), String> {
    let mut values = [0.0; N];
    let mut count = 0;
    for word in words {
        let value = number(word).filter(|value| (*value as f32).is_finite());
        let Some(value) = value else {
            return Err(format!("{} is no number that can be used", quoted(word)));
        };
        if let Some(slot) = values.get_mut(count) {
            *slot = value;
        }
        count += 1;
    }
    Ok((values, count))
}

/// Index from 0 of an index from 1, or from −1 backwards; the error goes on after "corner 3".
fn index(word: &[u8], count: usize, one: &str, many: &str) -> Result<u32, String> {
    let Some(index) = integer(word) else {
        return Err(format!("names {one} {}, which is no whole number", quoted(word)));
    };
    let from_zero = if index > 0 { index - 1 } else { index.saturating_add(count as i64) };
    if index == 0 || from_zero < 0 || from_zero >= count as i64 {
        return Err(match index {
            0 => format!("names {one} 0, but {many} are counted from 1"),
            _ => format!("names {one} {index}, but only {count} {many} are defined so far"),
        });
    }
    u32::try_from(from_zero).map_err(|_| format!("names {one} {index}, which is beyond 32 bits"))
}
