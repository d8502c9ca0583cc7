//! Exact odds of the three table games: every deal counted, none simulated.
//!
//! What a hand is worth says the evaluator; what it pays says the caller, who hands over one number for each [`kinds`]
//! of hand and outcome, all scaled to whole numbers. So nothing here knows a paytable, and no result is rounded.
//!
//! [`uth`] holds Ultimate Texas Hold'em, [`stud`] Raise It Up Stud, [`flop`] Flop Poker. [`deck`] names cards and sets of
//! them up to the names of the suits.

pub mod deck;
pub mod flop;
pub mod kinds;
pub mod progress;
#[cfg(feature = "python")]
mod python;
pub mod stud;
pub mod uth;
