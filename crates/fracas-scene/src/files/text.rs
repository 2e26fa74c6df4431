//! What the readers of text share: lines with numbers, tokens, numbers in words.

/// The lines of a text, numbered from 1. With `joined`, a backslash at the end of a line joins the
/// next one to it, and both carry the number of the first.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    line: usize,
    joined: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text, line: 1, joined: false }
    }

    pub(super) fn joined(text: &'a [u8]) -> Self {
        Self { joined: true, ..Self::new(text) }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let (first, mut start) = (self.line, 0);
        let end = loop {
            let newline = self.rest[start..].iter().position(|&byte| byte == b'\n');
            let end = newline.map_or(self.rest.len(), |at| start + at);
            self.line += 1;
            let part = self.rest[start..end].trim_ascii();
            // A comment may end with the path of a folder.
            let comment = start == 0 && part.starts_with(b"#");
            if newline.is_none() || !self.joined || comment || !part.ends_with(b"\\") {
                break end;
            }
            start = end + 1;
        };
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        Some((first, line))
    }
}

/// The words of a line, and of lines that a backslash joins.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'\\';
    line.split(between).filter(|word| !word.is_empty())
}

/// A finite number.
pub(super) fn number(word: &[u8]) -> Option<f64> {
    str::from_utf8(word).ok()?.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A whole number.
pub(super) fn integer(word: &[u8]) -> Option<i64> {
    str::from_utf8(word).ok()?.parse().ok()
}

/// A word as an error message shows it: quoted, and cut where it is long.
pub(super) fn quoted(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(200)]);
    if text.chars().count() <= 40 {
        return format!("{text:?}");
    }
    format!("{:?}…", text.chars().take(40).collect::<String>())
}

/// A name: the rest of a line.
pub(super) fn name(text: &[u8]) -> String {
    String::from_utf8_lossy(text.trim_ascii()).into_owned()
}
