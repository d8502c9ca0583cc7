//! How far a count has come, and whether it is still wanted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared by who counts and who waits.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    cancelled: AtomicBool,
}

/// The count was stopped before it was complete, so it has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl Progress {
    /// Steps done so far, of as many as the count says it has.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Stop counting at the next step.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// One step is done.
    ///
    /// # Errors
    /// Nobody waits for the result any more.
    pub fn step(&self) -> Result<(), Cancelled> {
        self.done.fetch_add(1, Ordering::Relaxed);
        if self.cancelled.load(Ordering::Relaxed) { Err(Cancelled) } else { Ok(()) }
    }
}
