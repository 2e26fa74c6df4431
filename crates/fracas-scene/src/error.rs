//! What is wrong with a scene, drawn with the line it stands on.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// What went wrong, for programs; people read the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// The file does not exist, or no scene has this name.
    NotFound,
    /// The file exists, but cannot be read.
    Unreadable,
    /// The path leads out of the folder that files are read from.
    OutsideFolder,
    /// The file is not text in UTF-8.
    NotText,
    /// The file is not TOML.
    Syntax,
    /// The file is written for a version of the format that this program does not know.
    UnknownFormat,
    /// A field that does not exist here.
    UnknownField,
    /// A field that must be there is not.
    MissingField,
    /// A value of the wrong type.
    WrongType,
    /// A number or a list outside what its field allows.
    OutOfRange,
    /// A material, preset, body, model or kind that does not exist.
    UnknownName,
    /// Two things of the same name.
    DuplicateName,
    /// Fields that exclude each other.
    Conflict,
    /// A time table that does not rise.
    BadTimes,
    /// A grip whose region holds no particle.
    EmptyRegion,
    /// More particles, copies or keys than a scene may have.
    TooLarge,
    /// The engine or a generator refused what the scene asks for.
    Refused,
    /// A mesh file that is wrong, or no solid.
    BadMesh,
    /// Not wrong, but without effect.
    NoEffect,
    /// A mesh file was wrong in a way that could be mended.
    Repaired,
}

/// A message about a scene: what is wrong, where, and the way out.
///
/// `Display` draws it in plain text, with the line and a caret under the offending token.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub(crate) severity: Severity,
    pub(crate) problem: Problem,
    pub(crate) message: String,
    pub(crate) help: Vec<String>,
    pub(crate) file: String,
    pub(crate) place: Option<Place>,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The scene is refused.
    Error,
    /// The scene runs, but perhaps not as meant.
    Warning,
}

/// A place in a file. Boxed text is shared by all messages about one scene.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub source: Arc<str>,
    pub span: Range<usize>,
    pub label: String,
    /// Another place that matters, and why.
    pub other: Option<(Range<usize>, String)>,
}

/// Why a scene was refused. Every message names the place and the way out.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError(Box<Diagnostic>);

impl std::ops::Deref for SceneError {
    type Target = Diagnostic;

    fn deref(&self) -> &Diagnostic {
        &self.0
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for SceneError {}

impl From<Diagnostic> for SceneError {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(Box::new(diagnostic))
    }
}

impl Diagnostic {
    /// An error about a whole file.
    pub(crate) fn about_file(problem: Problem, file: &str, message: String) -> Self {
        let severity = Severity::Error;
        Self { severity, problem, message, help: Vec::new(), file: file.into(), place: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    pub(crate) fn maybe_help(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }

    /// Writes beside the caret.
    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        if let Some(place) = &mut self.place {
            place.label = label.into();
        }
        self
    }

    /// Marks another place that matters.
    pub(crate) fn other(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        if let Some(place) = &mut self.place {
            place.other = Some((fit(&place.source, span), label.into()));
        }
        self
    }

    pub(crate) fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// Where the token begins, in bytes; messages without a place come first.
    pub(crate) fn start(&self) -> usize {
        self.place.as_ref().map_or(0, |place| place.span.start)
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What kind of problem it is.
    pub fn problem(&self) -> Problem {
        self.problem
    }

    /// The file, as it was named when opened.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The line, from 1, if the problem has a place in the file.
    pub fn line(&self) -> Option<usize> {
        Some(self.position()?.0)
    }

    /// The column in characters, from 1, if the problem has a place in the file.
    pub fn column(&self) -> Option<usize> {
        Some(self.position()?.1)
    }

    /// What is wrong, in one line and without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The way out: what is allowed, what was probably meant.
    pub fn helps(&self) -> &[String] {
        &self.help
    }

    /// The drawing with colours for a terminal; `Display` gives it without.
    pub fn coloured(&self) -> String {
        self.draw(&Renderer::styled())
    }

    fn position(&self) -> Option<(usize, usize)> {
        let place = self.place.as_ref()?;
        let before = &place.source[..place.span.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        Some((line, before[line_start..].chars().count() + 1))
    }

    fn draw(&self, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(self.message.as_str()));
        // What has no place is about the whole file, and its message names it.
        if let Some(place) = &self.place {
            let mut here = AnnotationKind::Primary.span(place.span.clone());
            if !place.label.is_empty() {
                here = here.label(place.label.as_str());
            }
            let other = place.other.iter().map(|(span, label)| {
                AnnotationKind::Context.span(span.clone()).label(label.as_str())
            });
            let snippet = Snippet::source(&*place.source).path(self.file.as_str());
            group = group.element(snippet.annotation(here).annotations(other));
        }
        group = group.elements(self.help.iter().map(|help| Level::HELP.message(help.as_str())));
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.draw(&Renderer::plain()))
    }
}

/// The text of a scene and its name, for messages about places in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    pub file: String,
    pub text: Arc<str>,
}

impl Source {
    /// An error at `span`.
    pub fn error(&self, problem: Problem, span: Range<usize>, message: String) -> Diagnostic {
        let span = fit(&self.text, span);
        let place = Place { source: self.text.clone(), span, label: String::new(), other: None };
        let mut diagnostic = Diagnostic::about_file(problem, &self.file, message);
        diagnostic.place = Some(place);
        diagnostic
    }

    /// What the user wrote at `span`, cut short if it is long.
    pub fn quote(&self, span: Range<usize>) -> String {
        const LONGEST: usize = 40;
        let written = &self.text[fit(&self.text, span)];
        let line = written.lines().next().unwrap_or_default();
        if line.len() == written.len() && line.chars().count() <= LONGEST {
            return line.into();
        }
        line.chars().take(LONGEST).chain(['…']).collect()
    }
}

/// The span, made to lie inside the text, on whole characters and on one line.
fn fit(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    let line_end = text[start..end].find('\n').map_or(end, |newline| start + newline);
    start..line_end
}
