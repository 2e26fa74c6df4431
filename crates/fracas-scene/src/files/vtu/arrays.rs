//! The arrays of a `.vtu` file, unpacked.

use std::borrow::Cow;

use miniz_oxide::inflate::decompress_slice_iter_to_slice;

use super::base64::Decoder;
use super::xml::{Tag, unescaped};
use crate::files::cursor::{Cursor, Encoding, Kind, quoted};
use crate::files::{MeshFileError, Place};

/// How the arrays of a file are stored.
pub(super) struct Storage<'a> {
    pub(super) file: &'a [u8],
    pub(super) byte_order: Encoding,
    /// Type of the numbers before the bytes of an array: how many there are.
    pub(super) header: Kind,
    /// Are the bytes packed with zlib?
    pub(super) zlib: bool,
    /// Where appended data begins, behind its `_`.
    pub(super) appended: Option<Appended>,
    /// Bytes that may still be unpacked: a short file must not unpack to gigabytes.
    pub(super) left: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Appended {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) base64: bool,
}

/// An array as its tag describes it.
pub(super) struct DataArray {
    pub(super) name: String,
    pub(super) components: usize,
    /// Type of its numbers, if it is one of numbers.
    kind: Option<Kind>,
    kind_name: String,
    format: Format,
    /// Line of its tag.
    pub(super) line: usize,
}

enum Format {
    /// Text of the file, from and to.
    Ascii(usize, usize),
    /// Base64 in the file, from and to.
    Binary(usize, usize),
    /// Place in the appended data.
    Appended(usize),
}

impl DataArray {
    /// `text` is where the text begins and ends that follows the tag.
    pub(super) fn new(tag: &Tag, text: (usize, usize)) -> Result<Self, MeshFileError> {
        let format = match tag.get("format").unwrap_or("ascii") {
            "ascii" => Format::Ascii(text.0, text.1),
            "binary" => Format::Binary(text.0, text.1),
            "appended" => {
                let offset = tag.count("offset")?;
                let missing = || tag.error("an appended array needs an `offset`");
                Format::Appended(offset.ok_or_else(missing)?)
            }
            other => {
                return Err(tag.error(format!(
                    "the format of an array must be `ascii`, `binary` or `appended`, not {}",
                    quoted(other.as_bytes())
                )));
            }
        };
        let kind_name = tag.get("type").unwrap_or_default();
        Ok(Self {
            name: unescaped(tag.get("Name").unwrap_or_default()),
            components: tag.count("NumberOfComponents")?.unwrap_or(1),
            kind: kind_of(kind_name),
            kind_name: kind_name.to_owned(),
            format,
            line: tag.line,
        })
    }

    pub(super) fn error(&self, what: impl Into<String>) -> MeshFileError {
        MeshFileError::at_line(self.line, what)
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "Int8" => Kind::I8,
        "UInt8" => Kind::U8,
        "Int16" => Kind::I16,
        "UInt16" => Kind::U16,
        "Int32" => Kind::I32,
        "UInt32" => Kind::U32,
        "Int64" => Kind::I64,
        "UInt64" => Kind::U64,
        "Float32" => Kind::F32,
        "Float64" => Kind::F64,
        _ => return None,
    })
}

/// The numbers of an array, read one after the other.
pub(super) struct Numbers<'a> {
    cursor: Cursor<'a>,
    kind: Kind,
}

impl Numbers<'_> {
    /// How many there are, if that is known before they are read; else 0. It is no more than
    /// what was paid for, so it may be reserved.
    pub(super) fn known_count(&self) -> usize {
        match self.cursor.encoding {
            Encoding::Ascii => 0,
            _ => self.cursor.left() / self.kind.size(),
        }
    }

    /// Is there another?
    pub(super) fn more(&mut self) -> bool {
        if self.cursor.encoding == Encoding::Ascii {
            self.cursor.skip_white_space();
        }
        self.cursor.left() > 0
    }

    pub(super) fn integer(&mut self, what: &str) -> Result<i64, MeshFileError> {
        self.cursor.integer(self.kind, what)
    }

    pub(super) fn real(&mut self, what: &str) -> Result<f64, MeshFileError> {
        self.cursor.real(self.kind, what)
    }

    pub(super) fn single(&mut self, what: &str) -> Result<f32, MeshFileError> {
        self.cursor.single(self.kind, what)
    }

    pub(super) fn error(&self, what: impl Into<String>) -> MeshFileError {
        self.cursor.error(what)
    }
}

impl<'a> Storage<'a> {
    /// Calls `read` with the numbers of an array.
    pub(super) fn with<T>(
        &mut self,
        array: &DataArray,
        read: impl FnOnce(&mut Numbers) -> Result<T, MeshFileError>,
    ) -> Result<T, MeshFileError> {
        let kind = array.kind.ok_or_else(|| {
            array.error(format!(
                "array `{}` must be of a type such as `Float64` or `Int32`, not {}",
                array.name,
                quoted(array.kind_name.as_bytes())
            ))
        })?;
        if let Format::Ascii(start, end) = array.format {
            let cursor = Cursor::starting_at(&self.file[..end], start, Encoding::Ascii);
            return read(&mut Numbers { cursor, kind });
        }
        let bytes = self.unpack(array, kind)?;
        let cursor = Cursor::unpacked(&bytes, self.byte_order, Place::Line(array.line));
        read(&mut Numbers { cursor, kind })
    }

    fn unpack(&mut self, array: &DataArray, kind: Kind) -> Result<Cow<'a, [u8]>, MeshFileError> {
        let wrong = |what| array.error(format!("array `{}`: {what}", array.name));
        let mut source = self.source(array).map_err(wrong)?;
        let bytes = if self.zlib {
            Cow::Owned(self.unpack_blocks(&mut source, kind).map_err(wrong)?)
        } else {
            let count = self.header(&mut source).map_err(wrong)?;
            self.spend(0, count, kind).map_err(wrong)?;
            source.take(count).map_err(wrong)?
        };
        if bytes.len() % kind.size() != 0 {
            let (bytes, size) = (bytes.len(), kind.size());
            return Err(wrong(format!("{bytes} bytes do not divide into numbers of {size}")));
        }
        Ok(bytes)
    }

    fn source(&self, array: &DataArray) -> Result<Source<'a>, String> {
        match (&array.format, self.appended) {
            (&Format::Ascii(start, end) | &Format::Binary(start, end), _) => {
                Ok(Source::Base64(Decoder::new(&self.file[start..end])))
            }
            (_, None) => Err("the file has no `AppendedData`".to_owned()),
            (&Format::Appended(offset), Some(Appended { start, end, base64 })) => {
                let data = self.file[start..end].get(offset..);
                let length = end - start;
                let data = data.ok_or_else(|| {
                    format!("offset {offset} lies behind the {length} bytes of appended data")
                })?;
                Ok(if base64 { Source::Base64(Decoder::new(data)) } else { Source::Raw(data) })
            }
        }
    }

    /// A number of the header of an array.
    fn header(&self, source: &mut Source<'a>) -> Result<usize, String> {
        let bytes = source.take(self.header.size())?;
        let mut cursor = Cursor::unpacked(&bytes, self.byte_order, Place::File);
        cursor.count(self.header, "a size of the header").map_err(|error| error.what)
    }

    /// Packed arrays: number of blocks, size of a block, size of the last block (0 if it is whole),
    /// packed sizes of all blocks; then the blocks.
    fn unpack_blocks(&mut self, source: &mut Source<'a>, kind: Kind) -> Result<Vec<u8>, String> {
        let blocks = self.header(source)?;
        let block = self.header(source)?;
        let last = self.header(source)?;
        let whole = if last == 0 { blocks } else { blocks.saturating_sub(1) };
        let size = whole.saturating_mul(block).saturating_add(if blocks == 0 { 0 } else { last });
        let least = blocks.saturating_mul(self.header.size());
        if least > source.left() {
            return Err(format!("{blocks} blocks need more bytes than there are"));
        }
        self.spend(least, size, kind)?;
        let mut packed = Vec::with_capacity(blocks);
        for _ in 0..blocks {
            packed.push(self.header(source)?);
        }
        let sum = packed.iter().fold(0_usize, |sum, &packed| sum.saturating_add(packed));
        self.spend(sum, 0, kind)?;
        let mut bytes = vec![0; size];
        let mut rest = bytes.as_mut_slice();
        for (k, &packed) in packed.iter().enumerate() {
            let (out, after) = rest.split_at_mut(if k < whole { block } else { last });
            rest = after;
            let data = source.take(packed)?;
            let written = decompress_slice_iter_to_slice(out, std::iter::once(&*data), true, false)
                .map_err(|_| format!("block {k} is not packed with zlib, or is damaged"))?;
            if written != out.len() {
                let due = out.len();
                return Err(format!("block {k} unpacks to {written} bytes instead of {due}"));
            }
        }
        Ok(bytes)
    }

    /// Counts bytes that something takes beside its numbers.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or("it is longer than a file of this size may still unpack to")?;
        Ok(())
    }

    /// Counts bytes that are read, bytes that an array has and the numbers of 4 bytes that it
    /// becomes. Many arrays may name the same appended bytes, so each pays for what it reads.
    fn spend(&mut self, read: usize, bytes: usize, kind: Kind) -> Result<(), String> {
        let numbers = (bytes / kind.size()).saturating_mul(4);
        self.charge(read.saturating_add(bytes).saturating_add(numbers))
    }
}

/// Where the bytes of an array come from.
enum Source<'a> {
    Raw(&'a [u8]),
    Base64(Decoder<'a>),
}

impl<'a> Source<'a> {
    /// Upper bound of the number of bytes that are left.
    fn left(&self) -> usize {
        match self {
            Self::Raw(bytes) => bytes.len(),
            Self::Base64(decoder) => decoder.left(),
        }
    }

    /// The next bytes.
    fn take(&mut self, count: usize) -> Result<Cow<'a, [u8]>, String> {
        let left = self.left();
        if count > left {
            return Err(format!("{count} bytes should follow, but at most {left} do"));
        }
        match self {
            Self::Raw(bytes) => {
                let (taken, rest) = bytes.split_at(count);
                *bytes = rest;
                Ok(Cow::Borrowed(taken))
            }
            Self::Base64(decoder) => {
                let mut taken = Vec::with_capacity(count);
                decoder.take(count, &mut taken)?;
                Ok(Cow::Owned(taken))
            }
        }
    }
}
