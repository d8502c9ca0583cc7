//! The Python module: checks, converts, calls. What a hand is worth is decided in `rank`, `three` and `best`.
//!
//! The module keeps no state that changes, so it is safe in free-threaded Python; a batch is ranked detached from the
//! interpreter, on bytes that nothing else can change.

use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::create_exception;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyInt, PyList, PyMemoryView, PyString, PyTuple};

use crate::batch::{self, Path, RowFault};
use crate::cards::{self, Fault};
use crate::{best, rank, three};

create_exception!(
    pitstream.evaluator,
    CardError,
    PyValueError,
    "A card that is not in the deck, or cards that cannot be a hand."
);
create_exception!(
    pitstream.evaluator,
    RepeatedCardError,
    CardError,
    "One card twice in a hand."
);
create_exception!(
    pitstream.evaluator,
    CardCountError,
    CardError,
    "Too few or too many cards."
);

const MOST_CARDS: usize = 7;
const A_CARD: &str = r#"a rank 23456789TJQKA and a suit cdhs ("Td")"#;
const A_HAND: &str =
    "a list or tuple of Card, a str, bytes of card ids, or an int with a bit for each card id";

/// A card of the deck: `Card("Td")`, or `Card.from_id(33)`.
#[pyclass(frozen, eq, ord, hash, module = "pitstream.evaluator")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Card {
    /// 4 * rank + suit, 0..51.
    #[pyo3(get)]
    id: u8,
}

#[pymethods]
impl Card {
    #[new]
    #[pyo3(signature = (text, /))]
    fn py_new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(string) = text.cast::<PyString>() else {
            return Err(PyTypeError::new_err(format!(
                "card: was {}; allowed: {A_CARD}",
                shown(text)
            )));
        };
        let id = match string.to_str().unwrap_or_default().as_bytes() {
            &[rank, suit] => cards::id_from_text(rank, suit),
            _ => None,
        };
        id.map(|id| Self { id })
            .ok_or_else(|| unknown_text("card", &shown_text(string)))
    }

    /// The card with this id, 0..51.
    #[staticmethod]
    #[pyo3(name = "from_id", signature = (id, /))]
    fn py_from_id(id: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let Ok(number) = id.cast_exact::<PyInt>() else {
            return Err(PyTypeError::new_err(format!(
                "id: was {}; allowed: an int 0..51",
                shown(id)
            )));
        };
        match number.extract::<u8>() {
            Ok(number) if number < cards::DECK => {
                Ok(deck(id.py())?[usize::from(number)].clone_ref(id.py()))
            }
            _ => Err(CardError::new_err(format!(
                "id: was {}; allowed: 0..51",
                shown(id)
            ))),
        }
    }

    /// 0 for a two, 12 for an ace.
    #[getter]
    fn rank(&self) -> u8 {
        self.id / 4
    }

    /// 0 clubs, 1 diamonds, 2 hearts, 3 spades.
    #[getter]
    fn suit(&self) -> u8 {
        self.id % 4
    }

    fn __str__(&self) -> String {
        cards::text(self.id)
    }

    fn __repr__(&self) -> String {
        format!("Card(\"{}\")", cards::text(self.id))
    }

    fn __getnewargs__(&self) -> (String,) {
        (cards::text(self.id),)
    }
}

/// The 52 cards, each made once.
fn deck(py: Python<'_>) -> PyResult<&[Py<Card>; 52]> {
    static CARDS: PyOnceLock<[Py<Card>; 52]> = PyOnceLock::new();
    CARDS.get_or_try_init(py, || {
        let cards = (0..cards::DECK)
            .map(|id| Py::new(py, Card { id }))
            .collect::<PyResult<Vec<_>>>()?;
        Ok(cards.try_into().ok().expect("52 cards"))
    })
}

/// The ids of at most seven cards.
struct Hand {
    ids: [u8; MOST_CARDS],
    count: usize,
}

impl Hand {
    const fn new() -> Self {
        Self {
            ids: [0; MOST_CARDS],
            count: 0,
        }
    }

    /// Adds a card; past the seventh the cards are only counted, for the message.
    #[inline]
    fn push(&mut self, id: u8) {
        if let Some(place) = self.ids.get_mut(self.count) {
            *place = id;
        }
        self.count += 1;
    }

    /// The ids, when there are as many as `allowed` says.
    fn counted(&self, field: &str, least: usize, most: usize, allowed: &str) -> PyResult<&[u8]> {
        if self.count < least || self.count > most {
            let message = format!("{field}: were {} cards; allowed: {allowed}", self.count);
            return Err(CardCountError::new_err(message));
        }
        Ok(&self.ids[..self.count])
    }

    fn five_to_seven(&self) -> PyResult<&[u8]> {
        self.counted("cards", 5, 7, "5, 6 or 7")
    }

    fn three(&self, field: &str) -> PyResult<[u8; 3]> {
        Ok(self
            .counted(field, 3, 3, "3")?
            .try_into()
            .expect("three cards"))
    }
}

/// Reads a hand in any of its forms; checks that each part is a card, not yet that the hand can exist.
#[inline]
fn read_hand(field: &str, hand: &Bound<'_, PyAny>) -> PyResult<Hand> {
    let mut read = Hand::new();
    if let Ok(list) = hand.cast::<PyList>() {
        for card in list.iter() {
            read.push(read_card(field, read.count, &card)?);
        }
    } else if let Ok(tuple) = hand.cast::<PyTuple>() {
        for card in tuple.iter_borrowed() {
            read.push(read_card(field, read.count, &card)?);
        }
    } else if let Ok(text) = hand.cast::<PyString>() {
        read_text(field, text, &mut read)?;
    } else if let Ok(ids) = hand.cast::<PyBytes>() {
        ids.as_bytes().iter().for_each(|&id| read.push(id));
    } else if let Ok(mask) = hand.cast_exact::<PyInt>() {
        read_mask(field, mask, &mut read)?;
    } else {
        return Err(PyTypeError::new_err(format!(
            "{field}: was {}; allowed: {A_HAND}",
            shown(hand)
        )));
    }
    Ok(read)
}

#[inline]
fn read_card(field: &str, index: usize, card: &Bound<'_, PyAny>) -> PyResult<u8> {
    match card.cast::<Card>() {
        Ok(card) => Ok(card.get().id),
        Err(_) => Err(PyTypeError::new_err(format!(
            "{field}[{index}]: was {}; allowed: a Card",
            shown(card)
        ))),
    }
}

/// Reads "AsKd" or "As Kd": one space may stand between two cards.
fn read_text(field: &str, text: &Bound<'_, PyString>, read: &mut Hand) -> PyResult<()> {
    // A str that is no UTF-8 holds a lone surrogate, which is no card: its own text then says so.
    let Ok(string) = text.to_str() else {
        return Err(unknown_text(field, &shown_text(text)));
    };
    let mut rest = string.as_bytes();
    while let [rank, suit, after @ ..] = rest {
        let Some(id) = cards::id_from_text(*rank, *suit) else {
            break;
        };
        read.push(id);
        rest = match after {
            [b' ', next @ ..] if !next.is_empty() => next,
            _ => after,
        };
    }
    if rest.is_empty() {
        return Ok(());
    }
    // Only ASCII has been read, so the rest starts at a character.
    let wrong: String = string[string.len() - rest.len()..]
        .chars()
        .take(2)
        .collect();
    Err(unknown_text(
        &format!("{field}[{}]", read.count),
        &quoted(&wrong),
    ))
}

fn read_mask(field: &str, mask: &Bound<'_, PyInt>, read: &mut Hand) -> PyResult<()> {
    match mask.extract::<u64>() {
        Ok(mut bits) if bits >> cards::DECK == 0 => {
            while bits != 0 {
                #[allow(clippy::cast_possible_truncation)] // a bit's number is below 64
                read.push(bits.trailing_zeros() as u8);
                bits &= bits - 1;
            }
            Ok(())
        }
        _ => Err(CardError::new_err(format!(
            "{field}: was {}; allowed: an int with bits 0..51",
            shown(mask)
        ))),
    }
}

fn unknown_text(field: &str, was: &str) -> PyErr {
    CardError::new_err(format!("{field}: was {was}; allowed: {A_CARD}"))
}

/// What an error shows of a wrong argument: its repr, cut to a length that fits a log line.
fn shown(wrong: &Bound<'_, PyAny>) -> String {
    if let Ok(text) = wrong.cast::<PyString>() {
        return shown_text(text);
    }
    let repr = wrong.repr().map(|repr| repr.to_string_lossy().into_owned());
    cut(&repr.unwrap_or_else(|_| format!("a {}", wrong.get_type())))
}

fn shown_text(text: &Bound<'_, PyString>) -> String {
    quoted(&text.to_string_lossy())
}

fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

fn cut(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain("…".chars()).collect()
    }
}

/// A fault as its Python error; `field` is the hand's name, `id_field` the name of the card at an index.
fn fault_error(field: &str, fault: Fault, id_field: impl FnOnce(usize) -> String) -> PyErr {
    match fault {
        Fault::Unknown { index, id } => {
            CardError::new_err(format!("{}: was {id}; allowed: 0..51", id_field(index)))
        }
        Fault::Repeated { id } => {
            RepeatedCardError::new_err(format!("{field}: card {} twice", cards::text(id)))
        }
    }
}

fn hand_error(field: &'static str) -> impl FnOnce(Fault) -> PyErr {
    move |fault| fault_error(field, fault, |index| format!("{field}[{index}]"))
}

/// The value of the best five of five, six or seven cards.
#[pyfunction]
#[pyo3(name = "rank", signature = (cards, /))]
fn py_rank(cards: &Bound<'_, PyAny>) -> PyResult<u16> {
    let hand = read_hand("cards", cards)?;
    best::rank_any(hand.five_to_seven()?).map_err(hand_error("cards"))
}

/// The five cards that make the value, the most important first.
#[pyfunction]
#[pyo3(name = "best_five", signature = (cards, /))]
fn py_best_five<'py>(py: Python<'py>, cards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let hand = read_hand("cards", cards)?;
    let five = best::best_five(hand.five_to_seven()?).map_err(hand_error("cards"))?;
    card_tuple(py, five)
}

/// The value of three cards alone.
#[pyfunction]
#[pyo3(name = "rank_three", signature = (cards, /, *, wheel = true))]
fn py_rank_three(cards: &Bound<'_, PyAny>, wheel: bool) -> PyResult<u32> {
    let ids = read_hand("cards", cards)?.three("cards")?;
    three::rank(ids, wheel).map_err(hand_error("cards"))
}

/// The value of the best hand of all three own cards and exactly two of the board's three.
#[pyfunction]
#[pyo3(name = "rank_three_plus_two", signature = (own, board, /))]
fn py_rank_three_plus_two(own: &Bound<'_, PyAny>, board: &Bound<'_, PyAny>) -> PyResult<u16> {
    Ok(read_three_plus_two(own, board)?.0)
}

/// The five cards of that hand, the most important first.
#[pyfunction]
#[pyo3(name = "best_three_plus_two", signature = (own, board, /))]
fn py_best_three_plus_two<'py>(
    py: Python<'py>,
    own: &Bound<'py, PyAny>,
    board: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyTuple>> {
    let (_, five) = read_three_plus_two(own, board)?;
    card_tuple(
        py,
        best::best_five(&five).map_err(hand_error("own and board"))?,
    )
}

fn read_three_plus_two(
    own: &Bound<'_, PyAny>,
    board: &Bound<'_, PyAny>,
) -> PyResult<(u16, [u8; 5])> {
    let own = read_hand("own", own)?.three("own")?;
    let board = read_hand("board", board)?.three("board")?;
    best::three_plus_two(own, board).map_err(|fault| {
        fault_error("own and board", fault, |index| match index {
            0..3 => format!("own[{index}]"),
            _ => format!("board[{}]", index - 3),
        })
    })
}

fn card_tuple(py: Python<'_>, ids: [u8; 5]) -> PyResult<Bound<'_, PyTuple>> {
    let deck = deck(py)?;
    PyTuple::new(py, ids.map(|id| deck[usize::from(id)].clone_ref(py)))
}

/// The category's number of a value that `rank` gave, 0..9.
#[pyfunction]
#[pyo3(name = "category", signature = (value, /))]
fn py_category(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    read_value(value, |value| rank::category(u16::try_from(value).ok()?))
}

/// The category's number of a value that `rank_three` gave, 0..6.
#[pyfunction]
#[pyo3(name = "three_category", signature = (value, /))]
fn py_three_category(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    read_value(value, three::category)
}

/// The ranks that decide a value of either kind, most important first.
#[pyfunction]
#[pyo3(name = "deciding_ranks", signature = (value, /))]
fn py_deciding_ranks<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyTuple>> {
    let ranks = read_value(value, |value| match u16::try_from(value) {
        Ok(value) => rank::deciding_ranks(value).map(<[u8]>::to_vec),
        Err(_) => three::deciding_ranks(value),
    })?;
    PyTuple::new(py, ranks)
}

/// What `meaning` says of a value; an error for what is no value.
fn read_value<T>(value: &Bound<'_, PyAny>, meaning: impl FnOnce(u32) -> Option<T>) -> PyResult<T> {
    let Ok(number) = value.cast_exact::<PyInt>() else {
        return Err(PyTypeError::new_err(format!(
            "value: was {}; allowed: an int",
            shown(value)
        )));
    };
    number
        .extract::<u32>()
        .ok()
        .and_then(meaning)
        .ok_or_else(|| {
            PyValueError::new_err(format!(
                "value: was {}; allowed: the value of a hand of this kind",
                shown(value)
            ))
        })
}

/// Ranks rows of card ids on the fastest path that the processor can run.
#[pyfunction]
#[pyo3(name = "rank_many", signature = (hands, cards_per_hand = 7, out = None))]
fn py_rank_many<'py>(
    hands: &Bound<'py, PyAny>,
    cards_per_hand: usize,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyMemoryView>> {
    rank_batch(Path::fastest(), hands, cards_per_hand, out)
}

/// `rank_many` on the scalar path: the reference that the tests and the benchmark compare with.
#[pyfunction]
#[pyo3(name = "rank_many_scalar", signature = (hands, cards_per_hand = 7, out = None))]
fn py_rank_many_scalar<'py>(
    hands: &Bound<'py, PyAny>,
    cards_per_hand: usize,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyMemoryView>> {
    rank_batch(Path::Scalar, hands, cards_per_hand, out)
}

fn rank_batch<'py>(
    path: Path,
    hands: &Bound<'py, PyAny>,
    cards_per_hand: usize,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyMemoryView>> {
    let py = hands.py();
    let rank_into = match cards_per_hand {
        5 => rank_bytes::<5>,
        6 => rank_bytes::<6>,
        7 => rank_bytes::<7>,
        other => {
            return Err(CardCountError::new_err(format!(
                "cards_per_hand: was {other}; allowed: 5, 6 or 7"
            )));
        }
    };
    let copied;
    let ids = if let Ok(bytes) = hands.cast::<PyBytes>() {
        bytes.as_bytes()
    } else {
        // Another thread may write to any other buffer while the batch is ranked, so it is copied first.
        copied = copy_ids(hands, cards_per_hand)?;
        &copied
    };
    if ids.len() % cards_per_hand != 0 {
        let message = format!(
            "hands: were {} card ids; allowed: a multiple of {cards_per_hand}",
            ids.len()
        );
        return Err(CardCountError::new_err(message));
    }
    let count = ids.len() / cards_per_hand;
    let Some(out) = out else {
        let values = PyBytes::new_with(py, 2 * count, |values| {
            py.detach(|| rank_into(path, ids, values))
        })?;
        return as_values(&values);
    };
    let target = writable_values(out, count)?;
    let mut values = vec![0; 2 * count];
    py.detach(|| rank_into(path, ids, &mut values))?;
    target.copy_from_slice(py, &values)?;
    PyMemoryView::from(out)
}

/// A copy of the card ids in a buffer of unsigned bytes: one row after the other, or two-dimensional, a row a hand.
fn copy_ids(hands: &Bound<'_, PyAny>, cards_per_hand: usize) -> PyResult<Vec<u8>> {
    let wrong = |was: &str| {
        PyTypeError::new_err(format!(
            "hands: was {was}; allowed: bytes or a buffer of uint8"
        ))
    };
    let buffer = PyUntypedBuffer::get(hands).map_err(|_| wrong(&shown(hands)))?;
    let format = buffer.format().to_string_lossy().into_owned();
    if format != "B" {
        return Err(wrong(&format!("a buffer of format {format:?}")));
    }
    match *buffer.shape() {
        [_] => {}
        [_, columns] if columns == cards_per_hand => {}
        ref shape => {
            let message = format!(
                "hands: was a buffer of shape {shape:?}; allowed: [n] or [n, {cards_per_hand}]"
            );
            return Err(CardCountError::new_err(message));
        }
    }
    buffer.as_typed::<u8>()?.to_vec(hands.py())
}

/// The bytes behind a writable buffer of `count` unsigned 16-bit items.
fn writable_values(out: &Bound<'_, PyAny>, count: usize) -> PyResult<PyBuffer<u8>> {
    let wrong = |was: &str| {
        let allowed = format!("a writable, contiguous buffer of {count} uint16");
        PyValueError::new_err(format!("out: was {was}; allowed: {allowed}"))
    };
    let buffer = PyUntypedBuffer::get(out)
        .map_err(|_| PyTypeError::new_err(wrong(&shown(out)).to_string()))?;
    let format = buffer.format().to_string_lossy().into_owned();
    if format != "H"
        || buffer.item_count() != count
        || buffer.readonly()
        || !buffer.is_c_contiguous()
    {
        let (items, kind) = (
            buffer.item_count(),
            if buffer.readonly() { "read-only " } else { "" },
        );
        return Err(wrong(&format!(
            "a {kind}buffer of {items} items of format {format:?}"
        )));
    }
    PyBuffer::get(&PyMemoryView::from(out)?.call_method1("cast", ("B",))?)
}

/// Shows the bytes of a batch's values as unsigned 16-bit items.
fn as_values<'py>(values: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyMemoryView>> {
    Ok(PyMemoryView::from(values)?
        .call_method1("cast", ("H",))?
        .cast_into::<PyMemoryView>()?)
}

fn rank_bytes<const CARDS: usize>(path: Path, ids: &[u8], values: &mut [u8]) -> PyResult<()> {
    let (hands, _) = ids.as_chunks::<CARDS>();
    let (values, _) = values.as_chunks_mut::<2>();
    batch::rank_many(path, hands, values).map_err(|RowFault { row, fault }| {
        let field = format!("hands[{row}]");
        fault_error(&field, fault, |index| format!("{field}[{index}]"))
    })
}

/// Which path `rank_many` takes on this processor.
#[pyfunction]
#[pyo3(name = "batch_path")]
fn py_batch_path() -> &'static str {
    match Path::fastest() {
        Path::Avx2 => "avx2",
        Path::Scalar => "scalar",
    }
}

/// Names this version and its tables.
#[pyfunction]
#[pyo3(name = "fingerprint")]
fn py_fingerprint() -> String {
    format!(
        "pitstream-evaluator {} tables {:016x}",
        env!("CARGO_PKG_VERSION"),
        rank::TABLE_CHECKSUM
    )
}

#[pymodule]
mod _evaluator {
    #[pymodule_export]
    use super::{
        Card, CardCountError, CardError, RepeatedCardError, py_batch_path, py_best_five,
        py_best_three_plus_two, py_category, py_deciding_ranks, py_fingerprint, py_rank,
        py_rank_many, py_rank_many_scalar, py_rank_three, py_rank_three_plus_two,
        py_three_category,
    };
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    /// The deck in the order of its ids.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add(
            "DECK",
            PyTuple::new(module.py(), super::deck(module.py())?)?,
        )
    }
}
