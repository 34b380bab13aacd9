//! Writes the steps of a thread as Tenet text ([`TenetWriter`]).

use std::io::{self, Write};

use stepback_machine::{AccessKind, Address, InstructionSet, RegisterGroup, RegisterId, Registers};

use crate::events::{EventSink, Flow, MemoryAccess, RegisterWrite, StepEvent, ThreadNumber};

/// Longest value of a register that Tenet shows, in bytes.
const WORD: usize = 8;
/// Number of bytes that are written at once.
const BUFFER_BYTES: usize = 64 << 10;

/// A register that Tenet text can state.
#[derive(Clone, Debug)]
struct TextRegister {
    register: RegisterId,
    name: String,
    value: Option<u64>,
    /// True if the next line states the value.
    is_changed: bool,
}

/// Sink that writes a line for each executed step of one thread: the program counter, and the
/// effects of the step before.
pub struct TenetWriter<W> {
    out: W,
    /// Text that is not written yet.
    text: Vec<u8>,
    /// Name of the thread; `None` for the only one.
    name: Option<String>,
    thread: Option<ThreadNumber>,
    set: InstructionSet,
    registers: Vec<TextRegister>,
    pc_name: &'static str,
    /// Memory of the next line.
    memory: Vec<u8>,
    /// Number of lines written.
    pub lines: u64,
    /// Number of accesses that are left out because their bytes are unknown.
    pub unknown_accesses: u64,
    failure: Option<io::Error>,
}

impl<W: Write> TenetWriter<W> {
    /// Creates a writer for the thread with a name, or for the first thread.
    pub fn new(out: W, set: InstructionSet, name: Option<String>) -> Self {
        let word_bytes = set.word_bytes();
        let registers = Registers::of_group(RegisterGroup::Core, set)
            .into_iter()
            .filter(|(_, view)| {
                let is_general = set.number_of(view.register).is_some();
                is_general && view.register != RegisterId::PC && view.size_bytes == word_bytes
            })
            .map(|(name, view)| TextRegister {
                register: view.register,
                name,
                value: None,
                is_changed: false,
            })
            .collect();
        Self {
            out,
            text: Vec::with_capacity(2 * BUFFER_BYTES),
            name,
            thread: None,
            set,
            registers,
            pc_name: match (set.alignment(), word_bytes) {
                (1, 8) => "rip",
                (1, _) => "eip",
                _ => "pc",
            },
            memory: Vec::new(),
            lines: 0,
            unknown_accesses: 0,
            failure: None,
        }
    }

    /// Writes the rest of the text, and reports the first error.
    ///
    /// # Errors
    /// Some text could not be written.
    pub fn check(&mut self) -> io::Result<()> {
        self.failure.take().map_or_else(|| self.write_text(), Err)
    }

    fn write_text(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }

    fn is_of(&self, thread: ThreadNumber) -> bool {
        self.thread == Some(thread)
    }

    fn line(&mut self, pc: Address) -> io::Result<()> {
        for register in &mut self.registers {
            if std::mem::take(&mut register.is_changed)
                && let Some(value) = register.value
            {
                self.text.extend_from_slice(register.name.as_bytes());
                self.text.push(b'=');
                push_number(&mut self.text, value);
                self.text.push(b',');
            }
        }
        self.text.extend_from_slice(self.pc_name.as_bytes());
        self.text.push(b'=');
        push_number(&mut self.text, pc.0);
        self.text.append(&mut self.memory);
        self.text.push(b'\n');
        match self.text.len() < BUFFER_BYTES {
            true => Ok(()),
            false => self.write_text(),
        }
    }
}

/// Appends a number as `0x1f`. The formatting of the standard library would take most of the time of
/// a conversion.
fn push_number(text: &mut Vec<u8>, number: u64) {
    text.extend_from_slice(b"0x");
    let digits = (u64::BITS - number.leading_zeros()).div_ceil(4).max(1);
    let digit = |place: u32| DIGITS[(number >> (4 * place) & 0xf) as usize];
    text.extend((0..digits).rev().map(digit));
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

impl<W: Write> EventSink for TenetWriter<W> {
    fn thread_named(&mut self, thread: ThreadNumber, name: &str) {
        if self.name.as_deref().is_none_or(|wanted| wanted == name) {
            self.thread.get_or_insert(thread);
        }
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        if !self.is_of(step.thread) || !step.is_executed || self.failure.is_some() {
            return;
        }
        self.failure = self.line(step.pc).err();
        self.lines += 1;
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        if !self.is_of(write.thread) {
            return;
        }
        let view = write.view;
        let found = self
            .registers
            .iter_mut()
            .find(|register| register.register == view.register);
        let Some(register) = found else { return };
        let (start, size) = (usize::from(view.offset), usize::from(view.size_bytes));
        let is_whole = start == 0 && size >= usize::from(self.set.word_bytes());
        let before = if is_whole { Some(0) } else { register.value };
        let mut bytes = before.map(u64::to_le_bytes);
        if let (Some(bytes), Some(written)) = (&mut bytes, write.bytes) {
            let room = bytes.iter_mut().skip(start).take(size);
            room.zip(written).for_each(|(to, from)| *to = *from);
        }
        let value = bytes.filter(|_| write.bytes.is_some());
        let value = value.map(u64::from_le_bytes);
        register.is_changed |= value.is_some() && value != register.value;
        register.value = value;
    }

    fn access(&mut self, access: &MemoryAccess) {
        if !self.is_of(access.thread) {
            return;
        }
        let size = usize::from(access.size_bytes).min(WORD);
        let Some(bytes) = access.bytes.as_ref().and_then(|bytes| bytes.get(..size)) else {
            self.unknown_accesses += 1;
            return;
        };
        let kind = match access.kind {
            AccessKind::Read => b",mr=",
            AccessKind::Write => b",mw=",
        };
        self.memory.extend_from_slice(kind);
        push_number(&mut self.memory, access.address.0);
        self.memory.push(b':');
        for byte in bytes {
            let digits = [byte >> 4, byte & 0xf].map(|digit| DIGITS[usize::from(digit)]);
            self.memory.extend_from_slice(&digits);
        }
    }

    fn progress(&mut self, _offset: u64) -> Flow {
        if self.failure.is_some() {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TraceAssumptions;
    use crate::detect::Format;
    use crate::source::{ParseScratch, Source};

    fn open(text: &[u8]) -> std::sync::Arc<dyn Source> {
        Format::of_input(&text.to_vec())
            .unwrap()
            .open_text(Box::new(text.to_vec()), TraceAssumptions::default())
            .unwrap()
    }

    fn written(text: &[u8]) -> String {
        let log = open(text);
        let mut out = Vec::new();
        let mut writer = TenetWriter::new(&mut out, log.traits().instruction_set, None);
        log.parse(
            0..text.len() as u64,
            &mut ParseScratch::default(),
            &mut writer,
        )
        .unwrap();
        writer.check().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn effects_are_on_the_line_after_their_step() {
        let tarmac = "1 clk IT (1) 0000000000001000 d2800020 O EL3h_s : MOV x0,#1\n\
                      1 clk R X0 0000000000000001\n\
                      2 clk IT (2) 0000000000001004 f9000041 O EL3h_s : STR x1,[x2]\n\
                      2 clk MW8 00002000:000000002000 11223344_55667788\n\
                      3 clk IT (3) 0000000000001008 d2800020 O EL3h_s : MOV x0,#1\n\
                      3 clk R X0 0000000000000001\n\
                      4 clk IT (4) 000000000000100c d65f03c0 O EL3h_s : RET\n";
        assert_eq!(
            written(tarmac.as_bytes()),
            "pc=0x1000\nx0=0x1,pc=0x1004\npc=0x1008,mw=0x2000:8877665544332211\npc=0x100c\n"
        );
    }

    #[test]
    fn what_was_read_from_tenet_is_written_as_it_was() {
        for text in [
            "rax=0x0,rsp=0x406100,rip=0x401000\nrsp=0x4060f8,rip=0x401234,mw=0x4060f8:0e10400000000000\n\
             rax=0x12,rip=0x401239,mr=0x402010:a28cd692\n",
            "x0=0x5,sp=0x8000,pc=0x1000\nx0=0x6,x30=0x1004,pc=0x2000\npc=0x1004\n",
        ] {
            assert_eq!(written(text.as_bytes()), text);
        }
    }
}
