//! Inference in a trace with unreadable parts.

use std::fmt::Write as _;

use stepback_index::answer::ThreadId;
use stepback_index::query::InferredRegisters;
use stepback_index::{Cancel, Query as _};
use stepback_parsers::Position;

use super::index_of;

/// Exceeds the number of steps examined around a position.
const STEPS: u64 = 6000;

/// Returns the known value of `x5` at the end of a trace that writes it at step 20 and has damaged
/// lines at others.
fn known_with_damage_at(damaged: &[u64]) -> Option<String> {
    let mut text = String::new();
    for step in 0..STEPS {
        let opcode = if step == 20 { "d2800145" } else { "d503201f" };
        writeln!(
            text,
            "{step} clk cpu0 IT ({step}) {:08x} {opcode} O EL0t_n : -",
            0x8000 + 4 * step
        )
        .unwrap();
        if step == 20 {
            writeln!(text, "{step} clk cpu0 R X5 000000000000000a").unwrap();
        }
        if damaged.contains(&step) {
            writeln!(text, "{step} clk cpu0 R X7 nonsense").unwrap();
        }
    }
    let index = index_of(text.into_bytes());
    assert_eq!(index.info().warning_count, damaged.len() as u64);
    let question = InferredRegisters {
        position: Position(STEPS - 4),
        thread: ThreadId(0),
    };
    let inference = question.run(&index, &Cancel::default()).unwrap();
    inference
        .registers
        .iter()
        .find(|known| known.name == "x5")
        .map(|known| known.value.hex())
}

#[test]
fn damage_elsewhere_leaves_what_is_known_of_a_far_write() {
    let known = Some("000000000000000a".to_owned());
    assert_eq!(known_with_damage_at(&[]), known);
    assert_eq!(known_with_damage_at(&[2]), known);
    assert_eq!(known_with_damage_at(&[STEPS - 1]), known);
    assert_eq!(known_with_damage_at(&[500]), None);
}

#[test]
fn two_damaged_places_leave_what_is_known_between_them() {
    let known = Some("000000000000000a".to_owned());
    assert_eq!(known_with_damage_at(&[2, STEPS - 1]), known);
    assert_eq!(
        known_with_damage_at(&[2, 4, 6, STEPS - 2, STEPS - 1]),
        known
    );
    assert_eq!(known_with_damage_at(&[2, 500, STEPS - 1]), None);
}
