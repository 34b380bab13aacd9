//! Exception frames of M-profile (DDI 0553, B3.19 "Exception entry, context stacking"; DDI 0403,
//! B1.5.6).
//!
//! ```text
//! basic      +0 r0 r1 r2 r3 r12 lr return-address xpsr
//! extended   +32 s0 … s15 fpscr vpr, and with FPCCR.TS s16 … s31
//! additional −40 signature reserved r4 … r11, from the Secure to the Non-secure state
//! ```

use crate::exception_frame::{FrameLayout, FrameWord};
use crate::view::{RegisterId, RegisterView};

/// Layout of the frame that an M-profile exception stores.
pub static FRAME: FrameLayout = FrameLayout {
    words: &WORDS,
    basic_bytes: 0x20,
    // Frames are aligned to eight bytes: xPSR bit 9 records whether the stack pointer was not.
    heights: &[0x20, 0x24, 0x68, 0x6c, 0xa8, 0xac],
    additional: &ADDITIONAL,
    additional_bytes: 0x28,
    call_bytes: 8,
    signatures: &[0xfefa_125a, 0xfefa_125b],
    late_offset: 0x20,
    // Without and with VPR or its reserved word, and with s16 to s31.
    late_bytes: &[0x44, 0x48, 0x88],
    scratch: &[
        RegisterId(0),
        RegisterId(1),
        RegisterId(2),
        RegisterId(3),
        RegisterId(12),
    ],
    is_return_value: is_exception_return,
};

/// Returns true for `EXC_RETURN` (DDI 0553, "EXC_RETURN, Exception Return Payload").
pub fn is_exception_return(value: u64) -> bool {
    value & 0xffff_ff80 == 0xffff_ff80
}

/// Returns `EXC_RETURN.Mode`: set for a return to thread mode, clear for one to a handler (DDI
/// 0403, B1.5.8).
pub fn is_return_to_thread_mode(value: u64) -> bool {
    is_exception_return(value) && value & 8 != 0
}

/// Returns true for `FNC_RETURN`: a return to the Secure state from a function that it called in
/// the Non-secure state (DDI 0553, "FNC_RETURN, Function Return Payload").
pub fn is_function_return(value: u64) -> bool {
    value & 0xffff_fffe == 0xfeff_fffe
}

const fn word(offset: u64, register: RegisterId) -> FrameWord {
    FrameWord {
        offset,
        view: RegisterView::new(register, 0, 4),
    }
}

static WORDS: [FrameWord; 42] = {
    let mut words = [word(0, RegisterId(0)); 42];
    let mut number = 0;
    while number < 4 {
        words[number as usize] = word(4 * number as u64, RegisterId(number));
        number += 1;
    }
    words[4] = word(0x10, RegisterId(12));
    words[5] = word(0x14, RegisterId::LR);
    words[6] = word(0x18, RegisterId::PC);
    words[7] = word(0x1c, RegisterId::PSR);
    words[8] = word(0x60, RegisterId::FPSCR);
    words[9] = word(0x64, RegisterId::VPR);
    number = 0;
    while number < 32 {
        let start = if number < 16 { 0x20 } else { 0x28 };
        let view = RegisterView::new(RegisterId(RegisterId::V0.0 + number / 4), number % 4 * 4, 4);
        words[10 + number as usize] = FrameWord {
            offset: start + 4 * number as u64,
            view,
        };
        number += 1;
    }
    words
};

static ADDITIONAL: [FrameWord; 8] = {
    let mut words = [word(0, RegisterId(0)); 8];
    let mut number = 0;
    while number < 8 {
        words[number as usize] = word(8 + 4 * number as u64, RegisterId(4 + number));
        number += 1;
    }
    words
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exception_frame::{ExceptionFlow, FrameAccess, FrameEvent};
    use crate::instruction::Address;
    use crate::instruction::decode;
    use crate::meaning::AccessKind;
    use crate::registers::Registers;
    use crate::set::InstructionSet;

    fn view(name: &str) -> RegisterView {
        Registers::view(name, InstructionSet::T32).unwrap()
    }

    #[test]
    fn each_register_has_the_place_of_the_manual() {
        let offset = |name: &str| {
            WORDS
                .iter()
                .find(|word| word.view == view(name))
                .map(|word| word.offset)
        };
        let names = [
            "r0", "r3", "r12", "lr", "pc", "psr", "s0", "s1", "s15", "fpscr", "vpr", "s16", "s31",
        ];
        let expected = [
            0, 0xc, 0x10, 0x14, 0x18, 0x1c, 0x20, 0x24, 0x5c, 0x60, 0x64, 0x68, 0xa4,
        ];
        assert_eq!(names.map(offset), expected.map(Some));
        let offsets: Vec<_> = ADDITIONAL
            .iter()
            .map(|word| (word.view.register.0, word.offset))
            .collect();
        assert_eq!((offsets[0], offsets[7]), ((4, 8), (11, 0x24)));
        let mut sorted: Vec<_> = WORDS.iter().map(|word| word.offset).collect();
        sorted.sort_unstable();
        assert_eq!(
            sorted,
            (0..42).map(|number| 4 * number).collect::<Vec<u64>>()
        );
    }

    fn words(kind: AccessKind, first: u64, values: &[u32]) -> Vec<FrameEvent> {
        let access = |(place, value): (u64, &u32)| {
            let [a, b, c, d] = value.to_le_bytes();
            let bytes = Some([a, b, c, d, 0, 0, 0, 0]);
            FrameEvent::Access(FrameAccess {
                kind,
                address: first + 4 * place,
                size_bytes: 4,
                bytes,
            })
        };
        (0..).zip(values).map(access).collect()
    }

    fn sp(value: u64) -> FrameEvent {
        FrameEvent::Register {
            plain: RegisterId::SP,
            value: Some(value),
        }
    }

    /// Checks which registers the words from an address on hold.
    #[track_caller]
    fn check(bytes: &[u8], events: Vec<FrameEvent>, first: u64, expected: &str) {
        let encoding = crate::instruction::Encoding::new(bytes).unwrap();
        let instruction = decode(encoding, Address(0x1000), InstructionSet::T32);
        let found = ExceptionFlow::find(&FRAME, Some(&instruction), &events);
        let frame = found
            .as_ref()
            .and_then(|found| found.stored.as_ref().or(found.loaded.as_ref()));
        let name = |address: u64| {
            let byte = frame.and_then(|frame| frame.register_at(address));
            let word = byte.map(|byte| RegisterView {
                size_bytes: 4,
                ..byte
            });
            word.and_then(|word| Registers::name(word, InstructionSet::T32))
                .unwrap_or("-")
        };
        let names: Vec<_> = (0..expected.split(' ').count() as u64)
            .map(|place| name(first + 4 * place))
            .collect();
        assert_eq!(names.join(" "), expected);
    }

    const NOP: &[u8] = &[0x00, 0xbf];
    const BX_LR: &[u8] = &[0x70, 0x47];
    const PUSH_R4_LR: &[u8] = &[0x10, 0xb5];
    const POP_R4_PC: &[u8] = &[0x10, 0xbd];
    const BASIC: &str = "r0 r1 r2 r3 r12 lr pc psr";

    #[test]
    fn a_frame_is_found_by_the_stack_pointer_and_without_it() {
        use AccessKind::{Read, Write};
        let stored = |rest: Vec<FrameEvent>| [words(Write, 0x2000, &[0; 8]), rest].concat();
        check(NOP, stored(vec![sp(0x2000)]), 0x2000, BASIC);
        check(NOP, stored(vec![]), 0x2000, BASIC);
        check(NOP, words(Write, 0x2000, &[0; 7]), 0x2000, "- -");
        // Only some words.
        check(
            NOP,
            [words(Write, 0x2008, &[0; 2]), vec![sp(0x2000)]].concat(),
            0x2008,
            "r2 r3",
        );
        check(
            BX_LR,
            [words(Read, 0x2000, &[0; 8]), vec![sp(0x2020)]].concat(),
            0x2000,
            BASIC,
        );
        check(
            BX_LR,
            [words(Read, 0x2000, &[0; 8]), vec![sp(0x2024)]].concat(),
            0x2000,
            BASIC,
        );
        check(
            BX_LR,
            [words(Read, 0x2004, &[0; 3]), vec![sp(0x2020)]].concat(),
            0x2004,
            "r1 r2 r3",
        );
        // Loads of other instructions are not a frame.
        check(
            NOP,
            [words(Read, 0x2000, &[0; 8]), vec![sp(0x2020)]].concat(),
            0x2000,
            "- -",
        );
    }

    #[test]
    fn the_operands_of_the_instruction_are_not_part_of_a_frame() {
        use AccessKind::{Read, Write};
        let stored = [
            words(Write, 0x2020, &[0; 2]),
            words(Write, 0x2000, &[0; 8]),
            vec![sp(0x2020), sp(0x2000)],
        ];
        check(PUSH_R4_LR, stored.concat(), 0x2000, BASIC);
        let loaded = [
            words(Read, 0x1ff8, &[7, 0xffff_fff9]),
            words(Read, 0x2000, &[0; 8]),
            vec![sp(0x2000), sp(0x2020)],
        ];
        check(POP_R4_PC, loaded.concat(), 0x2000, BASIC);
    }

    /// BLXNS stores its return address and part of the status, but no register.
    #[test]
    fn what_a_call_into_the_other_state_stores_is_no_register() {
        let stored = words(AccessKind::Write, 0x2000, &[0x1000_0005, 0]);
        check(
            &[0xa4, 0x47],
            [stored, vec![sp(0x2000)]].concat(),
            0x2000,
            "- -",
        );
        let encoding = crate::instruction::Encoding::new(&[0xa4, 0x47]).unwrap();
        let blxns = decode(encoding, Address(0x1000), InstructionSet::T32);
        let reads: Vec<_> = blxns
            .meaning
            .data_reads
            .iter()
            .map(|view| view.register.0)
            .collect();
        assert_eq!((blxns.text.as_str(), reads), ("blxns r4", vec![4]));
        // SG may clear the lowest bit of the link register.
        let encoding = crate::instruction::Encoding::new(&[0x7f, 0xe9, 0x7f, 0xe9]).unwrap();
        assert!(decode(encoding, Address(0x1000), InstructionSet::T32).may_write(view("lr")));
    }

    #[test]
    fn additional_and_late_contexts_are_found() {
        use AccessKind::{Read, Write};
        let mut additional = vec![0xfefa_125b, 0];
        additional.extend([0; 16]);
        let expected = format!("- - r4 r5 r6 r7 r8 r9 r10 r11 {BASIC}");
        check(NOP, words(Write, 0x2000, &additional), 0x2000, &expected);
        check(BX_LR, words(Read, 0x2000, &additional), 0x2000, &expected);
        let extended = [words(Write, 0x2000, &[0; 26]), vec![sp(0x2000)]].concat();
        check(NOP, extended, 0x2060, "fpscr vpr");
        // VADD.F32 s0,s0,s0 in a handler.
        check(
            &[0x30, 0xee, 0x00, 0x0a],
            words(Write, 0x2020, &[0; 17]),
            0x2020,
            "s0 s1 s2",
        );
    }
}
