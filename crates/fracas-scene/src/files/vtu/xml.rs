//! As much XML as VTK writes: tags with attributes, and text between them.
//!
//! By hand, because raw appended data is no XML and every XML library stops at it. Document types
//! and entities of one's own are refused, so nothing can be expanded.

use crate::files::MeshFileError;
use crate::files::cursor::{find, line_of, quoted};

/// A tag.
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    attributes: Vec<(&'a str, &'a str)>,
    pub(super) kind: TagKind,
    /// Its line.
    pub(super) line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TagKind {
    /// `<name>`
    Open,
    /// `</name>`
    Close,
    /// `<name/>`
    Empty,
}

impl<'a> Tag<'a> {
    /// An attribute as it stands in the file.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(key, _)| *key == name).map(|&(_, value)| value)
    }

    /// An attribute that is a whole number; `None` if it is missing or empty.
    pub(super) fn count(&self, name: &str) -> Result<Option<usize>, MeshFileError> {
        match self.get(name).map(str::trim) {
            None | Some("") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|_| {
                self.error(format!(
                    "`{name}` must be a whole number of at least 0, but is {}",
                    quoted(text.as_bytes())
                ))
            }),
        }
    }

    pub(super) fn error(&self, what: impl Into<String>) -> MeshFileError {
        MeshFileError::at_line(self.line, what)
    }
}

/// The tags of a file, one after the other.
pub(super) struct Tags<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Line of `at`, kept up with it.
    line: usize,
}

impl<'a> Tags<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        // A byte order mark may stand before everything.
        let at = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
        Self { bytes, at, line: 1 }
    }

    /// Where the last tag ended.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Where the text ends that follows the last tag.
    pub(super) fn text_end(&self) -> usize {
        let rest = &self.bytes[self.at..];
        self.at + rest.iter().position(|&b| b == b'<').unwrap_or(rest.len())
    }

    fn advance(&mut self, to: usize) {
        self.line += line_of(&self.bytes[self.at..to], to - self.at) - 1;
        self.at = to;
    }

    fn error(&self, what: impl Into<String>) -> MeshFileError {
        MeshFileError::at_line(self.line, what)
    }

    /// The next tag, behind text and comments; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Tag<'a>>, MeshFileError> {
        loop {
            self.advance(self.text_end());
            let rest = &self.bytes[self.at..];
            if rest.is_empty() {
                return Ok(None);
            }
            if rest.starts_with(b"<!--") {
                self.skip_behind("-->")?;
            } else if rest.starts_with(b"<?") {
                self.skip_behind("?>")?;
            } else if rest.starts_with(b"<!") {
                let what = "document types and `CDATA` are not allowed in a mesh file";
                return Err(self.error(what));
            } else {
                return self.tag().map(Some);
            }
        }
    }

    fn skip_behind(&mut self, end: &str) -> Result<(), MeshFileError> {
        let found = find(&self.bytes[self.at..], end.as_bytes());
        let found = found.ok_or_else(|| self.error(format!("here begins what no `{end}` ends")))?;
        self.advance(self.at + found + end.len());
        Ok(())
    }

    fn tag(&mut self) -> Result<Tag<'a>, MeshFileError> {
        let text = &self.bytes[self.at + 1..];
        let end = tag_end(text).ok_or_else(|| self.error("here begins a tag that no `>` ends"))?;
        let text = str::from_utf8(&text[..end]).map_err(|_| self.error("a tag is not UTF-8"))?;
        let (text, kind) = match (text.strip_prefix('/'), text.strip_suffix('/')) {
            (Some(text), _) => (text, TagKind::Close),
            (None, Some(text)) => (text, TagKind::Empty),
            (None, None) => (text, TagKind::Open),
        };
        let (name, rest) = text.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((text, ""));
        let attributes = attributes(rest).map_err(|what| self.error(what))?;
        let tag = Tag { name, attributes, kind, line: self.line };
        self.advance(self.at + 1 + end + 1);
        Ok(tag)
    }
}

/// Where the `>` stands that ends a tag; one between quotation marks does not.
fn tag_end(text: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (k, &b) in text.iter().enumerate() {
        match (quote, b) {
            (None, b'>') => return Some(k),
            (None, b'<') => return None,
            (None, b'"' | b'\'') => quote = Some(b),
            (Some(q), _) if b == q => quote = None,
            _ => {}
        }
    }
    None
}

fn attributes(mut rest: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return Ok(attributes);
        }
        let wrong = || {
            format!("attributes are written as `name=\"value\"`, not {}", quoted(rest.as_bytes()))
        };
        let (name, value) = rest.split_once('=').ok_or_else(wrong)?;
        let value = value.trim_ascii_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(wrong)?;
        let (value, after) = value[1..].split_once(quote).ok_or_else(wrong)?;
        attributes.push((name.trim_ascii_end(), value));
        rest = after;
    }
}

/// Text in which `&lt;` stands for `<`, and so on for the five names that XML knows.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&")
}

/// The reverse. Control characters may not stand in XML and are written as blanks.
pub(super) fn escaped(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
