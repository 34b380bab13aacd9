//! Beginning of a line, for callers that need more than its events.

use crate::tarmac::header::{LineHeader, LineKind};
use crate::text::lines::without_return;

/// Beginning of a line.
///
/// ```
/// use stepback_parsers::tarmac::{LineHead, LineShape};
/// let head = LineHead::read(b"53 clk MR8 000ffb80 00000000_000ffbb8").unwrap();
/// assert_eq!((head.time, head.shape), (Some(53), LineShape::Contiguous));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineHead {
    /// Timestamp on the line, as written.
    pub time: Option<u64>,
    /// Shape of the line.
    pub shape: LineShape,
}

/// Shape of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineShape {
    /// `MR8 address value`: the value is a number.
    Contiguous,
    /// `LD address words…`: the value is a diagram of memory.
    Diagram,
    /// Anything else, including the further rows of a diagram, which have no distinct form.
    Other,
}

impl LineHead {
    /// Reads the beginning of a line; `None` if it has no known form.
    pub fn read(line: &[u8]) -> Option<Self> {
        let header = LineHeader::read(without_return(line)).ok().flatten()?;
        let shape = match header.kind {
            LineKind::Memory => LineShape::Contiguous,
            LineKind::Diagram(_) => LineShape::Diagram,
            _ => LineShape::Other,
        };
        Some(Self {
            time: header.time,
            shape,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(Option<u64>, LineShape)>) {
        let head = LineHead::read(line.as_bytes()).map(|head| (head.time, head.shape));
        assert_eq!(head, expected, "{line}");
    }

    #[test]
    fn a_line_tells_its_time_and_its_shape() {
        check(
            "5 clk MW4 00001000 00000001\r",
            Some((Some(5), LineShape::Contiguous)),
        );
        check(
            "1.5 us LD 00001000 ........ ........ ........ 00000001",
            Some((Some(1_500_000), LineShape::Diagram)),
        );
        check(
            "      ST 00001000 ........ ........ ........ 00000001",
            Some((None, LineShape::Diagram)),
        );
        check(
            "7clk cpu1 R X0 0000000000000000",
            Some((Some(7), LineShape::Other)),
        );
        check("", None);
        check("@", None);
    }
}
