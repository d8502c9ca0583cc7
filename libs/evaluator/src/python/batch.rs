//! Batches: buffers in, a memoryview of values out, the ranking itself detached from the interpreter.

use pyo3::buffer::{PyBuffer, PyUntypedBuffer};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use super::CardCountError;
use super::hand::{FIVE_TO_SEVEN, fault_error, shown, wrong_type};
use crate::batch::{self, Path, RowFault};

/// Ranks rows of card ids on the fastest path that the processor can run.
#[pyfunction]
#[pyo3(name = "rank_many", signature = (hands, cards_per_hand = 7, out = None))]
pub(super) fn py_rank_many<'py>(
    hands: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = read_cards_per_hand)] cards_per_hand: usize,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyMemoryView>> {
    rank_batch(Path::fastest(), hands, cards_per_hand, out)
}

/// `rank_many` on the scalar path: the reference that the tests and the benchmark compare with.
#[pyfunction]
#[pyo3(name = "rank_many_scalar", signature = (hands, cards_per_hand = 7, out = None))]
pub(super) fn py_rank_many_scalar<'py>(
    hands: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = read_cards_per_hand)] cards_per_hand: usize,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyMemoryView>> {
    rank_batch(Path::Scalar, hands, cards_per_hand, out)
}

type RankInto = fn(Path, &[u8], &mut [u8]) -> PyResult<()>;

fn rank_batch<'py>(
    path: Path,
    hands: &Bound<'py, PyAny>,
    cards_per_hand: usize,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyMemoryView>> {
    let py = hands.py();
    let rank_into: RankInto = match cards_per_hand {
        5 => rank_bytes::<5>,
        6 => rank_bytes::<6>,
        _ => rank_bytes::<7>,
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
        let message = format!("hands: were {} card ids; allowed: a multiple of {cards_per_hand}", ids.len());
        return Err(CardCountError::new_err(message));
    }
    let count = ids.len() / cards_per_hand;
    let Some(out) = out else {
        let values = PyBytes::new_with(py, 2 * count, |values| py.detach(|| rank_into(path, ids, values)))?;
        return as_values(&values);
    };
    let target = writable_values(out, count)?;
    let mut values = vec![0; 2 * count];
    py.detach(|| rank_into(path, ids, &mut values))?;
    if let Some(target) = target {
        target.copy_from_slice(py, &values)?;
    }
    PyMemoryView::from(out)
}

/// How many cards a hand has: 5, 6 or 7.
fn read_cards_per_hand(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    match given.extract::<i64>() {
        Ok(5) => Ok(5),
        Ok(6) => Ok(6),
        Ok(7) => Ok(7),
        Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => {
            Err(wrong_type("cards_per_hand", given, FIVE_TO_SEVEN))
        }
        _ => Err(CardCountError::new_err(format!("cards_per_hand: was {}; allowed: {FIVE_TO_SEVEN}", shown(given)))),
    }
}

/// A copy of the card ids in a buffer of unsigned bytes: one row after the other, or two-dimensional, a row a hand.
fn copy_ids(hands: &Bound<'_, PyAny>, cards_per_hand: usize) -> PyResult<Vec<u8>> {
    let wrong = |was: &str| PyTypeError::new_err(format!("hands: was {was}; allowed: bytes or a buffer of uint8"));
    let buffer = PyUntypedBuffer::get(hands).map_err(|_| wrong(&shown(hands)))?;
    let format = buffer.format().to_string_lossy().into_owned();
    if format != "B" {
        return Err(wrong(&format!("a buffer of format {format:?}")));
    }
    match *buffer.shape() {
        [_] => {}
        [_, columns] if columns == cards_per_hand => {}
        ref shape => {
            let message = format!("hands: was a buffer of shape {shape:?}; allowed: [n] or [n, {cards_per_hand}]");
            return Err(CardCountError::new_err(message));
        }
    }
    buffer.as_typed::<u8>()?.to_vec(hands.py())
}

/// The bytes behind a writable buffer of `count` unsigned 16-bit items; `None` behind one of none, which no view casts.
fn writable_values(out: &Bound<'_, PyAny>, count: usize) -> PyResult<Option<PyBuffer<u8>>> {
    let message = |was: &str| format!("out: was {was}; allowed: a writable, contiguous buffer of {count} uint16");
    let buffer = PyUntypedBuffer::get(out).map_err(|_| PyTypeError::new_err(message(&shown(out))))?;
    let format = buffer.format().to_string_lossy();
    if format != "H" || buffer.item_count() != count || buffer.readonly() || !buffer.is_c_contiguous() {
        let read_only = if buffer.readonly() { "read-only " } else { "" };
        let was = format!("a {read_only}buffer of shape {:?} and format {format:?}", buffer.shape());
        return Err(PyValueError::new_err(message(&was)));
    }
    if count == 0 {
        return Ok(None);
    }
    PyBuffer::get(&PyMemoryView::from(out)?.call_method1("cast", ("B",))?).map(Some)
}

/// Shows the bytes of a batch's values as unsigned 16-bit items.
fn as_values<'py>(values: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyMemoryView>> {
    Ok(PyMemoryView::from(values)?.call_method1("cast", ("H",))?.cast_into::<PyMemoryView>()?)
}

fn rank_bytes<const CARDS: usize>(path: Path, ids: &[u8], values: &mut [u8]) -> PyResult<()> {
    let (hands, _) = ids.as_chunks::<CARDS>();
    let (values, _) = values.as_chunks_mut::<2>();
    batch::rank_many(path, hands, values).map_err(|RowFault { row, fault }| {
        let field = format!("hands[{row}]");
        fault_error(&field, fault, |index| format!("{field}[{index}]"))
    })
}
