//! The batch path for x86-64 processors with AVX2: four hands at a time.
//!
//! A vector of 32 bytes holds four hands, each in 8 bytes of its own; the bytes that a hand of 5, 6 or 7 cards leaves
//! over hold fillers that are no card and differ from each other. Then, as in [`crate::rank`] but for four hands at once:
//!
//! * a rank's key is three bytes, looked up with one shuffle each; `sad` adds the eight bytes of a hand;
//! * the suit counters are two nibbles a byte, looked up and added the same way;
//! * a card twice is a byte that equals the one 1, 2, 3 or 4 places further on, going round: that compares every pair.
//!
//! What is left, two dependent reads from tables a hand, is plain code: gathers were slower. A step with a fault, and
//! a hand with a flush (3 in 100 of seven cards), go to the scalar path, which names the fault.
//!
//! The only `unsafe` of the crate is here.
#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256,
    _mm256_broadcastsi128_si256, _mm256_castsi128_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi8, _mm256_cmpeq_epi64,
    _mm256_extract_epi64, _mm256_inserti128_si256, _mm256_max_epu8, _mm256_movemask_epi8, _mm256_movemask_pd,
    _mm256_or_si256, _mm256_sad_epu8, _mm256_set1_epi8, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_slli_epi64, _mm256_srli_epi16,
};

use crate::batch::{RowFault, rank_rows};
use crate::cards::DECK;
use crate::rank::{self, RANK_KEY};

/// Hands ranked in one step.
const STEP: usize = 4;
/// What no byte of a hand may exceed.
const LAST_CARD: i8 = DECK.cast_signed() - 1;

/// Whether this processor can run [`rank_many`].
pub(crate) fn available() -> bool {
    is_x86_feature_detected!("avx2")
}

/// As [`rank_rows`], four hands at a time.
///
/// # Panics
/// If the processor has no AVX2.
pub(crate) fn rank_many<const CARDS: usize>(hands: &[[u8; CARDS]], values: &mut [[u8; 2]]) -> Result<(), RowFault> {
    assert!(available(), "the AVX2 path on a processor without it");
    // SAFETY: the processor has AVX2, as just checked.
    unsafe { rank_steps(hands, values) }
}

#[target_feature(enable = "avx2")]
fn rank_steps<const CARDS: usize>(hands: &[[u8; CARDS]], values: &mut [[u8; 2]]) -> Result<(), RowFault> {
    let look_up = LookUp::new::<CARDS>();
    let ids = hands.as_flattened();
    let sixteen_from = |row: usize| ids.get(row * CARDS..).and_then(|ids| ids.first_chunk::<16>());
    let mut row = 0;
    // Two 16-byte halves, from the first and from the third hand of a step; they end in what follows, which is ignored.
    while let (Some(low), Some(high)) = (sixteen_from(row), sixteen_from(row + 2)) {
        let halves = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(load(low)), load(high));
        let step = &hands[row..row + STEP];
        let out = &mut values[row..row + STEP];
        match look_up.sums(halves) {
            None => rank_rows(row, step, out)?,
            Some((sums, flushes)) => {
                for (sum, value) in sums.iter().zip(out.iter_mut()) {
                    *value = rank::unsuited_value::<CARDS>(*sum).to_ne_bytes();
                }
                let mut left = flushes;
                while left != 0 {
                    let hand = left.trailing_zeros() as usize;
                    rank_rows(row + hand, &step[hand..=hand], &mut out[hand..=hand])?;
                    left &= left - 1;
                }
            }
        }
        row += STEP;
    }
    rank_rows(row, &hands[row..], &mut values[row..])
}

#[target_feature(enable = "avx2")]
#[allow(clippy::cast_ptr_alignment)] // this load needs none
fn load(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: sixteen bytes are read, and the array has sixteen.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast::<__m128i>()) }
}

/// The shuffles of a step, the same for every hand of `CARDS` cards.
struct LookUp {
    /// Spreads two hands of a half over its two 8-byte places; the places' last bytes become 0.
    spread: __m256i,
    /// What is no card, 0xff, 0xfe, 0xfd, in the bytes that `spread` left 0.
    fillers: __m256i,
    /// A hand's bytes, moved on by 1, 2, 3 and 4 places.
    moved: [__m256i; 4],
    /// The three bytes of a rank's key, lowest first.
    keys: [__m256i; 3],
    /// One in a suit's nibble: clubs and diamonds, hearts and spades.
    suits: [__m256i; 2],
}

impl LookUp {
    #[target_feature(enable = "avx2")]
    #[allow(clippy::cast_possible_truncation)] // places in 16 bytes, and bytes of a key
    fn new<const CARDS: usize>() -> Self {
        let in_hand = |place: usize| place % 8 < CARDS;
        Self {
            spread: both_halves(std::array::from_fn(|place| {
                if in_hand(place) { (place / 8 * CARDS + place % 8) as u8 } else { 0x80 }
            })),
            fillers: both_halves(std::array::from_fn(|place| if in_hand(place) { 0 } else { 0xf8 | place as u8 })),
            moved: std::array::from_fn(|by| {
                both_halves(std::array::from_fn(|place| (place & 8 | (place + by + 1) & 7) as u8))
            }),
            keys: std::array::from_fn(|byte| {
                both_halves(std::array::from_fn(|rank| RANK_KEY.get(rank).map_or(0, |key| key.to_le_bytes()[byte])))
            }),
            suits: [[1, 16, 0, 0], [0, 0, 1, 16]]
                .map(|one_in: [u8; 4]| both_halves(std::array::from_fn(|suit| one_in.get(suit).copied().unwrap_or(0)))),
        }
    }

    /// The sums of the rank keys of four hands and a bit for each hand with a flush; `None` when a hand has a fault.
    #[inline]
    #[target_feature(enable = "avx2")]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // sums of seven 23-bit keys
    fn sums(&self, halves: __m256i) -> Option<([u32; STEP], u32)> {
        let cards = _mm256_shuffle_epi8(halves, self.spread);
        let last = _mm256_set1_epi8(LAST_CARD);
        let known = _mm256_cmpeq_epi8(_mm256_max_epu8(cards, last), last);
        let cards = _mm256_or_si256(cards, self.fillers);
        let [one, two, three, four] =
            self.moved.map(|moved| _mm256_cmpeq_epi8(cards, _mm256_shuffle_epi8(cards, moved)));
        let twice = _mm256_or_si256(_mm256_or_si256(one, two), _mm256_or_si256(three, four));
        if _mm256_movemask_epi8(_mm256_andnot_si256(twice, known)) != -1 {
            return None;
        }

        // A filler's rank reads 15, for which there is no key; its suit keeps bit 7, for which a shuffle gives 0.
        let ranks = _mm256_and_si256(_mm256_srli_epi16::<2>(cards), _mm256_set1_epi8(0x3f));
        let suits = _mm256_and_si256(cards, _mm256_set1_epi8(0x83u8.cast_signed()));
        let zero = _mm256_setzero_si256();
        let [low, middle, high] = self.keys.map(|key| _mm256_sad_epu8(_mm256_shuffle_epi8(key, ranks), zero));
        let sums =
            _mm256_add_epi64(low, _mm256_add_epi64(_mm256_slli_epi64::<8>(middle), _mm256_slli_epi64::<16>(high)));
        let [minor, major] = self.suits.map(|one_in| _mm256_sad_epu8(_mm256_shuffle_epi8(one_in, suits), zero));
        let counts =
            _mm256_add_epi64(_mm256_or_si256(minor, _mm256_slli_epi64::<8>(major)), _mm256_set1_epi64x(0x3333));
        let no_flush = _mm256_cmpeq_epi64(_mm256_and_si256(counts, _mm256_set1_epi64x(0x8888)), zero);
        let flushes = !_mm256_movemask_pd(_mm256_castsi256_pd(no_flush)) as u32 & 0b1111;
        let sums = [
            _mm256_extract_epi64::<0>(sums) as u32,
            _mm256_extract_epi64::<1>(sums) as u32,
            _mm256_extract_epi64::<2>(sums) as u32,
            _mm256_extract_epi64::<3>(sums) as u32,
        ];
        Some((sums, flushes))
    }
}

#[target_feature(enable = "avx2")]
fn both_halves(bytes: [u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(load(&bytes))
}
