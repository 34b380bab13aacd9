//! The instructions at the addresses of a trace, and their numbers where an address had several.

use std::collections::hash_map::Entry;

use foldhash::HashMap;
use stepback_index::Index;
use stepback_index::answer::ExecutedCode;
use stepback_index::read::encoding_of;
use stepback_machine::{Address, Encoding, InstructionSet, step_text};
use stepback_parsers::{Step, StepEvent};

use crate::columns::rows::CodeRow;
use crate::session::Session;

/// Identity of an instruction: address and variant.
type CodeKey = (u64, u32);

/// An executed instruction.
#[derive(Clone, Debug)]
struct KnownCode {
    set: InstructionSet,
    /// Encoding as the trace records it; see [`StepEvent`].
    recorded: (u32, Box<[u8]>),
    encoding: Option<Encoding>,
    variant: u32,
    first: Step,
    text: String,
}

impl KnownCode {
    fn is_of(&self, event: &StepEvent<'_>) -> bool {
        self.set == event.instruction_set
            && self.recorded.0 == event.opcode
            && *self.recorded.1 == *event.bytes
    }
}

/// Number of places for recent instructions, a power of two. They take 160 KB, which the cache of a
/// core holds; the instructions of a large program would not fit.
const RECENT_CODES: usize = 1 << 12;

/// An instruction as the trace records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RecordedCode {
    pc: u64,
    opcode: u32,
    set: InstructionSet,
    bytes: Option<Encoding>,
}

impl RecordedCode {
    /// Returns none for more bytes than an instruction has.
    fn of(event: &StepEvent<'_>) -> Option<Self> {
        let bytes = Encoding::new(event.bytes);
        (bytes.is_some() || event.bytes.is_empty()).then_some(Self {
            pc: event.pc.0,
            opcode: event.opcode,
            set: event.instruction_set,
            bytes,
        })
    }

    /// Returns the place of the instruction among the recent ones.
    fn place(&self) -> usize {
        usize::try_from(self.pc >> 1).unwrap_or(0) % RECENT_CODES
    }
}

/// The instructions of a part of the trace.
#[derive(Debug, Default)]
pub(super) struct CodeCollector {
    /// By address; nearly all addresses have one.
    found: HashMap<u64, Vec<KnownCode>>,
    /// Recent instructions and their variants, each in its place.
    recent: Vec<Option<(RecordedCode, u32)>>,
}

impl CodeCollector {
    /// Adds the instruction of a step, and returns its variant.
    pub fn add(&mut self, index: &Index, step: Step, event: &StepEvent<'_>) -> u32 {
        let Some(recorded) = RecordedCode::of(event) else {
            return self.find_or_add(index, step, event);
        };
        if let Some(Some((recent, variant))) = self.recent.get(recorded.place())
            && *recent == recorded
        {
            return *variant;
        }
        let variant = self.find_or_add(index, step, event);
        if self.recent.is_empty() {
            self.recent.resize(RECENT_CODES, None);
        }
        if let Some(place) = self.recent.get_mut(recorded.place()) {
            *place = Some((recorded, variant));
        }
        variant
    }

    fn find_or_add(&mut self, index: &Index, step: Step, event: &StepEvent<'_>) -> u32 {
        let known = self.found.entry(event.pc.0).or_default();
        if let Some(code) = known.iter().find(|code| code.is_of(event)) {
            return code.variant;
        }
        let encoding = encoding_of(index, event);
        let variant = variant_of(index, event, encoding);
        known.push(KnownCode {
            set: event.instruction_set,
            recorded: (event.opcode, event.bytes.into()),
            encoding,
            variant,
            first: step,
            text: step_text(
                event.text,
                encoding,
                event.pc,
                event.instruction_set,
                event.length_bytes,
            ),
        });
        variant
    }
}

/// Returns the number of an instruction among those that the trace executed at its address, by
/// first execution. It is 0 if the trace does not record instructions. One that the index does not
/// list gets a number after those that it lists.
fn variant_of(index: &Index, event: &StepEvent<'_>, encoding: Option<Encoding>) -> u32 {
    let codes = index.executed_codes();
    let here = codes.partition_point(|code| code.pc < event.pc);
    let rest = codes.get(here..).unwrap_or_default();
    let count = rest.partition_point(|code| code.pc == event.pc);
    let mut at_address = rest.iter().take(count);
    let is_same =
        |code: &ExecutedCode| code.set == event.instruction_set && Some(code.encoding) == encoding;
    let place = at_address.position(is_same);
    u32::try_from(place.unwrap_or(count)).unwrap_or(u32::MAX)
}

/// The instructions of the whole trace.
#[derive(Debug, Default)]
pub(super) struct CodeRows(HashMap<CodeKey, KnownCode>);

impl CodeRows {
    /// Takes the instructions of a part.
    pub fn merge(&mut self, part: CodeCollector) {
        for (pc, codes) in part.found {
            for code in codes {
                match self.0.entry((pc, code.variant)) {
                    Entry::Vacant(none) => _ = none.insert(code),
                    Entry::Occupied(mut known) if code.first < known.get().first => {
                        known.insert(code);
                    }
                    Entry::Occupied(_) => {}
                }
            }
        }
    }

    /// Returns the rows by address and variant.
    pub fn rows(&self, session: &Session) -> Vec<CodeRow> {
        let mut rows: Vec<_> = self
            .0
            .iter()
            .map(|((pc, _), code)| row(session, *pc, code))
            .collect();
        rows.sort_unstable_by_key(|row| (row.pc, row.variant));
        rows
    }
}

fn row(session: &Session, pc: u64, code: &KnownCode) -> CodeRow {
    let address = Address(pc);
    let function = session.images.code_at(address);
    let source = session.images.source_at(address);
    let file = source
        .as_ref()
        .map(|line| session.source_map.text(&line.file));
    CodeRow {
        pc,
        variant: code.variant,
        first_step: code.first.0,
        bytes: code.encoding.map(|encoding| encoding.bytes().into()),
        instruction_set: code.set.names().word,
        text: code.text.clone(),
        function: function.map(|found| pc.wrapping_sub(found.offset)),
        name: function.map(|found| found.name.to_owned()),
        file: file.map(|file| file.to_string()),
        source_line: source.map(|line| line.line),
    }
}
