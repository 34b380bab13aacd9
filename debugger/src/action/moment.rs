//! Moments of one of several traces, and their serialised form.

use std::fmt;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stepback_parsers::Position;

use super::TraceId;

/// A moment of a trace.
///
/// The serialised form is the number of its position, preceded by the trace's number unless that is
/// the first: `1250`, `((1), 1250)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    pub trace: TraceId,
    /// Number of steps done.
    pub position: Position,
}

impl From<u64> for Moment {
    /// Creates a moment of the first trace.
    fn from(position: u64) -> Self {
        Self {
            trace: TraceId::default(),
            position: Position(position),
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.trace == TraceId::default() {
            return serializer.serialize_u64(self.position.0);
        }
        (self.trace, self.position.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MomentVisitor)
    }
}

struct MomentVisitor;

impl<'de> Visitor<'de> for MomentVisitor {
    type Value = Moment;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position, or a trace and a position")
    }

    fn visit_u64<E>(self, position: u64) -> Result<Moment, E> {
        Ok(position.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Moment, A::Error> {
        let missing = |place| A::Error::invalid_length(place, &"a trace and a position");
        let trace = parts.next_element()?.ok_or_else(|| missing(0))?;
        let position = parts.next_element()?.ok_or_else(|| missing(1))?;
        Ok(Moment {
            trace,
            position: Position(position),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        for (moment, text) in [
            (Moment::from(12), "12"),
            (
                Moment {
                    trace: TraceId(2),
                    position: Position(7),
                },
                "((2),7)",
            ),
        ] {
            assert_eq!(ron::to_string(&moment), Ok(text.to_owned()));
            assert_eq!(ron::from_str(text), Ok(moment));
        }
    }
}
