//! What happens between two steps that no instruction does.

use stepback_machine::{Flow, InstructionSet, Mode, RegisterView, Registers};
use stepback_parsers::{Marker, MarkerKind};

use crate::answers::reason::{Fact, Way};
use crate::inference::engine::{Engine, Here, Traced};
use crate::inference::run::{BREAKS, RunMarker, RunStep};

impl Engine<'_> {
    /// Forgets what a step may have changed besides what its operands say.
    pub fn leave(&mut self, here: Here<'_>) {
        if is_trap(here.step) {
            // The kernel, or the host, may have written any memory.
            self.memory.clear();
            self.forget_named(trapped(here.step), here.step);
        }
        if is_stack_choice(here.step) {
            self.forget_named(&["sp"], here.step);
        }
    }

    /// Where an indirect branch went was in a register.
    pub fn state_target(&mut self, here: Here<'_>) {
        let Some(next) = here.next.filter(|_| here.step.is_executed) else { return };
        let Some(target) = target_register(here.step) else { return };
        let fact = Fact::Target(here.step.step());
        let thumb = u64::from(next.set == InstructionSet::T32);
        let term = self.registers.read(target, &mut self.symbols, fact);
        self.symbols.state(term, next.pc.0 | thumb, u64::MAX, fact);
    }

    fn forget_named(&mut self, names: &[&str], step: &RunStep) {
        let views = names.iter().filter_map(|name| Registers::view(name, step.set));
        for RegisterView { register, .. } in views {
            self.registers.forget(RegisterView::new(register, 0, 8), Way::Computed(step.step()), &mut self.symbols);
        }
    }

    /// Takes in what records behind the last step before a place state, in slots up to one.
    pub fn take_markers(&mut self, place: usize, until: u64) {
        let Some(step) = place.checked_sub(1).and_then(|last| self.run.steps.get(last)) else { return };
        while let Some((first, rest)) = self.late.split_first().filter(|(first, _)| first.slot <= until) {
            self.late = rest;
            if BREAKS.contains(&first.marker.kind) {
                return self.clear();
            }
            self.take_marker(step, first.marker);
        }
    }

    fn take_marker(&mut self, step: &RunStep, Marker { kind, value }: Marker) {
        match kind {
            MarkerKind::FUNCTION => {
                self.traced = Traced { is_system_call: value >= system_calls(step.set), arguments: 0 }
            }
            MarkerKind::SYSTEM_CALL if !is_trap(step) => {
                self.memory.clear();
                self.forget_named(trapped(step), step);
            }
            MarkerKind::ARGUMENT => {
                let names = arguments(step.set, self.traced.is_system_call);
                self.state_named(names.get(self.traced.arguments).copied(), value, step);
                self.traced.arguments += 1;
            }
            MarkerKind::RETURN_VALUE => self.take_result(step, value),
            _ => {}
        }
    }

    fn take_result(&mut self, step: &RunStep, value: u64) {
        if self.traced.is_system_call {
            // Other threads may have gone on before it came.
            self.forget_named(result(step.set).as_slice(), step);
            let failed = self.late.first().filter(|next| next.marker.kind == MarkerKind::SYSTEM_CALL_FAILED);
            // Some recordings state here whether the call succeeded.
            if value <= 1 || failed.is_some_and(|failed| failed.marker.value != value.wrapping_neg()) {
                return;
            }
        }
        self.state_named(result(step.set), value, step);
    }

    fn state_named(&mut self, name: Option<&'static str>, value: u64, step: &RunStep) {
        if let Some(view) = name.and_then(|name| Registers::view(name, step.set)) {
            let fact = Fact::Stated(step.step());
            let term = self.registers.read(view, &mut self.symbols, fact);
            self.symbols.state(term, value, u64::MAX, fact);
        }
    }
}

/// From here on numbers of traced functions are those of system calls.
fn system_calls(set: InstructionSet) -> u64 {
    if set.word_bytes() == 4 { 1 << 16 } else { 1 << 32 }
}

/// The register that says exactly where an indirect branch goes; none for other branches.
fn target_register(step: &RunStep) -> Option<RegisterView> {
    let (opcode, set) = (step.opcode(), step.set);
    let number = match set {
        // BR, BLR, RET
        InstructionSet::A64 if matches!(opcode & !0x3e0, 0xd61f_0000 | 0xd63f_0000 | 0xd65f_0000) => opcode >> 5 & 31,
        // Other branches of AArch32 than BX and BLX may leave bit 0 alone.
        // In a handler of M-profile the register may hold no address, but how to return from the exception.
        InstructionSet::T32 if opcode & !0x7f == 0x4700 && step.mode != Mode::Handler => opcode >> 3 & 15,
        InstructionSet::T32 if opcode & !0x7f == 0x4780 => opcode >> 3 & 15,
        InstructionSet::A32 if opcode & 0x0fff_ffd0 == 0x012f_ff10 => opcode & 15,
        InstructionSet::X86_64 | InstructionSet::X86_32 => return x86_target(step),
        _ => return None,
    };
    let prefix = if set == InstructionSet::A64 { 'x' } else { 'r' };
    Registers::view(&format!("{prefix}{number}"), set)
}

/// The register of `jmp` and `call`.
fn x86_target(step: &RunStep) -> Option<RegisterView> {
    let encoding = step.encoding?;
    let bytes = without_hint(encoding.bytes());
    let (extension, bytes) = match bytes {
        [rex @ 0x40..=0x4f, rest @ ..] if step.set == InstructionSet::X86_64 => (usize::from(rex & 1) * 8, rest),
        bytes => (0, bytes),
    };
    let [0xff, operand @ (0xd0..=0xd7 | 0xe0..=0xe7)] = bytes else { return None };
    const NAMES: [&str; 16] =
        ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    let name = NAMES.get(usize::from(operand & 7) + extension)?;
    let view = Registers::view(name, InstructionSet::X86_64)?;
    Some(RegisterView { size_bytes: step.set.word_bytes(), ..view })
}

/// `notrack`, `bnd` and what was thought of a branch change nothing.
fn without_hint(bytes: &[u8]) -> &[u8] {
    match bytes {
        [0x2e | 0x3e | 0xf2, rest @ ..] => rest,
        bytes => bytes,
    }
}

impl Here<'_> {
    /// True when the thread's next step is where the instruction goes, or a record says why it is not.
    pub fn is_followed(self, markers: &[RunMarker]) -> bool {
        // A record that is still to come ends what is known by itself.
        !self.step.is_lost && markers.iter().any(|later| BREAKS.contains(&later.marker.kind))
            || self.next.is_some_and(|next| is_expected(self, next))
    }
}

/// True when a step goes to the next as its instruction says.
fn is_expected(here: Here<'_>, next: &RunStep) -> bool {
    let is_behind = next.pc.0 == here.behind();
    if is_behind || !here.step.is_branch() || !here.step.is_executed {
        return is_behind;
    }
    let target = match here.step.set {
        InstructionSet::X86_64 | InstructionSet::X86_32 => x86_direct_target(here),
        _ => direct_target(here.step),
    };
    match target {
        Some(target) => target == next.pc.0,
        None => here.step.flow() != Some(Flow::ExceptionReturn),
    }
}

/// Where a direct branch of x86 goes; none when it is none, or has a rarer prefix.
fn x86_direct_target(here: Here<'_>) -> Option<u64> {
    let encoding = here.step.encoding?;
    let offset = match *without_hint(encoding.bytes()) {
        [0x70..=0x7f | 0xe0..=0xe3 | 0xeb, offset] => i64::from(offset.cast_signed()),
        [0xe8 | 0xe9, a, b, c, d] | [0x0f, 0x80..=0x8f, a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        _ => return None,
    };
    let target = here.behind().wrapping_add_signed(offset);
    Some(if here.step.set == InstructionSet::X86_32 { target & 0xffff_ffff } else { target })
}

/// Where a direct branch of A64 goes.
fn direct_target(step: &RunStep) -> Option<u64> {
    let opcode = step.opcode();
    // The offset is `bits` wide and begins at bit `from`.
    let (from, bits) = match opcode >> 24 & 0x7f {
        _ if step.set != InstructionSet::A64 => return None,
        0x14..=0x17 => (0, 26),
        0x54 | 0x34 | 0x35 => (5, 19),
        0x36 | 0x37 => (5, 14),
        _ => return None,
    };
    let offset = (opcode << (32 - from - bits)).cast_signed() >> (32 - bits);
    Some(step.pc.0.wrapping_add_signed(4 * i64::from(offset)))
}

/// True when an instruction asks the kernel or the host for something.
pub(super) fn is_trap(step: &RunStep) -> bool {
    let Some(encoding) = step.encoding else { return false };
    match step.set {
        InstructionSet::X86_64 | InstructionSet::X86_32 => {
            matches!(encoding.bytes(), [0x0f, 0x05 | 0x34, ..] | [0xcd, ..] | [0x0f, 0x01, 0xc1 | 0xd9, ..])
        }
        InstructionSet::Riscv64 => encoding.bytes() == [0x73, 0, 0, 0],
        _ => step.flow() == Some(Flow::Trap),
    }
}

/// The registers that it may have changed when control goes on behind the instruction.
fn trapped(step: &RunStep) -> &'static [&'static str] {
    const FIRMWARE: &[&str] = &["r0", "r1", "r2", "r3", "r12"];
    let opcode = step.opcode();
    match step.set {
        InstructionSet::X86_64 => &["rax", "rcx", "r11"],
        InstructionSet::X86_32 => &["eax", "ecx", "edx"],
        InstructionSet::Riscv64 => &["a0"],
        InstructionSet::A64 if !matches!(opcode & 0xffe0_001f, 0xd400_0002 | 0xd400_0003) => &["x0"],
        // HVC, SMC: firmware may use all that a call may use.
        InstructionSet::A64 => &[
            "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
            "x16", "x17",
        ],
        InstructionSet::A32 if opcode & 0x0ff0_00f0 == 0x0140_0070 || opcode & 0x0ff0_00f0 == 0x0160_0070 => FIRMWARE,
        InstructionSet::T32 if opcode & 0xffe0_f000 == 0xf7e0_8000 => FIRMWARE,
        InstructionSet::A32 | InstructionSet::T32 => &["r0"],
        InstructionSet::Regdeps => &[],
    }
}

/// `msr control` of M-profile chooses between two stack pointers.
fn is_stack_choice(step: &RunStep) -> bool {
    let opcode = step.opcode();
    step.set == InstructionSet::T32 && opcode & 0xffe0_d000 == 0xf380_8000
}

/// The registers of a function's arguments, or of a system call's as far as it leaves them alone.
fn arguments(set: InstructionSet, is_system_call: bool) -> &'static [&'static str] {
    const A64: [&str; 8] = ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"];
    match set {
        InstructionSet::X86_64 if is_system_call => &["rdi", "rsi", "rdx", "r10", "r8", "r9"],
        InstructionSet::X86_64 => &["rdi", "rsi", "rdx", "rcx", "r8", "r9"],
        _ if is_system_call => &[],
        InstructionSet::A64 => &A64,
        InstructionSet::A32 | InstructionSet::T32 => &["r0", "r1", "r2", "r3"],
        InstructionSet::Riscv64 => &["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"],
        // On the stack.
        InstructionSet::X86_32 | InstructionSet::Regdeps => &[],
    }
}

fn result(set: InstructionSet) -> Option<&'static str> {
    Some(match set {
        InstructionSet::X86_64 => "rax",
        InstructionSet::X86_32 => "eax",
        InstructionSet::A64 => "x0",
        InstructionSet::A32 | InstructionSet::T32 => "r0",
        InstructionSet::Riscv64 => "a0",
        InstructionSet::Regdeps => return None,
    })
}
