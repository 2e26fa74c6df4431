//! Why a mesh file was refused: what is wrong, where, and what would be right.

use std::fmt;

/// What is wrong with a mesh file. The file's name is added by who knows it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}{what}")]
pub struct MeshFileError {
    /// Where.
    pub place: Place,
    /// What is wrong and what would be right, in one sentence.
    pub what: String,
}

impl MeshFileError {
    /// Something wrong at a place.
    pub fn at(place: Place, what: impl Into<String>) -> Self {
        Self { place, what: short(what.into()) }
    }

    /// Something wrong with the file as a whole.
    pub fn new(what: impl Into<String>) -> Self {
        Self::at(Place::File, what)
    }

    /// Something wrong in a line, counted from 1.
    pub fn at_line(line: usize, what: impl Into<String>) -> Self {
        Self::at(Place::Line(line), what)
    }

    /// Something wrong at a byte, counted from 0.
    pub fn at_byte(byte: usize, what: impl Into<String>) -> Self {
        Self::at(Place::Byte(byte), what)
    }
}

/// Words of the file stand in messages, and may be as long as the file.
fn short(mut what: String) -> String {
    const LONGEST: usize = 500;
    if what.len() > LONGEST {
        what.truncate(what.floor_char_boundary(LONGEST));
        what.push('…');
    }
    what
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, "line {line}: "),
            Self::Byte(byte) => write!(f, "byte {byte}: "),
        }
    }
}
