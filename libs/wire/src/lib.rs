//! Reads a stored round from its bytes: envelopes, and those of its events that are long and many.
//!
//! It knows the plain form of Protobuf's wire format in which our own writers write, and judges nothing: bytes of any
//! other form (a field that it does not know, a number that is longer than it need be, a text that is none, an end too
//! early) are [`None`], and whoever asked has the Protobuf runtime say what they are. So what is read here is what that
//! runtime reads, and there is one judge of what is malformed.

pub mod event;
pub mod field;
#[cfg(feature = "python")]
mod python;
