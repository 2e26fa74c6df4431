//! From the thread of the simulation to that of the window, with no one waiting for the other.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room for one letter. With the one that is written and the one that is read there are three, so
/// that neither side waits: the lock is held only while a letter changes hands.
#[derive(Debug)]
pub(super) struct Mailbox<T>(Mutex<Option<T>>);

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Mailbox<T> {
    /// Leaves a letter. One that still waits is handed to `merge` together with the new one.
    pub fn post(&self, letter: T, merge: impl FnOnce(T, T) -> T) {
        let mut slot = self.slot();
        let merged = match slot.take() {
            Some(older) => merge(older, letter),
            None => letter,
        };
        *slot = Some(merged);
    }

    /// The letter, if there is one.
    pub fn take(&self) -> Option<T> {
        self.slot().take()
    }

    /// Whether a letter waits.
    pub fn is_full(&self) -> bool {
        self.slot().is_some()
    }

    /// A thread that panicked has left a letter or none, both are right.
    fn slot(&self) -> MutexGuard<'_, Option<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reader sees the newest, with all that the skipped ones had to tell.
    #[test]
    fn letters_are_merged_and_none_is_lost() {
        let mailbox = Mailbox::default();
        let append = |mut older: Vec<u32>, newer: Vec<u32>| {
            older.extend(newer);
            older
        };
        let read = std::thread::scope(|scope| {
            scope.spawn(|| (0..1000).for_each(|k| mailbox.post(vec![k], append)));
            let mut read = Vec::new();
            while read.last() != Some(&999) {
                read.extend(mailbox.take().unwrap_or_default());
            }
            read
        });
        assert!(read.iter().copied().eq(0..1000), "{} letters", read.len());
        assert!(!mailbox.is_full());
    }
}
