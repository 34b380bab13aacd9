//! An instruction as coloured tokens.

use std::fmt;

use stepback_machine::{Address, InstructionSet, without_prefix};

use super::operands::{OperandContext, operands};

/// Meaning of a token, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyntaxKind {
    /// A mnemonic, and similar words among the operands: `lsl`, `sxtw`, `eq`, `ish`.
    Mnemonic,
    /// Mnemonic of a call, a return or a branch.
    BranchMnemonic,
    /// A register, including system registers.
    Register,
    /// A number with its `#`, or an address.
    Number,
    /// A symbol with its offset.
    Symbol,
    /// Brackets, commas and operators, with the space after them.
    Punctuation,
    /// A comment of the disassembler with its `;`.
    Comment,
}

/// A token of one colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxToken {
    pub kind: SyntaxKind,
    pub text: String,
}

/// An instruction for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionLine {
    /// In lower case; empty if the trace has no disassembly.
    pub mnemonic: String,
    /// [`SyntaxKind::Mnemonic`] or [`SyntaxKind::BranchMnemonic`].
    pub mnemonic_kind: SyntaxKind,
    /// Tokens after the mnemonic. Their texts concatenated are the operands.
    pub operands: Vec<SyntaxToken>,
}

impl InstructionLine {
    /// Splits the disassembly of the instruction at `pc`. Addresses relative to the pc are shown
    /// with the name that `name_of` returns, else as numbers.
    pub fn parse(
        text: &str,
        pc: Address,
        set: InstructionSet,
        name_of: &dyn Fn(Address) -> Option<String>,
    ) -> Self {
        let text = text.trim();
        let is_comment = text.starts_with(';') || text.starts_with("//");
        let rest = if is_comment {
            text
        } else {
            without_prefix(text, set.text_prefixes()).1
        };
        // With prefixes.
        let mnemonic = text
            .strip_suffix(rest)
            .unwrap_or_default()
            .trim_end()
            .to_ascii_lowercase();
        let is_branch = set.text_flow(text).is_some();
        let operands = operands(
            rest,
            &OperandContext {
                mnemonic: &mnemonic,
                set,
                is_branch,
                pc,
                name_of,
            },
        );
        let mnemonic_kind = if is_branch {
            SyntaxKind::BranchMnemonic
        } else {
            SyntaxKind::Mnemonic
        };
        Self {
            mnemonic,
            mnemonic_kind,
            operands,
        }
    }

    /// Returns the text after the mnemonic.
    pub fn operands_text(&self) -> String {
        self.operands
            .iter()
            .map(|token| token.text.as_str())
            .collect()
    }
}

impl fmt::Display for InstructionLine {
    /// Formats the instruction as it is shown and copied, without padding.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mnemonic)?;
        if !self.mnemonic.is_empty() && !self.operands.is_empty() {
            f.write_str(" ")?;
        }
        self.operands
            .iter()
            .try_for_each(|token| f.write_str(&token.text))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name_of(address: Address) -> Option<String> {
        match address.0 {
            0x8000_0898 => Some("main".to_owned()),
            0x8000_0548 => Some("new_handler+0x38".to_owned()),
            _ => None,
        }
    }

    fn line_of(set: InstructionSet, text: &str) -> InstructionLine {
        InstructionLine::parse(text, Address(0x8000_0000), set, &name_of)
    }

    fn line(text: &str) -> InstructionLine {
        line_of(InstructionSet::A64, text)
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(line(text).to_string(), expected, "{text}");
    }

    /// Checks each token, with a letter for its kind.
    #[track_caller]
    fn check_kinds(text: &str, expected: &[(char, &str)]) {
        check_kinds_of(InstructionSet::A64, text, expected);
    }

    #[track_caller]
    fn check_kinds_of(set: InstructionSet, text: &str, expected: &[(char, &str)]) {
        let line = line_of(set, text);
        let letter = |kind| match kind {
            SyntaxKind::Mnemonic => 'm',
            SyntaxKind::BranchMnemonic => 'b',
            SyntaxKind::Register => 'r',
            SyntaxKind::Number => 'n',
            SyntaxKind::Symbol => 's',
            SyntaxKind::Punctuation => 'p',
            SyntaxKind::Comment => 'c',
        };
        let first = (letter(line.mnemonic_kind), line.mnemonic.as_str());
        let words: Vec<_> = line
            .operands
            .iter()
            .map(|token| (letter(token.kind), token.text.as_str()))
            .collect();
        assert_eq!([vec![first], words].concat(), expected, "{text}");
    }

    #[test]
    fn operands_of_x86_and_riscv_have_their_colours() {
        check_kinds_of(
            InstructionSet::X86_64,
            "mov eax, dword ptr [rbp - 0x88]",
            &[
                ('m', "mov"),
                ('r', "eax"),
                ('p', ", "),
                ('m', "dword"),
                ('p', " "),
                ('m', "ptr"),
                ('p', " ["),
                ('r', "rbp"),
                ('p', " - "),
                ('n', "0x88"),
                ('p', "]"),
            ],
        );
        check_kinds_of(
            InstructionSet::X86_64,
            "lea r8d, [xmm3]",
            &[
                ('m', "lea"),
                ('r', "r8d"),
                ('p', ", ["),
                ('r', "xmm3"),
                ('p', "]"),
            ],
        );
        check_kinds_of(
            InstructionSet::X86_64,
            "call 0x80000898",
            &[('b', "call"), ('s', "main")],
        );
        check_kinds_of(
            InstructionSet::Riscv64,
            "c.addi sp, -0x10",
            &[('m', "c.addi"), ('r', "sp"), ('p', ", -"), ('n', "0x10")],
        );
        check_kinds_of(
            InstructionSet::Riscv64,
            "sd ra, 8(sp)",
            &[
                ('m', "sd"),
                ('r', "ra"),
                ('p', ", "),
                ('n', "8"),
                ('p', "("),
                ('r', "sp"),
                ('p', ")"),
            ],
        );
    }

    #[test]
    fn a_line_reads_as_in_the_pictures() {
        check("LDR      x0,[sp,#8]", "ldr x0, [sp, #8]");
        check(
            "STP      x29,x30,[sp,#-0x10]!",
            "stp x29, x30, [sp, #-0x10]!",
        );
        check("ORR      w1,w0,w21,lsl #4", "orr w1, w0, w21, lsl #4");
        check("PUSH     {r4,r5,r11,lr}", "push {r4, r5, r11, lr}");
        check("LD1      {v0.16b},[x1],#16", "ld1 {v0.16b}, [x1], #16");
        check("RET      ", "ret");
        check("  ldr   x0, [x1,   #8]", "ldr x0, [x1, #8]");
    }

    #[test]
    fn targets_are_shown_by_name_or_by_address() {
        check("BL       {pc}+0x88c ; 0x80000898", "bl main");
        check("B.GT     {pc}+0x548", "b.gt new_handler+0x38");
        check("CBZ      x0,{pc}+0x10 ; 0x80000010", "cbz x0, 0x80000010");
        check("TBNZ     w0,#3,{pc}-8", "tbnz w0, #3, 0x7ffffff8");
        check("ADRP     x0,{pc}+0x1000 ; 0x80000898", "adrp x0, main");
        check("bl   0x80000898", "bl main");
        check("bl   0x80000898 <main>", "bl 0x80000898 <main>");
        check("bl   0x80000898 ; far", "bl main ; far");
        check("mov x0, 0x80000898", "mov x0, 0x80000898");
    }

    #[test]
    fn words_have_the_kind_of_what_they_name() {
        check_kinds(
            "LDR x0,[sp,#8]",
            &[
                ('m', "ldr"),
                ('r', "x0"),
                ('p', ", ["),
                ('r', "sp"),
                ('p', ", "),
                ('n', "#8"),
                ('p', "]"),
            ],
        );
        check_kinds("BL {pc}+0x898", &[('b', "bl"), ('s', "main")]);
        check_kinds("BL {pc}+4", &[('b', "bl"), ('n', "0x80000004")]);
        check_kinds(
            "POP {r4,pc}",
            &[
                ('b', "pop"),
                ('p', "{"),
                ('r', "r4"),
                ('p', ", "),
                ('r', "pc"),
                ('p', "}"),
            ],
        );
        check_kinds(
            "POP {pc}",
            &[('b', "pop"), ('p', "{"), ('r', "pc"), ('p', "}")],
        );
        check_kinds(
            "LDMIA r0!,{pc}",
            &[
                ('b', "ldmia"),
                ('r', "r0"),
                ('p', "!, {"),
                ('r', "pc"),
                ('p', "}"),
            ],
        );
        check_kinds(
            "CSEL x0,x1,xzr,hi",
            &[
                ('m', "csel"),
                ('r', "x0"),
                ('p', ", "),
                ('r', "x1"),
                ('p', ", "),
                ('r', "xzr"),
                ('p', ", "),
                ('m', "hi"),
            ],
        );
        check_kinds(
            "ADD x0,x1,w2,sxtw #2",
            &[
                ('m', "add"),
                ('r', "x0"),
                ('p', ", "),
                ('r', "x1"),
                ('p', ", "),
                ('r', "w2"),
                ('p', ", "),
                ('m', "sxtw"),
                ('p', " "),
                ('n', "#2"),
            ],
        );
        check_kinds(
            "MRS x0,tpidr_el0",
            &[('m', "mrs"), ('r', "x0"), ('p', ", "), ('r', "tpidr_el0")],
        );
        check_kinds(
            "VMRS apsr_nzcv,fpscr",
            &[
                ('m', "vmrs"),
                ('r', "apsr_nzcv"),
                ('p', ", "),
                ('r', "fpscr"),
            ],
        );
        check_kinds(
            "DC zva,x3",
            &[('m', "dc"), ('m', "zva"), ('p', ", "), ('r', "x3")],
        );
        check_kinds("b.eq <main+20>", &[('b', "b.eq"), ('s', "<main+20>")]);
        check_kinds("b loop_1", &[('b', "b"), ('s', "loop_1")]);
        check_kinds("NOP ; idle", &[('m', "nop"), ('c', "; idle")]);
        check_kinds(
            "LDR r0,[pc,#8] ; [0x8010] = 0x1",
            &[
                ('m', "ldr"),
                ('r', "r0"),
                ('p', ", ["),
                ('r', "pc"),
                ('p', ", "),
                ('n', "#8"),
                ('p', "] "),
                ('c', "; [0x8010] = 0x1"),
            ],
        );
    }

    #[test]
    fn numbers_keep_their_signs_and_exponents() {
        check_kinds(
            "VMOV.F32 s0,#-1.5E-02",
            &[
                ('m', "vmov.f32"),
                ('r', "s0"),
                ('p', ", "),
                ('n', "#-1.5E-02"),
            ],
        );
        check_kinds(
            "FMOV d0,#1.0e+00",
            &[('m', "fmov"), ('r', "d0"), ('p', ", "), ('n', "#1.0e+00")],
        );
        check_kinds(
            "MOV r0,#0x1e-1",
            &[
                ('m', "mov"),
                ('r', "r0"),
                ('p', ", "),
                ('n', "#0x1e"),
                ('p', "-"),
                ('n', "1"),
            ],
        );
    }

    #[test]
    fn odd_texts_keep_their_characters() {
        check("", "");
        check("   ", "");
        check("; nothing", "; nothing");
        check("{weird} NOP", "{weird} NOP");
        check("???", "???");
        check("UNDEFINED 0xdead beef", "undefined 0xdead beef");
        check("ÄB é,ö #", "Äb é, ö #");
        check("B {pc}+", "b {pc}+");
        check("LDR r0,<", "ldr r0, <");
        check("a ,", "a ,");
        check("a ,,b", "a , , b");
    }

    fn dense(text: &str) -> String {
        text.chars()
            .filter(|character| !character.is_whitespace())
            .collect::<String>()
            .to_ascii_lowercase()
    }

    proptest! {
        #[test]
        fn no_character_is_lost(text in r"[-a-z0-9A-F #,;:.<>{}\[\]!+%$_é]{0,40}") {
            prop_assert_eq!(dense(&line(&text).to_string()), dense(&text));
        }

        #[test]
        fn no_character_of_any_script_is_lost(text in r"\PC{0,20}") {
            prop_assert_eq!(dense(&line(&text).to_string()), dense(&text));
        }

        #[test]
        fn neighbours_differ_in_kind(text in r"[-a-z0-9 #,;.<>{}\[\]!+]{0,40}") {
            let tokens = line(&text).operands;
            prop_assert!(tokens.iter().all(|token| !token.text.is_empty()));
            let punctuation = tokens.windows(2).filter(|pair| pair.iter().all(|token| token.kind == SyntaxKind::Punctuation));
            prop_assert_eq!(punctuation.count(), 0);
        }
    }
}
