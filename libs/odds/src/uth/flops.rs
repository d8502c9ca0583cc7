//! A flop's turns and rivers added up for every hand.

use crate::deck::{HOLES, deck_without, hole_index, pair_with_equals};
use crate::uth::boards::{SUITED, SUITED_HOLES, TYPES, UNSUITED_HOLES, class_of};
use crate::uth::solve::RiverTables;

/// Sums over turns, rivers and dealers: best play at the river after two checks; everything but the Play Wager; a Play
/// Wager of one Ante.
pub type Sums = [i64; 3];

/// Turns and rivers that share the suit that can flush (4: none), added up by class of hand.
struct Added {
    /// By class, whatever the hand's cards.
    all: Vec<Sums>,
    /// By a card of the turn or river and the type of the hand's other card: what must not count for who holds it.
    with: Vec<[Sums; TYPES]>,
}

#[inline]
fn add(to: &mut Sums, from: &Sums) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// The type of a card where `suit` is the one that can flush.
#[inline]
pub(crate) fn type_of(card: u8, suit: u8) -> usize {
    usize::from(card / 4) + if card & 3 == suit { SUITED } else { 0 }
}

/// The class of two cards where `suit` is the one that can flush.
#[inline]
pub(crate) fn hole_class(one: u8, other: u8, suit: u8) -> usize {
    let (one, other) = (type_of(one, suit), type_of(other, suit));
    pair_with_equals(one.max(other), one.min(other))
}

/// For each of the 1,326 hands the sums after this flop; zero for those that hold one of its cards.
#[must_use]
pub fn sums_after(flop: [u8; 3], rivers: &RiverTables) -> Vec<Sums> {
    let deck = deck_without(&flop);
    let mut boards: [Vec<([u8; 2], usize)>; 5] = Default::default();
    for (at, &turn) in deck.iter().enumerate() {
        for &river in &deck[at + 1..] {
            let (place, suit) = class_of([flop[0], flop[1], flop[2], turn, river]);
            boards[usize::from(suit)].push(([turn, river], place));
        }
    }
    let mut sums = vec![[0; 3]; HOLES];
    for (suit, boards) in (0u8..).zip(&boards).filter(|(_, boards)| !boards.is_empty()) {
        let added = add_up(boards, suit, rivers);
        for (at, &high) in deck.iter().enumerate() {
            for &low in &deck[..at] {
                let (high_type, low_type) = (type_of(high, suit), type_of(low, suit));
                let class = pair_with_equals(high_type.max(low_type), high_type.min(low_type));
                let (all, with_high, with_low) = (
                    &added.all[class],
                    &added.with[usize::from(high)][low_type],
                    &added.with[usize::from(low)][high_type],
                );
                for (part, sum) in sums[hole_index(high, low)].iter_mut().enumerate() {
                    *sum += all[part] - with_high[part] - with_low[part];
                }
            }
        }
        for &([turn, river], place) in boards {
            // The one board of both cards was taken off twice.
            add(&mut sums[hole_index(turn, river)], &rivers.of(place)[hole_class(turn, river, suit)]);
        }
    }
    sums
}

fn add_up(boards: &[([u8; 2], usize)], suit: u8, rivers: &RiverTables) -> Added {
    let (types, classes) = if suit == 4 { (SUITED, UNSUITED_HOLES) } else { (TYPES, SUITED_HOLES) };
    let mut added = Added { all: vec![[0; 3]; classes], with: vec![[[0; 3]; TYPES]; 52] };
    for &(cards, place) in boards {
        let river = rivers.of(place);
        for (all, river) in added.all.iter_mut().zip(river) {
            add(all, river);
        }
        for card in cards {
            let own = type_of(card, suit);
            let with = &mut added.with[usize::from(card)];
            for other in 0..own {
                add(&mut with[other], &river[pair_with_equals(own, other)]);
            }
            for other in own..types {
                add(&mut with[other], &river[pair_with_equals(other, own)]);
            }
        }
    }
    added
}
