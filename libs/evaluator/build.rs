//! Makes the tables that `src/rank.rs` reads, from the rules of poker alone.
//!
//! What is made, and why it can be trusted:
//!
//! * `RANK_KEY`: a number for each rank such that every multiset of 5, 6 or 7 ranks (at most four of one) has a sum of
//!   its own. The thirteen numbers are those of the `OMPEval` project; the build stops if two sums are equal.
//! * `ROWS_n` and `VALUES_n`, for n = 5, 6, 7 cards: a perfect hash from that sum to the value of the best five cards
//!   when they are no flush. A sum is cut at bit `ROW_BITS`: the high part picks a row's offset, and offset + low part is
//!   the place of the value. Rows are laid over each other so that no two values share a place (first fit, fullest row
//!   first); the build stops if one would. A table for each number of cards keeps the one in use small enough for the
//!   second-level cache.
//! * `FLUSH_VALUES`: the value of the best five of five or more cards of one suit, by the suit's 13-bit set of ranks. In
//!   seven cards a flush excludes a full house and four of a kind, so wherever a flush is there, it is the value.
//! * `DECIDING`: for each of the 7,462 values, the ranks that decide it, most important first.
//! * `TABLE_CHECKSUM`: FNV-1a (64 bits) over all of them, shown by `fingerprint()`.
//!
//! A value is `category << 12 | order`, order counting upward from 0 within the category.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::{env, fs, path::Path};

const RANK_KEY: [u32; 13] = [
    0x2000,
    0x8001,
    0x11000,
    0x3a000,
    0x91000,
    0x0017_6005,
    0x0036_6000,
    0x0041_a013,
    0x0047_802e,
    0x0047_9068,
    0x0048_c0e4,
    0x0048_f211,
    0x0049_4493,
];
const ROW_BITS: u32 = 12;

const HIGH_CARD: usize = 0;
const PAIR: usize = 1;
const TWO_PAIR: usize = 2;
const THREE_OF_A_KIND: usize = 3;
const STRAIGHT: usize = 4;
const FLUSH: usize = 5;
const FULL_HOUSE: usize = 6;
const FOUR_OF_A_KIND: usize = 7;
const STRAIGHT_FLUSH: usize = 8;
const ROYAL_FLUSH: usize = 9;
const ACE: u8 = 12;
const FIVE: u8 = 3;

/// A category and the ranks that decide between two hands of it, most important first.
type Meaning = (usize, Vec<u8>);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let values = numbered_values();
    let mut text = String::new();
    let mut checksum = Fnv::new();

    write_table(&mut text, &mut checksum, "const RANK_KEY", "u32", &RANK_KEY);
    writeln!(text, "pub const ROW_BITS: u32 = {ROW_BITS};").unwrap();
    for cards in 5..=7 {
        let (rows, table) = pack(&values_by_sum(cards, &values));
        write_table(&mut text, &mut checksum, &format!("static ROWS_{cards}"), "u16", &rows);
        write_table(&mut text, &mut checksum, &format!("static VALUES_{cards}"), "u16", &table);
    }
    let flushes: Vec<u16> =
        (0..8192u16).map(|ranks| if ranks.count_ones() < 5 { 0 } else { values[&best_suited(ranks)] }).collect();
    write_table(&mut text, &mut checksum, "static FLUSH_VALUES", "u16", &flushes);
    write_deciding(&mut text, &mut checksum, &values);
    writeln!(text, "pub const TABLE_CHECKSUM: u64 = {:#x};", checksum.0).unwrap();

    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("tables.rs"), text).expect("OUT_DIR is writable");
}

/// Every value that a five-card hand can have, with its number: 7,462 of them.
fn numbered_values() -> BTreeMap<Meaning, u16> {
    let mut meanings: Vec<Meaning> = Vec::new();
    for ranks in rank_multisets(5) {
        meanings.push(best_unsuited(&ranks));
    }
    for ranks in 0..8192u16 {
        if ranks.count_ones() == 5 {
            meanings.push(best_suited(ranks));
        }
    }
    // Sorted by category, then by the deciding ranks: the order of the game. BTreeMap keeps it for DECIDING.
    meanings.sort();
    meanings.dedup();
    assert_eq!(meanings.len(), 7462, "as many values as five-card poker has");
    let mut next = [0u16; 10];
    meanings
        .into_iter()
        .map(|meaning| {
            let category = meaning.0;
            let value = u16::try_from(category).unwrap() << 12 | next[category];
            next[category] += 1;
            (meaning, value)
        })
        .collect()
}

/// All multisets of `cards` ranks with at most four of one, as counts by rank.
fn rank_multisets(cards: u8) -> Vec<[u8; 13]> {
    fn extend(rank: usize, left: u8, counts: &mut [u8; 13], all: &mut Vec<[u8; 13]>) {
        if rank == 13 {
            if left == 0 {
                all.push(*counts);
            }
            return;
        }
        for count in 0..=left.min(4) {
            counts[rank] = count;
            extend(rank + 1, left - count, counts, all);
        }
        counts[rank] = 0;
    }
    let mut all = Vec::new();
    extend(0, cards, &mut [0; 13], &mut all);
    all
}

/// The best five of these ranks when no five share a suit.
fn best_unsuited(counts: &[u8; 13]) -> Meaning {
    let with = |least: u8| (0..13u8).rev().filter(move |&rank| counts[usize::from(rank)] >= least);
    let kickers =
        |not: &[u8], take: usize| -> Vec<u8> { with(1).filter(|rank| !not.contains(rank)).take(take).collect() };
    let present = with(1).fold(0u16, |set, rank| set | 1 << rank);
    let quads = with(4).next();
    let trips = with(3).next();
    let pairs: Vec<u8> = with(2).filter(|&rank| Some(rank) != trips).collect();
    let decided = |category: usize, leading: &[u8], others: usize| {
        let mut ranks = leading.to_vec();
        ranks.extend(kickers(leading, others));
        (category, ranks)
    };
    if let Some(quads) = quads {
        return decided(FOUR_OF_A_KIND, &[quads], 1);
    }
    if let (Some(trips), Some(&pair)) = (trips, pairs.first()) {
        return (FULL_HOUSE, vec![trips, pair]);
    }
    if let Some(high) = straight(present) {
        return (STRAIGHT, vec![high]);
    }
    if let Some(trips) = trips {
        return decided(THREE_OF_A_KIND, &[trips], 2);
    }
    match pairs[..] {
        [high, low, ..] => decided(TWO_PAIR, &[high, low], 1),
        [pair] => decided(PAIR, &[pair], 3),
        [] => decided(HIGH_CARD, &[], 5),
    }
}

/// The best five of five or more ranks of one suit.
fn best_suited(ranks: u16) -> Meaning {
    match straight(ranks) {
        Some(ACE) => (ROYAL_FLUSH, vec![ACE]),
        Some(high) => (STRAIGHT_FLUSH, vec![high]),
        None => (FLUSH, (0..13u8).rev().filter(|rank| ranks >> rank & 1 == 1).take(5).collect()),
    }
}

/// The highest rank of the best straight in a set of ranks. The ace also stands below the two, and nowhere else.
fn straight(ranks: u16) -> Option<u8> {
    let wheel = 1u16 << ACE | 0b1111;
    (4..13u8)
        .rev()
        .find(|high| ranks >> (high - 4) & 0b1_1111 == 0b1_1111)
        .or_else(|| (ranks & wheel == wheel).then_some(FIVE))
}

fn values_by_sum(cards: u8, values: &BTreeMap<Meaning, u16>) -> BTreeMap<u32, u16> {
    let mut by_sum = BTreeMap::new();
    for counts in rank_multisets(cards) {
        let sum = counts.iter().zip(RANK_KEY).map(|(&count, key)| u32::from(count) * key).sum();
        let twice = by_sum.insert(sum, values[&best_unsuited(&counts)]);
        assert!(twice.is_none(), "two multisets of ranks share the sum {sum:#x}");
    }
    by_sum
}

/// The offset of each row and the table over which the rows are laid.
fn pack(by_sum: &BTreeMap<u32, u16>) -> (Vec<u16>, Vec<u16>) {
    let mut rows: BTreeMap<usize, Vec<(usize, u16)>> = BTreeMap::new();
    for (&sum, &value) in by_sum {
        let low = (sum & ((1 << ROW_BITS) - 1)) as usize;
        rows.entry((sum >> ROW_BITS) as usize).or_default().push((low, value));
    }
    let mut offsets = vec![0u16; rows.keys().max().expect("there are sums") + 1];
    let mut fullest_first: Vec<_> = rows.into_iter().collect();
    fullest_first.sort_by_key(|(row, places)| (std::cmp::Reverse(places.len()), *row));
    let mut table: Vec<Option<u16>> = vec![None; 1 << 17];
    let mut first_free = 0;
    for (row, places) in fullest_first {
        while table[first_free].is_some() {
            first_free += 1;
        }
        // A row's first place can lie no lower than the first free one, so trying starts there.
        let lowest = first_free.saturating_sub(places[0].0);
        let offset = (lowest..table.len())
            .find(|offset| places.iter().all(|(low, _)| table[offset + low].is_none()))
            .expect("the table has room");
        offsets[row] = u16::try_from(offset).expect("offsets fit 16 bits");
        for (low, value) in places {
            table[offset + low] = Some(value);
        }
    }
    let length = table.iter().rposition(Option::is_some).expect("there are values") + 1;
    (offsets, table[..length].iter().map(|value| value.unwrap_or(0)).collect())
}

fn write_deciding(text: &mut String, checksum: &mut Fnv, values: &BTreeMap<Meaning, u16>) {
    let mut first = [0u16; 10];
    let mut count = [0u16; 10];
    let mut deciders = [0u8; 10];
    write!(text, "pub static DECIDING: [[u8; 5]; {}] = [", values.len()).unwrap();
    for (place, ((category, ranks), value)) in values.iter().enumerate() {
        if count[*category] == 0 {
            first[*category] = u16::try_from(place).unwrap();
        }
        count[*category] += 1;
        deciders[*category] = u8::try_from(ranks.len()).unwrap();
        let mut padded = [0u8; 5];
        padded[..ranks.len()].copy_from_slice(ranks);
        write!(text, "{padded:?},").unwrap();
        checksum.add(&value.to_le_bytes());
        checksum.add(&padded);
    }
    writeln!(text, "];").unwrap();
    writeln!(text, "pub const DECIDING_FIRST: [u16; 10] = {first:?};").unwrap();
    writeln!(text, "pub const DECIDING_COUNT: [u16; 10] = {count:?};").unwrap();
    writeln!(text, "pub const DECIDERS: [u8; 10] = {deciders:?};").unwrap();
}

fn write_table<N: Copy + Into<u64> + std::fmt::Debug>(
    text: &mut String,
    checksum: &mut Fnv,
    name: &str,
    of: &str,
    table: &[N],
) {
    writeln!(text, "pub {name}: [{of}; {}] = {table:?};", table.len()).unwrap();
    checksum.add(name.as_bytes());
    for &entry in table {
        let entry: u64 = entry.into();
        checksum.add(&entry.to_le_bytes());
    }
}

struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
