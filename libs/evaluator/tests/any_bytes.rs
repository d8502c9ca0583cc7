//! Method: batches of whatever bytes, most of them a byte or two away from hands that can be dealt, drawn from a fixed
//! seed; `PITSTREAM_FUZZ_INPUTS` says how many. Each has the value that the rules give it, or the fault that is in it, on
//! every path alike; a panic fails the test.

use pitstream_evaluator::batch::{Path, RowFault, rank_many};
use pitstream_evaluator::best::{best_five, rank_any, three_plus_two};
use pitstream_evaluator::cards::{Fault, check};
use pitstream_evaluator::rank::{category, deciding_ranks, rank};
use pitstream_evaluator::three;

mod naive;
use naive::naive;

/// Numbers that look drawn, the same for the same seed: the "splitmix64" generator, which needs no crate.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: u8) -> u8 {
        u8::try_from(self.next() % u64::from(most)).expect("below a byte")
    }

    /// Different cards; one byte in thirty-two is any byte instead.
    fn hand<const CARDS: usize>(&mut self) -> [u8; CARDS] {
        let mut hand = [0; CARDS];
        for place in 0..CARDS {
            hand[place] = loop {
                let id = self.below(52);
                if !hand[..place].contains(&id) {
                    break id;
                }
            };
        }
        for id in &mut hand {
            if self.below(32) == 0 {
                *id = u8::try_from(self.next() >> 56).expect("a byte");
            }
        }
        hand
    }
}

fn inputs() -> u64 {
    std::env::var("PITSTREAM_FUZZ_INPUTS").map_or(20_000, |said| said.parse().expect("a number of inputs"))
}

/// Category and deciding ranks of the best five of these cards.
fn best_of(ids: &[u8]) -> (usize, Vec<u8>) {
    let mut best = (0, Vec::new());
    for out in 0..1u32 << ids.len() {
        let five: Vec<u8> = (0..ids.len()).filter(|&at| out >> at & 1 == 1).map(|at| ids[at]).collect();
        if let Ok(five) = five.try_into() {
            best = best.max(naive(five));
        }
    }
    best
}

fn meaning(value: u16) -> (usize, Vec<u8>) {
    (category(value).expect("a value"), deciding_ranks(value).expect("a value").to_vec())
}

fn batches<const CARDS: usize>(seed: u64) {
    let mut draw = Draw(seed);
    let mut fed = 0;
    while fed < inputs() {
        let rows: Vec<[u8; CARDS]> = (0..draw.below(12)).map(|_| draw.hand()).collect();
        fed += rows.len() as u64 + 1;
        let fault =
            rows.iter().enumerate().find_map(|(row, hand)| check(hand).err().map(|fault| RowFault { row, fault }));
        for path in [Path::Scalar, Path::fastest()] {
            let mut values = vec![[0; 2]; rows.len()];
            assert_eq!(rank_many(path, &rows, &mut values).err(), fault, "{path:?} of {rows:?}");
            for (hand, value) in rows.iter().zip(values).filter(|_| fault.is_none()) {
                assert_eq!(Ok(u16::from_ne_bytes(value)), rank(hand), "{path:?} of {hand:?}");
            }
        }
        for hand in rows {
            match check(&hand) {
                Ok(()) => {
                    assert_eq!(meaning(rank(&hand).expect("different cards")), best_of(&hand), "{hand:?}");
                    assert_eq!(naive(best_five(&hand).expect("different cards")), best_of(&hand), "{hand:?}");
                }
                Err(fault) => {
                    let found = [rank(&hand).err(), rank_any(&hand).err(), best_five(&hand).err()];
                    assert_eq!(found, [Some(fault); 3], "{hand:?}");
                }
            }
        }
    }
}

#[test]
fn rows_of_five_bytes_are_ranked_or_their_first_fault_is_named() {
    batches::<5>(5);
}

#[test]
fn rows_of_six_bytes_are_ranked_or_their_first_fault_is_named() {
    batches::<6>(6);
}

#[test]
fn rows_of_seven_bytes_are_ranked_or_their_first_fault_is_named() {
    batches::<7>(7);
}

#[test]
fn three_bytes_alone_and_with_three_more_are_ranked_or_their_first_fault_is_named() {
    let mut draw = Draw(3);
    for _ in 0..inputs() {
        let six: [u8; 6] = draw.hand();
        let (own, board) = (six[..3].try_into().expect("three"), six[3..].try_into().expect("three"));
        let alone: Option<Fault> = check(&six[..3]).err();
        assert_eq!([three::rank(own, true).err(), three::rank(own, false).err()], [alone; 2], "{own:?}");
        match (three_plus_two(own, board), check(&six).err()) {
            (Ok((value, five)), None) => {
                let twos = [[0, 1], [0, 2], [1, 2]].map(|two| two.map(|at| board[at]));
                let best = twos.map(|[one, other]| naive([own[0], own[1], own[2], one, other])).into_iter().max();
                assert_eq!(Some(meaning(value)), best, "{six:?}");
                assert_eq!(Some(naive(five)), best, "{six:?}");
            }
            (found, fault) => assert_eq!(found.err(), fault, "{six:?}"),
        }
    }
}
