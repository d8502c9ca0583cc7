//! Strategies that people can follow: what the flop and the river look like to a player, what such a look is worth, and
//! what a strategy made of a few of them costs.

use rayon::prelude::*;

use pitstream_evaluator::rank::{CATEGORY_FROM, RANK_KEY, rank, suited_value, unsuited_value};

use crate::deck::{CanonicalFlop, canonical_flops, hole_index, holes};
use crate::progress::{Cancelled, Progress};
use crate::uth::boards::{Board, Hole, Payoffs, SUITED, TYPES};
use crate::uth::flops::{Sums, sums_after};
use crate::uth::outcomes::arrivals_of_classes;
use crate::uth::solve::{PreFlop, RiverTables, Solution, start_class};

/// What a player has made on the flop with own cards: nothing 0, a pocket pair of twos 1 to aces 13, a pair with the
/// lowest card of the flop 14, with one between 15, with the highest 16, two pair or better 17.
pub const MADE: usize = 18;
/// Four to a flush with own cards: none 0, else one more than the rank of the highest own card of the suit.
pub const DRAWS: usize = 14;
/// More dealer's outs than there can be.
pub const OUTS: usize = 48;

const PAIR: u16 = 1;
const TWO_PAIR: u16 = 2;

/// Look and sums: how many deals (a flop's, a river's), and what the bet is worth beyond the check or the fold.
pub type Worth = (u64, i128);

/// What two cards look like on a flop: made, draw.
#[must_use]
pub fn look_at_flop(hole: [u8; 2], flop: [u8; 3]) -> (usize, usize) {
    (made(hole, flop), draw(hole, flop))
}

fn made(hole: [u8; 2], flop: [u8; 3]) -> usize {
    let [one, other] = hole.map(|card| card / 4);
    let ranks = flop.map(|card| card / 4);
    let category = rank(&[hole[0], hole[1], flop[0], flop[1], flop[2]]).expect("different cards") >> CATEGORY_FROM;
    let paired = [one, other].map(|rank| ranks.contains(&rank));
    let own = one == other || paired[0] || paired[1] || category > 3;
    match category {
        TWO_PAIR.. if own => 17,
        PAIR if one == other => 1 + usize::from(one),
        PAIR if own => {
            let rank = if paired[0] { one } else { other };
            let (lowest, highest) = (ranks.iter().min(), ranks.iter().max());
            if Some(&rank) == highest {
                16
            } else if Some(&rank) == lowest {
                14
            } else {
                15
            }
        }
        _ => 0,
    }
}

fn draw(hole: [u8; 2], flop: [u8; 3]) -> usize {
    let of_suit = |cards: &[u8], suit: u8| cards.iter().filter(|&&card| card & 3 == suit).count();
    let draws = hole.iter().filter(|&&card| of_suit(&hole, card & 3) + of_suit(&flop, card & 3) == 4);
    draws.map(|card| 1 + usize::from(card / 4)).max().unwrap_or(0)
}

/// What two cards look like on the river: whether an own card makes a pair or better, and with how many of the unseen
/// cards alone the dealer would have more.
fn looks_at_river(board: &Board) -> impl Fn(&Hole) -> (bool, usize) + use<> {
    let left = board.left();
    let mut ranks = board.suited;
    let (mut sum, mut held) = (0, 0u16);
    for rank in board.others.iter().copied().chain((0..13).filter(|&rank| ranks >> rank & 1 == 1)) {
        sum += RANK_KEY[usize::from(rank)];
        held |= 1 << rank;
    }
    let with: [u16; TYPES] = std::array::from_fn(|card| {
        let suited = ranks | if card >= SUITED { 1 << (card - SUITED) } else { 0 };
        match left[card] {
            0 => 0,
            _ if suited.count_ones() >= 5 => suited_value(suited),
            _ => unsuited_value::<6>(sum + RANK_KEY[card % SUITED]),
        }
    });
    let alone = if board.others.is_empty() { suited_value(ranks) } else { unsuited_value::<5>(sum) } >> CATEGORY_FROM;
    ranks = held;
    move |hole| {
        let [one, other] = [hole.one, hole.other].map(|card| card % 13);
        let category = hole.value >> CATEGORY_FROM;
        let pairs = one == other || ranks >> one & 1 == 1 || ranks >> other & 1 == 1;
        let own = category >= PAIR && (pairs || category > alone);
        let outs: u16 = with.iter().zip(left).filter(|(value, _)| **value > hole.value).map(|(_, left)| left).sum();
        (own, usize::from(outs))
    }
}

/// By made and draw: flops, each with its turns, rivers and dealers, and what twice the Ante is worth beyond a check.
#[must_use]
pub fn flop_looks(solution: &Solution) -> Vec<[Worth; DRAWS]> {
    let mut looks = vec![[(0, 0); DRAWS]; MADE];
    let before: Vec<PreFlop> = solution.starts.iter().map(|start| start.best().0).collect();
    for (flop, after) in solution.flops.iter().zip(&solution.after) {
        for (index, hole) in holes().enumerate() {
            if before[index] != PreFlop::Check || hole.iter().any(|card| flop.cards.contains(card)) {
                continue;
            }
            let (made, draw) = look_at_flop(hole, flop.cards);
            let [check, base, play] = after[index];
            let look = &mut looks[made][draw];
            look.0 += flop.weight;
            look.1 += i128::from(flop.weight) * i128::from(base + 2 * play - check);
        }
    }
    looks
}

/// By whether an own card makes a pair or better, and by outs: rivers, and what the Ante is worth beyond a fold.
///
/// # Errors
/// The count was cancelled.
pub fn river_looks(solution: &Solution, progress: &Progress) -> Result<[Vec<Worth>; 2], Cancelled> {
    let none = || [vec![(0, 0); OUTS], vec![(0, 0); OUTS]];
    arrivals_of_classes(
        solution,
        progress,
        none,
        |looks: &mut [Vec<Worth>; 2], board, holes, arrived| {
            let look = looks_at_river(board);
            for hole in holes {
                let [_, _, _, checked] = arrived[hole.class()];
                let (own, outs) = look(hole);
                let [base, play] = solution.payoffs.sums(hole);
                let worth = &mut looks[usize::from(own)][outs];
                worth.0 += checked;
                worth.1 += i128::from(checked) * i128::from(base + play - 990 * solution.payoffs.fold);
            }
        },
        |all, part| {
            for (all, part) in all.iter_mut().flatten().zip(part.iter().flatten()) {
                all.0 += part.0;
                all.1 += part.1;
            }
        },
    )
}

/// A strategy of few rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// By class of starting hand (`solve::start_class`).
    pub starts: Vec<PreFlop>,
    /// Raises on the flop, by what is made.
    pub made: [bool; MADE],
    /// Raises on the flop with four to a flush, by draw.
    pub draws: [bool; DRAWS],
    /// Bets on the river with an own pair or better, whatever the outs.
    pub own: bool,
    /// Bets on the river with at most so many outs; -1: never for the outs.
    pub outs: i64,
}

/// The player's result when the card is followed, a sum over [`Solution::DEALS`].
///
/// # Errors
/// The count was cancelled.
pub fn value(payoffs: &Payoffs, card: &Card, progress: &Progress) -> Result<i128, Cancelled> {
    let fold = 990 * payoffs.fold;
    let rivers = RiverTables::by(progress, |board| {
        let look = looks_at_river(board);
        move |hole| {
            let (own, outs) = look(hole);
            let [base, play] = payoffs.sums(hole);
            let bets = (card.own && own) || i64::try_from(outs).is_ok_and(|outs| outs <= card.outs);
            [if bets { base + play } else { fold }, base, play]
        }
    })?;
    canonical_flops()
        .par_iter()
        .map(|flop| {
            let sum = on_flop(*flop, &sums_after(flop.cards, &rivers), card);
            progress.step().map(|()| sum)
        })
        .sum::<Result<i128, Cancelled>>()
}

fn on_flop(flop: CanonicalFlop, after: &[Sums], card: &Card) -> i128 {
    let played = holes().filter(|hole| !hole.iter().any(|card| flop.cards.contains(card))).map(|hole| {
        let [check, base, play] = after[hole_index(hole[0], hole[1])];
        match card.starts[start_class(hole[0], hole[1])] {
            PreFlop::Four => base + 4 * play,
            PreFlop::Three => base + 3 * play,
            PreFlop::Check => {
                let (made, draw) = look_at_flop(hole, flop.cards);
                if card.made[made] || card.draws[draw] { base + 2 * play } else { check }
            }
        }
    });
    i128::from(flop.weight) * played.map(i128::from).sum::<i128>()
}
