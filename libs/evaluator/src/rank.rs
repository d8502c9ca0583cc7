//! The value of the best five of five, six or seven cards.
//!
//! Each card has one 64-bit word; a hand is the sum of its words. In it:
//!
//! * bits 0..31: the sum of the rank keys, different for each multiset of ranks (`build.rs` proves it);
//! * bits 32..47: four suit counters of 4 bits; a hand starts with 3 in each, so bit 3 says "five or more";
//! * bits 60..63: how many ids were above 51.
//!
//! So one addition a card answers "which ranks", "is there a flush" and "is it a card" at once.

use crate::cards::{self, Fault};

mod tables {
    #![allow(missing_docs, clippy::all, clippy::pedantic)]
    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}
use tables::{
    DECIDERS, DECIDING, DECIDING_COUNT, DECIDING_FIRST, FLUSH_VALUES, ROW_BITS, ROWS_5, ROWS_6, ROWS_7, VALUES_5,
    VALUES_6, VALUES_7,
};
pub use tables::{RANK_KEY, TABLE_CHECKSUM};

/// A value's category is the value shifted right by this; below it stands the order within the category.
pub const CATEGORY_FROM: u32 = 12;
/// Categories, lowest first: high card 0, pair, two pair, three of a kind, straight, flush, full house, four of a kind,
/// straight flush, royal flush 9.
pub const CATEGORIES: usize = 10;
/// Five ranks in a row, of more than one suit.
pub const STRAIGHT: usize = 4;
/// Five cards of one suit, not in a row.
pub const FLUSH: usize = 5;
/// Five in a row of one suit, not up to the ace.
pub const STRAIGHT_FLUSH: usize = 8;
/// Ten to ace of one suit.
pub const ROYAL_FLUSH: usize = 9;

const SUITS_FROM: u32 = 32;
const EMPTY_HAND: u64 = 0x3333 << SUITS_FROM;
const FIVE_OF_A_SUIT: u64 = 0x8888 << SUITS_FROM;
const UNKNOWN_FROM: u32 = 60;
const WORDS: [u64; 256] = words();

#[allow(clippy::cast_possible_truncation)] // a deck has 52 cards
const fn words() -> [u64; 256] {
    let mut words = [1 << UNKNOWN_FROM; 256];
    let mut id = 0;
    while id < cards::DECK as usize {
        words[id] = RANK_KEY[id / 4] as u64 | 1 << (SUITS_FROM + 4 * (id as u32 % 4));
        id += 1;
    }
    words
}

/// The value of the best five of these cards: higher is better, equal exactly when the hands tie.
///
/// # Errors
/// An id above 51, or a card twice.
#[inline]
pub fn rank<const CARDS: usize>(ids: &[u8; CARDS]) -> Result<u16, Fault> {
    let mut hand = EMPTY_HAND;
    let mut seen = 0u64;
    let mut twice = 0u64;
    for &id in ids {
        hand += WORDS[usize::from(id)];
        let card = 1u64 << (id & 63);
        twice |= seen & card;
        seen |= card;
    }
    if hand >> UNKNOWN_FROM != 0 || twice != 0 {
        cards::check(ids)?;
    }
    if hand & FIVE_OF_A_SUIT != 0 {
        let suit = ((hand & FIVE_OF_A_SUIT) >> SUITS_FROM).trailing_zeros() / 4;
        return Ok(flush_value(ids, suit));
    }
    #[allow(clippy::cast_possible_truncation)] // the sum of the rank keys is the low half
    Ok(unsuited_value::<CARDS>(hand as u32))
}

/// The value of a hand without a flush, from the sum of its cards' rank keys (`RANK_KEY`).
///
/// # Panics
/// If there are fewer than five or more than seven cards, or the sum is that of no such hand.
#[inline]
#[must_use]
pub fn unsuited_value<const CARDS: usize>(sum: u32) -> u16 {
    let row = (sum >> ROW_BITS) as usize;
    let low = (sum & ((1 << ROW_BITS) - 1)) as usize;
    match CARDS {
        5 => VALUES_5[usize::from(ROWS_5[row]) + low],
        6 => VALUES_6[usize::from(ROWS_6[row]) + low],
        7 => VALUES_7[usize::from(ROWS_7[row]) + low],
        _ => unreachable!("a hand has five, six or seven cards"),
    }
}

/// The value of a hand with five or more cards of `suit`.
#[inline]
pub(crate) fn flush_value(ids: &[u8], suit: u32) -> u16 {
    suited_value(ranks_of_suit(ids, suit))
}

/// The value of five or more cards of one suit, from their ranks as a set of 13 bits.
///
/// # Panics
/// If the set has more than 13 bits.
#[inline]
#[must_use]
pub fn suited_value(ranks: u16) -> u16 {
    FLUSH_VALUES[usize::from(ranks)]
}

/// The ranks of one suit as a set of 13 bits.
pub(crate) fn ranks_of_suit(ids: &[u8], suit: u32) -> u16 {
    ids.iter().filter(|&&id| u32::from(id % 4) == suit).fold(0, |ranks, id| ranks | 1 << (id / 4))
}

/// A value's category, 0..9; `None` when no hand has this value.
#[must_use]
pub fn category(value: u16) -> Option<usize> {
    let category = usize::from(value >> CATEGORY_FROM);
    let order = value & ((1 << CATEGORY_FROM) - 1);
    (category < CATEGORIES && order < DECIDING_COUNT[category]).then_some(category)
}

/// The ranks that decide a value, most important first: a full house's trips and pair, a straight's highest card (3, the
/// five, for A-2-3-4-5), all five of a flush. `None` when no hand has this value.
#[must_use]
pub fn deciding_ranks(value: u16) -> Option<&'static [u8]> {
    let category = category(value)?;
    let order = value & ((1 << CATEGORY_FROM) - 1);
    let ranks = &DECIDING[usize::from(DECIDING_FIRST[category] + order)];
    Some(&ranks[..usize::from(DECIDERS[category])])
}
