//! Raise It Up Stud: every own hand with every order of the three community cards.

use rayon::prelude::*;

use pitstream_evaluator::rank::rank;

use crate::deck::{CanonicalFlop, canonical_flops, deck_without};
use crate::kinds::{KINDS, PAIR_OF_TENS, STRAIGHT, THREE_KINDS, kind, three_kind};
use crate::progress::{Cancelled, Progress};

/// Cards that can lie on the board.
pub const DECK: usize = 49;
/// Two of them.
const PAIRS: usize = DECK * (DECK - 1) / 2;
/// Orders of three of them.
pub const BOARDS: i128 = 49 * 48 * 47;
/// Deals in all.
pub const DEALS: i128 = 22_100 * BOARDS;

/// No sum leaves 64 bits when nothing that a round comes to is beyond this.
pub const PAYOFF_MAX: i64 = i64::MAX / (16 * 110_544);

/// Third Street's choices: so many Antes.
pub const THIRD: usize = 4;
/// Fourth Street's.
pub const FOURTH: usize = 3;
/// Fifth Street's: not asked 0, one Ante 1, fold 2.
pub const FIFTH: usize = 3;
/// Ways in which a round is played: `9 * third + 3 * fourth + fifth`.
pub const ACTIONS: usize = THIRD * FOURTH * FIFTH;

/// More winning last cards than there are.
pub const OUTS: usize = 48;

const NOT_ASKED: usize = 0;
const BET: usize = 1;
const FOLD: usize = 2;

/// What a round comes to, in units of the caller's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payoffs {
    /// By kind of the best five of six: Ante and Blind.
    pub base: [i64; KINDS],
    /// By kind: a Play Wager of one Ante.
    pub play: [i64; KINDS],
    /// A fold: everything that it loses but the Play Wagers that stand.
    pub fold: i64,
    /// A lost Play Wager of one Ante.
    pub lost: i64,
    /// Whether a seat with a Play Wager is asked again on the later streets.
    pub asked_again: bool,
}

/// An own hand and what its decisions are worth.
pub struct Hand {
    /// The hand, for all that differ from it by the names of the suits.
    pub own: CanonicalFlop,
    /// The 49 cards that can come.
    pub deck: Vec<u8>,
    /// Third Street: each choice with best play after it, sums over [`BOARDS`].
    pub third: [i64; THIRD],
    /// Fourth Street after each choice on Third, by place of the first card in `deck`: each choice, sums over 48 * 47;
    /// `None` when the seat is not asked.
    pub fourth: Vec<[[i64; FOURTH]; THIRD]>,
    /// By places of two cards in `deck`, sums over the 47 last cards: Ante and Blind; a Play Wager of one Ante; how many
    /// of the cards make a pair of tens or better; how many make a straight or better.
    pub pairs: Vec<[i64; 4]>,
}

#[inline]
pub(crate) fn pair(one: usize, other: usize) -> usize {
    let (high, low) = (one.max(other), one.min(other));
    high * (high - 1) / 2 + low
}

impl Payoffs {
    /// Fifth Street with so many Antes of Play Wagers standing: what the best choice is worth, and which it is.
    #[inline]
    ///
    /// # Panics
    /// If more Antes stand than can.
    #[must_use]
    pub fn fifth(&self, [base, play, ..]: [i64; 4], standing: usize) -> (i64, usize) {
        let antes = i64::try_from(standing).expect("at most five");
        if standing > 0 && !self.asked_again {
            return (base + antes * play, NOT_ASKED);
        }
        let (bet, fold) = (base + (antes + 1) * play, 47 * (self.fold + antes * self.lost));
        if bet >= fold { (bet, BET) } else { (fold, FOLD) }
    }

    /// The choices of Fourth Street after this one on Third.
    #[must_use]
    pub fn fourth_choices(&self, third: usize) -> std::ops::Range<usize> {
        if third > 0 && !self.asked_again { 0..1 } else { 0..FOURTH }
    }
}

/// The best of values, of equal ones the first: the one with less at risk.
fn best(values: &[i64]) -> usize {
    (1..values.len()).fold(0, |best, at| if values[at] > values[best] { at } else { best })
}

fn solve_hand(own: CanonicalFlop, payoffs: &Payoffs) -> (Hand, Vec<(u8, [usize; 3])>) {
    let deck = deck_without(&own.cards);
    let [x, y, z] = own.cards;
    let mut pairs = vec![[0i64; 4]; PAIRS];
    let mut boards = Vec::with_capacity(18_424);
    for a in 2..DECK {
        for b in 1..a {
            for c in 0..b {
                let kind = kind(rank(&[x, y, z, deck[a], deck[b], deck[c]]).expect("different cards"));
                for at in [pair(a, b), pair(a, c), pair(b, c)] {
                    pairs[at][0] += payoffs.base[kind];
                    pairs[at][1] += payoffs.play[kind];
                    pairs[at][2] += i64::from(kind >= PAIR_OF_TENS);
                    pairs[at][3] += i64::from(kind >= STRAIGHT);
                }
                #[allow(clippy::cast_possible_truncation)] // twelve kinds
                boards.push((kind as u8, [a, b, c]));
            }
        }
    }
    let mut fourth = vec![[[i64::MIN; FOURTH]; THIRD]; DECK];
    let mut third_values = [0; THIRD];
    for (third, value) in third_values.iter_mut().enumerate() {
        for (one, fourth) in fourth.iter_mut().enumerate() {
            for choice in payoffs.fourth_choices(third) {
                fourth[third][choice] = (0..DECK)
                    .filter(|&other| other != one)
                    .map(|other| payoffs.fifth(pairs[pair(one, other)], third + choice).0)
                    .sum();
            }
            *value += fourth[third].iter().max().expect("three choices");
        }
    }
    (Hand { own, deck, third: third_values, fourth, pairs }, boards)
}

impl Hand {
    /// The best choice on Third Street.
    #[must_use]
    pub fn best_third(&self) -> usize {
        best(&self.third)
    }

    /// The best choice on Fourth Street after this one on Third, by the card's place in `deck`.
    #[must_use]
    pub fn best_fourth(&self, third: usize, card: usize) -> usize {
        best(&self.fourth[card][third])
    }

    /// How the round is played with these two first cards, by their places in `deck`: an action.
    #[must_use]
    pub fn action(&self, payoffs: &Payoffs, first: usize, second: usize) -> usize {
        let third = self.best_third();
        let fourth = self.best_fourth(third, first);
        9 * third + 3 * fourth + payoffs.fifth(self.pairs[pair(first, second)], third + fourth).1
    }
}

/// Orders of deals by action, kind of the own three cards and kind of the best five of six.
pub type Cells = Vec<[[u64; KINDS]; THREE_KINDS]>;

/// Every decision's values, and what every deal comes to under the best of them.
pub struct Solution {
    /// What the values are made of.
    pub payoffs: Payoffs,
    /// The 1,755 canonical own hands.
    pub hands: Vec<Hand>,
    /// Every deal.
    pub cells: Cells,
}

/// Values, decisions and deals of best play.
///
/// # Errors
/// The count was cancelled.
pub fn solve(payoffs: Payoffs, progress: &Progress) -> Result<Solution, Cancelled> {
    let (hands, parts): (Vec<_>, Vec<_>) = canonical_flops()
        .into_par_iter()
        .map(|own| {
            let (hand, boards) = solve_hand(own, &payoffs);
            let cells = count(&hand, &payoffs, &boards);
            progress.step().map(|()| (hand, cells))
        })
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .unzip();
    let mut cells = vec![[[0; KINDS]; THREE_KINDS]; ACTIONS];
    for (hand, part) in hands.iter().zip(parts) {
        let own = three_kind(hand.own.cards);
        for (cells, part) in cells.iter_mut().zip(part) {
            for (cell, deals) in cells[own].iter_mut().zip(part) {
                *cell += deals * hand.own.weight;
            }
        }
    }
    Ok(Solution { payoffs, hands, cells })
}

/// Orders of the board by action and kind.
fn count(hand: &Hand, payoffs: &Payoffs, boards: &[(u8, [usize; 3])]) -> Vec<[u64; KINDS]> {
    let mut cells = vec![[0; KINDS]; ACTIONS];
    let third = hand.best_third();
    let fourth: Vec<usize> = (0..DECK).map(|card| hand.best_fourth(third, card)).collect();
    let fifth: Vec<[usize; FOURTH]> =
        hand.pairs.iter().map(|&sums| std::array::from_fn(|fourth| payoffs.fifth(sums, third + fourth).1)).collect();
    for &(kind, [a, b, c]) in boards {
        for (first, second) in [(a, b), (a, c), (b, a), (b, c), (c, a), (c, b)] {
            let fourth = fourth[first];
            cells[9 * third + 3 * fourth + fifth[pair(first, second)][fourth]][usize::from(kind)] += 1;
        }
    }
    cells
}

impl Solution {
    /// The player's result per Ante of best play, a sum over [`DEALS`].
    #[must_use]
    pub fn total(&self) -> i128 {
        self.hands.iter().map(|hand| i128::from(hand.own.weight) * i128::from(hand.third[hand.best_third()])).sum()
    }

    /// By whether a last card can make a straight or better, and by outs (last cards that win): how often a seat is asked
    /// on Fifth Street with no Play Wager standing, and what the bet is worth beyond a fold, over the last cards.
    ///
    /// # Panics
    /// Never: outs are a count.
    #[must_use]
    pub fn fifth_by_outs(&self) -> [[(u64, i128); OUTS]; 2] {
        let mut looks = [[(0, 0); OUTS]; 2];
        for hand in self.hands.iter().filter(|hand| hand.best_third() == 0) {
            for first in (0..DECK).filter(|&first| hand.best_fourth(0, first) == 0) {
                for second in (0..DECK).filter(|&second| second != first) {
                    let [base, play, wins, strong] = hand.pairs[pair(first, second)];
                    let look = &mut looks[usize::from(strong > 0)][usize::try_from(wins).expect("a count")];
                    look.0 += hand.own.weight;
                    look.1 += i128::from(hand.own.weight) * i128::from(base + play - 47 * self.payoffs.fold);
                }
            }
        }
        looks
    }

    /// By hand and place of the first card, with no Play Wager standing: what Fifth Street is worth when a seat bets with
    /// at least so many outs, without and with a last card that can make a straight or better, and else folds; sums over
    /// 48 * 47.
    #[must_use]
    pub fn fourth_checks(&self, least_outs: [i64; 2]) -> Vec<[i64; DECK]> {
        let fold = 47 * self.payoffs.fold;
        let worth = |[base, play, wins, strong]: [i64; 4]| {
            if wins >= least_outs[usize::from(strong > 0)] { base + play } else { fold }
        };
        self.hands
            .iter()
            .map(|hand| {
                std::array::from_fn(|first| {
                    let seconds = (0..DECK).filter(|&second| second != first);
                    seconds.map(|second| worth(hand.pairs[pair(first, second)])).sum()
                })
            })
            .collect()
    }
}
