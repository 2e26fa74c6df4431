//! Recordings done again, and compared.

use fracas::{StepReport, WorldConfig};

use super::recording::{Moment, Session, What, hash_of_scene};
use super::{Action, Play, PlayError, dropped};
use crate::{Scene, SceneError};

/// What a replay came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Frames done.
    pub frames: u64,
    /// Actions done.
    pub actions: u64,
    /// Hashes compared.
    pub hashes: u64,
    /// The hash of the world after the last frame; 0 without frames.
    pub last_hash: u64,
    /// The first hash that is not the recorded one.
    pub difference: Option<Difference>,
    /// Whether the text of the scene has changed since it was recorded.
    pub scene_changed: bool,
    /// Whether somebody who watches has ended it early.
    pub interrupted: bool,
}

/// A hash that is not the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line of the recording, counted from 1.
    pub line: usize,
    /// Frames done.
    pub frame: u64,
    /// The hash then.
    pub recorded: u64,
    /// The hash now.
    pub found: u64,
}

/// Why a session cannot be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The scene is wrong, or gone.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// An action cannot be done that could be done when it was recorded.
    #[error("line {line}, after {frame} frames: {error}")]
    Refused {
        /// The line of the recording, counted from 1.
        line: usize,
        /// Frames done before.
        frame: u64,
        /// Why.
        error: PlayError,
    },
    /// A dropped file is not what it was.
    #[error(
        "line {line}: {file} has changed since it was recorded; bring the old file back, or record anew"
    )]
    FileChanged {
        /// The line of the recording, counted from 1.
        line: usize,
        /// The file.
        file: String,
    },
}

impl Session {
    /// Does all of it again, on so many threads, and compares every recorded hash.
    ///
    /// # Errors
    /// [`ReplayError`] if it cannot be done; that a hash differs is no error, see [`Replayed::difference`].
    pub fn replay(&self, threads: u32) -> Result<Replayed, ReplayError> {
        let scene = Scene::open(&self.scene)?;
        let config = WorldConfig { threads, ..scene.world_config() };
        self.replay_on(&mut Play::new(scene, config)?, &mut |_, _| true)
    }

    /// The same on a scene at its start. After every frame `watch` is told how many were done and what the last was
    /// like, and whether to go on is asked.
    ///
    /// # Errors
    /// As [`replay`](Self::replay).
    pub fn replay_on(
        &self,
        play: &mut Play,
        watch: &mut dyn FnMut(u64, &StepReport) -> bool,
    ) -> Result<Replayed, ReplayError> {
        let scene_changed = hash_of_scene(play.scene()) != self.scene_hash;
        let mut replayed = Replayed { scene_changed, ..Replayed::default() };
        for moment in &self.moments {
            while play.frame() < moment.frame {
                let report = play.step();
                (replayed.frames, replayed.last_hash) = (play.frame(), report.hash);
                if !watch(play.frame(), &report) {
                    replayed.interrupted = true;
                    return Ok(replayed);
                }
            }
            match &moment.what {
                What::Action(action, file_hash) => {
                    act(play, moment, action, *file_hash)?;
                    replayed.actions += 1;
                }
                What::Hash(recorded) => replayed.compare(moment, *recorded),
            }
        }
        Ok(replayed)
    }
}

fn act(
    play: &mut Play,
    &Moment { line, frame, .. }: &Moment,
    action: &Action,
    file_hash: Option<u64>,
) -> Result<(), ReplayError> {
    if let (Action::Drop { file, .. }, Some(recorded)) = (action, file_hash)
        && dropped::content_hash(file).is_some_and(|now| now != recorded)
    {
        return Err(ReplayError::FileChanged { line, file: file.clone() });
    }
    play.act(action).map_err(|error| ReplayError::Refused { line, frame, error })
}

impl Replayed {
    fn compare(&mut self, &Moment { line, frame, .. }: &Moment, recorded: u64) {
        self.hashes += 1;
        // before the first frame there is none
        let found = self.last_hash;
        if found != recorded && frame > 0 && self.difference.is_none() {
            self.difference = Some(Difference { line, frame, recorded, found });
        }
    }
}
