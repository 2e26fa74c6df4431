//! PLY: a header that declares elements and their properties, then text or binary values.
//!
//! Read are the elements `vertex` and `face`. Written by hand rather than with `ply-rs-bw`, which
//! trusts the counts of the header (two seconds for 80 bytes that announce 20 million elements
//! without properties) and tells no byte.

use fracas::glam::DVec3;
use fracas_mesh::{Attribute, Surface};

use super::error::MeshFileError;
use super::polygon::triangulate;
use super::text::{Lines, number, quoted, words};

/// The triangles of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Surface, MeshFileError> {
    let (header, mut body) = Header::read(bytes)?;
    let mut vertices: Option<Vertices> = None;
    let mut faces: Option<Faces> = None;
    for element in &header.elements {
        body.check_count(element)?;
        match element.name.as_str() {
            "vertex" => vertices = Some(Vertices::read(element, &mut body)?),
            "face" => {
                let Some(vertices) = &vertices else {
                    let what = "the element `face` comes before `vertex`; it must come after";
                    return Err(MeshFileError::at_line(element.line, what));
                };
                faces = Some(Faces::read(element, &mut body, vertices)?);
            }
            _ => skip(element, &mut body)?,
        }
    }
    let names: Vec<_> = header.elements.iter().map(|element| element.name.as_str()).collect();
    let missing = |name| {
        let names = names.join(", ");
        MeshFileError::new(format!("there is no element `{name}`; the file has: {names}"))
    };
    let vertices = vertices.ok_or_else(|| missing("vertex"))?;
    let faces = faces.ok_or_else(|| missing("face"))?;
    if faces.triangles.is_empty() {
        return Err(MeshFileError::new("the file holds no faces"));
    }
    let Vertices { positions, mut attributes, uv } = vertices;
    let mut uvs = faces.uvs;
    if let [Some(u), Some(v)] = uv {
        if uvs.is_empty() {
            let uv = |vertex: u32| [u, v].map(|k| attributes[k].values[vertex as usize]);
            uvs = faces.triangles.iter().map(|triangle| triangle.map(uv)).collect();
        }
        attributes.remove(u.max(v));
        attributes.remove(u.min(v));
    }
    let triangles = faces.triangles;
    Ok(Surface { vertices: positions, triangles, uvs, attributes, ..Surface::default() })
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    Text,
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn from_word(word: &[u8]) -> Result<Self, String> {
        Ok(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => {
                let word = quoted(word);
                return Err(format!(
                    "{word} is no type; known are char, uchar, short, ushort, int, uint, float \
                     and double"
                ));
            }
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// What stands for a full colour: 1, or the greatest integer.
    fn full(self) -> f64 {
        match self {
            Self::I8 => i8::MAX.into(),
            Self::U8 => u8::MAX.into(),
            Self::I16 => i16::MAX.into(),
            Self::U16 => u16::MAX.into(),
            Self::I32 => i32::MAX.into(),
            Self::U32 => u32::MAX.into(),
            Self::F32 | Self::F64 => 1.0,
        }
    }

    /// The value of as many bytes as [`Self::size`] says.
    fn decode(self, bytes: &[u8], encoding: Encoding) -> f64 {
        let mut little = [0; 8];
        let size = self.size().min(bytes.len());
        little[..size].copy_from_slice(&bytes[..size]);
        if encoding == Encoding::Big {
            little[..size].reverse();
        }
        let bits = u64::from_le_bytes(little);
        match self {
            Self::I8 => f64::from(bits as i8),
            Self::U8 => f64::from(bits as u8),
            Self::I16 => f64::from(bits as i16),
            Self::U16 => f64::from(bits as u16),
            Self::I32 => f64::from(bits as i32),
            Self::U32 => f64::from(bits as u32),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F64 => f64::from_bits(bits),
        }
    }
}

#[derive(Debug)]
struct Property {
    name: String,
    /// Type of the count, if this is a list.
    list: Option<Scalar>,
    scalar: Scalar,
}

#[derive(Debug)]
struct Element {
    name: String,
    count: u64,
    properties: Vec<Property>,
    /// Where it is declared.
    line: usize,
}

struct Header {
    elements: Vec<Element>,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<(Self, Body<'_>), MeshFileError> {
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        let mut at = 0;
        for (line, text) in Lines::new(bytes) {
            at += text.len() + 1;
            let mut rest = words(text);
            let word = rest.next().unwrap_or_default();
            let outcome = match word {
                _ if line == 1 && word != b"ply" => {
                    Err(format!("a PLY file begins with the line `ply`, not with {}", quoted(word)))
                }
                b"ply" if line == 1 => Ok(()),
                b"comment" | b"obj_info" | b"" => Ok(()),
                b"format" => format(rest).map(|format| encoding = Some(format)),
                b"element" => element(rest, line).map(|element| elements.push(element)),
                b"property" => match elements.last_mut() {
                    Some(element) => property(rest, element),
                    None => Err("a property must follow an `element`".into()),
                },
                b"end_header" => {
                    let Some(encoding) = encoding else {
                        let what = "the header ends without a line `format ascii 1.0` or \
                                    `format binary_little_endian 1.0`";
                        return Err(MeshFileError::at_line(line, what));
                    };
                    check(&elements)?;
                    let rest = bytes.get(at..).unwrap_or_default();
                    let body = Body { encoding, rest, line: line + 1, byte: at.min(bytes.len()) };
                    return Ok((Self { elements }, body));
                }
                word => Err(format!(
                    "{} stands in the header where `element`, `property` or `end_header` should",
                    quoted(word)
                )),
            };
            outcome.map_err(|what| MeshFileError::at_line(line, what))?;
        }
        Err(MeshFileError::new("the file ends before its header does, at a line `end_header`"))
    }
}

fn format<'a>(mut words: impl Iterator<Item = &'a [u8]>) -> Result<Encoding, String> {
    let encoding = match words.next().unwrap_or_default() {
        b"ascii" => Encoding::Text,
        b"binary_little_endian" => Encoding::Little,
        b"binary_big_endian" => Encoding::Big,
        word => {
            return Err(format!(
                "{} is no format; known are ascii, binary_little_endian and binary_big_endian",
                quoted(word)
            ));
        }
    };
    match words.next() {
        Some(b"1.0") => Ok(encoding),
        version => {
            let version = quoted(version.unwrap_or_default());
            Err(format!("the version is {version}; only 1.0 exists"))
        }
    }
}

fn element<'a>(mut words: impl Iterator<Item = &'a [u8]>, line: usize) -> Result<Element, String> {
    let (name, count) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let name = String::from_utf8_lossy(name).into_owned();
    let parsed = str::from_utf8(count).ok().and_then(|count| count.parse().ok());
    let Some(parsed) = parsed else {
        let count = quoted(count);
        return Err(format!(
            "the element `{name}` has the count {count}; it must be a whole number"
        ));
    };
    Ok(Element { name, count: parsed, properties: Vec::new(), line })
}

fn property<'a>(
    mut words: impl Iterator<Item = &'a [u8]>,
    element: &mut Element,
) -> Result<(), String> {
    let mut word = || words.next().unwrap_or_default();
    let first = word();
    let (list, scalar) = match first {
        b"list" => (Some(Scalar::from_word(word())?), Scalar::from_word(word())?),
        scalar => (None, Scalar::from_word(scalar)?),
    };
    let name = String::from_utf8_lossy(word()).into_owned();
    if name.is_empty() {
        return Err(format!("a property of `{}` has no name", element.name));
    }
    if element.properties.iter().any(|property| property.name == name) {
        return Err(format!("`{}` has two properties `{name}`", element.name));
    }
    if element.properties.len() == 1024 {
        return Err(format!("`{}` has more than 1024 properties", element.name));
    }
    element.properties.push(Property { name, list, scalar });
    Ok(())
}

/// Every element takes up space in the file, so that no count can be a lie, and has its own name.
fn check(elements: &[Element]) -> Result<(), MeshFileError> {
    for (k, element) in elements.iter().enumerate() {
        let name = &element.name;
        let wrong = |what| Err(MeshFileError::at_line(element.line, what));
        if element.properties.is_empty() && element.count > 0 {
            return wrong(format!("the element `{name}` has no properties"));
        }
        if k >= 64 {
            return wrong("there are more than 64 elements".into());
        }
        if elements[..k].iter().any(|other| other.name == *name) {
            return wrong(format!("there are two elements `{name}`"));
        }
    }
    Ok(())
}

/// What follows the header, as far as it has not been read.
struct Body<'a> {
    encoding: Encoding,
    rest: &'a [u8],
    line: usize,
    byte: usize,
}

impl<'a> Body<'a> {
    /// Refuses a count that the rest of the file cannot hold; after this it may be trusted.
    fn check_count(&self, element: &Element) -> Result<(), MeshFileError> {
        let least: usize = match self.encoding {
            // A digit and a space or an end of line, which the last may lack.
            Encoding::Text => 2 * element.properties.len(),
            _ => element.properties.iter().map(|p| p.list.unwrap_or(p.scalar).size()).sum(),
        };
        let (count, left) = (element.count, self.rest.len());
        if u128::from(count) * least as u128 > left as u128 + 1 {
            let name = &element.name;
            return Err(MeshFileError::at_line(
                element.line,
                format!(
                    "{count} elements `{name}` of at least {least} bytes each are announced, but \
                     only {left} bytes follow"
                ),
            ));
        }
        Ok(())
    }

    /// Reads one element: `give` gets the number of a property and its value, or one after the
    /// other those of its list.
    fn element(
        &mut self,
        element: &Element,
        number: u64,
        mut give: impl FnMut(usize, Value),
    ) -> Result<(), MeshFileError> {
        let mut row = self.row(element, number)?;
        for (k, property) in element.properties.iter().enumerate() {
            let Some(list) = property.list else {
                give(k, Value::Scalar(row.value(property, property.scalar)?));
                continue;
            };
            let count = row.value(property, list)?;
            if count < 0.0 || count.fract() != 0.0 {
                let what = format!("has the length {count}; it must be a whole number");
                return Err(row.wrong(property, &what));
            }
            row.check_list(property, count)?;
            for _ in 0..count as usize {
                give(k, Value::Item(row.value(property, property.scalar)?));
            }
        }
        let Row { rest, text, .. } = row;
        if text {
            if let Some(word) = words(rest).next() {
                return Err(MeshFileError::at_line(
                    self.line - 1,
                    format!(
                        "{} {number} ends with {}, which is beyond its last property",
                        element.name,
                        quoted(word)
                    ),
                ));
            }
        } else {
            self.byte += self.rest.len() - rest.len();
            self.rest = rest;
        }
        Ok(())
    }

    fn row<'e>(&mut self, element: &'e Element, number: u64) -> Result<Row<'a, 'e>, MeshFileError> {
        let text = self.encoding == Encoding::Text;
        let mut rest = self.rest;
        if text {
            // The next line that is not empty.
            loop {
                if self.rest.is_empty() {
                    let Element { name, count, .. } = element;
                    return Err(MeshFileError::at_line(
                        self.line,
                        format!("the file ends after {number} of {count} elements `{name}`"),
                    ));
                }
                let end = self.rest.iter().position(|&byte| byte == b'\n');
                rest = &self.rest[..end.unwrap_or(self.rest.len())];
                self.rest = end.map_or(&[], |end| &self.rest[end + 1..]);
                self.line += 1;
                if !rest.trim_ascii().is_empty() {
                    break;
                }
            }
        }
        let at = if text { self.line - 1 } else { self.byte };
        let (start, encoding) = (rest.len(), self.encoding);
        Ok(Row { element, number, rest, start, at, text, encoding })
    }
}

enum Value {
    Scalar(f64),
    Item(f64),
}

/// One element, being read.
struct Row<'a, 'e> {
    element: &'e Element,
    number: u64,
    rest: &'a [u8],
    /// Length of `rest` at the start.
    start: usize,
    /// Line of a text, else the byte of the start.
    at: usize,
    text: bool,
    encoding: Encoding,
}

impl Row<'_, '_> {
    fn value(&mut self, property: &Property, scalar: Scalar) -> Result<f64, MeshFileError> {
        if !self.text {
            let Some((bytes, rest)) = self.rest.split_at_checked(scalar.size()) else {
                return Err(self.wrong(property, "is cut off by the end of the file"));
            };
            self.rest = rest;
            return Ok(scalar.decode(bytes, self.encoding));
        }
        let line = self.rest.trim_ascii_start();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (word, rest) = line.split_at(end);
        if word.is_empty() {
            return Err(self.wrong(property, "is missing at the end of the line"));
        }
        let Some(value) = number(word) else {
            return Err(self.wrong(property, &format!("is {}, which is no number", quoted(word))));
        };
        self.rest = rest;
        Ok(value)
    }

    /// A list cannot be longer than what is left of the file or the line.
    fn check_list(&self, property: &Property, count: f64) -> Result<(), MeshFileError> {
        let least = if self.text { 2 } else { property.scalar.size() };
        if count * least as f64 > self.rest.len() as f64 {
            let left = self.rest.len();
            let what = format!("has {count} items, but only {left} bytes are left for them");
            return Err(self.wrong(property, &what));
        }
        Ok(())
    }

    fn wrong(&self, property: &Property, what: &str) -> MeshFileError {
        let what = format!("`{}` of {} {} {what}", property.name, self.element.name, self.number);
        match self.text {
            true => MeshFileError::at_line(self.at, what),
            false => MeshFileError::at_byte(self.at + self.start - self.rest.len(), what),
        }
    }
}

fn skip(element: &Element, body: &mut Body<'_>) -> Result<(), MeshFileError> {
    (0..element.count).try_for_each(|number| body.element(element, number, |_, _| ()))
}

struct Vertices {
    positions: Vec<DVec3>,
    attributes: Vec<Attribute>,
    /// Which attributes are texture coordinates.
    uv: [Option<usize>; 2],
}

/// Where a property of a vertex goes.
enum Target {
    Position(usize),
    Attribute(usize, f64),
    Nowhere,
}

impl Vertices {
    fn read(element: &Element, body: &mut Body<'_>) -> Result<Self, MeshFileError> {
        let mut vertices = Self { positions: Vec::new(), attributes: Vec::new(), uv: [None; 2] };
        let targets: Vec<Target> =
            element.properties.iter().map(|property| vertices.target(property)).collect();
        for (k, name) in ["x", "y", "z"].iter().enumerate() {
            if !targets.iter().any(|target| matches!(target, Target::Position(p) if *p == k)) {
                let what = format!("the element `vertex` has no property `{name}`");
                return Err(MeshFileError::at_line(element.line, what));
            }
        }
        // Checked against the length of the file.
        let count = element.count as usize;
        vertices.positions.reserve_exact(count);
        vertices.attributes.iter_mut().for_each(|a| a.values.reserve_exact(count));
        for number in 0..element.count {
            let byte = body.byte;
            let mut position = DVec3::ZERO;
            let mut wrong = None;
            body.element(element, number, |k, value| {
                let Value::Scalar(value) = value else { return };
                let finite = match targets[k] {
                    Target::Nowhere => true,
                    Target::Position(axis) => {
                        position[axis] = value;
                        value.is_finite()
                    }
                    Target::Attribute(a, full) => {
                        let value = (value / full) as f32;
                        vertices.attributes[a].values.push(value);
                        value.is_finite()
                    }
                };
                if !finite {
                    wrong = Some((k, value));
                }
            })?;
            if let Some((k, value)) = wrong {
                let name = &element.properties[k].name;
                let what = format!("`{name}` of vertex {number} is {value}");
                return Err(match body.encoding {
                    Encoding::Text => MeshFileError::at_line(body.line - 1, what),
                    _ => MeshFileError::at_byte(byte, what),
                });
            }
            vertices.positions.push(position);
        }
        Ok(vertices)
    }

    /// Normals are left out: a solid has its own.
    fn target(&mut self, property: &Property) -> Target {
        if property.list.is_some() {
            return Target::Nowhere;
        }
        let (name, full) = match property.name.as_str() {
            "x" => return Target::Position(0),
            "y" => return Target::Position(1),
            "z" => return Target::Position(2),
            "nx" | "ny" | "nz" => return Target::Nowhere,
            "red" => ("colour.r", property.scalar.full()),
            "green" => ("colour.g", property.scalar.full()),
            "blue" => ("colour.b", property.scalar.full()),
            "alpha" => ("colour.a", property.scalar.full()),
            name => (name, 1.0),
        };
        let index = self.attributes.len();
        match name {
            "s" | "u" | "texture_u" | "texture_s" => self.uv[0] = Some(index),
            "t" | "v" | "texture_v" | "texture_t" => self.uv[1] = Some(index),
            _ => {}
        }
        self.attributes.push(Attribute { name: name.into(), values: Vec::new() });
        Target::Attribute(index, full)
    }
}

#[derive(Default)]
struct Faces {
    triangles: Vec<[u32; 3]>,
    /// Of corners, where the faces have their own.
    uvs: Vec<[[f32; 2]; 3]>,
}

impl Faces {
    fn read(
        element: &Element,
        body: &mut Body<'_>,
        vertices: &Vertices,
    ) -> Result<Self, MeshFileError> {
        let list = |names: &[&str]| {
            let wanted = |p: &Property| p.list.is_some() && names.contains(&p.name.as_str());
            element.properties.iter().position(wanted)
        };
        let Some(corner_list) = list(&["vertex_indices", "vertex_index"]) else {
            let what = "the element `face` has no list `vertex_indices` or `vertex_index`";
            return Err(MeshFileError::at_line(element.line, what));
        };
        let texture_list = list(&["texcoord"]);
        let mut faces = Self::default();
        let (mut corners, mut texture) = (Vec::new(), Vec::new());
        for number in 0..element.count {
            let byte = body.byte;
            corners.clear();
            texture.clear();
            body.element(element, number, |k, value| match value {
                Value::Item(value) if k == corner_list => corners.push(value),
                Value::Item(value) if Some(k) == texture_list => texture.push(value as f32),
                _ => {}
            })?;
            faces.add(&corners, &texture, texture_list.is_some(), vertices).map_err(|what| {
                let what = format!("face {number} {what}");
                match body.encoding {
                    Encoding::Text => MeshFileError::at_line(body.line - 1, what),
                    _ => MeshFileError::at_byte(byte, what),
                }
            })?;
        }
        Ok(faces)
    }

    /// The error goes on after "face 3".
    fn add(
        &mut self,
        corners: &[f64],
        texture: &[f32],
        textured: bool,
        vertices: &Vertices,
    ) -> Result<(), String> {
        if corners.len() < 3 {
            return Err(format!("has {} corners; it must have at least 3", corners.len()));
        }
        let count = vertices.positions.len();
        let outside = |&&v: &&f64| !(v >= 0.0 && v < count as f64 && v.fract() == 0.0);
        if let Some(vertex) = corners.iter().find(outside) {
            return Err(format!("names vertex {vertex}, but there are only {count} vertices"));
        }
        if textured && texture.len() != 2 * corners.len() {
            return Err(format!(
                "has {} texture coordinates; for {} corners it must have {}",
                texture.len(),
                corners.len(),
                2 * corners.len()
            ));
        }
        if let Some(value) = texture.iter().find(|value| !value.is_finite()) {
            return Err(format!("has the texture coordinate {value}"));
        }
        triangulate(
            corners.len(),
            |k| vertices.positions[corners[k] as usize],
            |triangle| {
                self.triangles.push(triangle.map(|k| corners[k] as u32));
                if textured {
                    self.uvs.push(triangle.map(|k| [texture[2 * k], texture[2 * k + 1]]));
                }
            },
        )
        .map_err(|error| format!("cannot be used: {error}"))
    }
}
