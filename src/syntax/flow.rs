//! Which instructions go elsewhere, by their text.

/// How an instruction goes elsewhere, as far as its text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// It leaves a return address behind.
    Call,
    /// It is written as a return: `ret`, `bx lr`, `pop {…,pc}`, …
    Return,
    /// Any other branch, conditional or not.
    Branch,
}

/// True for calls: `bl`, `blr`, `blx`, …
pub fn is_call(text: &str) -> bool {
    flow(text) == Some(Flow::Call)
}

/// True for what is written as a return: `ret`, `bx lr`, `pop {r4,pc}`, `mov pc,lr`, …
pub fn is_return(text: &str) -> bool {
    flow(text) == Some(Flow::Return)
}

/// How an instruction goes elsewhere; none when it goes on to the next.
/// The mnemonics of Arm, x86 and RISC-V do not contradict each other.
pub fn flow(text: &str) -> Option<Flow> {
    let (mnemonic, operands) = without_prefix(text);
    let mnemonic = mnemonic.to_ascii_lowercase();
    // The width of a T32 encoding says nothing here.
    let base = mnemonic.strip_suffix(".w").or(mnemonic.strip_suffix(".n")).unwrap_or(&mnemonic);
    let operands: String = operands.chars().filter(|character| !character.is_whitespace()).collect();
    let operands = operands.to_ascii_lowercase();
    by_mnemonic(base).or_else(|| by_operands(base, &operands)).or_else(|| elsewhere(&mnemonic, &operands))
}

/// Mnemonic and operands; what x86 writes before a mnemonic (`bnd jmp`, `notrack jmp`, `repz ret`) is left out.
pub fn without_prefix(text: &str) -> (&str, &str) {
    let first = first_word(text);
    let is_prefix = PREFIXES.iter().any(|name| first.0.eq_ignore_ascii_case(name)) && !first.1.is_empty();
    if is_prefix { without_prefix(first.1) } else { first }
}

fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim_start()))
}

const PREFIXES: [&str; 9] = ["bnd", "notrack", "rep", "repe", "repne", "repz", "repnz", "lock", "data16"];

/// Branches of x86 and RISC-V; operands without spaces.
fn elsewhere(mnemonic: &str, operands: &str) -> Option<Flow> {
    let base = mnemonic.strip_prefix("c.").unwrap_or(mnemonic);
    let link = operands.split(',').next().unwrap_or_default();
    Some(match base {
        "call" | "lcall" => Flow::Call,
        "retf" | "retfq" | "iret" | "iretd" | "iretq" | "sysret" | "sysretq" | "sysexit" | "mret" | "sret" | "uret" => {
            Flow::Return
        }
        "jr" if matches!(operands, "ra" | "x1") => Flow::Return,
        // With a link register named, only those of the convention are calls; `jal target` has it implied.
        "jal" | "jalr" if operands.contains(',') && !matches!(link, "ra" | "x1" | "t0" | "x5") => {
            if base == "jalr" && operands.ends_with("(ra)") { Flow::Return } else { Flow::Branch }
        }
        "jal" | "jalr" => Flow::Call,
        "j" | "jr" | "jmp" | "ljmp" => Flow::Branch,
        _ if is_decided(base) => Flow::Branch,
        _ => return None,
    })
}

/// Conditional branches of x86 and RISC-V.
fn is_decided(base: &str) -> bool {
    let x86 = ["jcxz", "jecxz", "jrcxz", "loop", "loope", "loopne"];
    let riscv = [
        "bltu", "bgeu", "beqz", "bnez", "blez", "bgez", "bltz", "bgtz", "bgtu", "bleu", "beq", "bne", "blt", "bge",
        "bgt", "ble",
    ];
    x86.contains(&base)
        || riscv.contains(&base)
        || base.strip_prefix('j').is_some_and(|rest| X86_CONDITIONS.contains(&rest))
}

/// False for branches that always go elsewhere: `b`, `br x16`, `ldr pc,[r0]`; true where a condition or a compare decides.
/// Asked of branches only.
pub fn is_conditional_branch(text: &str) -> bool {
    let mnemonic = without_prefix(text).0.to_ascii_lowercase();
    let base = mnemonic.strip_suffix(".w").or(mnemonic.strip_suffix(".n")).unwrap_or(&mnemonic);
    if is_decided(base.strip_prefix("c.").unwrap_or(base)) {
        return true;
    }
    let decides = ["cb", "tbz", "tbnz", "wls", "le", "letp"];
    if decides.iter().any(|name| base.starts_with(name)) {
        return true;
    }
    let condition = base.get(base.len().saturating_sub(2)..).unwrap_or_default();
    // `al` and `nv` are written where nothing decides; the end of `movs` is no condition.
    base != "movs" && CONDITIONS.iter().any(|known| *known == condition && !["al", "nv"].contains(known))
}

/// Those that nothing but their operands makes a return come later.
fn by_mnemonic(base: &str) -> Option<Flow> {
    let stem = base.split('.').next().unwrap_or(base);
    let is = |name: &str| is_conditional(base, name);
    if ["bl", "blx", "blxns"].into_iter().any(is) || stem.starts_with("blr") {
        return Some(Flow::Call);
    }
    if ["ret", "eret"].into_iter().any(|name| stem.starts_with(name)) || stem.starts_with("rfe") {
        return Some(Flow::Return);
    }
    let names = ["br", "braa", "brab", "braaz", "brabz", "cbz", "cbnz", "tbz", "tbnz", "tbb", "tbh"];
    let loops = ["wls", "wlstp", "le", "letp", "lctp"];
    let is_branch = ["b", "bc"].contains(&stem) || ["b", "bxj"].into_iter().any(is);
    let is_compare = stem.strip_prefix("cbb").or(stem.strip_prefix("cbh")).or(stem.strip_prefix("cb"));
    let is_branch = is_branch || is_compare.is_some_and(|rest| CONDITIONS.contains(&rest));
    (is_branch || names.contains(&base) || loops.contains(&stem)).then_some(Flow::Branch)
}

/// Instructions of A32 and T32 that write the pc.
fn by_operands(base: &str, operands: &str) -> Option<Flow> {
    let is = |name: &str| is_conditional(base, name);
    let is_any = |names: &[&str]| names.iter().any(|name| is(name));
    if is_any(&["bx", "bxns"]) {
        return Some(if matches!(operands, "lr" | "r14") { Flow::Return } else { Flow::Branch });
    }
    let loads_pc = operands.contains("pc}") || operands.contains("r15}");
    if loads_pc && (is("pop") || (base.starts_with("ldm") && operands.starts_with("sp"))) {
        return Some(Flow::Return);
    }
    if loads_pc && base.starts_with("ldm") {
        return Some(Flow::Branch);
    }
    let source = operands.strip_prefix("pc,").or_else(|| operands.strip_prefix("r15,"))?;
    let is_link = source.starts_with("lr") || source.starts_with("r14");
    let pops = is("ldr") && source.starts_with("[sp],");
    if pops || (is_link && is_any(&["mov", "movs", "sub", "subs"])) {
        return Some(Flow::Return);
    }
    is_any(&["ldr", "mov", "movs", "add", "sub", "subs"]).then_some(Flow::Branch)
}

const CONDITIONS: [&str; 18] =
    ["eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];

const X86_CONDITIONS: [&str; 30] = [
    "o", "no", "b", "nb", "c", "nc", "ae", "nae", "e", "ne", "z", "nz", "be", "nbe", "a", "na", "s", "ns", "p", "np",
    "pe", "po", "l", "nl", "ge", "nge", "le", "nle", "g", "ng",
];

/// A name alone or with a condition of A32 behind it: `bl` and `bleq`, but `ble` is `b` with `le`.
fn is_conditional(base: &str, name: &str) -> bool {
    base.strip_prefix(name).is_some_and(|rest| rest.is_empty() || CONDITIONS.contains(&rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Option<Flow>, texts: &[&str]) {
        for text in texts {
            assert_eq!(flow(text), expected, "{text}");
            assert_eq!(flow(&text.to_ascii_lowercase()), expected, "{text}");
        }
    }

    #[test]
    fn calls_leave_a_return_address() {
        check(Some(Flow::Call), &["BL       {pc}+0x88c ; 0x80000898", "BLR      x2", "BLX      r3", "BLRAAZ x8"]);
        check(Some(Flow::Call), &["BLEQ {pc}+8", "BLLT foo", "BLXNE r1", "BL.W {pc}+4", "BLXNS r2"]);
        assert!(is_call("  BL foo") && !is_call("B foo"));
    }

    #[test]
    fn returns_are_told_by_their_operands_too() {
        check(Some(Flow::Return), &["RET", "RET      ", "RET x1", "RETAA", "ERET", "RFEIA sp!"]);
        check(Some(Flow::Return), &["BX       lr", "BXNE lr", "POP      {r4,r5,pc}", "POP.W {r4,pc}", "POPEQ {pc}"]);
        check(Some(Flow::Return), &["LDR pc,[sp],#4", "LDM sp!,{r4,pc}", "LDMFD sp!, {r4, pc}", "MOV pc, lr"]);
        check(Some(Flow::Return), &["SUBS pc,lr,#4"]);
        assert!(is_return("RET") && !is_return("BR x30"));
    }

    #[test]
    fn branches_of_all_three_instruction_sets_are_known() {
        check(Some(Flow::Branch), &["B        {pc}-0x14 ; 0x8000", "B.GT     {pc}+0xa8 ; 0x80000548", "BC.EQ foo"]);
        check(Some(Flow::Branch), &["BEQ {pc}+8", "BLT.W {pc}+8", "BLE foo", "BLS foo", "BLO foo", "B.W foo", "BAL x"]);
        check(Some(Flow::Branch), &["CBZ x0,{pc}+8", "CBNZ r0,foo", "TBZ w0,#3,{pc}+8", "TBB [pc,r0]", "CBGT x0,x1,8"]);
        check(
            Some(Flow::Branch),
            &["BR x16", "BRAA x1,x2", "BX r3", "BXJ r0", "LDR pc,[r0]", "MOV pc,r0", "ADD pc,pc,r0"],
        );
        check(Some(Flow::Branch), &["LDM r0,{r1,pc}", "LE lr,{pc}-8"]);
    }

    #[test]
    fn a_condition_or_a_compare_decides_about_some_branches() {
        for text in ["B.GT {pc}+8", "BC.EQ x", "BNE.W x", "BLS x", "CBZ x0,x", "TBNZ w0,#3,x", "LE lr,x", "BXNE r1"] {
            assert!(is_conditional_branch(text) && flow(text) == Some(Flow::Branch), "{text}");
        }
        for text in
            ["B {pc}+4", "b.w x", "B.AL x", "BAL x", "BR x16", "BX r3", "LDR pc,[r0]", "MOVS pc,r1", "TBB [pc,r0]"]
        {
            assert!(!is_conditional_branch(text) && flow(text) == Some(Flow::Branch), "{text}");
        }
    }

    #[test]
    fn branches_of_x86_are_known() {
        check(Some(Flow::Call), &["call 0x1105", "call qword ptr [rip + 0x2faa]", "call rax", "notrack call rax"]);
        check(Some(Flow::Return), &["ret", "ret 8", "repz ret", "bnd ret", "iretq", "sysretq"]);
        check(Some(Flow::Branch), &["jmp 0x1105", "bnd jmp rax", "je 0x10", "jnle 0x10", "jrcxz 0x10", "loop 0x10"]);
        check(
            None,
            &["bt eax, 4", "blsr rax, rbx", "bswap eax", "rep movsb byte ptr [rdi], byte ptr [rsi]", "syscall"],
        );
        assert!(is_conditional_branch("jne 0x10") && is_conditional_branch("jrcxz 0x10"));
        assert!(!is_conditional_branch("jmp 0x10") && !is_conditional_branch("bnd jmp rax"));
    }

    #[test]
    fn branches_of_riscv_are_known() {
        check(Some(Flow::Call), &["jal 0x80", "jal ra, 0x80", "jalr ra, 8(a0)", "jalr a0", "c.jalr a5"]);
        check(Some(Flow::Return), &["ret", "c.jr ra", "jalr zero, 0(ra)", "mret"]);
        check(Some(Flow::Branch), &["j 0x80", "c.j 0x80", "jr a5", "beqz a0, 0x80", "c.bnez a0, 8", "bltu a0, a1, 8"]);
        check(None, &["c.addi sp, -0x10", "jvt 3", "bset a0, a1, a2"]);
        assert!(is_conditional_branch("c.beqz a0, 8") && !is_conditional_branch("c.j 8"));
    }

    #[test]
    fn other_instructions_go_on() {
        let texts =
            ["BIC r0,r0,r1", "BTI c", "BFI r0,r1,#0,#4", "BIT v0.16b,v1.16b,v2.16b", "BKPT #0xab", "BICS x0,x1,x2"];
        check(None, &texts);
        check(
            None,
            &["", " ", "LDR r0,[pc,#8]", "CMP pc,lr", "STR pc,[sp]", "POP {r4,lr}", "SVC #0", "MOV r0,pc", "é"],
        );
        check(None, &["REV x0,x1", "CBX", "BLINK", "LDM sp!,{r4,r5}", "BSL v0,v1,v2"]);
    }
}
