//! SVE vector registers, and the effect of writing their low parts on the rest.

use std::sync::Arc;

use stepback_index::answer::ThreadId;
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::RegisterViewsAt;
use stepback_index::{Cancel, Query as _};
use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{Position, Tarmac};

/// Checks the 32 bytes of `z0` after each step, highest first, `..` for an unknown one.
#[track_caller]
fn check(writes: &[&str], expected: &[&str]) {
    let step = |(write, time): (&&str, u64)| {
        format!("{time} clk IT ({time}) 00001000 d503201f O EL1h : NOP\n{time} clk R {write}\n")
    };
    let text: String = writes.iter().zip(1..).map(step).collect();
    for segment_bytes in [1, 1 << 20] {
        let tarmac = Tarmac::open(Box::new(text.clone().into_bytes()), Default::default()).unwrap();
        let options = BuildOptions {
            segment_bytes,
            ..BuildOptions::default()
        };
        let index = index_in_memory(Arc::new(tarmac), &options).unwrap();
        let value = |position: u64| {
            let views = vec![("z0".to_owned(), RegisterView::new(RegisterId::V0, 0, 32))];
            let requested = RegisterViewsAt {
                position: Position(position),
                thread: ThreadId(0),
                views,
            };
            let state = requested.run(&index, &Cancel::default()).unwrap().remove(0);
            let digits =
                |byte: &Option<u8>| byte.map_or("..".to_owned(), |byte| format!("{byte:02x}"));
            let bytes: Vec<_> = state.value.0.iter().rev().map(digits).collect();
            bytes.concat()
        };
        let found: Vec<_> = (1..=writes.len() as u64).map(value).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_write_of_a_low_part_clears_the_rest_of_z() {
    let z = "11".repeat(32);
    let low = |digits: &str| format!("{digits:0>64}");
    check(
        &[
            &format!("Z0 {z}"),
            "Q0 22222222222222222222222222222222",
            "D0 3333333333333333",
            "S0 44444444",
            &format!("Z0 {z}"),
            "V0 55555555555555555555555555555555",
        ],
        &[
            &z,
            &low(&"2".repeat(32)),
            &low(&"3".repeat(16)),
            &low("44444444"),
            &z,
            &low(&"5".repeat(32)),
        ],
    );
}

#[test]
fn a_write_of_some_bits_leaves_the_rest() {
    let z = "11".repeat(32);
    check(
        &[&format!("Z0 {z}"), "V0<63:0> 2222222222222222"],
        &[&z, &format!("{}{}", "1".repeat(48), "2".repeat(16))],
    );
}
