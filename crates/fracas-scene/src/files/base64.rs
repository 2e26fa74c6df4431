//! Base64, as `data:` addresses and XML carry it (RFC 4648, section 4).

/// The six bits that a letter stands for.
pub(super) fn value(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// The bytes that a text stands for; white space does not count. The error is where the text goes
/// wrong.
pub(super) fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    let mut padding = 0;
    for (at, &letter) in text.iter().enumerate() {
        let value = match value(letter) {
            Some(value) => value,
            None if letter == b'=' && padding < 2 => {
                padding += 1;
                continue;
            }
            None if letter.is_ascii_whitespace() => continue,
            None => return Err(at),
        };
        if padding > 0 {
            return Err(at);
        }
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    // One letter alone is no byte.
    if count >= 6 { Err(text.len()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::decode;

    /// RFC 4648, section 10.
    #[test]
    fn the_examples_of_the_standard() {
        let examples = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, text) in examples.iter().enumerate() {
            assert_eq!(decode(text.as_bytes()), Ok(b"foobar"[..length].to_vec()));
        }
        assert_eq!(decode(b"+/8="), Ok(vec![0xfb, 0xff]));
        assert_eq!(decode(b"Zm\n9v"), Ok(b"foo".to_vec()));
        assert_eq!(decode(b"Zm9*"), Err(3));
        assert_eq!(decode(b"Zg==Zg"), Err(4));
        assert_eq!(decode(b"Z"), Err(1));
    }
}
