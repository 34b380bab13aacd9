//! Recordings that are not whole.

use stepback_parsers::{GapReason, ProgramFile};

use crate::support::{content, fixture, path_of, program};

fn hello() -> (Vec<u8>, ProgramFile) {
    (content(&fixture("hello.btf")), program(&fixture("hello.elf")))
}

#[test]
fn a_record_that_is_cut_off_is_told() {
    let (mut bytes, program) = hello();
    bytes.truncate(100 * 40 + 13);
    let path = path_of(bytes, program);
    assert_eq!(path.problems, ["the last record is cut off: 13 bytes of it are there"]);
    assert_eq!(path.gaps(), []);
}

#[test]
fn a_record_that_contradicts_the_program_is_a_gap_and_told() {
    let (mut bytes, program) = hello();
    bytes[40 * 10 + 35] ^= 1; // the instruction
    let path = path_of(bytes, program);
    assert_eq!(path.gaps().iter().map(|gap| gap.reason).collect::<Vec<_>>(), [GapReason::Contradiction]);
    assert_eq!(
        path.problems,
        ["record 11: at 0x1001a8, contradicts the program: the program has 7ffffff4 there, not 7ffffff5"]
    );
}

#[test]
fn a_jump_out_of_the_program_is_a_gap() {
    let (mut bytes, program) = hello();
    bytes[40 * 9 + 16] = 0x7f; // where a return goes
    let path = path_of(bytes, program);
    assert_eq!(path.gaps().iter().map(|gap| gap.reason).collect::<Vec<_>>(), [GapReason::Unmapped]);
}

#[test]
fn a_probe_in_the_program_is_what_the_record_says() {
    let (bytes, program) = hello();
    let expected = path_of(bytes.clone(), program.clone());
    let mut probed = program;
    let mut code = probed.parts[0].bytes.to_vec();
    // `illtrap` with the number of the record stands where a branch was recorded.
    for record in bytes.chunks_exact(40) {
        let pc = u64::from_be_bytes(record[8..16].try_into().unwrap());
        let place = (pc - probed.parts[0].address) as usize;
        code[place..place + 4].copy_from_slice(&[0, 0, 1, 2]);
    }
    probed.parts[0].bytes = code.into();
    let path = path_of(bytes, probed);
    assert!(path.shown == expected.shown);
    assert_eq!(path.problems, expected.problems);
}

#[test]
fn a_time_that_runs_backwards_is_told() {
    let (mut bytes, program) = hello();
    bytes[40 * 10] = 0xff;
    let path = path_of(bytes, program);
    assert!(path.times.iter().flatten().is_sorted());
    assert_eq!(path.problems.len(), 1);
    assert!(path.problems[0].starts_with("record 11: its time, 18374687"), "{:?}", path.problems);
}
