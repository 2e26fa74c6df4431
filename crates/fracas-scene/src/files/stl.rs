//! STL, binary and text: a list of triangles, each with its own corners.
//!
//! Corners at exactly the same place become one vertex; those that only nearly meet are left to
//! `Surface::repair`. Normals and the two spare bytes of a triangle are not read: the order of the
//! corners says which side is out. Written by hand rather than with `stl_io`, which tells no line,
//! drops every solid but the first and takes binary files that begin with `solid` for text.

use std::collections::HashMap;

use fracas::glam::DVec3;
use fracas_mesh::{Objects, Surface};

use super::error::MeshFileError;
use super::parts::Parts;
use super::text::{Lines, name, number, quoted};

/// Comment and number of triangles.
const HEADER: usize = 84;
/// Normal, corners, spare bytes.
const TRIANGLE: usize = 50;

/// The triangles of a file.
pub(crate) fn read(bytes: &[u8]) -> Result<Surface, MeshFileError> {
    let surface = if is_text(bytes) { read_text(bytes)? } else { read_binary(bytes)? };
    if surface.triangles.is_empty() {
        return Err(MeshFileError::new("the file holds no triangles"));
    }
    Ok(surface)
}

/// Bytes of a binary file with the number of triangles that its header gives.
fn binary_length(bytes: &[u8]) -> Option<(usize, usize)> {
    let count = bytes.get(HEADER - 4..HEADER)?.try_into().map(u32::from_le_bytes).ok()? as usize;
    Some((count, count.checked_mul(TRIANGLE)?.checked_add(HEADER)?))
}

/// Both kinds may begin with `solid`; then the length tells.
fn is_text(bytes: &[u8]) -> bool {
    let solid = bytes.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    solid && binary_length(bytes).is_none_or(|(_, length)| length != bytes.len())
}

fn read_binary(bytes: &[u8]) -> Result<Surface, MeshFileError> {
    let Some((count, length)) = binary_length(bytes) else {
        return Err(MeshFileError::new(format!(
            "the file has {} bytes; an STL file begins with the word `solid` or with a header of \
             {HEADER} bytes",
            bytes.len()
        )));
    };
    if length != bytes.len() {
        return Err(MeshFileError::at_byte(
            HEADER - 4,
            format!(
                "the header announces {count} triangles, which makes a file of {length} bytes, but \
                 it has {}",
                bytes.len()
            ),
        ));
    }
    let mut soup = Soup::default();
    for (triangle, record) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
        let mut corners = [DVec3::ZERO; 3];
        for (k, place) in record[12..48].chunks_exact(12).enumerate() {
            let value = |at: usize| f32::from_le_bytes([0, 1, 2, 3].map(|b| place[4 * at + b]));
            corners[k] = DVec3::from_array([0, 1, 2].map(|at| f64::from(value(at))));
            if !corners[k].is_finite() {
                return Err(MeshFileError::at_byte(
                    HEADER + TRIANGLE * triangle + 12 * (k + 1),
                    format!("corner {k} of triangle {triangle} is at {}", corners[k]),
                ));
            }
        }
        soup.add(corners);
    }
    Ok(soup.surface(Objects::NONE))
}

/// Triangles on their way to shared vertices.
#[derive(Default)]
struct Soup {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// By the bits of the position; only ever looked up, so its order does not matter.
    index: HashMap<[u64; 3], u32>,
}

impl Soup {
    fn add(&mut self, corners: [DVec3; 3]) {
        let triangle = corners.map(|corner| {
            // Adding zero makes −0 and 0 the same place.
            let key = (corner + DVec3::ZERO).to_array().map(f64::to_bits);
            *self.index.entry(key).or_insert_with(|| {
                self.vertices.push(corner);
                self.vertices.len() as u32 - 1
            })
        });
        self.triangles.push(triangle);
    }

    fn surface(self, objects: Objects) -> Surface {
        Surface {
            vertices: self.vertices,
            triangles: self.triangles,
            objects,
            ..Surface::default()
        }
    }
}

fn read_text(bytes: &[u8]) -> Result<Surface, MeshFileError> {
    let mut words = Words::new(bytes);
    let mut soup = Soup::default();
    let mut parts = Parts::default();
    let mut solids = 0;
    while let Some(word) = words.next() {
        if !word.eq_ignore_ascii_case(b"solid") {
            return Err(words.wrong(Some(word), "`solid`, or the end of the file"));
        }
        solids += 1;
        parts.begin(words.rest_of_line());
        loop {
            let word = words.next();
            match word.map(<[u8]>::to_ascii_lowercase).as_deref() {
                Some(b"facet") => {
                    soup.add(facet(&mut words)?);
                    parts.add(1);
                }
                Some(b"endsolid") => break,
                _ => return Err(words.wrong(word, "`facet` or `endsolid`")),
            }
        }
        words.rest_of_line();
    }
    let objects = if solids > 1 { parts.finish() } else { Objects::NONE };
    Ok(soup.surface(objects))
}

/// What follows the word `facet`.
fn facet(words: &mut Words<'_>) -> Result<[DVec3; 3], MeshFileError> {
    // `normal` and three numbers, which some writers leave out or fill with NaN.
    let mut word = words.next();
    for _ in 0..4 {
        if !word.is_some_and(|word| word.eq_ignore_ascii_case(b"outer")) {
            word = words.next();
        }
    }
    if !word.is_some_and(|word| word.eq_ignore_ascii_case(b"outer")) {
        return Err(words.wrong(word, "`outer loop` after the normal"));
    }
    words.expect("loop")?;
    let mut corners = [DVec3::ZERO; 3];
    for corner in &mut corners {
        words.expect("vertex")?;
        *corner = DVec3::new(words.number()?, words.number()?, words.number()?);
    }
    words.expect("endloop")?;
    words.expect("endfacet")?;
    Ok(corners)
}

/// The words of a text file, across its lines.
struct Words<'a> {
    lines: Lines<'a>,
    line: usize,
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { lines: Lines::new(bytes), line: 1, rest: &[] }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            let line = self.rest.trim_ascii_start();
            if !line.is_empty() {
                let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
                let (word, rest) = line.split_at(end);
                self.rest = rest;
                return Some(word);
            }
            (self.line, self.rest) = self.lines.next()?;
        }
    }

    fn rest_of_line(&mut self) -> String {
        name(std::mem::take(&mut self.rest))
    }

    fn expect(&mut self, right: &str) -> Result<(), MeshFileError> {
        let word = self.next();
        if word.is_some_and(|word| word.eq_ignore_ascii_case(right.as_bytes())) {
            return Ok(());
        }
        Err(self.wrong(word, &format!("`{right}`")))
    }

    fn number(&mut self) -> Result<f64, MeshFileError> {
        let word = self.next();
        word.and_then(number).ok_or_else(|| self.wrong(word, "a number"))
    }

    fn wrong(&self, word: Option<&[u8]>, right: &str) -> MeshFileError {
        let what = match word {
            Some(word) => format!("{} stands where {right} should", quoted(word)),
            None => format!("the file ends where {right} should stand"),
        };
        MeshFileError::at_line(self.line, what)
    }
}
