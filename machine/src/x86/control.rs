//! Control flow after an x86 instruction, from its encoding ([`control`]; Intel SDM, volume 1, 6.3
//! and 6.4; volume 2), or from its text in Intel syntax ([`text_flow`]).

use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind};

use crate::control::{
    BranchTarget, ControlFlowEffect, DelaySlotRule, FlowKind, InstructionWords, TextFlow,
};
use crate::instruction::{Address, CodeSite, Encoding};
use crate::x86::access::decoded;
use crate::x86::registers;

/// Returns the control transfer of an instruction.
pub fn control(site: &CodeSite, word_bytes: u16) -> ControlFlowEffect {
    let Some(instruction) = decoded(site, word_bytes) else {
        return ControlFlowEffect::default();
    };
    ControlFlowEffect {
        flow: flow(&instruction),
        target: target(&instruction, word_bytes),
        delay: DelaySlotRule::None,
    }
}

/// Returns true for undecodable bytes, and for UD2 and the like.
pub fn is_undefined(encoding: &Encoding, word_bytes: u16) -> bool {
    let site = CodeSite {
        pc: Address(0),
        encoding: *encoding,
    };
    decoded(&site, word_bytes)
        .is_none_or(|instruction| instruction.flow_control() == FlowControl::Exception)
}

/// Returns true for instructions that may raise an exception regardless of their memory accesses:
/// DIV and IDIV (#DE), and those that always raise one.
pub fn may_raise(encoding: &Encoding, word_bytes: u16) -> bool {
    let site = CodeSite {
        pc: Address(0),
        encoding: *encoding,
    };
    let is_division =
        |instruction: Instruction| matches!(instruction.mnemonic(), Mnemonic::Div | Mnemonic::Idiv);
    is_undefined(encoding, word_bytes) || decoded(&site, word_bytes).is_some_and(is_division)
}

fn flow(instruction: &Instruction) -> FlowKind {
    use Mnemonic::{
        Iret, Iretd, Iretq, Syscall, Sysenter, Sysexit, Sysexitq, Sysret, Sysretq, Vmcall, Vmmcall,
    };
    match (instruction.mnemonic(), instruction.flow_control()) {
        (Syscall | Sysenter | Vmcall | Vmmcall, _) | (_, FlowControl::Interrupt) => FlowKind::Trap,
        (Iret | Iretd | Iretq | Sysret | Sysretq | Sysexit | Sysexitq, _) => {
            FlowKind::ExceptionReturn
        }
        (_, FlowControl::Call | FlowControl::IndirectCall) => FlowKind::Call,
        (_, FlowControl::Return) => FlowKind::Return,
        (
            _,
            FlowControl::UnconditionalBranch
            | FlowControl::IndirectBranch
            | FlowControl::ConditionalBranch,
        ) => FlowKind::Branch,
        _ => FlowKind::Next,
    }
}

fn target(instruction: &Instruction, word_bytes: u16) -> BranchTarget {
    match instruction.op0_kind() {
        OpKind::NearBranch32 | OpKind::NearBranch64 if flow(instruction) != FlowKind::Next => {
            BranchTarget::Address(instruction.near_branch_target())
        }
        OpKind::Register if matches!(instruction.mnemonic(), Mnemonic::Jmp | Mnemonic::Call) => {
            let name = format!("{:?}", instruction.op0_register()).to_ascii_lowercase();
            let view =
                registers::view(&name, word_bytes).filter(|view| view.size_bytes == word_bytes);
            view.map_or(BranchTarget::Unsaid, |view| {
                BranchTarget::Register(view.register)
            })
        }
        _ => BranchTarget::Unsaid,
    }
}

/// Words that may precede a mnemonic: `bnd jmp`, `notrack jmp`, `repz ret`.
pub const PREFIXES: &[&str] = &[
    "bnd", "notrack", "rep", "repe", "repne", "repz", "repnz", "lock", "data16",
];

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, .. } = InstructionWords::of(text, PREFIXES);
    Some(match mnemonic.as_str() {
        "call" | "lcall" => TextFlow::Call,
        "ret" | "retf" | "retfq" | "iret" | "iretd" | "iretq" | "sysret" | "sysretq"
        | "sysexit" => TextFlow::Return,
        "jmp" | "ljmp" => TextFlow::Branch,
        "jcxz" | "jecxz" | "jrcxz" | "loop" | "loope" | "loopne" => TextFlow::Conditional,
        other
            if other
                .strip_prefix('j')
                .is_some_and(|rest| CONDITIONS.contains(&rest)) =>
        {
            TextFlow::Conditional
        }
        _ => return None,
    })
}

const CONDITIONS: [&str; 30] = [
    "o", "no", "b", "nb", "c", "nc", "ae", "nae", "e", "ne", "z", "nz", "be", "nbe", "a", "na",
    "s", "ns", "p", "np", "pe", "po", "l", "nl", "ge", "nge", "le", "nle", "g", "ng",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::RegisterId;

    #[track_caller]
    fn check(word_bytes: u16, bytes: &[u8], flow: FlowKind, target: BranchTarget) {
        let site = CodeSite {
            pc: Address(0x40_1000),
            encoding: Encoding::new(bytes).unwrap(),
        };
        assert_eq!(
            control(&site, word_bytes),
            ControlFlowEffect {
                flow,
                target,
                delay: DelaySlotRule::None
            },
            "{bytes:02x?}"
        );
    }

    #[test]
    fn direct_branches_say_where_they_go() {
        check(
            8,
            &[0x74, 0x10],
            FlowKind::Branch,
            BranchTarget::Address(0x40_1012),
        );
        check(
            8,
            &[0x0f, 0x84, 0, 1, 0, 0],
            FlowKind::Branch,
            BranchTarget::Address(0x40_1106),
        );
        check(
            8,
            &[0xeb, 0xfe],
            FlowKind::Branch,
            BranchTarget::Address(0x40_1000),
        );
        check(
            8,
            &[0xe8, 0, 1, 0, 0],
            FlowKind::Call,
            BranchTarget::Address(0x40_1105),
        );
        check(
            8,
            &[0xf2, 0xe9, 0, 1, 0, 0],
            FlowKind::Branch,
            BranchTarget::Address(0x40_1106),
        );
        check(
            4,
            &[0xe9, 0, 0, 0xc0, 0xff],
            FlowKind::Branch,
            BranchTarget::Address(0x1005),
        );
        check(
            8,
            &[0xe3, 0x10],
            FlowKind::Branch,
            BranchTarget::Address(0x40_1012),
        );
    }

    #[test]
    fn branches_through_registers_name_them() {
        check(
            8,
            &[0xff, 0xe0],
            FlowKind::Branch,
            BranchTarget::Register(RegisterId(0)),
        );
        check(
            8,
            &[0x41, 0xff, 0xd3],
            FlowKind::Call,
            BranchTarget::Register(RegisterId(11)),
        );
        check(
            8,
            &[0x3e, 0xff, 0xe4],
            FlowKind::Branch,
            BranchTarget::Register(RegisterId::SP),
        );
        check(
            4,
            &[0xff, 0xd1],
            FlowKind::Call,
            BranchTarget::Register(RegisterId(1)),
        );
        check(
            8,
            &[0xff, 0x25, 0, 0, 0, 0],
            FlowKind::Branch,
            BranchTarget::Unsaid,
        );
    }

    #[test]
    fn divisions_and_what_is_undefined_may_raise_an_exception() {
        // div ecx; idiv rbx; ud2
        for bytes in [&[0xf7, 0xf1][..], &[0x48, 0xf7, 0xfb], &[0x0f, 0x0b]] {
            assert!(may_raise(&Encoding::new(bytes).unwrap(), 8), "{bytes:02x?}");
        }
        // imul rbx; divss xmm0, xmm1 (masked by default); nop
        for bytes in [&[0x48, 0xf7, 0xeb][..], &[0xf3, 0x0f, 0x5e, 0xc1], &[0x90]] {
            assert!(
                !may_raise(&Encoding::new(bytes).unwrap(), 8),
                "{bytes:02x?}"
            );
        }
    }

    #[test]
    fn what_asks_the_kernel_is_a_trap() {
        for bytes in [
            &[0x0f, 0x05][..],
            &[0x0f, 0x34],
            &[0xcd, 0x80],
            &[0x0f, 0x01, 0xc1],
            &[0x0f, 0x01, 0xd9],
        ] {
            check(8, bytes, FlowKind::Trap, BranchTarget::Unsaid);
        }
        check(8, &[0xc3], FlowKind::Return, BranchTarget::Unsaid);
        check(
            8,
            &[0x48, 0xcf],
            FlowKind::ExceptionReturn,
            BranchTarget::Unsaid,
        );
        check(8, &[0x90], FlowKind::Next, BranchTarget::Unsaid);
    }
}

#[cfg(test)]
mod text_flow_tests {
    use super::*;
    use crate::control::check_flow;

    #[track_caller]
    fn check(expected: Option<TextFlow>, texts: &[&str]) {
        check_flow(text_flow, expected, texts);
    }

    #[test]
    fn branches_of_x86_are_known() {
        check(
            Some(TextFlow::Call),
            &[
                "call 0x1105",
                "call qword ptr [rip + 0x2faa]",
                "call rax",
                "notrack call rax",
            ],
        );
        check(
            Some(TextFlow::Return),
            &["ret", "ret 8", "repz ret", "bnd ret", "iretq", "sysretq"],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "jmp 0x1105",
                "bnd jmp rax",
                "je 0x10",
                "jnle 0x10",
                "jrcxz 0x10",
                "loop 0x10",
            ],
        );
        check(
            None,
            &[
                "bt eax, 4",
                "blsr rax, rbx",
                "bswap eax",
                "rep movsb byte ptr [rdi], byte ptr [rsi]",
                "syscall",
            ],
        );
        assert!(
            text_flow("jne 0x10") == Some(TextFlow::Conditional)
                && text_flow("jrcxz 0x10") == Some(TextFlow::Conditional)
        );
        assert!(
            text_flow("jmp 0x10") != Some(TextFlow::Conditional)
                && text_flow("bnd jmp rax") != Some(TextFlow::Conditional)
        );
    }
}
