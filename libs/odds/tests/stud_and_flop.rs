//! Method: the figures of best play, digit for digit.

use pitstream_odds::flop;
use pitstream_odds::progress::Progress;
use pitstream_odds::stud::{self, ACTIONS, Payoffs};

/// The published tables in half units: Blind 1000-200-30-4-3-2-1, Play 100-20-10-6-5-4-3-1.5-1, Tens or better.
fn published(asked_again: bool) -> Payoffs {
    Payoffs {
        base: [-4, -4, 2, 2, 2, 4, 6, 8, 10, 62, 402, 2002],
        play: [-2, -2, 2, 2, 3, 6, 8, 10, 12, 20, 40, 200],
        fold: -4,
        lost: -2,
        asked_again,
    }
}

#[test]
fn raise_it_up_stud_loses_the_known_fraction_of_the_ante() {
    let solution = stud::solve(published(false), &Progress::default()).expect("nobody cancels");
    assert_eq!(2 * stud::DEALS, 4_886_044_800);
    assert_eq!(solution.total(), -171_118_488);
    let deals_of = |wanted: &dyn Fn(usize) -> bool| -> i128 {
        (0..ACTIONS)
            .filter(|&action| wanted(action))
            .flat_map(|action| solution.cells[action].iter().flatten())
            .map(|&deals| i128::from(deals))
            .sum()
    };
    assert_eq!(deals_of(&|_| true), stud::DEALS);
    let millionths = |deals: i128| (deals * 1_000_000 + stud::DEALS / 2) / stud::DEALS;
    let antes = |action: usize| action / 9 + action / 3 % 3 + usize::from(action % 3 == 1);
    assert_eq!(
        [3, 2, 1, 0].map(|wanted| millionths(deals_of(&|action| antes(action) == wanted))),
        [245_973, 173_165, 227_712, 353_150]
    );
}

#[test]
fn asked_on_every_street_the_published_tables_favour_the_player() {
    let solution = stud::solve(published(true), &Progress::default()).expect("nobody cancels");
    assert_eq!(solution.total() * 100 / (2 * stud::DEALS), 64);
}

#[test]
fn flop_poker_loses_the_known_fraction_of_the_ante() {
    let hands = flop::hands(&Progress::default()).expect("nobody cancels");
    // Ante and Flop in whole units, the liberal table.
    let bet = [-2, -2, -2, 2, 3, 5, 12, 21, 31, 101, 501, 1001];
    let flops = i64::try_from(flop::FLOPS).unwrap();
    let (mut total, mut bets) = (0, 0);
    for (own, counts) in &hands {
        let sum: i64 = counts.iter().zip(bet).map(|(&count, pay)| i64::try_from(count).unwrap() * pay).sum();
        total += i64::try_from(own.weight).unwrap() * sum.max(-flops);
        bets += if sum >= -flops { own.weight } else { 0 };
    }
    assert_eq!((total, 22_100 * flops), (-22_083_832, 407_170_400));
    assert_eq!(bets, 19_100);
}
