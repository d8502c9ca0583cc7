//! The Python module: checks, converts, calls. What a hand is worth is decided in `rank`, `three` and `best`.
//!
//! The module keeps no state that changes, so it is safe in free-threaded Python; a batch is ranked detached from the
//! interpreter, on bytes that nothing else can change.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyInt, PyString, PyTuple};

use self::hand::{A_CARD, fault_error, hand_error, read_hand, shown, shown_text, unknown_text, wrong_type};
use crate::batch::Path;
use crate::{best, cards, rank, three};

mod batch;
mod hand;

create_exception!(
    pitstream.evaluator,
    CardError,
    PyValueError,
    "A card that is not in the deck, or cards that cannot be a hand."
);
create_exception!(pitstream.evaluator, RepeatedCardError, CardError, "One card twice in a hand.");
create_exception!(pitstream.evaluator, CardCountError, CardError, "Too few or too many cards.");

/// A card of the deck: `Card("Td")`, or `Card.from_id(33)`.
#[pyclass(frozen, eq, ord, hash, module = "pitstream.evaluator")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Card {
    /// 4 * rank + suit, 0..51.
    #[pyo3(get)]
    id: u8,
}

#[pymethods]
#[allow(clippy::trivially_copy_pass_by_ref)] // Python hands methods a reference
impl Card {
    #[new]
    #[pyo3(signature = (text, /))]
    fn py_new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(string) = text.cast::<PyString>() else {
            return Err(wrong_type("card", text, A_CARD));
        };
        let id = match string.to_str().unwrap_or_default().as_bytes() {
            &[rank, suit] => cards::id_from_text(rank, suit),
            _ => None,
        };
        id.map(|id| Self { id }).ok_or_else(|| unknown_text("card", &shown_text(string)))
    }

    /// The card with this id, 0..51.
    #[staticmethod]
    #[pyo3(name = "from_id", signature = (id, /))]
    fn py_from_id(id: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let Ok(number) = id.cast_exact::<PyInt>() else {
            return Err(wrong_type("id", id, "an int 0..51"));
        };
        match number.extract::<u8>() {
            Ok(number) if number < cards::DECK => Ok(deck(id.py())?[usize::from(number)].clone_ref(id.py())),
            _ => Err(CardError::new_err(format!("id: was {}; allowed: 0..51", shown(id)))),
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
        let cards = (0..cards::DECK).map(|id| Py::new(py, Card { id })).collect::<PyResult<Vec<_>>>()?;
        Ok(cards.try_into().expect("52 cards"))
    })
}

/// The value of the best five of five, six or seven cards.
#[pyfunction]
#[pyo3(name = "rank", signature = (cards, /))]
fn py_rank(cards: &Bound<'_, PyAny>) -> PyResult<u16> {
    read_hand("cards", cards)?.rank()
}

/// The five cards that make the value, the most important first.
#[pyfunction]
#[pyo3(name = "best_five", signature = (cards, /))]
fn py_best_five<'py>(py: Python<'py>, cards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let ids = read_hand("cards", cards)?.five_to_seven()?;
    card_tuple(py, best::best_five(&ids).map_err(hand_error("cards"))?)
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
    card_tuple(py, best::best_five(&five).map_err(hand_error("own and board"))?)
}

fn read_three_plus_two(own: &Bound<'_, PyAny>, board: &Bound<'_, PyAny>) -> PyResult<(u16, [u8; 5])> {
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
fn py_deciding_ranks<'py>(py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let ranks = read_value(value, |value| match u16::try_from(value) {
        Ok(value) => rank::deciding_ranks(value).map(<[u8]>::to_vec),
        Err(_) => three::deciding_ranks(value),
    })?;
    PyTuple::new(py, ranks)
}

/// What `meaning` says of a value; an error for what is no value.
fn read_value<T>(value: &Bound<'_, PyAny>, meaning: impl FnOnce(u32) -> Option<T>) -> PyResult<T> {
    let Ok(number) = value.cast_exact::<PyInt>() else {
        return Err(wrong_type("value", value, "an int"));
    };
    number.extract::<u32>().ok().and_then(meaning).ok_or_else(|| {
        PyValueError::new_err(format!("value: was {}; allowed: the value of a hand of this kind", shown(value)))
    })
}

/// Which path `rank_many` takes on this processor.
#[pyfunction]
#[pyo3(name = "batch_path")]
fn py_batch_path() -> &'static str {
    Path::fastest().name()
}

/// Names this version and its tables.
#[pyfunction]
#[pyo3(name = "fingerprint")]
fn py_fingerprint() -> String {
    format!("pitstream-evaluator {} tables {:016x}", env!("CARGO_PKG_VERSION"), rank::TABLE_CHECKSUM)
}

#[pymodule]
mod _evaluator {
    #[pymodule_export]
    use super::batch::{py_rank_many, py_rank_many_scalar};
    #[pymodule_export]
    use super::{
        Card, CardCountError, CardError, RepeatedCardError, py_batch_path, py_best_five, py_best_three_plus_two,
        py_category, py_deciding_ranks, py_fingerprint, py_rank, py_rank_three, py_rank_three_plus_two,
        py_three_category,
    };
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;

    /// The deck in the order of its ids.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("DECK", PyTuple::new(module.py(), super::deck(module.py())?)?)
    }
}
