//! The signals of a CPU.

use std::io;
use std::io::Write;

use stepback_index::answer::ThreadId;
use stepback_machine::{AccessKind, InstructionSet, RegisterId, RegisterView};

use super::node::{DumpNode, NodeAccess, NodeInstruction};
use super::register_state::{RegisterState, SHOWN_BYTES};
use super::signals::{RegisterSignal, register_signals};
use super::writer::{Bit, SignalId, SignalKind, VcdWriter};
use crate::vcd::dump::Fidelity;
use crate::vcd::signals::share_names;

pub struct CpuScope {
    thread: ThreadId,
    name: String,
    word_bits: usize,
    data_bits: usize,
    /// Instruction sets whose names it uses, and the index of the one in use at the current node.
    sets: Vec<InstructionSet>,
    set: usize,
    registers: Vec<(SignalId, RegisterSignal)>,
    /// For each register of the table, the signals that show a part of it.
    by_register: Vec<Vec<usize>>,
    ids: FixedIds,
    /// Instruction whose values the signals show; its text is without the comment.
    shown: Option<NodeInstruction>,
    /// True while the access signals show the last access.
    is_driven: bool,
    /// Register signals to write with the next node regardless of changes.
    due: Vec<usize>,
}

/// The signals that every CPU has.
struct FixedIds {
    cycle: SignalId,
    function: SignalId,
    inst: SignalId,
    inst_asm: SignalId,
    inst_executed: SignalId,
    pc: SignalId,
    mem_rw: SignalId,
    mem_addr: SignalId,
    mem_data: SignalId,
}

impl CpuScope {
    /// Creates the scope of a thread that uses the names of some instruction sets. `first` is the
    /// number of its first signal.
    pub fn new(
        thread: ThreadId,
        sets: Vec<InstructionSet>,
        name: &str,
        first: usize,
        fidelity: Fidelity,
    ) -> Self {
        let mut last = first;
        let mut next = || {
            last += 1;
            SignalId::of(last - 1)
        };
        let registers: Vec<_> = register_signals(&sets)
            .into_iter()
            .map(|signal| (next(), signal))
            .collect();
        let mut by_register = vec![Vec::new(); usize::from(RegisterId::FIRST_NAMED.0)];
        for (place, (_, signal)) in registers.iter().enumerate() {
            for view in signal.views.iter().flatten() {
                if let Some(shows) = by_register.get_mut(usize::from(view.register.0)) {
                    shows.push(place);
                }
            }
        }
        let ids = FixedIds {
            cycle: next(),
            function: next(),
            inst: next(),
            inst_asm: next(),
            inst_executed: next(),
            pc: next(),
            mem_rw: next(),
            mem_addr: next(),
            mem_data: next(),
        };
        let word_bits = 8 * usize::from(sets.iter().map(|set| set.word_bytes()).max().unwrap_or(0));
        // AArch32 has 64-bit accesses too.
        let data_bits = if fidelity == Fidelity::Exact {
            64
        } else {
            word_bits
        };
        let (name, shown, is_driven, due) = (name.to_owned(), None, false, Vec::new());
        Self {
            thread,
            name,
            word_bits,
            data_bits,
            sets,
            set: 0,
            registers,
            by_register,
            ids,
            shown,
            is_driven,
            due,
        }
    }

    /// Returns the number of signals.
    pub fn signal_count(&self) -> usize {
        self.registers.len() + 9
    }

    /// Schedules all known registers for the next node.
    pub fn want_all(&mut self, registers: &RegisterState) {
        self.turn_to(registers);
        let places = 0..self.registers.len();
        let is_known = |view| registers.read(view).any(|byte| byte.is_some());
        self.due = places
            .filter(|place| self.view(*place).is_some_and(is_known))
            .collect();
    }

    /// Switches to the names in use. Schedules the signals whose meaning changes for the next node.
    fn turn_to(&mut self, registers: &RegisterState) {
        let place = |set| self.sets.iter().position(|known| share_names(*known, set));
        let Some(set) = registers
            .set()
            .and_then(place)
            .filter(|set| *set != self.set)
        else {
            return;
        };
        let before = std::mem::replace(&mut self.set, set);
        let differs = |signal: &RegisterSignal| signal.views.get(before) != signal.views.get(set);
        let changed = self
            .registers
            .iter()
            .enumerate()
            .filter(|(_, (_, signal))| differs(signal));
        self.due.extend(changed.map(|(place, _)| place));
    }

    /// Declares the signals.
    pub fn declare<W: Write>(&self, out: &mut VcdWriter<W>) -> io::Result<()> {
        out.line(&format!("$scope module {} $end", self.name))?;
        for (id, signal) in &self.registers {
            out.declare(
                id,
                SignalKind::Number(8 * usize::from(signal.size_bytes)),
                &signal.name,
            )?;
        }
        let FixedIds {
            cycle,
            function,
            inst,
            inst_asm,
            inst_executed,
            pc,
            mem_rw,
            mem_addr,
            mem_data,
        } = &self.ids;
        out.declare(cycle, SignalKind::Number(32), "Cycle")?;
        out.declare(function, SignalKind::Text, "Function")?;
        out.declare(inst, SignalKind::Number(32), "Inst")?;
        out.declare(inst_asm, SignalKind::Text, "InstAsm")?;
        out.declare(inst_executed, SignalKind::Bit, "InstExecuted")?;
        out.declare(pc, SignalKind::Number(self.word_bits), "PC")?;
        out.declare(mem_rw, SignalKind::Text, "MemRW")?;
        out.declare(mem_addr, SignalKind::Number(self.word_bits), "MemAddr")?;
        out.declare(mem_data, SignalKind::Number(self.data_bits), "MemData")?;
        out.line("$upscope $end")
    }

    /// Writes the changes of a node except accesses. `function` is the name of the function that
    /// begins here, if any.
    pub fn node<W: Write>(
        &mut self,
        node: &DumpNode,
        function: Option<&str>,
        registers: &RegisterState,
        out: &mut VcdWriter<W>,
    ) -> io::Result<()> {
        put(out, &self.ids.cycle, node.time, 32)?;
        if let Some(instruction) = node
            .instruction
            .as_ref()
            .filter(|instruction| instruction.thread == self.thread)
        {
            self.instruction(instruction, out)?;
        }
        if let Some(name) = function {
            out.text(&self.ids.function, name.as_bytes())?;
        }
        self.written_registers(node, registers, out)
    }

    fn instruction<W: Write>(
        &mut self,
        instruction: &NodeInstruction,
        out: &mut VcdWriter<W>,
    ) -> io::Result<()> {
        let NodeInstruction {
            is_executed,
            pc,
            opcode,
            ..
        } = *instruction;
        let now = NodeInstruction {
            text: without_comment(&instruction.text),
            ..*instruction
        };
        let before = self.shown.as_ref();
        if before.is_none_or(|before| before.is_executed != is_executed) {
            out.bit(
                &self.ids.inst_executed,
                if is_executed { Bit::One } else { Bit::Zero },
            )?;
        }
        if before.is_none_or(|before| before.pc != pc) {
            put(out, &self.ids.pc, pc, self.word_bits)?;
        }
        if before.is_none_or(|before| before.opcode != opcode) {
            put(out, &self.ids.inst, opcode.into(), 32)?;
        }
        if before.is_none_or(|before| before.text != now.text) {
            out.text(&self.ids.inst_asm, &now.text)?;
        }
        self.shown = Some(now);
        Ok(())
    }

    fn written_registers<W: Write>(
        &mut self,
        node: &DumpNode,
        registers: &RegisterState,
        out: &mut VcdWriter<W>,
    ) -> io::Result<()> {
        self.turn_to(registers);
        let mut written = std::mem::take(&mut self.due);
        for (_, view) in node
            .writes
            .iter()
            .filter(|(thread, _)| *thread == self.thread)
        {
            let shows = self
                .by_register
                .get(usize::from(view.register.0))
                .map_or(&[][..], Vec::as_slice);
            written.extend(shows.iter().filter(|place| {
                self.view(**place)
                    .is_some_and(|shown| shown.overlaps(*view))
            }));
        }
        written.sort_unstable_by_key(|place| {
            self.registers.get(*place).map(|(_, signal)| signal.rank)
        });
        written.dedup();
        for (place, (id, signal)) in written
            .iter()
            .filter_map(|place| Some((*place, self.registers.get(*place)?)))
        {
            let mut bytes = [None; SHOWN_BYTES as usize];
            let known = self
                .view(place)
                .into_iter()
                .flat_map(|view| registers.read(view));
            bytes
                .iter_mut()
                .zip(known)
                .for_each(|(byte, known)| *byte = known);
            out.number(id, bytes.into_iter().take(usize::from(signal.size_bytes)))?;
        }
        written.clear();
        // Reuse its buffer.
        self.due = written;
        Ok(())
    }

    /// Returns the view that a signal shows; `None` while its name does not exist.
    fn view(&self, place: usize) -> Option<RegisterView> {
        *self.registers.get(place)?.1.views.get(self.set)?
    }

    /// Writes an access.
    pub fn access<W: Write>(
        &mut self,
        access: &NodeAccess,
        out: &mut VcdWriter<W>,
    ) -> io::Result<()> {
        self.is_driven = true;
        let letter = match access.kind {
            AccessKind::Read => b"R",
            AccessKind::Write => b"W",
        };
        out.text(&self.ids.mem_rw, letter)?;
        put(out, &self.ids.mem_addr, access.address.0, self.word_bits)?;
        match access.value {
            Some(value) => put(out, &self.ids.mem_data, value, self.data_bits),
            None => out.number(
                &self.ids.mem_data,
                std::iter::repeat_n(None, self.data_bits / 8),
            ),
        }
    }

    /// Releases the access signals.
    pub fn release<W: Write>(&mut self, out: &mut VcdWriter<W>) -> io::Result<()> {
        if !std::mem::take(&mut self.is_driven) {
            return Ok(());
        }
        out.text(&self.ids.mem_rw, b"")?;
        out.undriven(&self.ids.mem_addr, self.word_bits)?;
        out.undriven(&self.ids.mem_data, self.data_bits)
    }
}

/// Writes the low `bits` bits of a number.
fn put<W: Write>(
    out: &mut VcdWriter<W>,
    id: &SignalId,
    number: u64,
    bits: usize,
) -> io::Result<()> {
    out.number(
        id,
        number.to_le_bytes().into_iter().take(bits / 8).map(Some),
    )
}

/// Returns a disassembly without its comment and with single spaces.
fn without_comment(text: &[u8]) -> Vec<u8> {
    let code = text.split(|byte| *byte == b';').next().unwrap_or_default();
    let words = code
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(&b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(without_comment(text.as_bytes()), expected.as_bytes());
    }

    #[test]
    fn a_disassembly_loses_its_comment_and_its_columns() {
        check("BL       {pc}+0x398 ; 0x204f0", "BL {pc}+0x398");
        check("NOP", "NOP");
        check("LDR\tr0,[r1, #4]  ", "LDR r0,[r1, #4]");
        check("; nothing", "");
    }
}
