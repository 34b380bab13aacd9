//! Runs of one program under address space randomisation (`fixtures/moved`): stack, heap, code and
//! arguments lie elsewhere, and nothing else differs. The distances are those of the first stack
//! pointers and of the addresses that the kernel returned, as the recorder printed them.

use std::fs;
use std::path::Path;

use stepback_compare::{Allocator, CompareOptions, Comparison, DifferenceKind, StepPair};
use stepback_index::Cancel;
use stepback_machine::Address;

use crate::support::{compared, index_of, only};

/// First stack pointers, code and heap of the runs `a` and `b`.
const STACK: [u64; 2] = [0x7ffd_dad5_bc90, 0x7ffc_a91d_7ac0];
const CODE: [u64; 2] = [0x7fe2_ccf1_7000, 0x7efd_431a_3000];
const HEAP: [u64; 2] = [0x5555_8398_7000, 0x5555_7a3a_6000];

fn text(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/moved");
    let packed = fs::read(folder.join(format!("{name}.log.zst"))).unwrap();
    String::from_utf8(zstd::decode_all(&*packed).unwrap()).unwrap()
}

/// Removes the registers of an execlog log, which most users do not record.
fn without_registers(text: &str) -> String {
    let line = |line: &str| {
        let end = line.rfind('"').unwrap();
        let (head, items) = line.split_at(end + 1);
        let kept = items.split(", ").filter(|item| !item.contains("->"));
        format!("{head}{}\n", kept.collect::<Vec<_>>().join(", "))
    };
    text.lines().map(line).collect()
}

#[track_caller]
fn compare(a: &str, b: &str) -> Comparison {
    let [a, b] = [a, b].map(|text| index_of(text.as_bytes().to_vec()));
    compared(&a, &b)
}

/// Returns the distances of memory, and of code.
fn distances(comparison: &Comparison) -> [Vec<u64>; 2] {
    let memory = only(comparison).moved_memory.iter();
    [
        memory.map(|moved| moved.distance).collect(),
        comparison
            .slides
            .moved()
            .map(|part| part.distance)
            .collect(),
    ]
}

fn distance(ends: [u64; 2]) -> u64 {
    ends[1].wrapping_sub(ends[0])
}

#[test]
fn pointers_are_no_differences() {
    let [a, b] = ["a.execlog", "b.execlog"].map(text);
    let comparison = compare(&a, &b);
    let threads = only(&comparison);
    assert!(comparison.is_equal(), "{:?}", threads.first_difference());
    assert_eq!(threads.alignment.matched(), 1895);
    let [memory, code] = distances(&comparison);
    assert_eq!(code, [distance(CODE)]);
    for ends in [STACK, HEAP] {
        assert!(memory.contains(&distance(ends)), "{memory:x?}");
    }
    let stack = threads.moved_memory.iter().find(|moved| moved.is_stack);
    assert_eq!(stack.unwrap().distance, distance(STACK));
    let counts = &threads.pointers.by_distance;
    assert!(
        counts[&distance(HEAP)] > 100 && counts[&distance(STACK)] > 100,
        "{counts:x?}"
    );
    // Twenty page numbers and twenty negated pointers, which are stored and loaded again.
    assert!(
        threads.pointers.computed >= 60,
        "{}",
        threads.pointers.computed
    );
}

/// In the run `c` of `blocks`, a block more is allocated before the others and freed between them, so
/// that later calls of `malloc` return freed blocks in another order.
#[test]
fn blocks_that_the_same_call_allocated_are_the_same() {
    const CODE: u64 = 0x7f46_27f9_1000;
    let names = ["blocks.a.execlog", "blocks.c.execlog"];
    let [a, c] = names.map(|name| index_of(text(name).into_bytes()));
    let options = CompareOptions {
        allocators: vec![Allocator {
            function: Address(CODE + 0x30),
            size_arguments: &[0],
        }],
        ..CompareOptions::default()
    };
    let comparison = Comparison::run(&a, &c, options, &Cancel::default()).unwrap();
    let threads = only(&comparison);
    // The argument, "1" and "2", decides whether the block is allocated.
    assert_eq!(threads.divergence, Some(StepPair { a: 543, b: 543 }));
    let cause = threads.cause.as_ref().unwrap();
    assert_eq!(cause.chain.last().unwrap().steps, StepPair { a: 8, b: 8 });
    assert!(threads.moved_blocks > 0 && threads.pointers.to_blocks > 50);
    // The program uses the blocks in the same way: only `malloc` and `free` see another list
    // of free blocks.
    let differing = threads.details.iter().filter_map(|it| it.values.as_ref());
    let differing = differing.flat_map(|values| values.steps.clone());
    let text = text("blocks.a.execlog");
    let lines: Vec<&str> = text.lines().collect();
    let offset = |step: u64| {
        let pc = lines[step as usize].split(", ").nth(1).unwrap();
        u64::from_str_radix(pc.trim_start_matches("0x"), 16).unwrap() - CODE
    };
    let of_allocator = |step: &u64| matches!(offset(*step), 0x30..0xa3 | 0xd4..0xeb);
    let own: Vec<u64> = differing.filter(|step| !of_allocator(step)).collect();
    assert_eq!(own, [8, 9]);
}

#[test]
fn strings_of_arguments_may_lie_elsewhere_than_the_stack() {
    let comparison = compare(&text("blocks.a.execlog"), &text("blocks.b.execlog"));
    assert!(
        comparison.is_equal(),
        "{:?}",
        only(&comparison).first_difference()
    );
}

#[test]
fn accesses_alone_show_what_moved() {
    let [a, b] = ["a.execlog", "b.execlog"].map(|name| without_registers(&text(name)));
    let comparison = compare(&a, &b);
    assert!(
        comparison.is_equal(),
        "{:?}",
        only(&comparison).first_difference()
    );
    let [memory, code] = distances(&comparison);
    assert_eq!(code, [distance(CODE)]);
    assert!(memory.contains(&distance(HEAP)), "{memory:x?}");
    assert!(memory.contains(&distance(STACK)), "{memory:x?}");
}

#[test]
fn code_without_encodings_is_found_by_its_course() {
    let comparison = compare(&text("a.tenet"), &text("b.tenet"));
    let threads = only(&comparison);
    assert_eq!(threads.alignment.matched(), 1896);
    assert_eq!(threads.divergence, None);
    assert_eq!(distances(&comparison)[1], [distance(CODE)]);
    // Without the instructions, computed values cannot be explained and count as differences.
    let first = threads.first_difference().unwrap();
    assert_eq!(first.cells[0].kind, DifferenceKind::Register);
}

#[test]
fn another_argument_is_the_cause_in_moved_memory_too() {
    let comparison = compare(&text("a.execlog"), &text("c.execlog"));
    let threads = only(&comparison);
    assert_eq!(threads.divergence, Some(StepPair { a: 869, b: 869 }));
    // The longest common subsequence has as many.
    assert_eq!(threads.alignment.matched(), 1832);
    // The first argument is "20" in one run and "19" in the other, and step 12 reads its first
    // character.
    let first = threads.first_difference().unwrap();
    assert_eq!(first.steps, StepPair { a: 12, b: 12 });
    let cause = threads.cause.as_ref().unwrap();
    assert_eq!(cause.chain.last().unwrap().steps, StepPair { a: 12, b: 12 });
}

#[test]
fn a_wrong_bit_is_found_among_moved_pointers() {
    let [a, b] = ["a.execlog", "b.execlog"].map(text);
    let a = index_of(a.into_bytes());
    let lines: Vec<&str> = b.lines().collect();
    let marked = || {
        lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.contains("-> 0x"))
    };
    // Register `rip` only says where control goes.
    let marked = marked().filter(|(_, line)| !line.contains("rip ->"));
    for (round, (number, line)) in marked.skip(5).step_by(41).enumerate() {
        let digits = line.rfind("0x").unwrap() + 2;
        let value = u64::from_str_radix(&line[digits..], 16).unwrap();
        let wrong = value ^ 1 << (round * 13 % 64);
        let mut changed = lines.clone();
        let line = format!("{}{wrong:016x}", &line[..digits]);
        changed[number] = &line;
        let text = changed.join("\n") + "\n";
        let comparison = compared(&a, &index_of(text.into_bytes()));
        let first = only(&comparison).first_difference();
        let step = first.map(|first| first.steps.a);
        assert_eq!(step, Some(number as u64), "{line}");
    }
}

/// An instruction that writes the lowest byte of a register leaves a part of the pointer in it.
#[test]
fn the_rest_of_an_overwritten_pointer_is_no_difference() {
    let run = |name, stack: u64, code: u64, flag: u64| {
        let (pc, kept) = (code + 0xf00, stack & !0xff | flag);
        let lines = [
            format!("0, {:#x}, 0x5c, \"pop rsp\", rsp -> {stack:#018x}", pc - 1),
            format!("0, {pc:#x}, 0xe48949, \"mov r12, rsp\", r12 -> {stack:#018x}"),
            format!("0, {:#x}, 0xc03948, \"cmp rax, rax\"", pc + 3),
            format!(
                "0, {:#x}, 0xc4940f41, \"sete r12b\", r12 -> {kept:#018x}",
                pc + 6
            ),
        ];
        text(name) + &lines.join("\n") + "\n"
    };
    for (flag, differing) in [(1, None), (0, Some(1898))] {
        let a = run("a.execlog", STACK[0], CODE[0], 1);
        let comparison = compare(&a, &run("b.execlog", STACK[1], CODE[1], flag));
        let first = only(&comparison).first_difference();
        assert_eq!(first.map(|first| first.steps.a), differing, "{first:?}");
    }
}

/// If the log does not name the register, its value is that of the earlier pointer nevertheless.
#[test]
fn the_rest_of_a_pointer_is_known_where_its_write_is_not_recorded() {
    let run = |name, stack: u64, code: u64| {
        let (pc, kept) = (code + 0xf00, stack & !0xff | 1);
        let lines = [
            format!("0, {:#x}, 0x5c, \"pop rsp\", rsp -> {stack:#018x}", pc - 1),
            format!("0, {pc:#x}, 0xe48949, \"mov r12, rsp\", r12 -> {stack:#018x}"),
            format!("0, {:#x}, 0xc4940f41, \"sete r12b\"", pc + 3),
            format!(
                "0, {:#x}, 0xe0894c, \"mov rax, r12\", rax -> {kept:#018x}",
                pc + 7
            ),
        ];
        text(name) + &lines.join("\n") + "\n"
    };
    let a = run("a.execlog", STACK[0], CODE[0]);
    let comparison = compare(&a, &run("b.execlog", STACK[1], CODE[1]));
    let first = only(&comparison).first_difference();
    assert!(comparison.is_equal(), "{first:?}");
}

/// A log without memory shows a moved stack by the stack pointer alone.
#[test]
fn the_first_stack_pointers_show_a_moved_stack() {
    let trace = |stack: u64, frame: u64| {
        format!(
            "0, 0x8000, 0xd10083ff, \"sub sp, sp, #0x20\", sp -> 0x{:016x}\n\
             0, 0x8004, 0x910043e4, \"add x4, sp, #0x10\", x4 -> 0x{:016x}\n\
             0, 0x8008, 0xcb2563ff, \"sub sp, sp, x5\", sp -> 0x{:016x}\n\
             0, 0x800c, 0x910003e6, \"mov x6, sp\", x6 -> 0x{:016x}\n",
            stack - 0x20,
            stack - 0x10,
            stack - 0x20 - frame,
            stack - 0x20 - frame
        )
    };
    let (one, moved) = (0x40_0080_0880, 0x40_0080_0870);
    let comparison = compare(&trace(one, 0x40), &trace(moved, 0x40));
    let first = only(&comparison).first_difference();
    assert!(comparison.is_equal(), "{first:?}");
    let stack = &only(&comparison).moved_memory[..];
    assert_eq!((stack.len(), stack[0].is_stack), (1, true));
    assert_eq!(stack[0].distance, distance([one, moved]));
    // A distance that arises later is a difference.
    let comparison = compare(&trace(one, 0x40), &trace(one, 0x50));
    let first = only(&comparison).first_difference().unwrap();
    assert_eq!(first.steps, StepPair { a: 2, b: 2 });
}
