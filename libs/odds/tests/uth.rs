//! Method: the figures of best play, digit for digit, and every count of classes.

use pitstream_odds::progress::Progress;
use pitstream_odds::uth::boards::{OUTCOMES, Payoffs};
use pitstream_odds::uth::outcomes::{CANONICAL_BOARDS, canonical_boards, outcomes};
use pitstream_odds::uth::side::{both_hold_aces, flop_hands};
use pitstream_odds::uth::solve::{Solution, solve};

/// Blind 500-50-10-3-3:2-1 in half units; everything else even money.
fn regulation() -> Payoffs {
    let blind = [0, 0, 0, 0, 0, 0, 2, 3, 6, 20, 100, 1000];
    let mut payoffs = Payoffs { base: [[0; OUTCOMES]; 12], play: [[0; OUTCOMES]; 12], fold: -4 };
    for kind in 0..12 {
        for outcome in 0..9 {
            payoffs.base[kind][outcome] = blind[kind] + if outcome == 0 { 0 } else { 2 };
            payoffs.play[kind][outcome] = 2;
        }
        payoffs.base[kind][11] = -4;
        payoffs.base[kind][12] = -2;
        payoffs.play[kind][11] = -2;
        payoffs.play[kind][12] = -2;
    }
    payoffs
}

#[test]
fn best_play_loses_the_known_fraction_of_the_ante() {
    let started = std::time::Instant::now();
    let (solution, rivers) = solve(regulation(), &Progress::default()).expect("nobody cancels");
    eprintln!("{:?}", started.elapsed());
    assert_eq!(Solution::DEALS, 27_813_810_024_000);
    assert_eq!(solution.total(), -1_215_447_575_352);
}

#[test]
fn every_deal_is_counted_once_and_adds_up_to_the_same_fraction() {
    let (solution, rivers) = solve(regulation(), &Progress::default()).expect("nobody cancels");
    let started = std::time::Instant::now();
    let cells = outcomes(&solution, &Progress::default()).expect("nobody cancels");
    eprintln!("outcomes {:?}", started.elapsed());
    let mut actions = [0i128; 5];
    let mut total = 0;
    for board in &cells {
        for (action, kinds) in board.iter().enumerate() {
            for (kind, outcomes) in kinds.iter().enumerate() {
                for (outcome, &deals) in outcomes.iter().enumerate() {
                    let deals = i128::from(deals);
                    actions[action] += deals;
                    let multiple = [4, 3, 2, 1, 0][action];
                    let payoffs = &solution.payoffs;
                    let net = if action == 4 {
                        payoffs.fold
                    } else {
                        payoffs.base[kind][outcome] + multiple * payoffs.play[kind][outcome]
                    };
                    total += deals * i128::from(net);
                }
            }
        }
    }
    assert_eq!(actions.iter().sum::<i128>(), Solution::DEALS);
    assert_eq!(total, -1_215_447_575_352);
    assert_eq!(
        actions.map(|deals| (deals * 1_000_000 + Solution::DEALS / 2) / Solution::DEALS),
        [377_074, 0, 212_846, 218_264, 191_816]
    );
    assert_eq!(canonical_boards().iter().map(|(_, same)| same.len()).sum::<usize>(), CANONICAL_BOARDS);
    assert_eq!(canonical_boards().iter().flat_map(|(_, same)| same).map(|(_, weight)| weight).sum::<u64>(), 2_598_960);
}

#[test]
#[ignore = "half a minute: every fold is told apart"]
fn hands_on_the_flop_fold_as_often_as_the_whole_game() {
    let (solution, rivers) = solve(regulation(), &Progress::default()).expect("nobody cancels");
    let hands = flop_hands(&solution, &rivers, [true; 12], &Progress::default()).expect("nobody cancels");
    let folds: i128 = hands.main.iter().map(|kind| kind[1]).sum();
    assert_eq!((folds * 1_000_000 + Solution::DEALS / 2) / Solution::DEALS, 191_816);
}

#[test]
fn hands_on_the_flop_add_up_to_the_whole_game() {
    let (solution, rivers) = solve(regulation(), &Progress::default()).expect("nobody cancels");
    let started = std::time::Instant::now();
    // Three of a kind and better are paid.
    let hands = flop_hands(&solution, &rivers, std::array::from_fn(|kind| kind > 4), &Progress::default())
        .expect("nobody cancels");
    eprintln!("flop hands {:?}", started.elapsed());
    let main = |part: usize| hands.main.iter().map(|kind| kind[part]).sum::<i128>();
    assert_eq!(main(0) + main(1), Solution::DEALS);
    assert_eq!(main(2) + main(3), -1_215_447_575_352);
    assert!(main(1) > 0, "three of a kind on the board is folded now and then");
    let dealer = |folded: usize| hands.dealer.iter().flatten().map(|deals| deals[folded]).sum::<i128>();
    assert_eq!([dealer(0), dealer(1)], [main(0), main(1)]);
    // A hand of five cards is as likely for the dealer as for the player.
    for kind in 0..12 {
        let as_dealer: i128 = hands.dealer.iter().map(|own| own[kind].iter().sum::<i128>()).sum();
        let as_player: i128 = hands.dealer[kind].iter().flatten().sum();
        assert_eq!(as_dealer, as_player);
        assert_eq!(as_player, hands.main[kind][0] + hands.main[kind][1]);
    }
    let started = std::time::Instant::now();
    let (sum, deals) = both_hold_aces(&solution, &rivers);
    eprintln!("aces {:?} {sum} {deals}", started.elapsed());
    assert_eq!(deals, 6 * 17_123_040);
}
