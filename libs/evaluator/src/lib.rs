//! Ranks poker hands: three cards, the best five of five to seven, and Flop Poker's three own cards with two of three.
//!
//! Every call checks what it is given first: a card id outside 0..51 or a card twice is a [`cards::Fault`], never a
//! number. [`rank`] holds the tables and the ranking, [`batch`] many hands at a time, `python` the Python module.

#[cfg(target_arch = "x86_64")]
mod avx2;
pub mod batch;
pub mod best;
pub mod cards;
#[cfg(feature = "python")]
mod python;
pub mod rank;
pub mod three;
