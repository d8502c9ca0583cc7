//! The Python module: every event becomes an object with the fields that its message has.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use crate::event::{self, Community, Dealt, Placed};

macro_rules! read {
    ($(#[$doc:meta])* $name:ident ($type_name:expr) { $($field:ident: $kind:ty),* }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, module = "pitstream.wire")]
        struct $name {
            $($field: Py<$kind>),*
        }

        #[pymethods]
        impl $name {
            #[classattr]
            #[allow(non_upper_case_globals)] // an attribute's name in Python
            const type_name: &'static str = $type_name;

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                let fields = [$(format!("{}={}", stringify!($field), self.$field.bind(py).repr()?)),*];
                Ok(format!("{}({})", stringify!($name), fields.join(", ")))
            }
        }
    };
}

read! {
    /// A wager and the money on it.
    Stake ("pitstream.rounds.v1.Stake") { wager: PyString, stake: PyAny }
}
read! {
    /// A seat puts its wagers down.
    WagersPlaced ("pitstream.rounds.v1.WagersPlaced") {
        seat: PyAny, player: PyString, bundle: PyAny, stakes: PyTuple
    }
}
read! {
    /// The cards of a seat.
    Hand ("pitstream.rounds.v1.Hand") { seat: PyAny, cards: PyTuple }
}
read! {
    /// The seats' hands, and the dealer's.
    HandsDealt ("pitstream.rounds.v1.HandsDealt") { hands: PyTuple, dealer: PyTuple }
}
read! {
    /// Community cards.
    CommunityDealt ("pitstream.rounds.v1.CommunityDealt") { cards: PyTuple, burned: PyTuple }
}

fn number(py: Python<'_>, number: impl Into<u64>) -> PyResult<Py<PyAny>> {
    Ok(number.into().into_pyobject(py)?.into_any().unbind())
}

fn texts(py: Python<'_>, texts: Vec<&str>) -> PyResult<Py<PyTuple>> {
    Ok(PyTuple::new(py, texts)?.unbind())
}

impl WagersPlaced {
    fn of(py: Python<'_>, placed: Placed<'_>) -> PyResult<Self> {
        let stakes: Vec<_> = placed
            .stakes
            .into_iter()
            .map(|(wager, stake)| {
                Py::new(py, Stake { wager: PyString::new(py, wager).unbind(), stake: number(py, stake)? })
            })
            .collect::<PyResult<_>>()?;
        Ok(Self {
            seat: number(py, placed.seat)?,
            player: PyString::new(py, placed.player).unbind(),
            bundle: number(py, placed.bundle)?,
            stakes: PyTuple::new(py, stakes)?.unbind(),
        })
    }
}

impl HandsDealt {
    fn of(py: Python<'_>, dealt: Dealt<'_>) -> PyResult<Self> {
        let hands: Vec<_> = dealt
            .hands
            .into_iter()
            .map(|(seat, cards)| Py::new(py, Hand { seat: number(py, seat)?, cards: texts(py, cards)? }))
            .collect::<PyResult<_>>()?;
        Ok(Self { hands: PyTuple::new(py, hands)?.unbind(), dealer: texts(py, dealt.dealer)? })
    }
}

impl CommunityDealt {
    fn of(py: Python<'_>, dealt: Community<'_>) -> PyResult<Self> {
        Ok(Self { cards: texts(py, dealt.cards)?, burned: texts(py, dealt.burned)? })
    }
}

/// Of each envelope the event's type, and the event as an object; or its bytes, of the types that are not read here.
/// `None` when anything is not in the plain form in which our own writers write.
#[pyfunction]
#[pyo3(name = "read", signature = (stream, /))]
fn py_read<'py>(py: Python<'py>, stream: &Bound<'py, PyList>) -> PyResult<Option<Bound<'py, PyList>>> {
    // A round says a dozen types again and again.
    let mut names: Vec<(&str, Bound<'py, PyString>)> = Vec::with_capacity(12);
    let stored: Vec<Bound<'py, PyBytes>> = stream.iter().map(Bound::cast_into).collect::<Result<_, _>>()?;
    let mut read = Vec::with_capacity(stored.len());
    for data in &stored {
        let Some((kind, payload)) = event::envelope(data.as_bytes()) else {
            return Ok(None);
        };
        let found = match kind {
            WagersPlaced::type_name => event::placed(payload)
                .map(|placed| Ok::<_, PyErr>(Py::new(py, WagersPlaced::of(py, placed)?)?.into_any())),
            HandsDealt::type_name => {
                event::dealt(payload).map(|dealt| Ok(Py::new(py, HandsDealt::of(py, dealt)?)?.into_any()))
            }
            CommunityDealt::type_name => {
                event::community(payload).map(|dealt| Ok(Py::new(py, CommunityDealt::of(py, dealt)?)?.into_any()))
            }
            _ => Some(Ok(PyBytes::new(py, payload).into_any().unbind())),
        };
        let Some(found) = found else {
            return Ok(None);
        };
        let name = names.iter().find(|(known, _)| *known == kind).map(|(_, name)| name.clone());
        let name = name.unwrap_or_else(|| {
            let name = PyString::new(py, kind);
            names.push((kind, name.clone()));
            name
        });
        read.push((name, found?));
    }
    Ok(Some(PyList::new(py, read)?))
}

#[pymodule]
mod _wire {
    #[pymodule_export]
    use super::{CommunityDealt, Hand, HandsDealt, Stake, WagersPlaced, py_read};
}
