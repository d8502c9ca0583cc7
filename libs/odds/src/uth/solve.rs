//! The value of every decision and the best of each.

use rayon::prelude::*;

use crate::deck::{self, CanonicalFlop, HOLES, hole_index, holes};
use crate::progress::{Cancelled, Progress};
use crate::uth::boards::{self, Board, Hole, Payoffs, SUITED_HOLES, UNSUITED_HOLES, UNSUITED_PLACES};
use crate::uth::flops::{Sums, sums_after};

/// Steps of [`solve`], as [`Progress`] counts them.
pub const STEPS: usize = boards::BOARDS + deck::CANONICAL_FLOPS;
/// No sum leaves 64 bits when neither `fold` nor any `base + 4 * play` is beyond this.
pub const PAYOFF_MAX: i64 = i64::MAX / (4 * 1_176 * 990);
/// Deals that each sum of a starting hand is over: flops, turns and rivers, dealers.
pub const DEALS_OF_A_HOLE: i128 = 19_600 * 1_081 * 990;

/// For every class of board and hand the sums over the dealers.
pub struct RiverTables {
    sums: Vec<Sums>,
}

const fn first(place: usize) -> usize {
    if place < UNSUITED_PLACES {
        place * UNSUITED_HOLES
    } else {
        UNSUITED_PLACES * UNSUITED_HOLES + (place - UNSUITED_PLACES) * SUITED_HOLES
    }
}

impl RiverTables {
    /// The sums by class of hand.
    #[inline]
    #[must_use]
    pub fn of(&self, place: usize) -> &[Sums] {
        &self.sums[first(place)..first(place + 1)]
    }

    /// Best play on every class of board.
    ///
    /// # Errors
    /// The count was cancelled.
    pub fn new(payoffs: &Payoffs, progress: &Progress) -> Result<Self, Cancelled> {
        Self::by(progress, |_| {
            |hole| {
                let [base, play] = payoffs.sums(hole);
                [payoffs.river(base, play), base, play]
            }
        })
    }

    /// What `sums` makes of each hand on every class of board.
    ///
    /// # Errors
    /// The count was cancelled.
    pub fn by<S: Fn(&Hole) -> Sums>(
        progress: &Progress,
        sums_on: impl Fn(&Board) -> S + Sync,
    ) -> Result<Self, Cancelled> {
        let mut sums = vec![[0; 3]; first(boards::BOARDS)];
        let by_place = boards::by_place();
        let (unsuited, suited) = sums.split_at_mut(first(UNSUITED_PLACES));
        unsuited
            .par_chunks_mut(UNSUITED_HOLES)
            .chain(suited.par_chunks_mut(SUITED_HOLES))
            .zip(&by_place)
            .try_for_each(|(sums, board)| {
                if let Some(board) = board {
                    let of_hole = sums_on(board);
                    for hole in boards::showdowns(board) {
                        sums[hole.class()] = of_hole(&hole);
                    }
                }
                progress.step()
            })?;
        Ok(Self { sums })
    }
}

/// For every class of board and hand the value of the hand with the board; 0 where the hand cannot be held.
pub struct ValueTables {
    values: Vec<u16>,
    /// By place of the board: the classes that can be held, lowest value first.
    orders: Vec<Vec<u16>>,
}

impl ValueTables {
    /// Every value.
    ///
    /// # Panics
    /// Never: a board has at most 351 classes of hands.
    #[must_use]
    pub fn new() -> Self {
        let mut values = vec![0; first(boards::BOARDS)];
        let mut orders = vec![vec![]; boards::BOARDS];
        for (place, board) in boards::all() {
            let values = &mut values[first(place)..first(place + 1)];
            for (class, value) in boards::values(&board) {
                values[class] = value;
                orders[place].push(u16::try_from(class).expect("at most 351 classes"));
            }
            orders[place].sort_unstable_by_key(|&class| values[usize::from(class)]);
        }
        Self { values, orders }
    }

    /// The values by class of hand.
    #[inline]
    #[must_use]
    pub fn of(&self, place: usize) -> &[u16] {
        &self.values[first(place)..first(place + 1)]
    }

    /// The classes that can be held, lowest value first.
    #[inline]
    #[must_use]
    pub fn order(&self, place: usize) -> &[u16] {
        &self.orders[place]
    }
}

impl Default for ValueTables {
    fn default() -> Self {
        Self::new()
    }
}

impl Payoffs {
    /// Whether a river wager of one Ante is no worse than a fold, from the sums over the dealers. Equal: it is placed, as
    /// in the published frequencies.
    #[inline]
    #[must_use]
    pub fn bets_river(&self, base: i64, play: i64) -> bool {
        base + play >= self.fold * i64::from(boards::DEALERS)
    }

    #[inline]
    fn river(&self, base: i64, play: i64) -> i64 {
        if self.bets_river(base, play) { base + play } else { self.fold * i64::from(boards::DEALERS) }
    }
}

/// What a starting hand is worth, sums over [`DEALS_OF_A_HOLE`] deals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Check, and the best play after it.
    pub check: i128,
    /// Everything but the Play Wager, to the showdown.
    pub base: i128,
    /// A Play Wager of one Ante, to the showdown.
    pub play: i128,
}

/// What a starting hand does at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreFlop {
    /// Check.
    Check,
    /// Play three times the Ante.
    Three,
    /// Play four times the Ante.
    Four,
}

impl Start {
    /// The sum when the Play Wager is so many Antes at once.
    #[must_use]
    pub fn raised(&self, antes: i128) -> i128 {
        self.base + antes * self.play
    }

    /// The best of the three; of equal ones the one with less at risk.
    #[must_use]
    pub fn best(&self) -> (PreFlop, i128) {
        [(PreFlop::Three, self.raised(3)), (PreFlop::Four, self.raised(4))]
            .into_iter()
            .fold((PreFlop::Check, self.check), |best, raise| if raise.1 > best.1 { raise } else { best })
    }
}

/// Every decision's values.
pub struct Solution {
    /// What the values are made of.
    pub payoffs: Payoffs,
    /// The canonical flops.
    pub flops: Vec<CanonicalFlop>,
    /// By canonical flop and hand (`deck::hole_index`): sums over turns, rivers and dealers.
    pub after: Vec<Vec<Sums>>,
    /// By hand: sums over all deals.
    pub starts: Vec<Start>,
}

/// Whether a Play Wager of two Antes is better than a check on the flop. Equal: it is not placed.
#[inline]
#[must_use]
pub fn raises_flop([check, base, play]: Sums) -> bool {
    base + 2 * play > check
}

/// Values and decisions of best play, and the sums on every class of board that they were made from.
///
/// # Errors
/// The count was cancelled.
pub fn solve(payoffs: Payoffs, progress: &Progress) -> Result<(Solution, RiverTables), Cancelled> {
    let rivers = RiverTables::new(&payoffs, progress)?;
    let flops = deck::canonical_flops();
    let after: Vec<Vec<Sums>> = flops
        .par_iter()
        .map(|flop| {
            let sums = sums_after(flop.cards, &rivers);
            progress.step().map(|()| sums)
        })
        .collect::<Result<_, _>>()?;
    let starts = starts(&flops, &after);
    Ok((Solution { payoffs, flops, after, starts }, rivers))
}

/// A starting hand's values are the same for all that differ by the names of the suits, so a canonical flop counts for
/// all that it stands for: added up by class of starting hand, then shared out.
fn starts(flops: &[CanonicalFlop], after: &[Vec<Sums>]) -> Vec<Start> {
    let mut by_class = [Start::default(); 169];
    let mut members = [0i128; 169];
    for [high, low] in holes() {
        members[start_class(high, low)] += 1;
    }
    for (flop, sums) in flops.iter().zip(after) {
        let weight = i128::from(flop.weight);
        for ([high, low], &[check, base, play]) in holes().zip(sums) {
            let start = &mut by_class[start_class(high, low)];
            start.check += weight * i128::from(check.max(base + 2 * play));
            start.base += weight * i128::from(base);
            start.play += weight * i128::from(play);
        }
    }
    let mut starts = vec![Start::default(); HOLES];
    for [high, low] in holes() {
        let class = start_class(high, low);
        let (sum, members) = (by_class[class], members[class]);
        starts[hole_index(high, low)] =
            Start { check: sum.check / members, base: sum.base / members, play: sum.play / members };
    }
    starts
}

/// The class of a starting hand, 0..169: `13 * higher rank + lower rank` when suited, the ranks swapped when not.
#[must_use]
pub fn start_class(one: u8, other: u8) -> usize {
    let (high, low) = (usize::from(one.max(other) / 4), usize::from(one.min(other) / 4));
    if one & 3 == other & 3 { 13 * high + low } else { 13 * low + high }
}

impl Solution {
    /// The player's result per Ante of best play, a sum over [`Self::DEALS`].
    #[must_use]
    pub fn total(&self) -> i128 {
        self.starts.iter().map(|start| start.best().1).sum()
    }

    /// Deals in all.
    pub const DEALS: i128 = 1_326 * DEALS_OF_A_HOLE;
}
