//! What the side bets on the flop's cards and on the first two cards need to know of the main game.

use rayon::prelude::*;

use pitstream_evaluator::rank::{CATEGORY_FROM, rank};

use crate::deck::{CANONICAL_FLOPS, CanonicalFlop, HOLES, deck_without, flop_index, hole_index};
use crate::kinds::{KINDS, kind};
use crate::progress::{Cancelled, Progress};
use crate::uth::boards::{LOSS, TIE, class_of};
use crate::uth::flops::{Sums, hole_class};
use crate::uth::outcomes::raising_hands;
use crate::uth::solve::{PreFlop, RiverTables, Solution, raises_flop};

/// Turns and rivers, and dealers' hands, after a flop and the player's two cards.
const RUNOUTS: i128 = 1081 * 990;
/// Turns and rivers once the dealer's cards are known as well.
const RUNOUTS_BESIDE_DEALER: i128 = 990;
/// Dealer's hands once the board and the player's cards are known.
const DEALERS: i128 = 990;

/// Steps of [`flop_hands`], as [`Progress`] counts them.
pub const STEPS: usize = CANONICAL_FLOPS;

/// By kind of the player's two cards with the flop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlopHands {
    /// Deals that are played on and that end in a fold, and the main game's result in each: `[stay, fold, stay, fold]`.
    pub main: [[i128; 4]; KINDS],
    /// Deals by kind of the dealer's two cards with the flop, not folded and folded.
    pub dealer: [[[i128; 2]; KINDS]; KINDS],
}

/// Counts hands on the flop.
///
/// Folds are told apart only for `paid` kinds: where a kind is not paid, a fold changes nothing and all count as stayed.
///
/// # Errors
/// The count was cancelled.
pub fn flop_hands(
    solution: &Solution,
    rivers: &RiverTables,
    paid: [bool; KINDS],
    progress: &Progress,
) -> Result<FlopHands, Cancelled> {
    let before: Vec<PreFlop> = solution.starts.iter().map(|start| start.best().0).collect();
    solution
        .flops
        .par_iter()
        .zip(&solution.after)
        .map(|(flop, after)| {
            let counted = on_flop(solution, rivers, *flop, after, &before, paid);
            progress.step().map(|()| counted)
        })
        .try_reduce(FlopHands::default, |mut all, part| {
            for (all, part) in all.main.iter_mut().flatten().zip(part.main.iter().flatten()) {
                *all += part;
            }
            for (all, part) in all.dealer.iter_mut().flatten().flatten().zip(part.dealer.iter().flatten().flatten()) {
                *all += part;
            }
            Ok(all)
        })
}

/// The kinds of all hands on one flop, and how many there are of each, in all and with each card.
struct KindsOnFlop {
    of: Vec<u8>,
    all: [i128; KINDS],
    with: [[i128; 52]; KINDS],
}

impl KindsOnFlop {
    fn new([x, y, z]: [u8; 3], deck: &[u8]) -> Self {
        let mut kinds = Self { of: vec![u8::MAX; HOLES], all: [0; KINDS], with: [[0; 52]; KINDS] };
        for (at, &high) in deck.iter().enumerate() {
            for &low in &deck[..at] {
                let kind = kind(rank(&[x, y, z, high, low]).expect("different cards"));
                #[allow(clippy::cast_possible_truncation)] // twelve kinds
                let small = kind as u8;
                kinds.of[hole_index(high, low)] = small;
                kinds.all[kind] += 1;
                kinds.with[kind][usize::from(high)] += 1;
                kinds.with[kind][usize::from(low)] += 1;
            }
        }
        kinds
    }

    /// Hands of this kind that hold none of these different cards, by inclusion and exclusion.
    fn without<const N: usize>(&self, kind: usize, cards: [u8; N]) -> i128 {
        let mut count = self.all[kind];
        for (at, &one) in cards.iter().enumerate() {
            count -= self.with[kind][usize::from(one)];
            for &other in &cards[..at] {
                count += i128::from(usize::from(self.of[hole_index(one, other)]) == kind);
            }
        }
        count
    }
}

fn on_flop(
    solution: &Solution,
    rivers: &RiverTables,
    flop: CanonicalFlop,
    after: &[Sums],
    before: &[PreFlop],
    paid: [bool; KINDS],
) -> FlopHands {
    let deck = deck_without(&flop.cards);
    let kinds = KindsOnFlop::new(flop.cards, &deck);
    let weight = i128::from(flop.weight);
    // On one flop only a few kinds can be held.
    let held: Vec<usize> = (0..KINDS).filter(|&kind| kinds.all[kind] > 0).collect();
    let mut counted = FlopHands::default();
    for (at, &high) in deck.iter().enumerate() {
        for &low in &deck[..at] {
            let index = hole_index(high, low);
            let own = usize::from(kinds.of[index]);
            let sums @ [check, base, play] = after[index];
            let (antes, net) = match before[index] {
                PreFlop::Four => (4, base + 4 * play),
                PreFlop::Three => (3, base + 3 * play),
                PreFlop::Check if raises_flop(sums) => (2, base + 2 * play),
                PreFlop::Check => (0, check),
            };
            let mut folds = 0;
            for &dealer in &held {
                counted.dealer[own][dealer][0] += weight * RUNOUTS_BESIDE_DEALER * kinds.without(dealer, [high, low]);
            }
            if antes == 0 && paid[own] {
                for [turn, river] in folded_runouts(solution, rivers, flop.cards, &deck, [high, low]) {
                    folds += DEALERS;
                    for &dealer in &held {
                        let deals = weight * kinds.without(dealer, [high, low, turn, river]);
                        counted.dealer[own][dealer][0] -= deals;
                        counted.dealer[own][dealer][1] += deals;
                    }
                }
            }
            let lost = folds * i128::from(solution.payoffs.fold);
            let parts = [RUNOUTS - folds, folds, i128::from(net) - lost, lost];
            for (part, sum) in parts.iter().zip(&mut counted.main[own]) {
                *sum += weight * part;
            }
        }
    }
    counted
}

/// The turns and rivers on which these two cards fold after two checks.
fn folded_runouts(
    solution: &Solution,
    rivers: &RiverTables,
    [x, y, z]: [u8; 3],
    deck: &[u8],
    [high, low]: [u8; 2],
) -> Vec<[u8; 2]> {
    let mut folded = Vec::new();
    let left: Vec<u8> = deck.iter().copied().filter(|&card| card != high && card != low).collect();
    for (at, &river) in left.iter().enumerate() {
        for &turn in &left[..at] {
            let (place, suit) = class_of([x, y, z, turn, river]);
            let [_, base, play] = rivers.of(place)[hole_class(high, low, suit)];
            if !solution.payoffs.bets_river(base, play) {
                folded.push([turn, river]);
            }
        }
    }
    folded
}

/// The main game's result, summed over every deal in which player and dealer both hold a pair of aces, and how many
/// these are.
///
/// # Panics
/// Never: all its cards are different.
#[must_use]
pub fn both_hold_aces(solution: &Solution, rivers: &RiverTables) -> (i128, i128) {
    // One way in which four aces are shared stands for all six.
    let (own, dealers) = ([48, 49], [50, 51]);
    let start = solution.starts[hole_index(own[0], own[1])].best().0;
    let raising = if start == PreFlop::Check { raising_hands(solution) } else { vec![] };
    let index = hole_index(own[0], own[1]);
    let of_board = |board: [u8; 5]| -> i128 {
        let [first, second, third, fourth, fifth] = board;
        let value = rank(&[first, second, third, fourth, fifth, own[0], own[1]]).expect("different cards");
        let dealer = rank(&[first, second, third, fourth, fifth, dealers[0], dealers[1]]).expect("different cards");
        let outcome = match value.cmp(&dealer) {
            std::cmp::Ordering::Greater => usize::from(dealer >> CATEGORY_FROM),
            std::cmp::Ordering::Equal => TIE,
            std::cmp::Ordering::Less => LOSS,
        };
        let payoffs = &solution.payoffs;
        let net =
            |antes: i64| i128::from(payoffs.base[kind(value)][outcome] + antes * payoffs.play[kind(value)][outcome]);
        match start {
            PreFlop::Four => 10 * net(4),
            PreFlop::Three => 10 * net(3),
            PreFlop::Check => {
                let (place, suit) = class_of(board);
                let [_, base, play] = rivers.of(place)[hole_class(own[0], own[1], suit)];
                let last = if payoffs.bets_river(base, play) { net(1) } else { i128::from(payoffs.fold) };
                let flops = [
                    [first, second, third],
                    [first, second, fourth],
                    [first, second, fifth],
                    [first, third, fourth],
                    [first, third, fifth],
                    [first, fourth, fifth],
                    [second, third, fourth],
                    [second, third, fifth],
                    [second, fourth, fifth],
                    [third, fourth, fifth],
                ];
                let raises = |flop: &[u8; 3]| raising[flop_index(*flop)][index / 64] >> (index % 64) & 1 == 1;
                flops.iter().map(|flop| if raises(flop) { net(2) } else { last }).sum()
            }
        }
    };
    let sum: i128 = (4..48u8)
        .into_par_iter()
        .map(|a| {
            let mut sum = 0;
            for b in 3..a {
                for c in 2..b {
                    for d in 1..c {
                        sum += (0..d).map(|e| of_board([a, b, c, d, e])).sum::<i128>();
                    }
                }
            }
            sum
        })
        .sum();
    (6 * sum, 6 * 10 * 1_712_304)
}
