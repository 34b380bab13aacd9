//! What is not compared: states after many regions, traces of different processors, copies of code.

use stepback_compare::{COMPARED_STATES, RegionKind, foreign_sets};
use stepback_machine::InstructionSet;

use crate::support::{compared, index_of, only, steps_at, trace_of};

fn line(from: u64, count: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |step| from + 4 * step)
}

/// The traces take other ways once in each of many iterations.
#[test]
fn the_states_after_some_hundred_regions_are_compared() {
    let count = COMPARED_STATES as u64 + 44;
    let steps = |way: u64| {
        let iteration = |number: u64| {
            let own = 0x10_0000 + 0x1000 * number;
            line(own, 40)
                .chain(line(own + 0x400 * way, 2))
                .chain(line(own + 0xc00, 40))
        };
        steps_at((0..count).flat_map(iteration))
    };
    let [a, b] = [1, 2].map(|way| index_of(trace_of(&steps(way))));
    let comparison = compared(&a, &b);
    let found = only(&comparison);
    let others = found.regions();
    let others = others.filter(|(region, _)| region.kind != RegionKind::Same);
    let are_compared: Vec<bool> = others.map(|(_, details)| details.after.is_some()).collect();
    let (first, rest) = are_compared.split_at(COMPARED_STATES);
    assert!(first.iter().all(|is_compared| *is_compared));
    assert_eq!(rest, [false; 44]);
    assert_eq!(found.unexamined_regions, 44);
}

#[test]
fn traces_of_different_processors_are_known() {
    let arm = index_of(trace_of(&steps_at(line(0x1000, 4))));
    let spike = "core   0: 3 0x0000000080000000 (0x00000297) x5  0x0000000080000000\n";
    let riscv = index_of(spike.as_bytes().to_vec());
    assert_eq!(foreign_sets(&arm, &arm), None);
    let sets = [InstructionSet::A64, InstructionSet::Riscv64];
    assert_eq!(foreign_sets(&arm, &riscv), Some(sets));
}

/// The second trace has another processor that runs a copy of the program.
#[test]
fn a_copy_of_the_code_has_not_moved() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/amp.head.tarmac");
    let both = std::fs::read_to_string(fixture).unwrap();
    let first = both.lines().filter(|line| !line.contains("cpu1"));
    let first: String = first.map(|line| format!("{line}\n")).collect();
    let [one, both] = [first, both].map(|text| index_of(text.into_bytes()));
    let comparison = compared(&one, &both);
    assert_eq!(comparison.slides.moved().count(), 0);
    assert_eq!(comparison.threads.only_in_b.len(), 1);
    assert!(!comparison.is_equal() && comparison.compared[0].is_equal());
}
