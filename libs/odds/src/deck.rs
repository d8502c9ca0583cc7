//! Sets of cards up to the names of the suits, and the numbers by which sets are stored.

use pitstream_evaluator::cards::DECK;

/// Two of 52 cards.
pub const HOLES: usize = 1326;
/// Three of 52 cards.
pub const FLOPS: usize = 22_100;
/// Three of 52 cards up to the names of the suits.
pub const CANONICAL_FLOPS: usize = 1755;

/// `n` over `k`.
#[must_use]
pub const fn choose(n: usize, k: usize) -> usize {
    let (mut result, mut step) = (1, 0);
    while step < k {
        if n <= step {
            return 0;
        }
        result = result * (n - step) / (step + 1);
        step += 1;
    }
    result
}

/// The place of a pair among all pairs `high >= low`, equal ones too.
#[inline]
#[must_use]
pub const fn pair_with_equals(high: usize, low: usize) -> usize {
    high * (high + 1) / 2 + low
}

/// The number of two different cards, 0..1326; either order.
#[inline]
#[must_use]
pub fn hole_index(one: u8, other: u8) -> usize {
    let (high, low) = (usize::from(one.max(other)), usize::from(one.min(other)));
    high * (high - 1) / 2 + low
}

/// Every two cards in the order of [`hole_index`], the higher id first.
pub fn holes() -> impl Iterator<Item = [u8; 2]> {
    (1..DECK).flat_map(|high| (0..high).map(move |low| [high, low]))
}

/// The number of three different cards, 0..22,100; any order.
#[inline]
#[must_use]
pub fn flop_index(mut cards: [u8; 3]) -> usize {
    cards.sort_unstable();
    let [low, middle, high] = cards.map(usize::from);
    choose(high, 3) + choose(middle, 2) + low
}

/// Every three cards in the order of [`flop_index`], ids rising.
pub fn flops() -> impl Iterator<Item = [u8; 3]> {
    (2..DECK).flat_map(|high| (1..high).flat_map(move |middle| (0..middle).map(move |low| [low, middle, high])))
}

/// The set of ranks that each suit has among these cards.
#[must_use]
pub fn suit_ranks(cards: &[u8]) -> [u16; 4] {
    let mut ranks = [0; 4];
    for &card in cards {
        ranks[usize::from(card % 4)] |= 1 << (card / 4);
    }
    ranks
}

/// How many sets differ from this one only by the names of the suits, itself counted; 0 unless it is the one of them
/// whose suits' ranks are in falling order.
#[must_use]
pub fn canonical_weight(ranks: [u16; 4]) -> u64 {
    if !ranks.is_sorted_by(|left, right| left >= right) {
        return 0;
    }
    let mut weight = 24;
    let mut run = 1;
    for at in 1..4 {
        run = if ranks[at] == ranks[at - 1] { run + 1 } else { 1 };
        weight /= run;
    }
    weight
}

/// For each suit its new name, so that the set becomes the canonical one.
#[must_use]
pub fn canonical_names(ranks: [u16; 4]) -> [u8; 4] {
    let mut order = [0u8, 1, 2, 3];
    order.sort_by_key(|&suit| std::cmp::Reverse(ranks[usize::from(suit)]));
    let mut names = [0; 4];
    for (name, &suit) in (0u8..).zip(&order) {
        names[usize::from(suit)] = name;
    }
    names
}

/// The card when suits are called by these names.
#[inline]
#[must_use]
pub fn renamed(card: u8, names: [u8; 4]) -> u8 {
    card & !3 | names[usize::from(card & 3)]
}

/// Three cards that stand for all that differ from them only by the names of the suits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanonicalFlop {
    /// Ids, rising.
    pub cards: [u8; 3],
    /// How many sets it stands for.
    pub weight: u64,
}

/// The 1,755 canonical sets of three cards in the order of [`flop_index`].
#[must_use]
pub fn canonical_flops() -> Vec<CanonicalFlop> {
    flops()
        .filter_map(|cards| {
            let weight = canonical_weight(suit_ranks(&cards));
            (weight > 0).then_some(CanonicalFlop { cards, weight })
        })
        .collect()
}

/// For every three cards by [`flop_index`]: the place of their canonical set, and the suits' names there.
#[must_use]
pub fn canonical_places(canonical: &[CanonicalFlop]) -> Vec<(u16, [u8; 4])> {
    let mut place_of = vec![u16::MAX; FLOPS];
    for (place, flop) in (0u16..).zip(canonical) {
        place_of[flop_index(flop.cards)] = place;
    }
    flops()
        .map(|cards| {
            let names = canonical_names(suit_ranks(&cards));
            (place_of[flop_index(cards.map(|card| renamed(card, names)))], names)
        })
        .collect()
}

/// All 24 ways to name the suits.
#[must_use]
pub fn all_names() -> Vec<[u8; 4]> {
    let mut all = Vec::new();
    for first in 0..4 {
        for second in (0..4).filter(|&suit| suit != first) {
            for third in (0..4).filter(|&suit| suit != first && suit != second) {
                all.push([first, second, third, 6 - first - second - third]);
            }
        }
    }
    all
}

/// The ways to name the suits that leave the set as it is.
#[must_use]
pub fn symmetries(cards: &[u8]) -> Vec<[u8; 4]> {
    let ranks = suit_ranks(cards);
    all_names().into_iter().filter(|names| (0..4).all(|suit| ranks[usize::from(names[suit])] == ranks[suit])).collect()
}

/// The cards that are not among these, ids rising.
#[must_use]
pub fn deck_without(cards: &[u8]) -> Vec<u8> {
    (0..DECK).filter(|card| !cards.contains(card)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_counted_once_up_to_the_names_of_the_suits() {
        let flops = canonical_flops();
        assert_eq!(flops.len(), CANONICAL_FLOPS);
        assert_eq!(flops.iter().map(|flop| flop.weight).sum::<u64>(), 22_100);
        let places = canonical_places(&flops);
        assert!(places.iter().all(|&(place, _)| usize::from(place) < CANONICAL_FLOPS));
    }

    #[test]
    fn numbers_of_sets_have_no_gap() {
        assert!(holes().map(|[high, low]| hole_index(low, high)).eq(0..HOLES));
        assert!(flops().map(|[low, middle, high]| flop_index([high, low, middle])).eq(0..FLOPS));
    }

    #[test]
    fn a_hole_and_a_flop_are_one_of_1_286_792_classes() {
        let classes: usize = canonical_flops()
            .iter()
            .map(|flop| {
                let names = symmetries(&flop.cards);
                holes()
                    .filter(|hole| hole.iter().all(|card| !flop.cards.contains(card)))
                    .filter(|&[one, other]| {
                        let index = hole_index(one, other);
                        names.iter().all(|&names| hole_index(renamed(one, names), renamed(other, names)) >= index)
                    })
                    .count()
            })
            .sum();
        assert_eq!(classes, 1_286_792);
    }
}
