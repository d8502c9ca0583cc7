//! Ultimate Texas Hold'em: one player against the dealer, every deal counted.
//!
//! Two things make it quick:
//!
//! * What a board does to a hand depends on the ranks alone while no flush can come, and else on the ranks, and on which
//!   cards have the one suit that can flush. So 2,598,960 boards are 42,783 classes ([`boards`]), and on each of them the
//!   1,081 hands are 91, or at most 338, classes: sorted once, every comparison with 990 dealers is a few subtractions.
//! * A flop's 1,176 turns and rivers are added up class by class ([`flops`]); what must not count, because the player
//!   holds the turn or the river, is taken off by cards (inclusion and exclusion).
//!
//! [`solve`] gives values and decisions, [`outcomes`] counts what every deal comes to under those decisions.

pub mod boards;
pub mod card;
pub mod flops;
pub mod joint;
pub mod outcomes;
pub mod side;
pub mod solve;
