//! Scripts: what somebody would do with mouse and keyboard, one deed a line.
//!
//! The language is described in `docs/window.md`.

use std::path::{Path, PathBuf};

use eframe::egui::{Key, Modifiers, PointerButton};
use fracas_scene::play::Action;
use thiserror::Error;

/// A line that cannot be understood or done.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{line}: {message}", file.display())]
pub struct ScriptError {
    /// The script.
    pub file: PathBuf,
    /// Counted from 1; 0 is the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// A length of the window: points, or a share of the view or of something in a panel.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Length {
    /// From the upper left corner of the window.
    Points(f32),
    /// From the upper left corner of the 3-D view, 1 its whole side.
    Share(f32),
    /// The same of a slider or a title of a panel, by its name.
    Of(String, f32),
}

/// Across and down.
pub(super) type Place = [Length; 2];

/// A button of the mouse, and keys held meanwhile.
pub(super) type Button = (PointerButton, Modifiers);

/// What to wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wait {
    /// So many frames are done since the scene began.
    Frame(u64),
    /// So many more.
    Frames(u64),
    /// The window was drawn so many times more.
    Draws(u64),
    /// The scene is built, and nothing that was asked for is still under way.
    Idle,
    /// So many seconds.
    Seconds(f64),
}

/// What a line does.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Deed {
    Wait(Wait),
    /// How long later lines may wait, in s.
    Timeout(f64),
    Move(Place),
    Press(Button),
    Release(Button),
    Click(Button, Place),
    /// Moves with a button pressed, in so many drawn frames.
    Drag(Button, [Place; 2], u32),
    Key(Modifiers, Key),
    /// Holds a key for so many drawn frames.
    Hold(Key, u32),
    /// In points; above 0 away from oneself.
    Wheel(f32),
    /// A file is held over the window.
    Hover(PathBuf),
    /// And let go.
    Drop(PathBuf),
    Act(Action),
    Open(String),
    /// Stops after so many more frames.
    Steps(u32),
    /// The size of the window, in points.
    Resize([f32; 2]),
    Screenshot(PathBuf),
    WindowScreenshot(PathBuf),
    /// Appends a line of JSON to a file.
    Report(PathBuf),
    LoseDevice,
    Close,
}

/// Reads a script: the deeds, and on which line each stands.
///
/// # Errors
/// The first line that is wrong.
pub(super) fn parse(file: &Path, text: &str) -> Result<Vec<(usize, Deed)>, ScriptError> {
    let mut deeds = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let deed = deed(line).map_err(|message| ScriptError {
            file: file.to_owned(),
            line: index + 1,
            message,
        })?;
        deeds.push((index + 1, deed));
    }
    Ok(deeds)
}

fn deed(line: &str) -> Result<Deed, String> {
    let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let wrong = |form: &str| format!("write `{verb} {form}`, not `{line}`");
    let path = || if rest.is_empty() { Err(wrong("FILE")) } else { Ok(PathBuf::from(rest)) };
    Ok(match (verb, words.as_slice()) {
        ("wait", words) => Deed::Wait(wait(words).ok_or_else(|| {
            wrong("frame N`, `wait frames N`, `wait draws N`, `wait seconds S` or `wait idle")
        })?),
        ("timeout", &[seconds]) => Deed::Timeout(number(seconds)?),
        ("move", &[x, y]) => Deed::Move(place(x, y)?),
        ("press", &[at]) => Deed::Press(button(at)?),
        ("release", &[at]) => Deed::Release(button(at)?),
        ("click", &[at, x, y]) => Deed::Click(button(at)?, place(x, y)?),
        ("drag", &[at, x0, y0, x1, y1, frames]) => {
            Deed::Drag(button(at)?, [place(x0, y0)?, place(x1, y1)?], number(frames)?)
        }
        ("key", &[keys]) => {
            let (modifiers, name) = modifiers(keys)?;
            Deed::Key(modifiers, key(name)?)
        }
        ("hold", &[name, frames]) => Deed::Hold(key(name)?, number(frames)?),
        ("wheel", &[points]) => Deed::Wheel(number(points)?),
        ("hover", _) => Deed::Hover(path()?),
        ("drop", _) => Deed::Drop(path()?),
        ("act", _) => Deed::Act(action(rest)?),
        ("open", _) => Deed::Open(path()?.display().to_string()),
        ("steps", &[count]) => Deed::Steps(number(count)?),
        ("resize", &[x, y]) => Deed::Resize([number(x)?, number(y)?]),
        ("screenshot", _) => Deed::Screenshot(path()?),
        ("window-screenshot", _) => Deed::WindowScreenshot(path()?),
        ("report", _) => Deed::Report(path()?),
        ("lose-device", []) => Deed::LoseDevice,
        ("close", []) => Deed::Close,
        _ => return Err(form_of(verb).map_or_else(|| unknown(verb), wrong)),
    })
}

/// The words after a verb.
fn form_of(verb: &str) -> Option<&'static str> {
    let forms = [
        ("timeout", "SECONDS"),
        ("move", "X Y"),
        ("press", "BUTTON"),
        ("release", "BUTTON"),
        ("click", "BUTTON X Y"),
        ("drag", "BUTTON X Y X Y FRAMES"),
        ("key", "KEY"),
        ("hold", "KEY FRAMES"),
        ("wheel", "POINTS"),
        ("steps", "N"),
        ("resize", "WIDTH HEIGHT"),
        ("lose-device", ""),
        ("close", ""),
    ];
    forms.iter().find(|(known, _)| *known == verb).map(|(_, form)| *form)
}

fn unknown(verb: &str) -> String {
    format!(
        "there is no `{verb}`; there are wait, timeout, move, press, release, click, drag, key, \
         hold, wheel, hover, drop, act, open, steps, resize, screenshot, window-screenshot, report, \
         lose-device and close"
    )
}

fn wait(words: &[&str]) -> Option<Wait> {
    Some(match words {
        ["idle"] => Wait::Idle,
        ["frame", count] => Wait::Frame(count.parse().ok()?),
        ["frames", count] => Wait::Frames(count.parse().ok()?),
        ["draws", count] => Wait::Draws(count.parse().ok()?),
        ["seconds", seconds] => {
            Wait::Seconds(seconds.parse().ok().filter(|seconds| (0.0..1e6).contains(seconds))?)
        }
        _ => return None,
    })
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

fn place(x: &str, y: &str) -> Result<Place, String> {
    let length = |text: &str| {
        Ok::<_, String>(match text.strip_suffix('%').map(|share| share.rsplit_once(':')) {
            Some(Some((name, share))) => Length::Of(name.to_owned(), number::<f32>(share)? / 100.0),
            Some(None) => Length::Share(number::<f32>(&text[..text.len() - 1])? / 100.0),
            None => Length::Points(number(text)?),
        })
    };
    Ok([length(x)?, length(y)?])
}

/// `shift+alt+NAME`: the keys, and the name.
fn modifiers(text: &str) -> Result<(Modifiers, &str), String> {
    let mut modifiers = Modifiers::NONE;
    let mut parts: Vec<&str> = text.split('+').collect();
    let name = parts.pop().unwrap_or_default();
    for part in parts {
        modifiers = modifiers.plus(match part {
            "shift" => Modifiers::SHIFT,
            "alt" => Modifiers::ALT,
            "ctrl" => Modifiers::CTRL.plus(Modifiers::COMMAND),
            _ => return Err(format!("`{part}` is none of shift, alt and ctrl")),
        });
    }
    Ok((modifiers, name))
}

fn button(text: &str) -> Result<Button, String> {
    let (modifiers, name) = modifiers(text)?;
    let button = match name {
        "left" => PointerButton::Primary,
        "middle" => PointerButton::Middle,
        "right" => PointerButton::Secondary,
        _ => return Err(format!("`{name}` is none of left, middle and right")),
    };
    Ok((button, modifiers))
}

fn key(name: &str) -> Result<Key, String> {
    let same = |key: &&Key| {
        key.name().eq_ignore_ascii_case(name) || key.symbol_or_name().eq_ignore_ascii_case(name)
    };
    let found = Key::ALL.iter().find(same);
    found.copied().ok_or_else(|| format!("there is no key `{name}`; try space, f1, home or p"))
}

fn action(json: &str) -> Result<Action, String> {
    serde_json::from_str(json).map_err(|reason| format!("this is not an action: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(usize, Deed)>, ScriptError> {
        parse(Path::new("a.script"), text)
    }

    #[test]
    fn lines_are_read() {
        let text = "# shows a drag\n\nwait idle\n  drag alt+left 50% strength:40% 520 200.5 30\nkey shift+P\n\
                    key space\nkey .\nwheel -120\ndrop my meshes/cup 1.obj\nact \"release\"\n\
                    report out.jsonl\nclose";
        let deeds = read(text).unwrap();
        assert_eq!(deeds.len(), 10);
        assert_eq!(deeds[0], (3, Deed::Wait(Wait::Idle)));
        let from = [Length::Share(0.5), Length::Of("strength".to_owned(), 0.4)];
        let to = [Length::Points(520.0), Length::Points(200.5)];
        let alt_left = (PointerButton::Primary, Modifiers::ALT);
        assert_eq!(deeds[1], (4, Deed::Drag(alt_left, [from, to], 30)));
        assert_eq!(deeds[2].1, Deed::Key(Modifiers::SHIFT, Key::P));
        assert_eq!(deeds[3].1, Deed::Key(Modifiers::NONE, Key::Space));
        assert_eq!(deeds[4].1, Deed::Key(Modifiers::NONE, Key::Period));
        assert_eq!(deeds[6].1, Deed::Drop("my meshes/cup 1.obj".into()));
        assert_eq!(deeds[7].1, Deed::Act(Action::Release));
        assert_eq!(deeds[9], (12, Deed::Close));
    }

    /// Every mistake names the file, the line and what would be right.
    #[test]
    fn mistakes_name_file_and_line() {
        for (line, expected) in [
            ("dance", "there is no `dance`"),
            ("wait", "wait frame N"),
            ("wait for it", "wait frame N"),
            ("wait seconds -1", "wait seconds S"),
            ("move 3", "write `move X Y`, not `move 3`"),
            ("move left right", "`left` is not a number"),
            ("move 50% strength:x%", "`x` is not a number"),
            ("press thumb", "left, middle and right"),
            ("press hyper+left", "shift, alt and ctrl"),
            ("key anykey", "there is no key `anykey`"),
            ("drag left 1 2 3 4 soon", "`soon` is not a number"),
            ("drop", "write `drop FILE`"),
            ("act {\"fly\": 1}", "not an action"),
            ("close now", "write `close `"),
        ] {
            let error = read(&format!("wait idle\n{line}\nclose")).unwrap_err();
            assert_eq!(error.line, 2);
            let text = error.to_string();
            assert!(text.starts_with("a.script:2: ") && text.contains(expected), "{line}: {text}");
        }
    }
}
