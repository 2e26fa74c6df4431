//! What a snapshot saves and a hash sees.
//!
//! Every type of state lists its columns once, to a [`Sink`]: a [`Vec<u8>`] makes a snapshot of
//! them, a [`StateHash`] a 64-bit number. So nothing can be saved and not hashed.

use bytemuck::Pod;

/// Takes state, column by column.
pub trait Sink {
    /// A single number.
    fn number(&mut self, value: u64);
    /// A column of any plain type without floats.
    fn column<T: Pod>(&mut self, values: &[T])
    where
        Self: Sized;
    /// A column of a type made of `f32` alone.
    fn floats<T: Pod>(&mut self, values: &[T])
    where
        Self: Sized;
}

impl Sink for Vec<u8> {
    fn number(&mut self, value: u64) {
        self.extend_from_slice(&value.to_le_bytes());
    }

    fn column<T: Pod>(&mut self, values: &[T]) {
        self.number(values.len() as u64);
        self.extend_from_slice(bytemuck::cast_slice(values));
    }

    fn floats<T: Pod>(&mut self, values: &[T]) {
        self.column(values);
    }
}

/// A 64-bit hash of state: multiply and rotate per 64-bit word, mixed at the end.
///
/// −0 counts as +0, since which of the two a minimum returns differs between processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash(u64);

impl Default for StateHash {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl StateHash {
    /// Odd, with bits spread evenly (2⁶⁴ over the golden ratio).
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(Self::FACTOR);
    }

    /// Floats of a long column, as four columns one beside the other: each word waits for the one before it, and four wait together.
    pub fn floats_side_by_side<T: Pod>(&mut self, values: &[T]) {
        let values: &[f32] = bytemuck::cast_slice(values);
        let bits = |x: f32| u64::from((x + 0.0).to_bits());
        let mut four: [Self; 4] = std::array::from_fn(|k| Self(self.0 ^ k as u64));
        let (eights, last) = values.as_chunks::<8>();
        for eight in eights {
            for k in 0..4 {
                four[k].word(bits(eight[2 * k]) | bits(eight[2 * k + 1]) << 32);
            }
        }
        four.into_iter().for_each(|column| self.word(column.0));
        self.floats(last);
        self.word(values.len() as u64);
    }

    /// The hash of everything so far.
    pub fn finish(self) -> u64 {
        // two rounds of xor-shift-multiply, so that the last word reaches every bit
        let mut h = self.0;
        h = (h ^ (h >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        h = (h ^ (h >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        h ^ (h >> 32)
    }
}

impl Sink for StateHash {
    fn number(&mut self, value: u64) {
        self.word(value);
    }

    fn column<T: Pod>(&mut self, values: &[T]) {
        self.word(values.len() as u64);
        let bytes: &[u8] = bytemuck::cast_slice(values);
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        let mut last = [0; 8];
        let rest = chunks.remainder();
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
    }

    fn floats<T: Pod>(&mut self, values: &[T]) {
        let values: &[f32] = bytemuck::cast_slice(values);
        self.word(values.len() as u64);
        let bits = |x: f32| u64::from((x + 0.0).to_bits());
        let mut pairs = values.chunks_exact(2);
        for pair in &mut pairs {
            self.word(bits(pair[0]) | bits(pair[1]) << 32);
        }
        self.word(pairs.remainder().first().map_or(0, |&x| bits(x)));
    }
}

/// Why bytes are not a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin like a snapshot.
    #[error("these bytes are not a Fracas snapshot (they do not begin with its mark)")]
    NotASnapshot,
    /// Another version of the format.
    #[error("snapshot of format {found}, but this version reads format {expected}")]
    Version {
        /// The format found.
        found: u64,
        /// The format read here.
        expected: u64,
    },
    /// The checksum does not match.
    #[error(
        "the snapshot is damaged: its checksum is {found:08x}, its content gives {expected:08x}"
    )]
    Checksum {
        /// The checksum in the bytes.
        found: u32,
        /// The checksum of the content.
        expected: u32,
    },
    /// The bytes end early or hold more than they should.
    #[error("the snapshot is damaged at byte {offset}: {what}")]
    Damaged {
        /// Where.
        offset: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A body is of a model that the caller must supply.
    #[error("body {name:?} is of the own model {model:?}: load it with World::load_with")]
    UnknownModel {
        /// The body.
        name: String,
        /// The model's name.
        model: String,
    },
}

/// Reads back what a `Vec<u8>` took. Never panics, never takes more memory than there are bytes.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Reads from the first byte on.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0 }
    }

    /// An error at this place.
    pub fn damaged(&self, what: &'static str) -> SnapshotError {
        SnapshotError::Damaged { offset: self.offset, what }
    }

    /// Whether everything has been read.
    pub fn is_done(&self) -> bool {
        self.offset == self.bytes.len()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], SnapshotError> {
        let left = &self.bytes[self.offset..];
        let taken = left.get(..count).ok_or(self.damaged("it ends early"))?;
        self.offset += count;
        Ok(taken)
    }

    /// A single number.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] if the bytes end.
    pub fn number(&mut self) -> Result<u64, SnapshotError> {
        let mut word = [0; 8];
        word.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(word))
    }

    /// A column, as written by [`Sink::column`] or [`Sink::floats`].
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] if the bytes end.
    pub fn column<T: Pod>(&mut self) -> Result<Vec<T>, SnapshotError> {
        let count = self.number()?;
        let bytes = usize::try_from(count)
            .ok()
            .and_then(|n| n.checked_mul(size_of::<T>()))
            .ok_or(self.damaged("a column longer than memory"))?;
        Ok(bytemuck::pod_collect_to_vec(self.take(bytes)?))
    }

    /// A column that must have `count` elements.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] if the bytes end or the length differs.
    pub fn column_of<T: Pod>(&mut self, count: usize) -> Result<Vec<T>, SnapshotError> {
        let values = self.column()?;
        if values.len() == count {
            Ok(values)
        } else {
            Err(self.damaged("a column of wrong length"))
        }
    }

    /// A text.
    ///
    /// # Errors
    /// [`SnapshotError::Damaged`] if the bytes end or are not UTF-8.
    pub fn text(&mut self) -> Result<String, SnapshotError> {
        String::from_utf8(self.column()?).map_err(|_| self.damaged("a text that is not UTF-8"))
    }
}

/// CRC-32C (Castagnoli, polynomial 1EDC6F41, reflected): what guards a snapshot.
pub fn crc32c(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let mut crc = i as u32;
            let mut bit = 0;
            while bit < 8 {
                crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
                bit += 1;
            }
            table[i] = crc;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |crc, &b| TABLE[((crc ^ u32::from(b)) & 255) as usize] ^ crc >> 8)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    /// Check value of the CRC catalogue: CRC-32C of the digits 1 to 9.
    #[test]
    fn crc32c_of_123456789_is_e3069283() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn hash_sees_every_bit_but_the_sign_of_zero() {
        let hash = |values: &[f32]| {
            let mut hash = StateHash::default();
            hash.floats(values);
            hash.finish()
        };
        let base = [1.0, -2.5, 0.0, 4.0, 5.0];
        assert_eq!(hash(&base), hash(&[1.0, -2.5, -0.0, 4.0, 5.0]));
        for i in 0..5 {
            let mut other = base;
            other[i] = f32::from_bits(other[i].to_bits() ^ 1);
            assert_ne!(hash(&base), hash(&other), "value {i}");
        }
        assert_ne!(hash(&[1.0, 2.0]), hash(&[2.0, 1.0]));
    }

    #[test]
    fn columns_come_back_and_every_truncation_is_refused() {
        let mut bytes = Vec::new();
        bytes.number(7);
        bytes.floats(&[[1.0f32, 2.0, 3.0]; 3]);
        bytes.column(b"bar");
        let read = |bytes: &[u8]| -> Result<(u64, Vec<[f32; 3]>, String), SnapshotError> {
            let mut reader = Reader::new(bytes);
            Ok((reader.number()?, reader.column()?, reader.text()?))
        };
        assert_eq!(read(&bytes).unwrap(), (7, vec![[1.0, 2.0, 3.0]; 3], "bar".into()));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "cut at {end}");
        }
    }
}
