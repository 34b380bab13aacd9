//! Instruction text of Arm traces, in the syntax of Arm's models (`BL {pc}+0x88c`) and of
//! disassemblers: its control flow ([`text_flow`]), for traces without encodings, and the classes
//! of its operand words ([`operand_word`]).

use crate::control::{AssemblyWord, InstructionWords, OperandWordKind, TextFlow};

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, operands } = InstructionWords::of(text, &[]);
    // The width suffix of a T32 encoding is irrelevant here.
    let base = mnemonic
        .strip_suffix(".w")
        .or(mnemonic.strip_suffix(".n"))
        .unwrap_or(&mnemonic);
    let flow = by_mnemonic(base).or_else(|| by_operands(base, &operands))?;
    let is_decided = flow == TextFlow::Branch && is_decided(base);
    Some(if is_decided {
        TextFlow::Conditional
    } else {
        flow
    })
}

/// Returns true if a branch depends on a condition or a comparison. Called for branches only.
fn is_decided(base: &str) -> bool {
    let decides = ["cb", "tbz", "tbnz", "wls", "le", "letp"];
    if decides.iter().any(|name| base.starts_with(name)) {
        return true;
    }
    let condition = base.get(base.len().saturating_sub(2)..).unwrap_or_default();
    // `al` and `nv` mark unconditional forms; the end of `movs` is not a condition.
    base != "movs"
        && CONDITIONS
            .iter()
            .any(|known| *known == condition && !["al", "nv"].contains(known))
}

/// Returns the flow of mnemonics that identify it; forms that are returns only for some operands
/// are handled later.
fn by_mnemonic(base: &str) -> Option<TextFlow> {
    let stem = base.split('.').next().unwrap_or(base);
    let is = |name: &str| is_conditional(base, name);
    if ["bl", "blx", "blxns"].into_iter().any(is) || stem.starts_with("blr") {
        return Some(TextFlow::Call);
    }
    if ["ret", "eret"]
        .into_iter()
        .any(|name| stem.starts_with(name))
        || stem.starts_with("rfe")
    {
        return Some(TextFlow::Return);
    }
    let names = [
        "br", "braa", "brab", "braaz", "brabz", "cbz", "cbnz", "tbz", "tbnz", "tbb", "tbh",
    ];
    let loops = ["wls", "wlstp", "le", "letp", "lctp"];
    let is_branch = ["b", "bc"].contains(&stem) || ["b", "bxj"].into_iter().any(is);
    let is_compare = stem
        .strip_prefix("cbb")
        .or(stem.strip_prefix("cbh"))
        .or(stem.strip_prefix("cb"));
    let is_branch = is_branch || is_compare.is_some_and(|rest| CONDITIONS.contains(&rest));
    (is_branch || names.contains(&base) || loops.contains(&stem)).then_some(TextFlow::Branch)
}

/// Returns the flow of A32 and T32 instructions that write the pc.
fn by_operands(base: &str, operands: &str) -> Option<TextFlow> {
    let is = |name: &str| is_conditional(base, name);
    let is_any = |names: &[&str]| names.iter().any(|name| is(name));
    if is_any(&["bx", "bxns"]) {
        return Some(if matches!(operands, "lr" | "r14") {
            TextFlow::Return
        } else {
            TextFlow::Branch
        });
    }
    let loads_pc = operands.contains("pc}") || operands.contains("r15}");
    if loads_pc && (is("pop") || (base.starts_with("ldm") && operands.starts_with("sp"))) {
        return Some(TextFlow::Return);
    }
    if loads_pc && base.starts_with("ldm") {
        return Some(TextFlow::Branch);
    }
    let source = operands
        .strip_prefix("pc,")
        .or_else(|| operands.strip_prefix("r15,"))?;
    let is_link = source.starts_with("lr") || source.starts_with("r14");
    let pops = is("ldr") && source.starts_with("[sp],");
    if pops || (is_link && is_any(&["mov", "movs", "sub", "subs"])) {
        return Some(TextFlow::Return);
    }
    is_any(&["ldr", "mov", "movs", "add", "sub", "subs"]).then_some(TextFlow::Branch)
}

const CONDITIONS: [&str; 18] = [
    "eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
    "al", "nv",
];

/// Returns true for a name, optionally followed by an A32 condition: `bl` and `bleq`; but `ble` is
/// `b` with `le`.
fn is_conditional(base: &str, name: &str) -> bool {
    base.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || CONDITIONS.contains(&rest))
}

/// Classifies a word in lower case.
pub fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind {
    match mnemonic {
        "mrs" | "msr" | "vmrs" | "vmsr" => OperandWordKind::Register,
        _ if is_register(word) => OperandWordKind::Register,
        _ if mnemonic.starts_with("adr") => OperandWordKind::Address,
        _ => OperandWordKind::Other,
    }
}

/// Returns true for registers of A64, A32 and T32, with or without element sizes (`v0.16b`), and
/// for system registers.
fn is_register(word: &str) -> bool {
    let word = AssemblyWord::of(word);
    word.is_numbered(&NUMBERED)
        || NAMED.contains(&word.base)
        || SYSTEM_ENDINGS
            .iter()
            .any(|ending| word.base.ends_with(ending))
        || SYSTEM_STARTS
            .iter()
            .any(|start| word.base.starts_with(start))
}

const NUMBERED: [&str; 15] = [
    "x", "w", "r", "v", "q", "d", "s", "h", "b", "z", "p", "pn", "za", "c", "cr",
];

const NAMED: [&str; 19] = [
    "sp", "xsp", "wsp", "xzr", "wzr", "lr", "pc", "fp", "ip", "sl", "zr", "ffr", "nzcv", "vpr",
    "za", "zt0", "msp", "psp", "fpexc",
];

const SYSTEM_ENDINGS: [&str; 5] = ["_el0", "_el1", "_el2", "_el3", "_el12"];

const SYSTEM_STARTS: [&str; 5] = ["cpsr", "spsr", "apsr", "fpscr", "xpsr"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::check_flow;

    #[track_caller]
    fn check(expected: Option<TextFlow>, texts: &[&str]) {
        check_flow(text_flow, expected, texts);
    }

    #[test]
    fn calls_leave_a_return_address() {
        check(
            Some(TextFlow::Call),
            &[
                "BL       {pc}+0x88c ; 0x80000898",
                "BLR      x2",
                "BLX      r3",
                "BLRAAZ x8",
            ],
        );
        check(
            Some(TextFlow::Call),
            &[
                "BLEQ {pc}+8",
                "BLLT foo",
                "BLXNE r1",
                "BL.W {pc}+4",
                "BLXNS r2",
            ],
        );
        assert!(
            text_flow("  BL foo") == Some(TextFlow::Call)
                && text_flow("B foo") != Some(TextFlow::Call)
        );
    }

    #[test]
    fn returns_are_told_by_their_operands_too() {
        check(
            Some(TextFlow::Return),
            &["RET", "RET      ", "RET x1", "RETAA", "ERET", "RFEIA sp!"],
        );
        check(
            Some(TextFlow::Return),
            &[
                "BX       lr",
                "BXNE lr",
                "POP      {r4,r5,pc}",
                "POP.W {r4,pc}",
                "POPEQ {pc}",
            ],
        );
        check(
            Some(TextFlow::Return),
            &[
                "LDR pc,[sp],#4",
                "LDM sp!,{r4,pc}",
                "LDMFD sp!, {r4, pc}",
                "MOV pc, lr",
            ],
        );
        check(Some(TextFlow::Return), &["SUBS pc,lr,#4"]);
        assert!(
            text_flow("RET") == Some(TextFlow::Return)
                && text_flow("BR x30") != Some(TextFlow::Return)
        );
    }

    #[test]
    fn branches_of_all_three_instruction_sets_are_known() {
        check(
            Some(TextFlow::Branch),
            &[
                "B        {pc}-0x14 ; 0x8000",
                "B.GT     {pc}+0xa8 ; 0x80000548",
                "BC.EQ foo",
            ],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "BEQ {pc}+8",
                "BLT.W {pc}+8",
                "BLE foo",
                "BLS foo",
                "BLO foo",
                "B.W foo",
                "BAL x",
            ],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "CBZ x0,{pc}+8",
                "CBNZ r0,foo",
                "TBZ w0,#3,{pc}+8",
                "TBB [pc,r0]",
                "CBGT x0,x1,8",
            ],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "BR x16",
                "BRAA x1,x2",
                "BX r3",
                "BXJ r0",
                "LDR pc,[r0]",
                "MOV pc,r0",
                "ADD pc,pc,r0",
            ],
        );
        check(Some(TextFlow::Branch), &["LDM r0,{r1,pc}", "LE lr,{pc}-8"]);
    }

    #[test]
    fn a_condition_or_a_compare_decides_about_some_branches() {
        for text in [
            "B.GT {pc}+8",
            "BC.EQ x",
            "BNE.W x",
            "BLS x",
            "CBZ x0,x",
            "TBNZ w0,#3,x",
            "LE lr,x",
            "BXNE r1",
        ] {
            assert_eq!(text_flow(text), Some(TextFlow::Conditional), "{text}");
        }
        for text in [
            "B {pc}+4",
            "b.w x",
            "B.AL x",
            "BAL x",
            "BR x16",
            "BX r3",
            "LDR pc,[r0]",
            "MOVS pc,r1",
            "TBB [pc,r0]",
        ] {
            assert_eq!(text_flow(text), Some(TextFlow::Branch), "{text}");
        }
    }

    #[test]
    fn other_instructions_go_on() {
        let texts = [
            "BIC r0,r0,r1",
            "BTI c",
            "BFI r0,r1,#0,#4",
            "BIT v0.16b,v1.16b,v2.16b",
            "BKPT #0xab",
            "BICS x0,x1,x2",
        ];
        check(None, &texts);
        check(
            None,
            &[
                "",
                " ",
                "LDR r0,[pc,#8]",
                "CMP pc,lr",
                "STR pc,[sp]",
                "POP {r4,lr}",
                "SVC #0",
                "MOV r0,pc",
                "é",
            ],
        );
        check(
            None,
            &[
                "REV x0,x1",
                "CBX",
                "BLINK",
                "LDM sp!,{r4,r5}",
                "BSL v0,v1,v2",
            ],
        );
    }
}
