//! A place in the bytes of a mesh file, from which lines, words and numbers are read.

use super::{MeshFileError, Place};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As words, divided by white space.
    Ascii,
    /// As bytes, the least one first.
    Little,
    /// As bytes, the greatest one first.
    Big,
}

/// Type of a number that is written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Kind {
    /// Number of bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// A number as it stands in a binary file.
enum Number {
    Whole(i128),
    Single(f32),
    Double(f64),
}

/// A place in a file. Errors point to the item that was read last.
///
/// The line is counted when an error is made, and not before: reading stays linear as long as an
/// error ends it.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    last: usize,
    /// How numbers are written from here on.
    pub(super) encoding: Encoding,
    /// Where errors are placed if these bytes were unpacked from somewhere in the file.
    origin: Option<Place>,
}

impl<'a> Cursor<'a> {
    /// The beginning of a text.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self::starting_at(bytes, 0, Encoding::Ascii)
    }

    /// A place inside a file.
    pub(super) fn starting_at(bytes: &'a [u8], at: usize, encoding: Encoding) -> Self {
        Self { bytes, at, last: at, encoding, origin: None }
    }

    /// The beginning of what was unpacked from a place in a file.
    pub(super) fn unpacked(bytes: &'a [u8], encoding: Encoding, origin: Place) -> Self {
        Self { bytes, at: 0, last: 0, encoding, origin: Some(origin) }
    }

    /// Number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Where the item stands that was read last.
    pub(super) fn place(&self) -> Place {
        self.place_of(self.last)
    }

    fn place_of(&self, at: usize) -> Place {
        match (self.origin, self.encoding) {
            (Some(place), _) => place,
            (None, Encoding::Ascii) => Place::Line(line_of(self.bytes, at)),
            (None, _) => Place::Byte(at),
        }
    }

    /// An error at the item that was read last.
    pub(super) fn error(&self, what: impl Into<String>) -> MeshFileError {
        MeshFileError::at(self.place(), what)
    }

    /// An error where the bytes end.
    fn ends(&self, what: &str) -> MeshFileError {
        let what = format!("the data ends where {what} should stand");
        MeshFileError::at(self.place_of(self.bytes.len()), what)
    }

    pub(super) fn skip_white_space(&mut self) {
        let white = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.at += white;
    }

    /// The rest of this line, without white space at its ends; `None` at the end of the bytes.
    pub(super) fn line(&mut self) -> Option<&'a [u8]> {
        self.last = self.at;
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        Some(rest[..length].trim_ascii())
    }

    /// The next line that is not blank, as text; `what` names it.
    pub(super) fn text_line(&mut self, what: &str) -> Result<&'a str, MeshFileError> {
        self.skip_white_space();
        let line = self.line().ok_or_else(|| self.ends(what))?;
        str::from_utf8(line).map_err(|_| self.error(format!("{what} is not UTF-8 text")))
    }

    /// The next word; `None` at the end of the bytes.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_white_space();
        self.last = self.at;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| &rest[..length])
    }

    /// The next word as text; `what` names it.
    pub(super) fn text_word(&mut self, what: &str) -> Result<&'a str, MeshFileError> {
        let word = self.word().ok_or_else(|| self.ends(what))?;
        str::from_utf8(word).map_err(|_| self.error(format!("{what} is not UTF-8 text")))
    }

    /// The next bytes.
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], MeshFileError> {
        self.last = self.at;
        let taken = self.bytes[self.at..].get(..count).ok_or_else(|| self.ends(what))?;
        self.at += count;
        Ok(taken)
    }

    /// Moves on behind the next occurrence of some bytes.
    pub(super) fn skip_behind(&mut self, needle: &str) -> Result<(), MeshFileError> {
        let found = find(&self.bytes[self.at..], needle.as_bytes());
        let found = found.ok_or_else(|| self.ends(&format!("`{needle}`")))?;
        self.at += found + needle.len();
        Ok(())
    }

    /// The next whole number.
    pub(super) fn integer(&mut self, kind: Kind, what: &str) -> Result<i64, MeshFileError> {
        if self.encoding == Encoding::Ascii {
            return self.parse(what, "a whole number");
        }
        match self.number(kind, what)? {
            Number::Whole(value) => i64::try_from(value)
                .map_err(|_| self.error(format!("{what} is {value}, which is too large"))),
            _ => Err(self.error(format!("{what} must be a whole number, but is a {kind:?}"))),
        }
    }

    /// The next whole number, which says how many of something there are.
    ///
    /// It is a claim of the file: nothing is reserved for it.
    pub(super) fn count(&mut self, kind: Kind, what: &str) -> Result<usize, MeshFileError> {
        let value = self.integer(kind, what)?;
        usize::try_from(value)
            .map_err(|_| self.error(format!("{what} must be at least 0, but is {value}")))
    }

    /// The next number, which is finite.
    pub(super) fn real(&mut self, kind: Kind, what: &str) -> Result<f64, MeshFileError> {
        let value = if self.encoding == Encoding::Ascii {
            self.parse(what, "a number")?
        } else {
            match self.number(kind, what)? {
                Number::Whole(value) => value as f64,
                Number::Single(value) => value.into(),
                Number::Double(value) => value,
            }
        };
        if value.is_finite() { Ok(value) } else { Err(self.not_finite(what, value)) }
    }

    /// The next number, rounded once to single precision, and finite there.
    pub(super) fn single(&mut self, kind: Kind, what: &str) -> Result<f32, MeshFileError> {
        let value = if self.encoding == Encoding::Ascii {
            self.parse(what, "a number")?
        } else {
            match self.number(kind, what)? {
                Number::Whole(value) => value as f32,
                Number::Single(value) => value,
                Number::Double(value) => value as f32,
            }
        };
        if value.is_finite() { Ok(value) } else { Err(self.not_finite(what, value.into())) }
    }

    fn not_finite(&self, what: &str, value: f64) -> MeshFileError {
        self.error(format!("{what} must be finite in its precision, but is {value}"))
    }

    fn parse<T: std::str::FromStr>(&mut self, what: &str, kind: &str) -> Result<T, MeshFileError> {
        let word = self.word().ok_or_else(|| self.ends(what))?;
        let value = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        value.ok_or_else(|| {
            self.error(format!("{what} must be {kind}, but here stands {}", quoted(word)))
        })
    }

    fn number(&mut self, kind: Kind, what: &str) -> Result<Number, MeshFileError> {
        let taken = self.take(kind.size(), what)?;
        let mut b = [0; 8];
        b[..taken.len()].copy_from_slice(taken);
        if self.encoding == Encoding::Big {
            b[..taken.len()].reverse();
        }
        let [b0, b1, b2, b3, ..] = b;
        Ok(match kind {
            Kind::I8 => Number::Whole(i8::from_le_bytes([b0]).into()),
            Kind::U8 => Number::Whole(b0.into()),
            Kind::I16 => Number::Whole(i16::from_le_bytes([b0, b1]).into()),
            Kind::U16 => Number::Whole(u16::from_le_bytes([b0, b1]).into()),
            Kind::I32 => Number::Whole(i32::from_le_bytes([b0, b1, b2, b3]).into()),
            Kind::U32 => Number::Whole(u32::from_le_bytes([b0, b1, b2, b3]).into()),
            Kind::I64 => Number::Whole(i64::from_le_bytes(b).into()),
            Kind::U64 => Number::Whole(u64::from_le_bytes(b).into()),
            Kind::F32 => Number::Single(f32::from_le_bytes([b0, b1, b2, b3])),
            Kind::F64 => Number::Double(f64::from_le_bytes(b)),
        })
    }
}

/// The line of a byte, counted from 1.
pub(super) fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at.min(bytes.len())].iter().filter(|&&b| b == b'\n').count()
}

/// Where some bytes begin inside others.
pub(super) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|window| window == needle)
}

/// A word of a file as it may stand in a message: short, and without control characters.
pub(super) fn quoted(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(160)]);
    let mut short: String =
        text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if short.len() < word.len() && text.chars().count() > 40 {
        short.push('…');
    }
    format!("`{short}`")
}
