//! Plays a script: the events of its deeds come as if from mouse and keyboard.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui::{
    DroppedFile, Event, HoveredFile, Key, Modifiers, MouseWheelSource, MouseWheelUnit, Pos2,
    RawInput, Rect, TouchPhase, Vec2,
};

use super::panels::Marks;
use super::script::{Button, Deed, Length, Place, ScriptError, Wait};

/// How long a line waits unless told otherwise, in s.
const TIMEOUT: f64 = 120.0;

/// What a driver looks at while it waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<'a> {
    /// Frames done.
    pub frame: u64,
    /// How often the window was drawn.
    pub draws: u64,
    /// Nothing is under way.
    pub idle: bool,
    /// The 3-D view, in points.
    pub view: Rect,
    /// What has a name in the panels.
    pub marks: &'a Marks,
    /// In s.
    pub now: f64,
}

/// How things stood when a deed came up.
#[derive(Clone, Copy, Debug)]
struct Begun {
    frame: u64,
    draws: u64,
    now: f64,
}

/// Plays a script, at most one deed per drawn frame.
#[derive(Debug)]
pub(super) struct Driver {
    file: PathBuf,
    deeds: Vec<(usize, Deed)>,
    /// The deed that comes next.
    next: usize,
    /// What was known when it first came up.
    begun: Option<Begun>,
    timeout: f64,
    pointer: Pos2,
}

impl Driver {
    /// Plays these deeds of a file.
    pub fn new(file: &Path, deeds: Vec<(usize, Deed)>) -> Self {
        let file = file.to_owned();
        Self { file, deeds, next: 0, begun: None, timeout: TIMEOUT, pointer: Pos2::ZERO }
    }

    /// Whether there is something left to do.
    pub fn is_busy(&self) -> bool {
        self.next < self.deeds.len()
    }

    /// Plays what comes next: adds events, or returns what only the window itself can do.
    ///
    /// # Errors
    /// A wait that takes too long, or something in the panels that is not there.
    pub fn advance(
        &mut self,
        known: &Known<'_>,
        raw: &mut RawInput,
    ) -> Result<Option<Deed>, ScriptError> {
        let Some((line, deed)) = self.deeds.get(self.next).cloned() else { return Ok(None) };
        let done = self.play(&deed, known, raw);
        let done =
            done.map_err(|message| ScriptError { file: self.file.clone(), line, message })?;
        if !done {
            return Ok(None);
        }
        (self.next, self.begun) = (self.next + 1, None);
        Ok(is_of_window(&deed).then_some(deed))
    }

    /// Plays a deed, or a frame of it; tells whether it is done.
    fn play(&mut self, deed: &Deed, known: &Known<'_>, raw: &mut RawInput) -> Result<bool, String> {
        let Known { frame, draws, now, .. } = *known;
        let begun = *self.begun.get_or_insert(Begun { frame, draws, now });
        match deed {
            Deed::Wait(wait) => {
                let done = is_over(*wait, &begun, known);
                if !done && now > begun.now + self.timeout {
                    return Err(format!("waited for {} s in vain: {wait:?}", self.timeout));
                }
                Ok(done)
            }
            Deed::Timeout(seconds) => {
                self.timeout = *seconds;
                Ok(true)
            }
            Deed::Drag(button, ends, frames) => {
                self.drag(*button, ends, *frames, draws - begun.draws, known, raw)
            }
            Deed::Hold(key, frames) => Ok(hold(*key, *frames, draws - begun.draws, raw)),
            _ => self.at_once(deed, known, raw),
        }
    }

    /// Deeds of a single frame.
    fn at_once(
        &mut self,
        deed: &Deed,
        known: &Known<'_>,
        raw: &mut RawInput,
    ) -> Result<bool, String> {
        match deed {
            Deed::Move(place) => self.go(place, known, raw)?,
            Deed::Press(button) => self.press(*button, true, raw),
            Deed::Release(button) => self.press(*button, false, raw),
            Deed::Click(button, place) => {
                self.go(place, known, raw)?;
                self.press(*button, true, raw);
                self.press(*button, false, raw);
            }
            Deed::Key(modifiers, key) => {
                raw.events.push(Event::ModifiersChanged(*modifiers));
                raw.events.push(key_event(*key, true, *modifiers));
                raw.events.push(key_event(*key, false, *modifiers));
                raw.events.push(Event::ModifiersChanged(Modifiers::NONE));
            }
            Deed::Wheel(points) => raw.events.push(Event::MouseWheel {
                unit: MouseWheelUnit::Point,
                delta: Vec2::new(0.0, *points),
                phase: TouchPhase::Move,
                source: MouseWheelSource::Unknown,
                modifiers: Modifiers::NONE,
            }),
            Deed::Hover(path) => {
                raw.hovered_files
                    .push(HoveredFile { path: Some(path.clone()), mime: String::new() });
            }
            Deed::Drop(path) => raw.dropped_files.push(Arc::new(Dropped(path.clone()))),
            _ => {}
        }
        Ok(true)
    }

    /// The k-th frame of a drag.
    fn drag(
        &mut self,
        button: Button,
        [from, to]: &[Place; 2],
        frames: u32,
        k: u64,
        known: &Known<'_>,
        raw: &mut RawInput,
    ) -> Result<bool, String> {
        if k == 0 {
            self.go(from, known, raw)?;
            self.press(button, true, raw);
            return Ok(false);
        }
        let (from, to) = (position(from, known)?, position(to, known)?);
        self.pointer = from.lerp(to, (k as f32 / frames.max(1) as f32).min(1.0));
        raw.events.push(Event::PointerMoved(self.pointer));
        if k <= u64::from(frames) {
            return Ok(false);
        }
        self.press(button, false, raw);
        Ok(true)
    }

    fn go(&mut self, place: &Place, known: &Known<'_>, raw: &mut RawInput) -> Result<(), String> {
        self.pointer = position(place, known)?;
        raw.events.push(Event::PointerMoved(self.pointer));
        Ok(())
    }

    fn press(&self, (button, modifiers): Button, pressed: bool, raw: &mut RawInput) {
        if pressed {
            raw.events.push(Event::ModifiersChanged(modifiers));
        }
        raw.events.push(Event::PointerButton { pos: self.pointer, button, pressed, modifiers });
        if !pressed {
            raw.events.push(Event::ModifiersChanged(Modifiers::NONE));
        }
    }
}

/// Whether it has no events: the window does it.
fn is_of_window(deed: &Deed) -> bool {
    matches!(
        deed,
        Deed::Act(_)
            | Deed::Open(_)
            | Deed::Steps(_)
            | Deed::Resize(_)
            | Deed::Screenshot(_)
            | Deed::WindowScreenshot(_)
            | Deed::Report(_)
            | Deed::LoseDevice
            | Deed::Close
    )
}

fn is_over(wait: Wait, begun: &Begun, known: &Known<'_>) -> bool {
    match wait {
        Wait::Frame(frame) => known.frame >= frame,
        Wait::Frames(count) => known.frame >= begun.frame + count,
        Wait::Draws(count) => known.draws >= begun.draws + count,
        Wait::Idle => known.idle,
        Wait::Seconds(seconds) => known.now >= begun.now + seconds,
    }
}

fn hold(key: Key, frames: u32, k: u64, raw: &mut RawInput) -> bool {
    let done = k >= u64::from(frames);
    if k == 0 || done {
        raw.events.push(key_event(key, !done, Modifiers::NONE));
    }
    done
}

fn key_event(key: Key, pressed: bool, modifiers: Modifiers) -> Event {
    Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }
}

fn position([x, y]: &Place, known: &Known<'_>) -> Result<Pos2, String> {
    let along = |length: &Length, axis: usize| {
        let (within, share) = match length {
            Length::Points(points) => return Ok(*points),
            Length::Share(share) => (known.view, share),
            Length::Of(name, share) => {
                let missing = || format!("no `{name}` is to be seen in the panels");
                (*known.marks.get(name.as_str()).ok_or_else(missing)?, share)
            }
        };
        Ok::<_, String>(within.min[axis] + share * within.size()[axis])
    };
    Ok(Pos2::new(along(x, 0)?, along(y, 1)?))
}

/// A file as if it came from the desktop.
#[derive(Debug)]
struct Dropped(PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|reason| reason.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::script::parse;
    use eframe::egui::PointerButton;

    fn driver(text: &str) -> Driver {
        let file = Path::new("a.script");
        Driver::new(file, parse(file, text).unwrap())
    }

    static NO_MARKS: Marks = Marks::new();

    fn known(frame: u64, draws: u64) -> Known<'static> {
        let view = Rect::from_min_size(Pos2::new(10.0, 20.0), Vec2::new(200.0, 100.0));
        Known { frame, draws, idle: true, view, marks: &NO_MARKS, now: 0.0 }
    }

    fn events(driver: &mut Driver, known: &Known<'_>) -> Vec<Event> {
        let mut raw = RawInput::default();
        driver.advance(known, &mut raw).unwrap();
        raw.events
    }

    /// Pressed at one end, moved step by step, let go at the other.
    #[test]
    fn a_drag_takes_its_frames() {
        let mut driver = driver("drag left 0% 0% 100% 100% 4\nclose");
        let mut moves = Vec::new();
        let mut buttons = Vec::new();
        for draw in 7.. {
            for event in events(&mut driver, &known(0, draw)) {
                match event {
                    Event::PointerMoved(at) => moves.push(at),
                    Event::PointerButton { pos, button, pressed, .. } => {
                        assert_eq!(button, PointerButton::Primary);
                        buttons.push((pos, pressed));
                    }
                    _ => {}
                }
            }
            if driver.next == 1 {
                break;
            }
        }
        let (from, to) = (Pos2::new(10.0, 20.0), Pos2::new(210.0, 120.0));
        assert_eq!(buttons, [(from, true), (to, false)]);
        assert_eq!(moves.len(), 6);
        assert_eq!((moves[0], moves[2], moves[4]), (from, from.lerp(to, 0.5), to));
        assert!(driver.is_busy());
    }

    /// A slider is found wherever it is now; what is not there is told.
    #[test]
    fn places_go_by_name() {
        let mut driver = driver("move strength:50% strength:0%\nmove friction:50% 50%");
        let slider = Rect::from_min_size(Pos2::new(300.0, 40.0), Vec2::new(90.0, 20.0));
        let marks = Marks::from([("strength", slider)]);
        let known = Known { marks: &marks, ..known(0, 0) };
        assert_eq!(events(&mut driver, &known), [Event::PointerMoved(Pos2::new(345.0, 40.0))]);
        let error = driver.advance(&known, &mut RawInput::default()).unwrap_err().to_string();
        assert_eq!(error, "a.script:2: no `friction` is to be seen in the panels");
    }

    #[test]
    fn waits_end_or_time_out() {
        let mut driver = driver("timeout 5\nwait frames 3\nreport a.jsonl\nwait frame 1000");
        let mut raw = RawInput::default();
        driver.advance(&known(10, 0), &mut raw).unwrap();
        for frame in [10, 12] {
            assert_eq!(driver.advance(&known(frame, 1), &mut raw).unwrap(), None);
            assert_eq!(driver.next, 1);
        }
        driver.advance(&known(13, 2), &mut raw).unwrap();
        let deed = driver.advance(&known(13, 3), &mut raw).unwrap();
        assert_eq!(deed, Some(Deed::Report("a.jsonl".into())));
        driver.advance(&known(14, 4), &mut raw).unwrap();
        let late = Known { now: 5.1, ..known(14, 5) };
        let error = driver.advance(&late, &mut raw).unwrap_err().to_string();
        assert!(error.starts_with("a.script:4: waited for 5 s in vain"), "{error}");
    }
}
