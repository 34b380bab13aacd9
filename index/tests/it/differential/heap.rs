//! The heap, from the markers of a trace.

use std::collections::BTreeMap;

use stepback_index::answer::Heap;
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_index::query::{Allocations, HeapRole};
use stepback_index::{Cancel, Query as _};
use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, InstructionSet};
use stepback_parsers::{MarkerKind, Position};

use crate::support::records::{Record, Records};

const MALLOC: u64 = 1;
const FREE: u64 = 2;
const REALLOC: u64 = 3;
const CALLOC: u64 = 4;
const DELETE: u64 = 5;
const POSIX_MEMALIGN: u64 = 6;

/// Returns a step, followed by the markers of a function's entry.
fn enter(thread: u16, function: u64, arguments: &[u64]) -> Vec<Record> {
    let mut records = vec![
        Record::step(thread, 0x1000, 4, RecordedBranch::Call),
        Record::marker(thread, MarkerKind::FUNCTION, function),
        Record::marker(thread, MarkerKind::RETURN_ADDRESS, 0x1004),
    ];
    records.extend(
        arguments
            .iter()
            .map(|argument| Record::marker(thread, MarkerKind::ARGUMENT, *argument)),
    );
    records
}

/// Returns a step, followed by the markers of a function's return.
fn leave(thread: u16, function: u64, value: u64) -> Vec<Record> {
    vec![
        Record::step(thread, 0x2000, 4, RecordedBranch::Return),
        Record::marker(thread, MarkerKind::FUNCTION, function),
        Record::marker(thread, MarkerKind::RETURN_VALUE, value),
    ]
}

fn heap(records: &[Vec<Record>]) -> Heap {
    let source = Records::new(records.concat(), InstructionSet::X86_64);
    let index = index_in_memory(
        source,
        &BuildOptions {
            segment_bytes: 32,
            threads: 1,
        },
    )
    .unwrap();
    let roles = [
        (MALLOC, HeapRole::Allocate),
        (FREE, HeapRole::Free),
        (REALLOC, HeapRole::Reallocate),
        (CALLOC, HeapRole::AllocateArray),
        (DELETE, HeapRole::Free),
        (POSIX_MEMALIGN, HeapRole::AllocateUnseen),
    ];
    Allocations {
        roles: BTreeMap::from(roles),
    }
    .run(&index, &Cancel::default())
    .unwrap()
}

/// Checks the blocks, formatted as `address+size allocated..freed`.
#[track_caller]
fn check(records: &[Vec<Record>], expected: &[&str]) {
    let heap = heap(records);
    let number =
        |position: Option<Position>| position.map_or("-".into(), |position| position.0.to_string());
    let blocks = heap.blocks().map(|block| {
        let times = (
            number(Some(block.allocated_at)),
            number(block.freed.map(|freed| freed.at)),
        );
        format!(
            "{:x}+{} {}..{}",
            block.address.0, block.size_bytes, times.0, times.1
        )
    });
    assert_eq!(blocks.collect::<Vec<_>>(), expected);
}

#[test]
fn a_block_lives_from_its_allocation_until_it_is_freed() {
    let malloc = [enter(0, MALLOC, &[64]), leave(0, MALLOC, 0x5000)].concat();
    let trace = [
        malloc.clone(),
        enter(1, FREE, &[0x5000]),
        leave(1, FREE, 0),
        malloc,
    ];
    check(&trace, &["5000+64 2..3", "5000+64 6..-"]);
    let heap = heap(&trace);
    let at = |address, position| {
        heap.block_at(Address(address), Position(position))
            .map(|block| block.allocated_at.0)
    };
    assert_eq!(
        (at(0x5018, 1), at(0x5018, 2), at(0x5018, 5), at(0x5018, 6)),
        (None, Some(2), Some(2), Some(6))
    );
    assert_eq!((at(0x4fff, 2), at(0x5040, 2)), (None, None));
}

#[test]
fn a_reallocation_frees_the_block_before_and_a_failed_one_does_not() {
    let moved = [enter(0, REALLOC, &[0x5000, 99]), leave(0, REALLOC, 0x6000)].concat();
    let failed = [enter(0, REALLOC, &[0x5000, 99]), leave(0, REALLOC, 0)].concat();
    let malloc = [enter(0, MALLOC, &[64]), leave(0, MALLOC, 0x5000)].concat();
    check(&[malloc, failed, moved], &["5000+64 2..6", "6000+99 6..-"]);
}

#[test]
fn a_reallocation_frees_no_block_that_another_thread_got_meanwhile() {
    let malloc = |thread| [enter(thread, MALLOC, &[64]), leave(thread, MALLOC, 0x5000)].concat();
    let trace = [
        malloc(0),
        enter(0, REALLOC, &[0x5000, 99]),
        enter(0, FREE, &[0x5000]),
        malloc(1),
        leave(0, REALLOC, 0x6000),
    ];
    check(&trace, &["5000+64 2..4", "5000+64 6..-", "6000+99 7..-"]);
}

#[test]
fn what_a_function_allocates_by_another_one_is_one_block() {
    let inner = [enter(0, MALLOC, &[128]), leave(0, MALLOC, 0x5000)].concat();
    check(
        &[enter(0, CALLOC, &[10, 12]), inner, leave(0, CALLOC, 0x5000)],
        &["5000+120 4..-"],
    );
}

#[test]
fn returns_without_a_call_and_frees_of_unknown_blocks_change_nothing() {
    check(
        &[
            leave(0, MALLOC, 0x5000),
            enter(0, FREE, &[0x7000]),
            enter(0, FREE, &[]),
        ],
        &[],
    );
}

/// Checks the frees of unallocated addresses, formatted as `address position since`.
#[track_caller]
fn check_bad_frees(records: &[Vec<Record>], expected: &[&str]) {
    let heap = heap(records);
    let bad = heap.bad_frees.iter().map(|bad| {
        let since = bad
            .freed_before
            .map_or("-".to_owned(), |freed| freed.at.0.to_string());
        format!("{:x} {} {since}", bad.address.0, bad.at.0)
    });
    assert_eq!(bad.collect::<Vec<_>>(), expected);
}

#[test]
fn a_block_that_is_freed_twice_is_reported() {
    let malloc = [enter(0, MALLOC, &[64]), leave(0, MALLOC, 0x5000)].concat();
    let free = enter(0, FREE, &[0x5000]);
    check_bad_frees(&[malloc.clone(), free.clone(), free.clone()], &["5000 4 3"]);
    check_bad_frees(
        &[malloc.clone(), free.clone(), malloc.clone(), free.clone()],
        &[],
    );
    check_bad_frees(
        &[malloc.clone(), free, enter(0, REALLOC, &[0x5000, 1])],
        &["5000 4 3"],
    );
    check_bad_frees(
        &[enter(0, FREE, &[0x7000]), enter(0, FREE, &[0])],
        &["7000 1 -"],
    );
    let delete = [
        enter(0, DELETE, &[0x5000]),
        enter(0, FREE, &[0x5000]),
        leave(0, DELETE, 0),
    ]
    .concat();
    check_bad_frees(&[malloc.clone(), delete], &[]);
    check(
        &[
            malloc,
            enter(0, DELETE, &[0x5000]),
            enter(0, FREE, &[0x5000]),
        ],
        &["5000+64 2..3"],
    );
}

#[test]
fn a_free_that_another_thread_made_before_its_block_was_given_out_again_is_that_of_the_block_before()
 {
    let malloc = |thread| [enter(thread, MALLOC, &[64]), leave(thread, MALLOC, 0x5000)].concat();
    let trace = [
        malloc(0),
        malloc(1),
        enter(0, FREE, &[0x5000]),
        enter(1, FREE, &[0x5000]),
    ];
    check(&trace, &["5000+64 2..5", "5000+64 4..6"]);
    check_bad_frees(&trace, &[]);
}

#[test]
fn blocks_at_unknown_addresses_are_counted() {
    let call = |result| {
        [
            enter(0, POSIX_MEMALIGN, &[0x7000, 64, 100]),
            leave(0, POSIX_MEMALIGN, result),
        ]
        .concat()
    };
    assert_eq!(heap(&[call(0), call(12), call(0)]).unseen, 2);
}
