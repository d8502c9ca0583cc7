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
pub mod listing;
pub mod progress;
#[cfg(feature = "python")]
mod python;
pub mod stud;
pub mod uth;

/// Names this version, its sources and the evaluator's tables: FNV-1a (64 bits) over every source of the counts.
#[must_use]
pub fn fingerprint() -> String {
    const SOURCES: [&str; 10] = [
        include_str!("deck.rs"),
        include_str!("flop.rs"),
        include_str!("kinds.rs"),
        include_str!("stud.rs"),
        include_str!("uth/boards.rs"),
        include_str!("uth/flops.rs"),
        include_str!("uth/joint.rs"),
        include_str!("uth/outcomes.rs"),
        include_str!("uth/side.rs"),
        include_str!("uth/solve.rs"),
    ];
    let bytes = SOURCES.iter().flat_map(|source| source.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let tables = pitstream_evaluator::rank::TABLE_CHECKSUM;
    format!("pitstream-odds {} sources {hash:016x} evaluator tables {tables:016x}", env!("CARGO_PKG_VERSION"))
}
