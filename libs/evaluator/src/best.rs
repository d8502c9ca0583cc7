//! Which five cards make a hand's value, and Flop Poker's hands of three own cards with two of the board's three.

use crate::cards::{self, Fault};
use crate::rank::{self, FLUSH, ROYAL_FLUSH, STRAIGHT, STRAIGHT_FLUSH};

/// How many cards each deciding rank stands for, by category; straights are spelt out from their highest card.
const CARDS_A_RANK: [&[usize]; rank::CATEGORIES] =
    [&[1; 5], &[2, 1, 1, 1], &[2, 2, 1], &[3, 1, 1], &[], &[1; 5], &[3, 2], &[4, 1], &[], &[]];

/// [`rank::rank`] for a number of cards known at run time.
///
/// # Errors
/// An id above 51, or a card twice.
///
/// # Panics
/// If there are fewer than five or more than seven cards.
pub fn rank_any(ids: &[u8]) -> Result<u16, Fault> {
    match ids.len() {
        5 => rank::rank::<5>(ids.try_into().expect("five cards")),
        6 => rank::rank::<6>(ids.try_into().expect("six cards")),
        7 => rank::rank::<7>(ids.try_into().expect("seven cards")),
        count => panic!("{count} cards; a hand has five, six or seven"),
    }
}

/// The five of five, six or seven cards that make the value, the most important first: a full house's trips before its
/// pair, a straight from its highest card down (5-4-3-2-A). Of cards that would serve alike, spades go before hearts,
/// diamonds and clubs.
///
/// # Errors
/// An id above 51, or a card twice.
///
/// # Panics
/// If there are fewer than five or more than seven cards.
pub fn best_five(ids: &[u8]) -> Result<[u8; 5], Fault> {
    let value = rank_any(ids)?;
    let category = rank::category(value).expect("a hand's value has a category");
    let deciding = rank::deciding_ranks(value).expect("a hand's value has deciding ranks");
    let mut left = ids.to_vec();
    left.sort_unstable_by(|a, b| b.cmp(a));
    if let FLUSH | STRAIGHT_FLUSH | ROYAL_FLUSH = category {
        let suit = (0..4).find(|&suit| rank::ranks_of_suit(ids, suit).count_ones() >= 5);
        left.retain(|&id| Some(u32::from(id % 4)) == suit);
    }
    let ranks: Vec<u8> = if let STRAIGHT | STRAIGHT_FLUSH | ROYAL_FLUSH = category {
        // Below the two stands the ace.
        (0..5).map(|step| (deciding[0] + 13 - step) % 13).collect()
    } else {
        let counted = deciding.iter().zip(CARDS_A_RANK[category]);
        counted.flat_map(|(&rank, &count)| std::iter::repeat_n(rank, count)).collect()
    };
    let mut five = [0; 5];
    for (place, rank) in five.iter_mut().zip(ranks) {
        let at = left.iter().position(|id| id / 4 == rank).expect("a hand holds the ranks that decide it");
        *place = left.remove(at);
    }
    Ok(five)
}

/// The value of the best hand of all three own cards and exactly two of the board's three, and its five cards in no
/// particular order. Of board cards that would serve alike, the one of the later suit is used.
///
/// # Errors
/// An id above 51 or a card twice, at its index in own cards followed by board cards.
pub fn three_plus_two(own: [u8; 3], board: [u8; 3]) -> Result<(u16, [u8; 5]), Fault> {
    let [a, b, c] = own;
    cards::check(&[a, b, c, board[0], board[1], board[2]])?;
    let mut board = board;
    board.sort_unstable_by(|left, right| right.cmp(left));
    let [high, middle, low] = board;
    let mut best = (0, [a, b, c, high, middle]);
    for five in [[a, b, c, high, middle], [a, b, c, high, low], [a, b, c, middle, low]] {
        let value = rank::rank(&five)?;
        if value > best.0 {
            best = (value, five);
        }
    }
    Ok(best)
}
