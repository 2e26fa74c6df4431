//! What is wrong with a file before its contents are looked at.

use toml::de::DeTable;

use crate::assets::AssetError;
use crate::error::{Diagnostic, Problem, Source};
use crate::reader::{Span, short};

pub(crate) fn unreadable(name: &str, error: &AssetError) -> Diagnostic {
    // `name` is the path as the user gave it; the error may know only its end.
    let (problem, message, help) = match error {
        AssetError::NotFound { .. } => (
            Problem::NotFound,
            format!("there is no file {name:?}"),
            "give the path of a scene file, or the name of a scene of the gallery",
        ),
        AssetError::OutsideFolder { .. } => (
            Problem::OutsideFolder,
            format!("the path {name:?} leads out of the scene's folder"),
            "paths are relative, without `..`, and use `/`",
        ),
        AssetError::Unreadable { reason, .. } => (
            Problem::Unreadable,
            format!("cannot read {name:?}: {reason}"),
            "a scene is a text file that you may read",
        ),
    };
    Diagnostic::about_file(problem, name, message).help(help)
}

pub(crate) fn not_text(name: &str, bytes: &[u8], valid: usize) -> Diagnostic {
    // The text up to the bad byte is valid, so places in it stay where they are.
    let text = String::from_utf8_lossy(bytes);
    let source = Source { file: name.into(), text: text.as_ref().into() };
    let byte = bytes.get(valid).copied().unwrap_or_default();
    let message = "the file is not text in UTF-8".to_string();
    source
        .error(Problem::NotText, valid..valid + '\u{fffd}'.len_utf8(), message)
        .label(format!("the byte 0x{byte:02x} is not allowed here"))
        .help("save the file as UTF-8")
}

pub(crate) fn syntax_error(
    source: &Source,
    problem: &toml::de::Error,
    document: &DeTable<'_>,
) -> Diagnostic {
    let span = problem.span().unwrap_or(0..0);
    if problem.message() == "duplicate key" {
        let name = source.quote(span.clone());
        let error =
            source.error(Problem::DuplicateName, span.clone(), format!("`{name}` is given twice"));
        return match first_of_two(source, document, &name, span.start) {
            Some(first) => error.other(first, "first here"),
            None => error,
        }
        .help("keep one of the two");
    }
    let here = source.text.get(span.start..).and_then(|rest| rest.chars().next());
    if here.is_some_and(|c| c.is_control() && !c.is_whitespace()) {
        let message = "this is not a text file".to_string();
        let error = source.error(Problem::NotText, span, message);
        return error.help("a scene is a text file in TOML, see docs/scenes.md");
    }
    let (message, help) = match plain_words(source, &span, problem.message()) {
        Some((message, help)) => (message, Some(help)),
        None => (problem.message().to_string(), None),
    };
    source.error(Problem::Syntax, span, format!("syntax error: {message}")).maybe_help(help)
}

/// Where the name that is given again was given first.
fn first_of_two(source: &Source, document: &DeTable<'_>, name: &str, again: usize) -> Option<Span> {
    let (line_start, line) = line_at(&source.text, again);
    if line.trim_start().starts_with('[') {
        let header = line.trim_end();
        let mut start = 0;
        for before in source.text[..line_start].split_inclusive('\n') {
            if before.trim_end() == header {
                return Some(start..start + header.len());
            }
            start += before.len();
        }
        return None;
    }
    // Of all fields of this name before, the last one is in the same table.
    fn collect(table: &DeTable<'_>, name: &str, again: usize, last: &mut Option<Span>) {
        for (key, value) in table {
            let span = key.span();
            let later = last.as_ref().is_none_or(|last| span.start > last.start);
            if key.get_ref() == name && span.start < again && later {
                *last = Some(span);
            }
            let inner = value.get_ref();
            let tables = inner.as_array().into_iter().flatten();
            let tables = tables.filter_map(|item| item.get_ref().as_table());
            for inner in inner.as_table().into_iter().chain(tables) {
                collect(inner, name, again, last);
            }
        }
    }
    let mut last = None;
    collect(document, name, again, &mut last);
    last
}

/// Start of the line at this place, and the line.
fn line_at(text: &str, place: usize) -> (usize, &str) {
    let place = text.floor_char_boundary(place.min(text.len()));
    let start = text[..place].rfind('\n').map_or(0, |newline| newline + 1);
    (start, text[start..].lines().next().unwrap_or_default())
}

/// Common slips in plain words, with the way out.
fn plain_words(source: &Source, span: &Span, problem: &str) -> Option<(String, String)> {
    let say = |message: &str, help: String| Some((message.to_string(), help));
    let (line_start, line) = line_at(&source.text, span.start);
    let place = line.floor_char_boundary(span.start.saturating_sub(line_start).min(line.len()));
    let ends = |c: char| " \t,[]{}=#".contains(c);
    let start = line[..place].rfind(ends).map_or(0, |end| end + 1);
    let word = line[start..].split(ends).next().unwrap_or_default();
    let number = word.trim_start_matches(['-', '+']);

    if problem.contains("recurs") {
        return say(
            "lists or tables are nested too deeply",
            "a scene needs only a few levels".into(),
        );
    }
    if problem.starts_with("invalid basic string") || problem.starts_with("invalid literal string")
    {
        return say("this text is not closed", "close it with a quotation mark".into());
    }
    if matches!(word, "True" | "False" | "TRUE" | "FALSE") {
        return say("not a value", format!("write `{}`", word.to_lowercase()));
    }
    if number.starts_with('.') || number.ends_with('.') && number.len() > 1 {
        let help = "a number has digits on both sides of its point: `0.5`, `1.0`";
        return say("not a number", help.into());
    }
    if number.starts_with('0') && number.len() > 1 && number.chars().all(|c| c.is_ascii_digit()) {
        return say("not a number", "a number does not begin with 0".into());
    }
    let (key, value) = line.split_once('=')?;
    if value.split('#').next().is_some_and(|value| value.trim().is_empty()) {
        let key = short(key.trim());
        return say(
            &format!("`{key}` has no value"),
            format!("write it after the `=`, or remove `{key}`"),
        );
    }
    if problem.contains("must be quoted") && word.starts_with(char::is_alphabetic) {
        return say("text stands in quotes", format!("write `\"{}\"`", short(word)));
    }
    None
}
