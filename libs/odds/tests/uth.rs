//! Method: the figures of best play, digit for digit, every count of classes, and the comparisons of whole boards against
//! an evaluator that knows the rules and nothing of the tables.

use std::sync::OnceLock;

use pitstream_odds::deck::{choose, deck_without};
use pitstream_odds::progress::{Cancelled, Progress};
use pitstream_odds::uth::boards::{
    self, Board, LOSS, LOSS_UNQUALIFIED, OUTCOMES, Payoffs, TIE, TIE_UNQUALIFIED, class_of,
};
use pitstream_odds::uth::card::{self, Card};
use pitstream_odds::uth::joint::beside_dealer;
use pitstream_odds::uth::outcomes::{CANONICAL_BOARDS, canonical_boards, outcomes};
use pitstream_odds::uth::side::{both_hold_aces, flop_hands};
use pitstream_odds::uth::solve::{RiverTables, Solution, solve, start_class};

#[path = "../../evaluator/tests/naive/mod.rs"]
mod naive;
use naive::naive;

const BLIND_A: [i64; 12] = [0, 0, 0, 0, 0, 0, 2, 3, 6, 20, 100, 1000];

/// Blind 500-50-10-3-3:2-1 in half units; everything else even money.
fn regulation() -> Payoffs {
    let mut payoffs = Payoffs { base: [[0; OUTCOMES]; 12], play: [[0; OUTCOMES]; 12], fold: -4 };
    for ((base, play), blind) in payoffs.base.iter_mut().zip(&mut payoffs.play).zip(BLIND_A) {
        for outcome in 0..TIE {
            base[outcome] = blind + if outcome == 0 { 0 } else { 2 };
            play[outcome] = 2;
        }
        base[LOSS] = -4;
        base[LOSS_UNQUALIFIED] = -2;
        play[LOSS] = -2;
        play[LOSS_UNQUALIFIED] = -2;
    }
    payoffs
}

fn solved() -> &'static (Solution, RiverTables) {
    static SOLVED: OnceLock<(Solution, RiverTables)> = OnceLock::new();
    SOLVED.get_or_init(|| solve(regulation(), &Progress::default()).expect("nobody cancels"))
}

fn millionths(deals: i128) -> i128 {
    (deals * 1_000_000 + Solution::DEALS / 2) / Solution::DEALS
}

#[test]
fn best_play_loses_the_known_fraction_of_the_ante() {
    assert_eq!(Solution::DEALS, 27_813_810_024_000);
    assert_eq!(solved().0.total(), -1_215_447_575_352);
}

#[test]
fn boards_are_put_together_in_42_783_classes_and_none_is_lost() {
    let classes = boards::all();
    assert_eq!(classes.len(), 42_783);
    assert!(classes.windows(2).all(|pair| pair[0].0 < pair[1].0), "each class has a place of its own");
    let canonical = canonical_boards();
    assert_eq!(canonical.iter().map(|(_, same)| same.len()).sum::<usize>(), CANONICAL_BOARDS);
    assert_eq!(canonical.iter().flat_map(|(_, same)| same).map(|(_, weight)| weight).sum::<u64>(), 2_598_960);
    assert!(canonical.iter().map(|(place, _)| place).eq(classes.iter().map(|(place, _)| place)));
}

/// The best five of seven by the rules alone.
fn best(cards: [u8; 7]) -> (usize, Vec<u8>) {
    let fives = (0..7).flat_map(|out| (0..out).map(move |other| (out, other)));
    fives
        .map(|(out, other)| {
            let left: Vec<u8> = (0..7).filter(|&at| at != out && at != other).map(|at| cards[at]).collect();
            naive(left.try_into().expect("five cards"))
        })
        .max()
        .expect("21 fives")
}

#[test]
fn showdowns_are_those_that_the_rules_alone_give() {
    let boards = [
        [0, 5, 10, 15, 20],   // 2c 3d 4h 5s 7c: a straight is near, no flush
        [48, 44, 40, 36, 3],  // A K Q J of clubs: straight flushes
        [48, 49, 50, 20, 17], // three aces
        [2, 14, 26, 7, 44],   // three hearts
        [0, 1, 2, 3, 51],     // four twos: everyone ties or plays a kicker
    ];
    for board in boards {
        let (class, suit) = Board::of(board);
        let showdowns = boards::showdowns(&class);
        let deck = deck_without(&board);
        let value = |one: u8, other: u8| best([board[0], board[1], board[2], board[3], board[4], one, other]);
        // Every seventh hand against all 990 dealers.
        let hands: Vec<[u8; 2]> =
            deck.iter().enumerate().flat_map(|(at, &high)| deck[..at].iter().map(move |&low| [high, low])).collect();
        let values: Vec<_> = hands.iter().map(|&[one, other]| value(one, other)).collect();
        for (own, own_value) in hands.iter().zip(&values).step_by(7) {
            let mut against = [0u16; OUTCOMES];
            for (dealer, dealer_value) in hands.iter().zip(&values) {
                if dealer.iter().any(|card| own.contains(card)) {
                    continue;
                }
                let qualifies = dealer_value.0 > 0;
                let outcome = match (own_value.cmp(dealer_value), qualifies) {
                    (std::cmp::Ordering::Greater, _) => dealer_value.0,
                    (std::cmp::Ordering::Equal, true) => TIE,
                    (std::cmp::Ordering::Equal, false) => TIE_UNQUALIFIED,
                    (std::cmp::Ordering::Less, true) => LOSS,
                    (std::cmp::Ordering::Less, false) => LOSS_UNQUALIFIED,
                };
                against[outcome] += 1;
            }
            let types = own.map(|card| card / 4 + if card & 3 == suit { 13 } else { 0 });
            let found = showdowns
                .iter()
                .find(|hole| [hole.one, hole.other] == [types[0].max(types[1]), types[0].min(types[1])])
                .expect("the hand has a class");
            assert_eq!(found.against, against, "{board:?} {own:?}");
        }
        assert_eq!(class_of(board).1, suit);
    }
}

#[test]
fn every_deal_is_counted_once_and_adds_up_to_the_same_fraction() {
    let solution = &solved().0;
    let cells = outcomes(solution, &Progress::default()).expect("nobody cancels");
    let mut actions = [0i128; 5];
    let mut total = 0;
    for (action, kinds) in cells.iter().flat_map(|board| board.iter().enumerate()) {
        for (kind, outcomes) in kinds.iter().enumerate() {
            for (outcome, &deals) in outcomes.iter().enumerate() {
                let payoffs = &solution.payoffs;
                let net = match action {
                    4 => payoffs.fold,
                    _ => payoffs.base[kind][outcome] + [4, 3, 2, 1][action] * payoffs.play[kind][outcome],
                };
                actions[action] += i128::from(deals);
                total += i128::from(deals) * i128::from(net);
            }
        }
    }
    assert_eq!(actions.iter().sum::<i128>(), Solution::DEALS);
    assert_eq!(total, -1_215_447_575_352);
    assert_eq!(actions.map(millionths), [377_074, 0, 212_846, 218_264, 191_816]);
}

#[test]
fn seven_cards_fall_into_the_kinds_that_every_hand_gives() {
    let cells = outcomes(&solved().0, &Progress::default()).expect("nobody cancels");
    let mut kinds = [0i128; 12];
    for row in cells.iter().flatten() {
        for (kind, outcomes) in kinds.iter_mut().zip(row) {
            *kind += outcomes.iter().map(|&deals| i128::from(deals)).sum::<i128>();
        }
    }
    // Each set of seven cards is dealt in so many ways.
    let ways = Solution::DEALS / i128::try_from(choose(52, 7)).expect("a count");
    let seven = [
        23_294_460, 35_972_640, 4_466_880, 18_188_280, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848,
        37_260, 4_324,
    ];
    assert_eq!(kinds, seven.map(|count| count * ways));
}

fn hands_on_the_flop(paid: [bool; 12]) {
    let (solution, rivers) = solved();
    let hands = flop_hands(solution, rivers, paid, &Progress::default()).expect("nobody cancels");
    let main = |part: usize| hands.main.iter().map(|kind| kind[part]).sum::<i128>();
    assert_eq!(main(0) + main(1), Solution::DEALS);
    assert_eq!(main(2) + main(3), -1_215_447_575_352);
    if paid == [true; 12] {
        assert_eq!(millionths(main(1)), 191_816, "every fold is told apart");
    } else {
        assert!(main(1) > 0, "three of a kind on the board is folded now and then");
    }
    let dealer = |folded: usize| hands.dealer.iter().flatten().map(|deals| deals[folded]).sum::<i128>();
    assert_eq!([dealer(0), dealer(1)], [main(0), main(1)]);
    // A hand of five cards is as likely for the dealer as for the player.
    for kind in 0..12 {
        let as_dealer: i128 = hands.dealer.iter().map(|own| own[kind].iter().sum::<i128>()).sum();
        let as_player: i128 = hands.dealer[kind].iter().flatten().sum();
        assert_eq!([as_dealer, as_player], [hands.main[kind][0] + hands.main[kind][1]; 2]);
    }
}

#[test]
fn hands_on_the_flop_add_up_to_the_whole_game() {
    hands_on_the_flop(std::array::from_fn(|kind| kind > 4));
}

#[test]
#[ignore = "half a minute: every fold is told apart"]
fn hands_on_the_flop_fold_as_often_as_the_whole_game() {
    hands_on_the_flop([true; 12]);
}

#[test]
fn two_pairs_of_aces_tie_but_for_flushes_and_straights() {
    let (solution, rivers) = solved();
    let (sum, deals) = both_hold_aces(solution, rivers);
    assert_eq!(deals, 6 * 10 * 1_712_304);
    // By symmetry Ante and Play come to nothing; what is left is what the Blind pays beyond even money on flushes.
    assert!(sum > 0 && sum < deals / 10, "{sum}");
}

#[test]
fn a_card_is_worth_less_than_best_play_and_the_known_one_what_is_published() {
    let solution = &solved().0;
    let mut starts = vec![pitstream_odds::uth::solve::PreFlop::Check; 169];
    for [high, low] in pitstream_odds::deck::holes() {
        starts[start_class(high, low)] = solution.starts[pitstream_odds::deck::hole_index(high, low)].best().0;
    }
    let known = Card {
        starts,
        // Two pair or better, a pair with the flop, or a pocket pair of threes or better.
        made: std::array::from_fn(|made| made > 1),
        // Four to a flush with a ten or better.
        draws: std::array::from_fn(|draw| draw > 8),
        own: true,
        outs: 20,
    };
    let value = card::value(&solution.payoffs, &known, &Progress::default()).expect("nobody cancels");
    assert!(value < solution.total());
    // Its like is published with 2.4% of the Ante; here in hundredths of a percent, from half units.
    assert_eq!(value * 5_000 / Solution::DEALS, -240);
}

#[test]
fn a_count_that_nobody_wants_any_more_stops() {
    let progress = Progress::default();
    progress.cancel();
    assert_eq!(solve(regulation(), &progress).err(), Some(Cancelled));
}

/// The result by the dealer's and the player's kind on the flop, from three of a kind on; the player's lower kinds
/// together. The same came out of another count, hand by hand, that kept no sums of classes.
const BESIDE_DEALER: [[i128; 8]; 7] = [
    [
        -3_590_461_031_016,
        87_581_286_848,
        3_037_277_328,
        2_908_985_976,
        64_325_403_648,
        68_442_679_872,
        357_801_408,
        359_964_000,
    ],
    [-728_006_617_332, -1_294_185_000, 1_717_485_612, 3_376_511_352, 0, 0, 814_000_872, 611_938_800],
    [-376_947_173_664, -773_830_080, -1_281_582_624, 4_886_292_328, 0, 0, 1_092_220_032, 1_115_888_400],
    [-262_000_062_576, -26_991_995_712, 0, 0, 703_055_232, 4_984_114_944, 0, 0],
    [-31_935_759_240, -19_448_772_640, 0, 0, -2_109_735_936, 0, 0, 0],
    [-3_036_341_064, -37_917_504, -63_222_120, -94_642_376, 0, 0, 2_910_240, 3_999_600],
    [-320_571_240, -4_276_800, -6_700_320, -8_838_720, 0, 0, -31_680, 0],
];

#[test]
#[ignore = "takes most of a minute of processor time"]
fn the_main_game_is_joined_with_what_the_dealer_has_on_the_flop() {
    let (solution, rivers) = solved();
    let paid = std::array::from_fn(|kind| kind >= 5);
    let joint = beside_dealer(solution, rivers, paid, paid, &Progress::default()).expect("nobody cancels");
    for (dealer, known) in (5..12).zip(BESIDE_DEALER) {
        assert_eq!(joint[dealer][0], known[0], "player below three of a kind, dealer {dealer}");
        assert_eq!(joint[dealer][5..], known[1..], "dealer {dealer}");
    }
    assert_eq!(joint[..5], [[0; 12]; 5]);
}

#[test]
#[ignore = "takes most of a minute of processor time"]
fn every_deal_beside_a_paid_dealer_is_counted_once() {
    // A round that always comes to 1 makes a sum of deals.
    let ones = Payoffs { base: [[1; OUTCOMES]; 12], play: [[0; OUTCOMES]; 12], fold: 1 };
    let (solution, rivers) = solve(ones, &Progress::default()).expect("nobody cancels");
    let paid = std::array::from_fn(|kind| kind >= 5);
    let joint = beside_dealer(&solution, &rivers, paid, paid, &Progress::default()).expect("nobody cancels");
    let counted = flop_hands(&solution, &rivers, [false; 12], &Progress::default()).expect("nobody cancels");
    for (dealer, beside) in joint.iter().enumerate().skip(5) {
        let deals = |own: usize| counted.dealer[own][dealer].iter().sum::<i128>();
        assert_eq!(beside[0], (0..5).map(deals).sum::<i128>());
        assert!((5..12).all(|own| beside[own] == deals(own)));
    }
}
