//! Keys, and what they do: one table for the window, its help and its manual.

use eframe::egui::{Context, Key, KeyboardShortcut, Modifiers};

/// What keys and buttons do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Pause,
    Step,
    Slower,
    Faster,
    Reset,
    Shoot,
    FrameAll,
    Home,
    Screenshot,
    WindowScreenshot,
    RecordFrames,
    Help,
    Close,
    Quit,
}

/// Keys that do the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Binding {
    pub deed: Deed,
    keys: &'static [KeyboardShortcut],
    /// As people call them.
    pub names: &'static str,
    /// What they do.
    pub text: &'static str,
}

const fn key(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

const fn shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::SHIFT, key)
}

const fn bind(
    deed: Deed,
    keys: &'static [KeyboardShortcut],
    names: &'static str,
    text: &'static str,
) -> Binding {
    Binding { deed, keys, names, text }
}

/// All keys but those that move the camera. Those with Shift stand before those without.
pub(super) const BINDINGS: [Binding; 14] = [
    bind(Deed::Pause, &[key(Key::Space)], "Space", "pause, go on"),
    bind(Deed::Step, &[key(Key::Period)], ".", "one step"),
    bind(Deed::Slower, &[key(Key::Comma)], ",", "slower: 1, 1/2, 1/4, 1/10, 1/30"),
    bind(Deed::Faster, &[key(Key::M)], "M", "faster again"),
    bind(Deed::Reset, &[key(Key::R)], "R", "begin the scene anew"),
    bind(Deed::Shoot, &[key(Key::X)], "X", "shoot a ball at the pointer"),
    bind(Deed::FrameAll, &[key(Key::F)], "F", "see everything"),
    bind(Deed::Home, &[key(Key::Home)], "Home", "back to the camera of the scene"),
    bind(Deed::WindowScreenshot, &[shift(Key::P)], "Shift+P", "picture of the whole window"),
    bind(Deed::Screenshot, &[key(Key::P), key(Key::F2)], "P, F2", "picture of the view"),
    bind(Deed::RecordFrames, &[key(Key::F12)], "F12", "write every frame as a picture, or stop"),
    bind(
        Deed::Help,
        &[key(Key::F1), key(Key::H), key(Key::Questionmark), shift(Key::Questionmark)],
        "F1, H, ?",
        "this help",
    ),
    bind(Deed::Close, &[key(Key::Escape)], "Esc", "let go, close what is open"),
    bind(
        Deed::Quit,
        &[KeyboardShortcut::new(Modifiers::COMMAND, Key::Q)],
        "Ctrl+Q",
        "close the window",
    ),
];

/// What the mouse and the keys of the camera do.
pub(super) const MOUSE: [(&str, &str); 10] = [
    ("Left drag on a body", "take hold of it and pull; the wheel brings it nearer or farther"),
    ("Left drag elsewhere", "turn around the scene"),
    ("Middle drag", "turn around the scene, wherever it begins"),
    ("Right click", "shoot a ball there"),
    ("Right drag, Shift + left drag", "move along"),
    ("Ctrl + left drag", "cut along a straight line, through all that is behind it"),
    ("Wheel", "nearer and farther, towards the pointer"),
    ("Alt + left drag", "look around"),
    ("W A S D, arrows, Q E", "walk, sink and rise"),
    ("A file let go over the window", "a mesh falls and breaks; a scene is opened"),
];

/// The keys of a deed.
pub(super) fn names(deed: Deed) -> &'static str {
    BINDINGS.iter().find(|binding| binding.deed == deed).map_or("", |binding| binding.names)
}

/// What keys were pressed for, unless they were meant for a field of text.
pub(super) fn pressed(context: &Context) -> Vec<Deed> {
    if context.text_edit_focused() {
        return Vec::new();
    }
    let mut deeds = Vec::new();
    context.input_mut(|input| {
        for binding in &BINDINGS {
            if binding.keys.iter().any(|keys| input.consume_shortcut(keys)) {
                deeds.push(binding.deed);
            }
        }
    });
    deeds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No key does two things, and every deed has a key.
    #[test]
    fn keys_mean_one_thing() {
        let all: Vec<_> = BINDINGS.iter().flat_map(|binding| binding.keys).collect();
        for (k, one) in all.iter().enumerate() {
            assert!(!all[..k].contains(one), "{one:?} twice");
        }
        // a shortcut without Shift is also found while Shift is held
        for (k, one) in all.iter().enumerate() {
            let plain = all[..k].iter().any(|other| {
                other.logical_key == one.logical_key && one.modifiers == Modifiers::SHIFT
            });
            assert!(!plain || one.logical_key == Key::Questionmark, "{one:?} comes too late");
        }
        assert!(BINDINGS.iter().all(|binding| !names(binding.deed).is_empty()));
    }

    /// The manual has all of them.
    #[test]
    fn the_manual_lists_all_keys() {
        let manual = include_str!("../../../../docs/window.md");
        for (names, text) in BINDINGS.iter().map(|b| (b.names, b.text)).chain(MOUSE) {
            let row = format!("| {names} | {text} |");
            assert!(manual.contains(&row), "docs/window.md lacks {row}");
        }
    }
}
