//! Incomplete recordings.

use stepback_parsers::btrace::{BranchKind, BranchLayout, BranchRecord};
use stepback_parsers::{CodePart, Gap, GapReason, ProgramFile, StepOrigin};

use super::support::{Shown, content, fixture, path_of, program};

fn hello() -> (Vec<u8>, ProgramFile) {
    (
        content(&fixture("hello.btf")),
        program(&fixture("hello.elf")),
    )
}

#[test]
fn a_record_that_is_cut_off_is_reported() {
    let (mut bytes, program) = hello();
    bytes.truncate(100 * 40 + 13);
    let path = path_of(bytes, program);
    assert_eq!(
        path.problems,
        ["the last record is cut off: 13 bytes of it are there"]
    );
    assert_eq!(path.gaps(), []);
}

#[test]
fn a_record_that_contradicts_the_program_is_a_gap_and_told() {
    let (mut bytes, program) = hello();
    bytes[40 * 10 + 35] ^= 1; // the instruction
    let path = path_of(bytes, program);
    assert_eq!(
        path.gaps().iter().map(|gap| gap.reason).collect::<Vec<_>>(),
        [GapReason::Contradiction]
    );
    assert_eq!(
        path.problems,
        [
            "record 11: at 0x1001a8, contradicts the program: the program has 7ffffff4 at this address, but the record has 7ffffff5"
        ]
    );
}

#[test]
fn a_jump_out_of_the_program_is_a_gap() {
    let (mut bytes, program) = hello();
    bytes[40 * 9 + 16] = 0x7f; // target of the return
    let path = path_of(bytes, program);
    assert_eq!(
        path.gaps().iter().map(|gap| gap.reason).collect::<Vec<_>>(),
        [GapReason::Unmapped]
    );
}

#[test]
fn a_probe_in_the_program_is_what_the_record_says() {
    let (bytes, program) = hello();
    let expected = path_of(bytes.clone(), program.clone());
    let mut probed = program;
    let mut code = probed.parts[0].bytes.to_vec();
    // Puts `illtrap` with the number of the record where a branch was recorded.
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
fn a_time_that_runs_backwards_is_reported() {
    let (mut bytes, program) = hello();
    bytes[40 * 10] = 0xff;
    let path = path_of(bytes, program);
    assert!(path.times.iter().flatten().is_sorted());
    assert_eq!(path.problems.len(), 1);
    assert!(
        path.problems[0].starts_with("record 11: its time, 18374687"),
        "{:?}",
        path.problems
    );
}

/// Reconstructs words from 0x1000 on with branch records, each a source and a target.
fn shown_of(words: &[u32], branches: &[(u64, u64)]) -> Vec<(Shown, StepOrigin)> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let parts = vec![CodePart {
        address: 0x1000,
        bytes: bytes.into(),
    }];
    let program = ProgramFile {
        name: String::new(),
        entry: None,
        parts,
    };
    let layout = BranchLayout::own(0);
    let mut records = Vec::new();
    for (pc, target) in branches {
        let word = words[(pc - 0x1000) as usize / 4];
        let kind = BranchKind::of_word(word).map(|kind| kind as u8);
        let (number, time, cpu, is_annulled) = (1, Some(5), Some(0), Some(false));
        let (pc, target, thread, is_taken) = (*pc, *target, 1, *target != pc + 8);
        let word = Some(word);
        let record = BranchRecord {
            number,
            time,
            pc,
            target,
            thread,
            cpu,
            is_taken,
            is_annulled,
            kind,
            word,
        };
        layout.write(&record, &mut records);
    }
    path_of(records, program)
        .shown
        .into_iter()
        .map(|(_, shown, origin)| (shown, origin))
        .collect()
}

#[test]
fn after_the_third_branch_of_a_chain_whose_first_are_lost_nothing_is_made_up() {
    const NOP: u32 = 0x0100_0000;
    let ba = |words: u32| 0x1080_0000 | words;
    // 1000 leads to 1010, and 1004 in its slot to 1018. After 1010, 1018 executes once before its
    // target 1020.
    let words = [ba(4), ba(5), NOP, NOP, ba(4), NOP, NOP, NOP, NOP, NOP];
    let step = |pc| Shown::Step {
        pc,
        is_executed: true,
    };
    let (recorded, certain, likely) = (
        StepOrigin::Recorded,
        StepOrigin::Reconstructed,
        StepOrigin::Inferred,
    );
    let whole = shown_of(
        &words,
        &[(0x1000, 0x1010), (0x1004, 0x1018), (0x1010, 0x1020)],
    );
    let first = [
        (0x1000, recorded),
        (0x1004, recorded),
        (0x1010, recorded),
        (0x1018, likely),
        (0x1020, likely),
    ];
    assert_eq!(whole[..5], first.map(|(pc, origin)| (step(pc), origin)));
    let last = shown_of(&words, &[(0x1010, 0x1020)]);
    let gap = Shown::Gap(Gap {
        reason: GapReason::Lost,
        instructions: Some(1),
    });
    assert_eq!(
        last[..3],
        [
            (step(0x1010), recorded),
            (gap, recorded),
            (step(0x1020), likely)
        ]
    );
    // If no branch is in the slot of another, the step after the first record is known.
    let plain = shown_of(
        &[ba(2), NOP, ba(3), NOP, NOP, NOP, NOP],
        &[(0x1008, 0x1014), (0x1000, 0x1008)],
    );
    assert_eq!(
        plain[..2],
        [(step(0x1008), recorded), (step(0x100c), certain)]
    );
}

/// The true path of `cti` is in `cti.pcpath`: the call at 0x1001f0 is in no delay slot.
#[test]
fn a_branch_after_lost_records_is_not_in_the_slot_of_the_one_before() {
    let whole = content(&fixture("cti.btf"));
    // The retl at 0x100210, whose call is lost, then the call after the lost couple at 0x1001dc.
    let bytes: Vec<u8> = [17, 20]
        .into_iter()
        .flat_map(|record| whole[40 * record..40 * record + 40].to_vec())
        .collect();
    let path = path_of(bytes, program(&fixture("cti.elf")));
    let shown: Vec<Shown> = path
        .shown
        .iter()
        .map(|(_, shown, _)| shown.clone())
        .collect();
    let step = |pc| Shown::Step {
        pc,
        is_executed: true,
    };
    let gap = Shown::Gap(Gap {
        reason: GapReason::Lost,
        instructions: None,
    });
    assert_eq!(shown[..3], [step(0x10_0210), gap, step(0x10_01f0)]);
}

#[test]
fn a_branch_that_was_come_to_on_another_way_is_after_a_gap() {
    const NOP: u32 = 0x0100_0000;
    let step = |pc| Shown::Step {
        pc,
        is_executed: true,
    };
    // 1000 leads to 1010. `bne` in its slot would lead there too, but to 1008 if control came
    // straight to it.
    let words = [0x1080_0004, 0x1280_0005, NOP, NOP, NOP];
    let shown = shown_of(&words, &[(0x1000, 0x1010), (0x1004, 0x100c)]);
    let gap = Shown::Gap(Gap {
        reason: GapReason::Lost,
        instructions: None,
    });
    assert_eq!(
        shown[..3]
            .iter()
            .map(|(shown, _)| shown.clone())
            .collect::<Vec<_>>(),
        [step(0x1000), gap, step(0x1004)]
    );
    assert_eq!(shown[3].0, step(0x1008));
}
