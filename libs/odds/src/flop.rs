//! Flop Poker: every own hand with every flop. The one decision needs only the counts.

use rayon::prelude::*;

use pitstream_evaluator::rank::rank;

use crate::deck::{CanonicalFlop, canonical_flops, deck_without};
use crate::kinds::{KINDS, kind};
use crate::progress::{Cancelled, Progress};

/// Flops for each own hand.
pub const FLOPS: u64 = 18_424;

/// An own hand, for all that differ from it by the names of the suits, and its [`FLOPS`] by the kind of the best hand of
/// all three own cards and exactly two of the flop's.
pub type Hand = (CanonicalFlop, [u64; KINDS]);

/// Counts every flop of every own hand.
///
/// # Errors
/// The count was cancelled.
pub fn hands(progress: &Progress) -> Result<Vec<Hand>, Cancelled> {
    canonical_flops()
        .into_par_iter()
        .map(|own| {
            let hand = (own, kinds_of(own.cards));
            progress.step().map(|()| hand)
        })
        .collect()
}

fn kinds_of([x, y, z]: [u8; 3]) -> [u64; KINDS] {
    let deck = deck_without(&[x, y, z]);
    // With two of the board's cards, by the places of both in the deck.
    let mut with = vec![vec![0u16; deck.len()]; deck.len()];
    for a in 1..deck.len() {
        for b in 0..a {
            with[a][b] = rank(&[x, y, z, deck[a], deck[b]]).expect("different cards");
        }
    }
    let mut counts = [0; KINDS];
    for a in 2..deck.len() {
        for b in 1..a {
            for c in 0..b {
                counts[kind(with[a][b].max(with[a][c]).max(with[b][c]))] += 1;
            }
        }
    }
    counts
}
