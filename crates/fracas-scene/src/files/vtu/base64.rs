//! Base64 (RFC 4648), read piece by piece.

use crate::files::base64::value;

/// Characters that are left to decode. White space is skipped.
///
/// VTK encodes headers and data one after the other, each with its own padding, so padding ends
/// a group of four characters and not the whole.
pub(super) struct Decoder<'a> {
    rest: &'a [u8],
    /// Bytes decoded, but not yet taken.
    ready: [u8; 3],
    have: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text, ready: [0; 3], have: 0 }
    }

    /// Upper bound of the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.have + self.rest.len() / 4 * 3 + 3
    }

    /// Appends the next bytes.
    pub(super) fn take(&mut self, count: usize, out: &mut Vec<u8>) -> Result<(), String> {
        let end = out.len() + count;
        while out.len() < end {
            if self.have == 0 {
                self.decode_group()?;
            }
            let used = self.have.min(end - out.len());
            out.extend_from_slice(&self.ready[..used]);
            self.ready.copy_within(used.., 0);
            self.have -= used;
        }
        Ok(())
    }

    /// The next four characters as one to three bytes.
    fn decode_group(&mut self) -> Result<(), String> {
        let mut bits = 0_u32;
        let mut padding = 0;
        for _ in 0..4 {
            let c = self.next_character()?;
            let value = match value(c) {
                Some(value) => value,
                None if c == b'=' => 0,
                None => return Err(format!("base64 has no character `{}`", c.escape_ascii())),
            };
            if c != b'=' && padding > 0 {
                return Err("base64 has a character after its padding `=`".to_owned());
            }
            padding += usize::from(c == b'=');
            bits = bits << 6 | u32::from(value);
        }
        if padding > 2 {
            return Err("base64 has more than two `=` in a group".to_owned());
        }
        let [_, bytes @ ..] = bits.to_be_bytes();
        self.ready = bytes;
        self.have = 3 - padding;
        Ok(())
    }

    fn next_character(&mut self) -> Result<u8, String> {
        self.rest = self.rest.trim_ascii_start();
        let (&first, rest) = self.rest.split_first().ok_or("base64 ends too early")?;
        self.rest = rest;
        Ok(first)
    }
}
