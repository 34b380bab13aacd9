//! Memory written by the host during semihosting calls, which the trace does not show.

use std::path::PathBuf;
use std::sync::Arc;

use stepback_index::answer::{
    AccessKinds, Cell, CellAccess, Direction, Effect, HostOperation, Program, ValueSource,
};
use stepback_index::build::{BuildOptions, index_in_memory, with_images};
use stepback_index::query::{ExternalChanges, MemoryAt, NearestAccess, Steps};
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::{Address, Endian};
use stepback_parsers::{Position, Step, Tarmac, TarmacOptions};

fn index_of(text: &str, segment_bytes: u64, endian: Endian) -> Index {
    let options = TarmacOptions {
        endian,
        ..TarmacOptions::default()
    };
    let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), options).unwrap();
    index_in_memory(
        Arc::new(tarmac),
        &BuildOptions {
            segment_bytes,
            threads: 1,
        },
    )
    .unwrap()
}

/// Formats memory at a position: each byte with a letter for its source.
fn memory(index: &Index, position: u64, address: u64, len_bytes: u64) -> String {
    let question = MemoryAt {
        position: Position(position),
        address: Address(address),
        len_bytes,
    };
    let letter = |source| match source {
        ValueSource::Recorded => 'r',
        ValueSource::Inferred => 'i',
        ValueSource::External => 'x',
        ValueSource::Unknown => '?',
    };
    let bytes = question.run(index, &Cancel::default()).unwrap();
    let text = |byte: &stepback_index::answer::ByteState| match byte.value {
        Some(value) => format!("{value:02x}{}", letter(byte.source)),
        None => "???".to_owned(),
    };
    bytes.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// Returns the step that wrote a byte last, and its semihosting operation if any.
fn writer(index: &Index, before: u64, address: u64) -> Option<(u64, Option<HostOperation>)> {
    let cell = Cell::Memory {
        address: Address(address),
        len_bytes: 1,
    };
    let question = NearestAccess::last(cell, AccessKinds::Writes, Position(before));
    match question.run(index, &Cancel::default()).unwrap() {
        Some(CellAccess::Step(hit)) => {
            Some((hit.record.step.0, hit.access.unwrap().host_operation))
        }
        Some(CellAccess::Initial(_)) | None => None,
    }
}

/// Step 0 writes buffer and parameter block, step 1 reads a file into the buffer, steps 2 and 3
/// read it.
const READ: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n\
                    1 clk MW4 00002000 44332211\n\
                    1 clk MW4 00003000 00000001\n\
                    1 clk MW4 00003004 00002000\n\
                    1 clk MW4 00003008 00000003\n\
                    1 clk R r0 00000006\n\
                    1 clk R r1 00003000\n\
                    2 clk IT (2) 00008004 ef123456 A svc : SVC #0x123456\n\
                    2 clk R r0 00000000\n\
                    3 clk IT (3) 00008008 e1a00000 A svc : LDRB r2,[r3]\n\
                    3 clk MR1 00002000 aa\n\
                    4 clk IT (4) 0000800c e1a00000 A svc : LDR r2,[r3]\n\
                    4 clk MR4 00002000 443322bb\n";

#[test]
fn a_buffer_that_the_host_filled_is_unknown_from_the_call_on_until_somebody_reads_it() {
    for segment_bytes in [1, 100, 1 << 20] {
        let index = index_of(READ, segment_bytes, Endian::Little);
        assert_eq!(memory(&index, 1, 0x2000, 4), "11r 22r 33r 44r");
        assert_eq!(memory(&index, 2, 0x2000, 4), "aai 22i 33i 44r");
        assert_eq!(memory(&index, 3, 0x2000, 4), "aar 22i 33i 44r");
        // Only the second read of the first byte reveals a further external write.
        assert_eq!(memory(&index, 4, 0x2000, 4), "bbx 22r 33r 44r");
        assert_eq!(
            index.info().external_changes,
            1,
            "segments of {segment_bytes}"
        );
        let question = ExternalChanges {
            range: None,
            thread: None,
            at: Position(0),
            direction: Direction::Forward,
            skip: 0,
            limit: 9,
        };
        let changes = question.run(&index, &Cancel::default()).unwrap();
        let stated: Vec<_> = changes
            .iter()
            .map(|change| (change.hit.record.step.0, &change.known_before[..]))
            .collect();
        assert_eq!(stated, [(3, &[Some(0xaa), None, None, Some(0x44)][..])]);
    }
}

#[test]
fn the_call_is_the_last_write_of_what_it_filled() {
    for segment_bytes in [1, 1 << 20] {
        let index = index_of(READ, segment_bytes, Endian::Little);
        let call = Some((1, Some(HostOperation::Read)));
        assert_eq!(
            [1, 2, 4].map(|before| writer(&index, before, 0x2002)),
            [Some((0, None)), call, call]
        );
        assert_eq!(writer(&index, 4, 0x2003), Some((0, None)));
        let cell = Cell::Memory {
            address: Address(0x2001),
            len_bytes: 1,
        };
        let next = NearestAccess::next(cell, AccessKinds::All, Position(1))
            .hit(&index, &Cancel::default());
        assert_eq!(next.unwrap().unwrap().record.step, Step(1));
        let steps = Steps {
            first: Step(1),
            count: 1,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        let Effect::Access(access) = &steps[0].effects[0] else {
            panic!("{steps:?}")
        };
        assert_eq!(
            (
                access.host_operation.map(HostOperation::name),
                access.value.to_u64()
            ),
            (Some("SYS_READ"), None)
        );
        let is_accessed = |kinds| {
            let query = NearestAccess::next(cell, kinds, Position(1));
            let accessed = query.run(&index, &Cancel::default()).unwrap();
            let hit = accessed.and_then(CellAccess::into_hit);
            hit.is_some_and(|hit| hit.record.step == Step(1))
        };
        assert!(is_accessed(AccessKinds::Writes));
        assert!(!is_accessed(AccessKinds::Reads));
    }
}

#[test]
fn a_call_without_a_known_register_or_parameter_or_without_effect_changes_nothing() {
    let changed = [
        ("ef123456", "ef000000"),
        ("IT (2)", "IS (2)"),
        ("R r0 00000006", "R r0 00000005"),
        ("R r0 00000006", "R r0 xxxxxxxx"),
        ("R r1 00003000", "R r2 00003000"),
        ("MW4 00003008 00000003", "MW4 00003008 xxxxxxxx"),
        ("MW4 00003008 00000003", "MW4 00003008 00000000"),
        ("MW4 00003004 00002000", "MW4 00003014 00002000"),
    ];
    for (from, to) in changed {
        assert!(READ.contains(from));
        let index = index_of(&READ.replace(from, to), 1, Endian::Little);
        assert_eq!(memory(&index, 2, 0x2000, 4), "11r 22r 33r 44r", "{to}");
        assert_eq!(
            (writer(&index, 4, 0x2002), index.info().external_changes),
            (Some((0, None)), 2),
            "{to}"
        );
    }
}

#[test]
fn a_parameter_that_was_only_read_counts_as_well_and_so_does_big_endian() {
    let read = READ.replace("MW4 00003008", "MR4 00003008");
    assert_eq!(
        writer(&index_of(&read, 1, Endian::Little), 4, 0x2000),
        Some((1, Some(HostOperation::Read)))
    );
    assert_eq!(
        writer(&index_of(READ, 1, Endian::Big), 4, 0x2000),
        Some((1, Some(HostOperation::Read)))
    );
}

#[test]
fn a_length_as_long_as_the_address_space_ends_with_it() {
    let text = READ
        .replace("00003008 00000003", "00003008 ffffffff")
        .replace(
            "4 clk MR4 00002000",
            "4 clk MR1 ffffffff 77\n4 clk MW1 100000000 88\n4 clk MR4 00002000",
        );
    let index = index_of(&text, 1, Endian::Little);
    let call = Some((1, Some(HostOperation::Read)));
    let writers = [0x1fff, 0x2000, 0x8000_0000, 0xffff_ffff, 0x1_0000_0000];
    assert_eq!(
        writers.map(|address| writer(&index, 3, address)),
        [None, call, call, call, None]
    );
    assert_eq!(memory(&index, 2, 0xffff_ffff, 1), "77i");
}

#[test]
fn real_semihosting_explains_what_nobody_wrote() {
    let path = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/cm3.tiny.tarmac"
    ));
    let text = std::fs::read_to_string(path).unwrap();
    for segment_bytes in [64, 10_000, 1 << 20] {
        let index = index_of(&text, segment_bytes, Endian::Little);
        // The block of the command line at 0x11c44 is loaded from the image, so the trace does not
        // show it.
        assert_eq!(operations(&index), [(2, "SYS_HEAPINFO")]);
        let call = Some((2, Some(HostOperation::HeapInfo)));
        let writers =
            [0x11b33, 0x11b34, 0x11b43, 0x11b44].map(|address| writer(&index, 100, address));
        assert_eq!(writers, [None, call, call, None]);
        assert_eq!(memory(&index, 2, 0x11b34, 4), "??? ??? ??? ???");
        assert_eq!(memory(&index, 3, 0x11b34, 4), "00i 00i 10i 00i");
        assert_eq!(index.info().external_changes, 0);
    }
}

/// Returns the steps that let the host write.
fn operations(index: &Index) -> Vec<(u64, &'static str)> {
    let steps = Steps {
        first: Step(0),
        count: u64::MAX,
    }
    .run(index, &Cancel::default())
    .unwrap();
    let mut found = Vec::new();
    for step in &steps {
        found.extend(step.effects.iter().filter_map(|effect| {
            match effect {
                Effect::Access(access) => access
                    .host_operation
                    .map(|operation| (step.step.0, operation.name())),
                _ => None,
            }
        }));
    }
    found
}

/// Step 1 reads a file into a buffer, with a parameter block that the trace does not show; steps 2
/// and 3 read the buffer.
const UNSHOWN: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n\
                       1 clk R r0 00000006\n\
                       1 clk R r1 00003000\n\
                       2 clk IT (2) 00008004 ef123456 A svc : SVC #0x123456\n\
                       3 clk IT (3) 00008008 e1a00000 A svc : LDR r2,[r3]\n\
                       3 clk MR4 00002000 44332211\n\
                       4 clk IT (4) 0000800c e1a00000 A svc : LDR r2,[r3]\n\
                       4 clk MR4 00002004 88776655\n";

/// Adds a program loaded at an address to the index.
fn with_program(index: Index, address: u64, bytes: &[u8]) -> Index {
    let mut program = Program::default();
    program.load(Address(address), bytes.into(), bytes.len() as u64);
    with_images(index, program, &Cancel::default())
}

#[test]
fn nothing_is_inferred_across_a_call_that_may_let_the_host_write_anywhere() {
    let trace = |from: &str, to: &str| {
        assert!(UNSHOWN.contains(from));
        UNSHOWN.replace(from, to)
    };
    let traces = [
        (trace("R r1", "R r1"), "??? ??? ??? ???"),
        (trace("R r1 00003000", "R r2 00003000"), "??? ??? ??? ???"),
        (trace("R r0 00000006", "R r0 xxxxxxxx"), "??? ??? ??? ???"),
        // The call writes no memory, is not a call, or is not executed.
        (trace("R r0 00000006", "R r0 00000005"), "11i 22i 33i 44i"),
        (trace("ef123456", "ef000000"), "11i 22i 33i 44i"),
        (trace("IT (2)", "IS (2)"), "11i 22i 33i 44i"),
        // The time is written to the block itself, which holds no parameters.
        (trace("R r0 00000006", "R r0 00000030"), "11i 22i 33i 44i"),
    ];
    for segment_bytes in [1, 100, 1 << 20] {
        for (text, before) in &traces {
            let index = index_of(text, segment_bytes, Endian::Little);
            assert_eq!(memory(&index, 1, 0x2000, 4), *before, "{text}");
            assert_eq!(memory(&index, 2, 0x2000, 4), "11i 22i 33i 44i", "{text}");
        }
    }
}

#[test]
fn what_was_loaded_is_unknown_after_a_call_that_may_let_the_host_write_anywhere() {
    let index = with_program(index_of(UNSHOWN, 1, Endian::Little), 0x2004, &[9; 8]);
    // The program's memory at 0x2008 is never touched.
    assert_eq!(
        [1, 2].map(|position| memory(&index, position, 0x2004, 8)),
        [
            "09i 09i 09i 09i 09i 09i 09i 09i",
            "55i 66i 77i 88i ??? ??? ??? ???",
        ]
    );
    let mut program = Program::default();
    program.load_constant(Address(0x2008), [9; 4].into(), 4);
    let index = with_images(
        index_of(UNSHOWN, 1, Endian::Little),
        program,
        &Cancel::default(),
    );
    assert_eq!(memory(&index, 2, 0x2008, 4), "09i 09i 09i 09i");
}

#[test]
fn parameters_that_only_the_image_holds_count() {
    let block = [[1, 0, 0, 0], [0, 0x20, 0, 0], [3, 0, 0, 0]].concat();
    for segment_bytes in [1, 100, 1 << 20] {
        let index = with_program(
            index_of(UNSHOWN, segment_bytes, Endian::Little),
            0x3000,
            &block,
        );
        assert_eq!(
            memory(&index, 1, 0x2000, 8),
            "??? ??? ??? 44i 55i 66i 77i 88i"
        );
        assert_eq!(
            memory(&index, 2, 0x2000, 8),
            "11i 22i 33i 44i 55i 66i 77i 88i"
        );
        let call = Some((1, Some(HostOperation::Read)));
        assert_eq!(
            [0x2002, 0x2003].map(|address| writer(&index, 4, address)),
            [call, None]
        );
        assert_eq!(operations(&index), [(1, "SYS_READ")]);
    }
    // Only the host can contradict the earlier content of the buffer.
    let written = UNSHOWN.replace("1 clk R r0", "1 clk MW4 00002000 99999999\n1 clk R r0");
    let index = index_of(&written, 1, Endian::Little);
    assert_eq!(index.info().external_changes, 1);
    let index = with_program(index, 0x3000, &block);
    assert_eq!(
        (memory(&index, 3, 0x2000, 4), index.info().external_changes),
        ("11r 22r 33r 44x".to_owned(), 1)
    );
    let index = with_program(
        index_of(&written.replace("44332211", "99332211"), 1, Endian::Little),
        0x3000,
        &block,
    );
    assert_eq!(
        (memory(&index, 3, 0x2000, 4), index.info().external_changes),
        ("11r 22r 33r 99r".to_owned(), 0)
    );
}

#[test]
fn a_parameter_is_not_told_by_a_read_after_a_later_call_that_may_write_anywhere() {
    let later = |between: &str| {
        format!(
            "{UNSHOWN}{between}6 clk IT (6) 00008014 e1a00000 A svc : NOP\n6 clk MR4 00003004 00002000\n6 clk MR4 00003008 00000003\n"
        )
    };
    let call = "5 clk IT (5) 00008010 ef123456 A svc : SVC #0x123456\n";
    let index = index_of(&later(""), 1, Endian::Little);
    assert_eq!(
        writer(&index, 4, 0x2000),
        Some((1, Some(HostOperation::Read)))
    );
    assert_eq!(
        writer(&index_of(&later(call), 1, Endian::Little), 4, 0x2000),
        None
    );
    let other = format!("4 clk R r0 00000005\n{call}");
    let index = index_of(&later(&other), 1, Endian::Little);
    assert_eq!(
        writer(&index, 4, 0x2000),
        Some((1, Some(HostOperation::Read)))
    );
}
