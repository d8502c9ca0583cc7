//! Method: every hand there is, against an evaluator that knows the rules and nothing of the tables, and against the
//! counts that combinatorics gives. `cargo test --release -- --ignored` runs those that take more than a few seconds.

use std::collections::BTreeMap;

use pitstream_evaluator::batch::{Path, rank_many};
use pitstream_evaluator::rank::{category, deciding_ranks, rank};

mod naive;
use naive::naive;

/// Calls `each` with every set of `CARDS` different ids, each in falling order.
fn every_hand<const CARDS: usize>(mut each: impl FnMut(&[u8; CARDS])) {
    fn choose<const CARDS: usize>(
        hand: &mut [u8; CARDS],
        place: usize,
        below: u8,
        each: &mut impl FnMut(&[u8; CARDS]),
    ) {
        if place == CARDS {
            return each(hand);
        }
        for id in 0..below {
            hand[place] = id;
            choose(hand, place + 1, id, each);
        }
    }
    choose(&mut [0; CARDS], 0, 52, &mut each);
}

fn counts_by_category<const CARDS: usize>() -> [u64; 10] {
    let mut counts = [0; 10];
    every_hand::<CARDS>(|hand| counts[usize::from(rank(hand).expect("different cards") >> 12)] += 1);
    counts
}

#[test]
fn every_five_card_hand_has_the_order_and_the_category_that_the_rules_give_it() {
    let mut by_value: BTreeMap<u16, (usize, Vec<u8>)> = BTreeMap::new();
    every_hand::<5>(|hand| {
        let value = rank(hand).expect("different cards");
        let ruled = naive(*hand);
        let known = by_value.entry(value).or_insert_with(|| ruled.clone());
        assert_eq!(*known, ruled, "{hand:?} ties with a hand that it should not tie with");
    });
    assert_eq!(by_value.len(), 7462);
    assert!(by_value.values().is_sorted_by(|lower, higher| lower < higher), "a better hand has a higher value");
    for (value, (ruled, ranks)) in by_value {
        assert_eq!((category(value), deciding_ranks(value)), (Some(ruled), Some(&ranks[..])));
    }
}

#[test]
fn no_other_number_is_a_value() {
    assert_eq!((0..=u16::MAX).filter(|&value| category(value).is_some()).count(), 7462);
}

#[test]
fn five_card_hands_fall_into_the_categories_as_combinatorics_says() {
    let counts = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4];
    assert_eq!(counts_by_category::<5>(), counts);
    assert_eq!(counts.iter().sum::<u64>(), 2_598_960);
}

#[test]
fn six_card_hands_fall_into_the_categories_as_combinatorics_says() {
    let counts = [6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_656, 188];
    assert_eq!(counts_by_category::<6>(), counts);
    assert_eq!(counts.iter().sum::<u64>(), 20_358_520);
}

#[test]
fn seven_card_hands_fall_into_the_categories_as_combinatorics_says() {
    let counts =
        [23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 37_260, 4_324];
    assert_eq!(counts_by_category::<7>(), counts);
    assert_eq!(counts.iter().sum::<u64>(), 133_784_560);
}

/// With the five-card hands proven above, this proves the six-card ones.
#[test]
fn every_six_card_hand_is_worth_the_best_of_its_fives() {
    every_hand::<6>(|hand| {
        let best = (0..6).map(|out| rank::<5>(&without(hand, out)).expect("different cards")).max();
        assert_eq!(rank(hand).ok(), best, "{hand:?}");
    });
}

/// With the six-card hands proven above, this proves the seven-card ones.
#[test]
#[ignore = "about ten seconds"]
fn every_seven_card_hand_is_worth_the_best_of_its_sixes() {
    every_hand::<7>(|hand| {
        let best = (0..7).map(|out| rank::<6>(&without(hand, out)).expect("different cards")).max();
        assert_eq!(rank(hand).ok(), best, "{hand:?}");
    });
}

#[test]
#[ignore = "about ten seconds"]
fn every_batch_path_gives_every_seven_card_hand_the_same_value() {
    let mut rows: Vec<[u8; 7]> = Vec::with_capacity(1 << 16);
    let compare = |rows: &mut Vec<[u8; 7]>| {
        let mut values = [vec![[0; 2]; rows.len()], vec![[0; 2]; rows.len()]];
        rank_many(Path::Scalar, rows, &mut values[0]).expect("different cards");
        rank_many(Path::fastest(), rows, &mut values[1]).expect("different cards");
        assert!(values[0] == values[1], "among the hands from {:?} to {:?}", rows.first(), rows.last());
        rows.clear();
    };
    every_hand::<7>(|hand| {
        rows.push(*hand);
        if rows.len() == rows.capacity() {
            compare(&mut rows);
        }
    });
    compare(&mut rows);
}

fn without<const MORE: usize, const LESS: usize>(hand: &[u8; MORE], out: usize) -> [u8; LESS] {
    std::array::from_fn(|place| hand[place + usize::from(place >= out)])
}
