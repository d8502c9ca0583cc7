//! The kinds of hand that paytables tell apart.

use std::sync::LazyLock;

use pitstream_evaluator::rank::{CATEGORY_FROM, category, deciding_ranks};

/// Kinds of a five-card value, lowest first: high card 0, a pair of twos to nines 1, of tens 2, of jacks to aces 3, two
/// pair 4, three of a kind 5, straight 6, flush 7, full house 8, four of a kind 9, straight flush 10, royal flush 11.
pub const KINDS: usize = 12;
/// The kind of a hand below a pair.
pub const HIGH_CARD: usize = 0;

/// The kind of a pair of tens.
pub const PAIR_OF_TENS: usize = 2;
/// The kind of a straight.
pub const STRAIGHT: usize = 6;

/// Kinds of three cards: nothing 0, pair 1, flush 2, straight 3, three of a kind 4, straight flush 5, royal flush 6,
/// A-2-3 of several suits 7, A-2-3 of one suit 8. Whether the last two are straights is the caller's policy.
pub const THREE_KINDS: usize = 9;

const TEN: u8 = 8;
const VALUES: usize = 10 << CATEGORY_FROM;

static KIND_OF: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut kinds = vec![u8::MAX; VALUES];
    for value in 0..=u16::MAX {
        let Some(category) = category(value) else { continue };
        let kind = match category {
            0 => 0,
            1 => match deciding_ranks(value).expect("a value of this category")[0] {
                ..TEN => 1,
                TEN => 2,
                _ => 3,
            },
            higher => higher + 2,
        };
        kinds[usize::from(value)] = u8::try_from(kind).expect("twelve kinds");
    }
    kinds
});

/// The kind of every value, by value: look it up with [`kind`].
#[must_use]
pub fn table() -> &'static [u8] {
    &KIND_OF
}

/// The kind of a value that the evaluator gave, 0..12.
///
/// # Panics
/// If no hand has this value.
#[inline]
#[must_use]
pub fn kind(value: u16) -> usize {
    let kind = usize::from(KIND_OF[usize::from(value)]);
    assert!(kind < KINDS, "no hand has the value {value}");
    kind
}

/// The kind of three cards, 0..9.
///
/// # Panics
/// If they are not three different cards.
#[must_use]
pub fn three_kind(cards: [u8; 3]) -> usize {
    use pitstream_evaluator::three;
    let with = three::category(three::rank(cards, true).expect("three different cards"));
    let without = three::category(three::rank(cards, false).expect("three different cards"));
    match (with, without) {
        (Some(5), Some(2)) => 8,
        (Some(3), Some(0)) => 7,
        (Some(category), _) => category as usize,
        (None, _) => unreachable!("three cards have a category"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pitstream_evaluator::rank::rank;

    #[test]
    fn five_card_hands_fall_into_the_kinds_as_combinatorics_says() {
        let mut counts = [0u64; KINDS];
        for a in 4..52u8 {
            for b in 3..a {
                for c in 2..b {
                    for d in 1..c {
                        for e in 0..d {
                            counts[kind(rank(&[a, b, c, d, e]).expect("different cards"))] += 1;
                        }
                    }
                }
            }
        }
        assert_eq!(counts, [1_302_540, 675_840, 84_480, 337_920, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4]);
    }

    #[test]
    fn six_card_hands_fall_into_the_kinds_as_they_are_counted() {
        let mut counts = [0u64; KINDS];
        for a in 5..52u8 {
            for b in 4..a {
                for c in 3..b {
                    for d in 2..c {
                        for e in 1..d {
                            for f in 0..e {
                                counts[kind(rank(&[a, b, c, d, e, f]).expect("different cards"))] += 1;
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(
            counts,
            [
                6_612_900, 5_983_224, 746_760, 3_000_756, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_656,
                188
            ]
        );
    }

    #[test]
    fn three_cards_fall_into_the_kinds_as_combinatorics_says() {
        let mut counts = [0u64; THREE_KINDS];
        for cards in crate::deck::flops() {
            counts[three_kind(cards)] += 1;
        }
        assert_eq!(counts, [16_440, 3_744, 1_096, 660, 52, 40, 4, 60, 4]);
    }
}
