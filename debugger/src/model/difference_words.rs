//! Words for the values in which two traces differ, and for the origin of a difference.

use stepback_compare::{Cause, CauseOrigin, CellDifference, DifferenceKind, DifferingPlace};
use stepback_index::answer::{SliceEndKind, Value};

use super::text::{bytes_text, short_hex};
use crate::messages::say;

/// Formats a difference with both values: `x1: 0x30 in A, 0x31 in B`.
pub fn cell_words(cell: &CellDifference) -> String {
    let value = |value| value_text(cell, value);
    say!(
        "differences-cell",
        place = place_words(cell),
        a = value(&cell.a),
        b = value(&cell.b)
    )
}

/// Names the subject of a difference: `x1`, `memory read at 0x1000`.
fn place_words(cell: &CellDifference) -> String {
    let place = match &cell.place {
        DifferingPlace::Register { name, .. } => name.clone(),
        DifferingPlace::Code(address)
        | DifferingPlace::Disassembly(address)
        | DifferingPlace::Memory { address, .. } => address.to_string(),
    };
    match cell.kind {
        DifferenceKind::Register => place,
        DifferenceKind::Instruction => say!("differences-instruction", place = place),
        DifferenceKind::Condition => say!("differences-condition", place = place),
        DifferenceKind::ReadAddress => say!("differences-read-address").to_owned(),
        DifferenceKind::Read => say!("differences-read", place = place),
        DifferenceKind::WriteAddress => say!("differences-write-address").to_owned(),
        DifferenceKind::Write => say!("differences-write", place = place),
    }
}

fn value_text(cell: &CellDifference, value: &Value) -> String {
    if let DifferingPlace::Disassembly(_) = cell.place {
        let text: Vec<u8> = value.0.iter().copied().flatten().collect();
        return String::from_utf8_lossy(&text).into_owned();
    }
    let text = match (cell.kind, value.0.len()) {
        (DifferenceKind::Condition, _) => Some(match value.to_u64() {
            Some(0) => say!("differences-not-executed").to_owned(),
            _ => say!("differences-executed").to_owned(),
        }),
        // Memory of more than a word is no number.
        (DifferenceKind::Read | DifferenceKind::Write, 9..) => Some(bytes_text(&value.0)),
        _ => short_hex(value).map(|hex| format!("0x{hex}")),
    };
    text.unwrap_or_else(|| say!("differences-not-recorded").to_owned())
}

/// Says what differs in the oldest step of a chain that leads to a divergence.
pub fn cause_words(cause: &Cause) -> String {
    let (address, end) = match &cause.origin {
        CauseOrigin::Unknown if !cause.is_complete => {
            return say!("differences-origin-limit").to_owned();
        }
        CauseOrigin::Instruction => return say!("differences-origin-instruction").to_owned(),
        CauseOrigin::Result => return say!("differences-origin-result").to_owned(),
        CauseOrigin::UnrecordedResult => {
            return say!("differences-origin-unrecorded-result").to_owned();
        }
        CauseOrigin::InitialRegister(register) => {
            let place = place_words(register);
            return match register.a.is_unknown() || register.b.is_unknown() {
                true => say!("differences-origin-register-unknown", place = place),
                false => say!("differences-origin-register-initial", place = place),
            };
        }
        CauseOrigin::OtherThread(write) => {
            let place = format!("{}:{}", write.address, write.len_bytes);
            return say!(
                "differences-origin-thread",
                place = place,
                step = write.step.0,
                thread = write.thread.clone()
            );
        }
        CauseOrigin::UnrecordedMemory => return say!("differences-origin-memory").to_owned(),
        CauseOrigin::SystemCall => return say!("differences-origin-system-call").to_owned(),
        CauseOrigin::Forgiven => return say!("differences-origin-ignored").to_owned(),
        CauseOrigin::Unknown => return say!("differences-origin-unknown").to_owned(),
        CauseOrigin::Memory { address, end, .. } => (address.to_string(), end),
    };
    match end {
        Some(SliceEndKind::Initial { .. }) => say!("differences-origin-initial", place = address),
        Some(SliceEndKind::Image) => say!("differences-origin-image", place = address),
        Some(SliceEndKind::External { .. }) => {
            say!("differences-origin-external", place = address)
        }
        Some(SliceEndKind::System { .. }) => say!("differences-origin-system", place = address),
        Some(
            SliceEndKind::Constant
            | SliceEndKind::Unknown(_)
            | SliceEndKind::Kept
            | SliceEndKind::Overwritten { .. }
            | SliceEndKind::Limit,
        )
        | None => say!("differences-origin-unrecorded", place = address),
    }
}
