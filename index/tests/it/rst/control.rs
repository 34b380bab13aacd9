//! Control flow on SPARC: the slots of branches, calls and returns.

use std::sync::Arc;

use stepback_index::Index;
use stepback_index::answer::SliceEndKind;
use stepback_index::build::{BuildOptions, index_in_memory};
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::rst::Rst;
use stepback_parsers::{Source as _, TraceFile};

use crate::support::control::{backward, ends_of_control, steps};
use crate::support::rst_writer::{Flags, Kind, RstWriter};

/// Builds a SPARC trace with one instruction per line: its writes to `%o` registers (`o1=2`), and
/// whether it branched or was skipped.
fn sparc(steps: &str) -> Index {
    let mut writer = RstWriter::new(8);
    writer.state(0);
    for line in steps.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let [pc, word] = [words.next(), words.next()]
            .map(|word| u64::from_str_radix(word.unwrap(), 16).unwrap());
        let rest: Vec<&str> = words.collect();
        let flags = Flags {
            is_taken: rest.contains(&"taken"),
            is_annulled: rest.contains(&"annulled"),
            has_trap: false,
        };
        writer.instruction(pc, word as u32, None, flags);
        for (name, value) in rest
            .iter()
            .filter_map(|word| word.strip_prefix('o')?.split_once('='))
        {
            writer.register(
                Kind::Integer,
                8 + name.parse::<u8>().unwrap(),
                value.parse().unwrap(),
            );
        }
    }
    let file = TraceFile {
        name: "trace.rst".into(),
        data: Arc::new(writer.into_bytes()),
    };
    let trace = Rst::open(vec![file], CacheFileOptions::default()).unwrap();
    trace.store().wait_for(u64::MAX).unwrap();
    trace.grow().unwrap();
    index_in_memory(
        Arc::new(trace),
        &BuildOptions {
            segment_bytes: 1 << 20,
            threads: 1,
        },
    )
    .unwrap()
}

#[test]
fn a_delay_slot_runs_whatever_the_branch_does_and_one_that_is_annulled_does_not() {
    let plain = "1000 80a22000\n 1004 02800004 taken\n 1008 92102001 o1=1\n 1014 94102002 o2=2";
    let rows = backward(&sparc(plain), "%o1", usize::MAX);
    assert_eq!(
        (steps(&rows), ends_of_control(&rows)),
        (
            vec![2],
            vec![(SliceEndKind::Initial { line: None }, vec![2])]
        )
    );
    let annulling = plain.replace("02800004", "22800004");
    assert_eq!(
        steps(&backward(&sparc(&annulling), "%o1", usize::MAX)),
        [2, 1, 0]
    );
}

#[test]
fn what_is_after_an_annulled_branch_is_in_no_slot() {
    // `ba,a` skips the instruction after it, which a later branch reaches.
    let trace = "1000 30800003 taken\n 1004 92102007 annulled\n 100c 10bffffe taken\n 1010 01000000\n 1004 92102007 o1=7";
    let index = sparc(trace);
    let rows = backward(&index, "%o1", usize::MAX);
    assert_eq!(steps(&rows), [index.step_count() - 1]);
    assert_eq!(
        ends_of_control(&rows)[0].0,
        SliceEndKind::Initial { line: None }
    );
}

#[test]
fn slots_of_calls_and_returns_belong_to_the_frame_of_the_branch() {
    let trace = "1000 40000400 taken\n 1004 90102005 o0=5\n 2000 81c3e008 taken\n 2004 92102007 o1=7\n 1008 01000000";
    let index = sparc(trace);
    let rows = backward(&index, "%o0", usize::MAX);
    assert_eq!(
        (steps(&rows), ends_of_control(&rows)),
        (
            vec![1],
            vec![(SliceEndKind::Initial { line: None }, vec![1])]
        )
    );
    assert_eq!(steps(&backward(&index, "%o1", usize::MAX)), [3, 0]);
}

#[test]
fn a_jump_table_decides_after_its_slot() {
    let trace = "1000 81c04000 taken\n 1004 01000000\n 1010 92102001 o1=1\n 1014 10bffffb taken\n 1018 01000000
        1000 81c04000 taken\n 1004 01000000\n 1020 94102002 o2=2";
    assert_eq!(steps(&backward(&sparc(trace), "%o1", usize::MAX)), [2, 0]);
}
