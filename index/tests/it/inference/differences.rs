//! Differences between two positions of a trace without values, equal to comparing the states of
//! both.

use stepback_index::answer::MemoryDifference;
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::DifferenceBetween;
use stepback_index::{Cancel, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, InstructionSet};
use stepback_parsers::{Position, Step};

use crate::support::records::{Record, Records};

const HEAP: u64 = 0x5000_0000;

/// Intel SDM, volume 2: MOV, INC.
#[test]
fn memory_differs_where_both_positions_have_other_bytes() {
    let step = |pc, bytes: &[u8]| Record::instruction(0, pc, bytes, RecordedBranch::None);
    let records = vec![
        step(0x1000, &[0xb8, 0x67, 0x45, 0x23, 0x01]), // mov eax, 0x1234567
        step(0x1005, &[0x48, 0x89, 0x07]),             // mov [rdi], rax
        Record::write(0, HEAP),
        step(0x1008, &[0xff, 0xc0]),       // inc eax
        step(0x100a, &[0x48, 0x89, 0x07]), // mov [rdi], rax
        Record::write(0, HEAP),
        step(0x100d, &[0x90]),
        step(0x100e, &[0x90]),
    ];
    let index = index_in_memory(
        Records::new(records, InstructionSet::X86_64),
        &BuildOptions::default(),
    )
    .unwrap();
    let difference = |from, to| {
        let question = DifferenceBetween {
            from: Position(from),
            to: Position(to),
            thread: None,
        };
        let found = question.run(&index, &Cancel::default()).unwrap();
        assert_eq!(found.blocks_not_inferred, 0);
        found.memory
    };
    let run = |from, to| MemoryDifference {
        address: Address(HEAP),
        from: vec![Some(from)],
        to: vec![Some(to)],
        last_write: Some(Step(3)),
    };
    assert_eq!(difference(2, 4), [run(0x67, 0x68)]);
    assert_eq!(difference(4, 2), [run(0x68, 0x67)]);
    assert_eq!(difference(2, 3), []);
}
