//! Text with semantic roles; the front ends choose the colour of each.
//!
//! An instruction as coloured text.
//!
//! Parts that the lexer does not know keep their characters.

use std::fmt;

use stepback_machine::flow::{OperandWordKind, TextFlow, without_prefix};
use stepback_machine::{Address, InstructionSet};

/// Role of a piece of text, which determines its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// Ordinary content: a mnemonic, and similar words among the operands: `lsl`, `sxtw`, `ish`.
    #[default]
    Plain,
    /// Secondary content.
    Second,
    /// A label; also instructions that were not executed.
    Label,
    /// Mnemonic of a call, a return or a branch.
    Branch,
    /// A register, including system registers.
    Register,
    /// A number in code with its `#`, or an address.
    Number,
    /// A symbol with its offset.
    Symbol,
    /// Brackets, commas and operators in code, with the space after them.
    Punctuation,
    /// A comment, such as that of the disassembler with its `;`.
    Comment,
    /// A load.
    Read,
    /// A load of a value that was written without a record in the trace.
    External,
    /// A store.
    Write,
    /// A branch that was taken.
    Taken,
    /// A value that the trace does not state but that follows from it.
    Inferred,
    /// An unknown value.
    Unknown,
    Exception,
}

/// Piece of text with one role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextSpan {
    pub meaning: TextRole,
    pub text: String,
}

impl TextSpan {
    pub fn new(meaning: TextRole, text: impl Into<String>) -> Self {
        Self {
            meaning,
            text: text.into(),
        }
    }
}

/// Effect of an instruction on control flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeKind {
    /// Branch that is neither a call nor a return.
    Branch,
    Call,
    Return,
    /// Anything else.
    #[default]
    Other,
}

/// Instruction for display, split into the parts that the list aligns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// In lower case; empty if the trace has no disassembly.
    pub mnemonic: TextSpan,
    /// Spans after the mnemonic. Their texts concatenated are the operands.
    pub operands: Vec<TextSpan>,
    /// Effect on control flow.
    pub kind: CodeKind,
}

impl Code {
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
        let kind = match set.text_flow(text) {
            Some(TextFlow::Call) => CodeKind::Call,
            Some(TextFlow::Return) => CodeKind::Return,
            Some(TextFlow::Branch | TextFlow::Conditional) => CodeKind::Branch,
            None => CodeKind::Other,
        };
        let is_branch = kind != CodeKind::Other;
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
        let meaning = if is_branch {
            TextRole::Branch
        } else {
            TextRole::Plain
        };
        Self {
            mnemonic: TextSpan::new(meaning, mnemonic),
            operands,
            kind,
        }
    }

    /// Returns the whole instruction on one line.
    pub fn full_text(&self) -> String {
        let operands: String = self
            .operands
            .iter()
            .map(|span| span.text.as_str())
            .collect();
        format!("{:<6} {operands}", self.mnemonic.text)
            .trim_end()
            .to_owned()
    }

    /// Returns the length of the operands in characters.
    pub fn operand_length(&self) -> usize {
        self.operands
            .iter()
            .map(|span| span.text.chars().count())
            .sum()
    }
}

impl fmt::Display for Code {
    /// Formats the instruction as it is shown and copied, without padding.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mnemonic.text)?;
        if !self.mnemonic.text.is_empty() && !self.operands.is_empty() {
            f.write_str(" ")?;
        }
        self.operands
            .iter()
            .try_for_each(|token| f.write_str(&token.text))
    }
}

/// Properties of the instruction that all its tokens depend on.
pub struct OperandContext<'a> {
    /// In lower case.
    pub mnemonic: &'a str,
    pub set: InstructionSet,
    /// True for calls and returns too.
    pub is_branch: bool,
    /// Address of the instruction.
    pub pc: Address,
    /// Returns the name of an address.
    pub name_of: &'a dyn Fn(Address) -> Option<String>,
}

/// Splits operands into tokens. Each run of spaces becomes one space, and one follows each comma.
/// Addresses relative to the pc and branch targets are replaced by their names. Nothing else
/// changes.
pub fn operands(text: &str, context: &OperandContext<'_>) -> Vec<TextSpan> {
    let mut lexer = OperandLexer {
        rest: text.trim(),
        context,
        tokens: Vec::new(),
    };
    while !lexer.rest.is_empty() {
        lexer.next();
    }
    lexer.tokens
}

struct OperandLexer<'a> {
    rest: &'a str,
    context: &'a OperandContext<'a>,
    tokens: Vec<TextSpan>,
}

impl<'a> OperandLexer<'a> {
    fn next(&mut self) {
        let Some(first) = self.rest.chars().next() else {
            return;
        };
        match first {
            _ if first.is_whitespace() => self.space(),
            ',' => self.comma(),
            ';' => self.take(self.rest.len(), TextRole::Comment),
            '/' if self.rest.starts_with("//") => self.take(self.rest.len(), TextRole::Comment),
            '{' if self.relative_address() => {}
            '<' if self.rest.contains('>') => self.take(
                self.end_of(|character| character == '>') + 1,
                TextRole::Symbol,
            ),
            '#' if immediate_length(self.rest) > 1 => {
                self.take(immediate_length(self.rest), TextRole::Number)
            }
            '0'..='9' => self.number(),
            _ if is_word_start(first) => self.word(first.len_utf8()),
            _ => self.take(first.len_utf8(), TextRole::Punctuation),
        }
    }

    /// Moves bytes from the rest into a token.
    fn take(&mut self, length_bytes: usize, kind: TextRole) {
        let text = self.advance(length_bytes);
        self.push(kind, text);
    }

    fn advance(&mut self, length_bytes: usize) -> &'a str {
        let (text, rest) = self
            .rest
            .split_at_checked(length_bytes)
            .unwrap_or((self.rest, ""));
        self.rest = rest;
        text
    }

    /// Adds a token. Adjacent punctuation becomes one token.
    fn push(&mut self, kind: TextRole, text: &str) {
        match self.tokens.last_mut() {
            Some(last) if kind == TextRole::Punctuation && last.meaning == kind => {
                last.text.push_str(text)
            }
            _ => self.tokens.push(TextSpan::new(kind, text)),
        }
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
        if self
            .tokens
            .last()
            .is_some_and(|last| !last.text.ends_with(' '))
        {
            self.push(TextRole::Punctuation, " ");
        }
    }

    fn comma(&mut self) {
        self.advance(1);
        self.rest = self.rest.trim_start();
        self.push(
            TextRole::Punctuation,
            if self.rest.is_empty() { "," } else { ", " },
        );
    }

    /// Reads `{pc}+8 ; 0x8008`. Returns false if the text is something else.
    fn relative_address(&mut self) -> bool {
        let read = Some(self.rest).filter(|_| !takes_register_list(self.context.mnemonic));
        let Some((target, length_bytes)) = read.and_then(|text| relative(text, self.context.pc))
        else {
            return false;
        };
        self.advance(length_bytes);
        match (self.context.name_of)(target) {
            Some(name) => self.push(TextRole::Symbol, &name),
            None => self.push(TextRole::Number, &target.to_string()),
        }
        true
    }

    fn number(&mut self) {
        let word = self
            .rest
            .get(..self.end_of(|character| !is_word_part(character)))
            .unwrap_or_default();
        let after = self.rest.get(word.len()..).unwrap_or_default().trim_start();
        // If the disassembler gives the name itself, the address stays.
        let is_target = self.context.is_branch && (after.is_empty() || after.starts_with(';'));
        match absolute(word)
            .filter(|_| is_target)
            .and_then(self.context.name_of)
        {
            Some(name) => {
                self.advance(word.len());
                self.push(TextRole::Symbol, &name);
            }
            None => self.take(word.len(), TextRole::Number),
        }
    }

    fn word(&mut self, first_length: usize) {
        let after_first = self.rest.get(first_length..).unwrap_or_default();
        let more = after_first
            .find(|character| !is_word_part(character))
            .unwrap_or(after_first.len());
        let word = self.advance(first_length + more);
        self.push(kind_of_word(word, self.context), word);
    }

    fn end_of(&self, is_end: impl Fn(char) -> bool) -> usize {
        self.rest.find(is_end).unwrap_or(self.rest.len())
    }
}

fn is_word_start(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '.' | '$' | '%')
}

fn is_word_part(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '$')
}

/// Returns the length of `#8`, `#-0x10` or `#1.5E-02`; 1 for a single `#`.
fn immediate_length(text: &str) -> usize {
    let body = text.get(1..).unwrap_or_default();
    let unsigned = body.strip_prefix(['+', '-']).unwrap_or(body);
    if !unsigned.starts_with(|character: char| character.is_ascii_digit()) {
        return 1;
    }
    let is_hexadecimal = absolute(unsigned.get(..3).unwrap_or_default()).is_some();
    let mut previous = ' ';
    let end = unsigned.find(|character: char| {
        let is_exponent =
            !is_hexadecimal && matches!(previous, 'e' | 'E') && matches!(character, '+' | '-');
        previous = character;
        !(is_exponent || character.is_ascii_alphanumeric() || character == '.')
    });
    let length = end.unwrap_or(unsigned.len());
    text.len() - unsigned.len() + length
}

fn kind_of_word(word: &str, context: &OperandContext<'_>) -> TextRole {
    match context.set.operand_word(context.mnemonic, word) {
        OperandWordKind::Register => TextRole::Register,
        OperandWordKind::Keyword => TextRole::Plain,
        OperandWordKind::Address => TextRole::Symbol,
        OperandWordKind::Other if context.is_branch || word.contains('_') => TextRole::Symbol,
        OperandWordKind::Other => TextRole::Plain,
    }
}

/// Returns the target of a branch that names an address; none for branches through registers and
/// for other instructions.
///
/// `pc` is the address of the instruction: `{pc}+8` counts from there in all instruction sets.
pub fn branch_target(text: &str, pc: Address, set: InstructionSet) -> Option<Address> {
    set.text_flow(text)?;
    let (mnemonic, _) = text
        .trim_start()
        .split_once(char::is_whitespace)
        .unwrap_or((text, ""));
    if takes_register_list(mnemonic) {
        return None;
    }
    if let Some(found) = text.find("{pc}").and_then(|start| text.get(start..)) {
        return relative(found, pc).map(|(target, _)| target);
    }
    let operands = text.split(';').next()?;
    let last = operands.rsplit(|character: char| character == ',' || character.is_whitespace());
    last.map(str::trim)
        .find(|word| !word.is_empty() && !word.starts_with('<'))
        .and_then(absolute)
}

/// Returns true if braces after the mnemonic enclose registers: `pop {pc}` names the pc itself,
/// while `b {pc}` uses its value.
pub fn takes_register_list(mnemonic: &str) -> bool {
    let starts_with = |name: &&str| {
        mnemonic
            .get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    ["pop", "push", "ldm", "stm"].iter().any(starts_with)
}

/// Reads `{pc}`, `{pc}+4` or `{pc}-0x14 ; 0x80000898`. The model computed the address after `;`
/// (`ADRP` counts from the start of a page), so it has priority. Returns also the length of the text
/// that was read.
fn relative(text: &str, pc: Address) -> Option<(Address, usize)> {
    let after = text.strip_prefix("{pc}")?;
    let (distance, rest) = if let Some(forwards) = after.strip_prefix('+') {
        split_number(forwards)?
    } else if let Some(backwards) = after.strip_prefix('-') {
        let (distance, rest) = split_number(backwards)?;
        (distance.wrapping_neg(), rest)
    } else {
        (0, after)
    };
    let stated = rest.trim_start().strip_prefix(';').and_then(|comment| {
        let (word, rest) = split_word(comment.trim_start());
        absolute(word).map(|target| (target, rest))
    });
    let (target, rest) = stated.unwrap_or((Address(pc.0.wrapping_add(distance)), rest));
    Some((target, text.len() - rest.len()))
}

/// Reads a hexadecimal address with `0x`.
pub fn absolute(word: &str) -> Option<Address> {
    let digits = word
        .strip_prefix("0x")
        .or_else(|| word.strip_prefix("0X"))?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal
        .then(|| u64::from_str_radix(digits, 16).ok().map(Address))
        .flatten()
}

fn split_number(text: &str) -> Option<(u64, &str)> {
    let (word, rest) = split_word(text);
    let value = absolute(word)
        .map(|address| address.0)
        .or_else(|| word.parse().ok())?;
    Some((value, rest))
}

fn split_word(text: &str) -> (&str, &str) {
    let end = text
        .find(|character: char| !character.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    text.split_at(end)
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

    fn line_of(set: InstructionSet, text: &str) -> Code {
        Code::parse(text, Address(0x8000_0000), set, &name_of)
    }

    fn line(text: &str) -> Code {
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
            TextRole::Plain => 'm',
            TextRole::Branch => 'b',
            TextRole::Register => 'r',
            TextRole::Number => 'n',
            TextRole::Symbol => 's',
            TextRole::Punctuation => 'p',
            TextRole::Comment => 'c',
            _ => '?',
        };
        let first = (letter(line.mnemonic.meaning), line.mnemonic.text.as_str());
        let words: Vec<_> = line
            .operands
            .iter()
            .map(|token| (letter(token.meaning), token.text.as_str()))
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
            let punctuation = tokens.windows(2).filter(|pair| pair.iter().all(|token| token.meaning == TextRole::Punctuation));
            prop_assert_eq!(punctuation.count(), 0);
        }
    }
}

#[cfg(test)]
mod target_tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<u64>) {
        assert_eq!(
            branch_target(text, Address(0x8000), InstructionSet::A64),
            expected.map(Address),
            "{text}"
        );
    }

    #[test]
    fn the_address_that_the_model_worked_out_counts() {
        check("BL       {pc}+0x88c ; 0x80000898", Some(0x8000_0898));
        check("B.GT     {pc}-0x8 ; 0x7ff8", Some(0x7ff8));
        check("TBNZ     w0,#3,{pc}+0x10 ; 0x8010", Some(0x8010));
        check("BEQ      {pc}+4;0x8004", Some(0x8004));
    }

    #[test]
    fn a_distance_counts_from_the_instruction() {
        check("BL {pc}+0x10", Some(0x8010));
        check("B {pc}-16", Some(0x7ff0));
        check("B {pc}", Some(0x8000));
        check("B {pc}+4 ; soon", Some(0x8004));
        check("B {pc}-0x8001", Some(u64::MAX));
    }

    #[test]
    fn gem5_names_the_address_itself() {
        check("b.eq   0x80000548", Some(0x8000_0548));
        check("bl 0x80000548 <main>", Some(0x8000_0548));
        check("cbz x0, 0x80000548 ; then", Some(0x8000_0548));
    }

    #[test]
    fn what_goes_through_a_register_or_nowhere_has_no_target() {
        for text in [
            "BLR x2",
            "RET",
            "BX lr",
            "POP {pc}",
            "pop.w {pc}",
            "LDM r0,{pc}",
            "ADRP x0,{pc}+0x1000 ; 0x9000",
            "MOV x0, 0x80",
            "",
            "B",
            "B foo",
            "B {pc}+",
        ] {
            check(text, None);
        }
        check("B {pc}+0x", None);
        check("B 0x10000000000000000", None);
        check("B {pc}+é", None);
    }
}
