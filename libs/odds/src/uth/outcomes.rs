//! What every deal comes to under the decisions of a [`Solution`].

use rayon::prelude::*;

use crate::deck::{self, HOLES, canonical_weight, flop_index, hole_index, holes, renamed, suit_ranks};
use crate::kinds::KINDS;
use crate::progress::{Cancelled, Progress};
use crate::uth::boards::{self, Board, Hole, OUTCOMES, SUITED_HOLES, class_of};
use crate::uth::flops::hole_class;
use crate::uth::solve::{PreFlop, Solution, raises_flop};

/// How a round is played: Play Wager of 4 Antes 0, 3 Antes 1, 2 Antes 2, 1 Ante 3, fold 4.
pub const ACTIONS: usize = 5;
/// Steps of [`outcomes`], as [`Progress`] counts them.
pub const STEPS: usize = 42_783;
/// Canonical boards, which stand for 2,598,960.
pub const CANONICAL_BOARDS: usize = 134_459;

const FOUR: usize = 0;
const THREE: usize = 1;
const TWO: usize = 2;
const ONE: usize = 3;
const FOLD: usize = 4;

/// Deals by kind of the board alone, action, kind of the player's hand and outcome.
pub type Cells = Vec<[[[u64; OUTCOMES]; KINDS]; ACTIONS]>;

const WORDS: usize = HOLES.div_ceil(64);

/// One bit a hand, by `deck::hole_index`.
type HoleSet = [u64; WORDS];

/// By flop (`deck::flop_index`): the hands that place a Play Wager there when they checked before.
#[must_use]
pub fn raising_hands(solution: &Solution) -> Vec<HoleSet> {
    let places = deck::canonical_places(&solution.flops);
    places
        .par_iter()
        .map(|&(place, names)| {
            let after = &solution.after[usize::from(place)];
            let mut set = [0; WORDS];
            for (index, [high, low]) in holes().enumerate() {
                if raises_flop(after[hole_index(renamed(high, names), renamed(low, names))]) {
                    set[index / 64] |= 1 << (index % 64);
                }
            }
            set
        })
        .collect()
}

/// A class of board by its place, and its canonical boards with their weights.
pub type BoardsOfClass = (usize, Vec<([u8; 5], u64)>);

/// The canonical boards by class.
#[must_use]
pub fn canonical_boards() -> Vec<BoardsOfClass> {
    let mut all = Vec::with_capacity(CANONICAL_BOARDS);
    for a in 4..52u8 {
        for b in 3..a {
            for c in 2..b {
                for d in 1..c {
                    for e in 0..d {
                        let weight = canonical_weight(suit_ranks(&[a, b, c, d, e]));
                        if weight > 0 {
                            all.push((class_of([a, b, c, d, e]).0, [a, b, c, d, e], weight));
                        }
                    }
                }
            }
        }
    }
    all.sort_unstable();
    all.chunk_by(|left, right| left.0 == right.0)
        .map(|same| (same[0].0, same.iter().map(|&(_, cards, weight)| (cards, weight)).collect()))
        .collect()
}

/// Deals of a class of hand by how they came to the river: 4 Antes, 3 Antes, 2 Antes, two checks.
pub(crate) type Arrivals = [u64; 4];

/// Counts every deal.
///
/// # Errors
/// The count was cancelled.
pub fn outcomes(solution: &Solution, progress: &Progress) -> Result<Cells, Cancelled> {
    let none = || vec![[[[0; OUTCOMES]; KINDS]; ACTIONS]; KINDS];
    arrivals_of_classes(
        solution,
        progress,
        none,
        |cells: &mut Cells, board, holes, arrived| {
            let on_board = &mut cells[board.kind()];
            for hole in holes {
                let [four, three, two, checked] = arrived[hole.class()];
                let [base, play] = solution.payoffs.sums(hole);
                let last = if solution.payoffs.bets_river(base, play) { ONE } else { FOLD };
                for (action, deals) in [(FOUR, four), (THREE, three), (TWO, two), (last, checked)] {
                    let cells = &mut on_board[action][usize::from(hole.kind)];
                    for (cell, &dealers) in cells.iter_mut().zip(&hole.against) {
                        *cell += deals * u64::from(dealers);
                    }
                }
            }
        },
        |all, part| {
            for (all, part) in
                all.iter_mut().flatten().flatten().flatten().zip(part.iter().flatten().flatten().flatten())
            {
                *all += part;
            }
        },
    )
}

/// Goes through every class of board with its hands and how these came there; `add` puts it into a sum that began as
/// `none`, `join` adds one sum to another.
pub(crate) fn arrivals_of_classes<T: Send>(
    solution: &Solution,
    progress: &Progress,
    none: impl Fn() -> T + Sync + Send,
    add: impl Fn(&mut T, &Board, &[Hole], &[Arrivals; SUITED_HOLES]) + Sync + Send,
    join: impl Fn(&mut T, T) + Sync + Send,
) -> Result<T, Cancelled> {
    let raising = raising_hands(solution);
    let before: Vec<PreFlop> = solution.starts.iter().map(|start| start.best().0).collect();
    let classes = boards::by_place();
    canonical_boards()
        .par_iter()
        .try_fold(&none, |mut sum, (place, same)| {
            let arrived = arrivals(same, &before, &raising);
            let board = classes[*place].as_ref().expect("a canonical board has a class");
            add(&mut sum, board, &boards::showdowns(board), &arrived);
            progress.step().map(|()| sum)
        })
        .try_reduce(&none, |mut all, part| {
            join(&mut all, part);
            Ok(all)
        })
}

/// How the hands of each class come to the river, over the boards of one class and the ten flops of each.
fn arrivals(same: &[([u8; 5], u64)], before: &[PreFlop], raising: &[HoleSet]) -> Box<[Arrivals; SUITED_HOLES]> {
    let mut arrived = Box::new([[0; 4]; SUITED_HOLES]);
    for &(cards, weight) in same {
        let suit = class_of(cards).1;
        let raised = raised_on(cards, raising);
        let deck = deck::deck_without(&cards);
        for (at, &high) in deck.iter().enumerate() {
            for &low in &deck[..at] {
                let index = hole_index(high, low);
                let arrived = &mut arrived[hole_class(high, low, suit)];
                match before[index] {
                    PreFlop::Four => arrived[FOUR] += 10 * weight,
                    PreFlop::Three => arrived[THREE] += 10 * weight,
                    PreFlop::Check => {
                        let flops = count(&raised, index);
                        arrived[TWO] += flops * weight;
                        arrived[ONE] += (10 - flops) * weight;
                    }
                }
            }
        }
    }
    arrived
}

/// For every hand, on how many of the board's ten flops it raises: four binary digits, a set of hands each.
fn raised_on(board: [u8; 5], raising: &[HoleSet]) -> [HoleSet; 4] {
    let mut digits = [[0; WORDS]; 4];
    for a in 0..5 {
        for b in 0..a {
            for c in 0..b {
                let set = &raising[flop_index([board[a], board[b], board[c]])];
                for word in 0..WORDS {
                    // A ripple-carry adder, 64 hands at a time.
                    let mut carry = set[word];
                    for digit in &mut digits {
                        let sum = digit[word] ^ carry;
                        carry &= digit[word];
                        digit[word] = sum;
                    }
                }
            }
        }
    }
    digits
}

#[inline]
fn count(digits: &[HoleSet; 4], index: usize) -> u64 {
    digits.iter().rev().fold(0, |count, digit| count << 1 | digit[index / 64] >> (index % 64) & 1)
}
