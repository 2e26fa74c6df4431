//! Exit codes, and which error leads to which.

use crate::output::Unwritable;
use fracas_scene::SceneError;
use fracas_view::GpuError;
use fracas_view::window::WindowError;
use std::io;
use std::process::ExitCode;

/// What `--help` says about exit codes.
pub const HELP: &str = "\
Exit codes:
    0  fine
    1  the scene or another input is wrong
    2  the command line is wrong
    3  output could not be written, or there is nothing to draw with
    4  part of the simulation was quarantined, or a check failed
  130  interrupted by Ctrl-C, after finishing the frame";

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Fine,
    /// The scene or another input is wrong.
    BadInput,
    /// Output could not be written, or there is nothing to draw with.
    Unwritable,
    /// Part of the simulation was quarantined, or a check failed.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

impl Exit {
    /// The number the system sees. 2 is missing: clap ends the program with it itself.
    pub fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::BadInput => 1,
            Self::Unwritable => 3,
            Self::Failed => 4,
            Self::Interrupted => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Prints the error, if there is one, and chooses the exit code.
pub fn report(result: anyhow::Result<Exit>) -> Exit {
    let error = match result {
        Ok(exit) => return exit,
        Err(error) => error,
    };
    // `fracas scenes | head -1` is no failure: the reader has what it wanted
    if is_broken_pipe(&error) {
        return Exit::Fine;
    }
    tell(&error);
    exit_of(&error)
}

/// Prints an error. Those about scenes are drawn with their own heading, line and caret.
pub fn tell(error: &anyhow::Error) {
    if error.is::<SceneError>() {
        eprintln!("{error}");
    } else {
        eprintln!("error: {error:#}");
    }
}

fn exit_of(error: &anyhow::Error) -> Exit {
    // An io::Error itself in the chain's end was met while writing to stdout: input is read by the
    // scene crate, which wraps its own.
    let unwritable = error.is::<Unwritable>() || error.is::<io::Error>() || error.is::<GpuError>();
    // a window fails for want of something to draw with or on, but for its script
    let window = error.downcast_ref::<WindowError>();
    let unwritable =
        unwritable || window.is_some_and(|error| !matches!(error, WindowError::Script(_)));
    if unwritable { Exit::Unwritable } else { Exit::BadInput }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;
    use std::path::Path;

    fn full_disk() -> io::Error {
        io::Error::from(io::ErrorKind::StorageFull)
    }

    #[test]
    fn errors_choose_the_documented_code() {
        let unwritable = Unwritable::new(Path::new("a.json"), full_disk());
        assert_eq!(report(Ok(Exit::Failed)).code(), 4);
        assert_eq!(report(Err(anyhow!("no such scene"))).code(), 1);
        assert_eq!(report(Err(unwritable.into())).code(), 3);
        assert_eq!(report(Err(full_disk().into())).code(), 3);
        assert_eq!(report(Err(io::Error::from(io::ErrorKind::BrokenPipe).into())).code(), 0);
    }

    #[test]
    fn help_names_every_code() {
        let exits = [Exit::Fine, Exit::BadInput, Exit::Unwritable, Exit::Failed, Exit::Interrupted];
        for exit in exits {
            let code = format!("{:5}  ", exit.code());
            assert!(HELP.lines().any(|line| line.starts_with(&code)), "{code} is not in the help");
        }
    }
}
