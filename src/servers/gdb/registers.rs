//! Registers in the order of the target description, with their contents at a position.

use stepback_index::answer::{RegisterState, ThreadId};
use stepback_index::query::RegisterViewsAt;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::target_description::{
    RegisterContent, TargetDescription, TargetRegister, TargetRegisterKind,
};
use stepback_machine::{Endian, RegisterView};
use stepback_parsers::Position;

/// Maximum number of described registers that only the trace names.
const RECORDED_REGISTERS: usize = 512;

/// The registers that a client sees.
#[derive(Clone, Debug)]
pub struct RegisterLayout {
    pub description: TargetDescription,
    /// Registers outside the standard features that the trace names.
    pub recorded: Vec<TargetRegister>,
    endian: Endian,
}

impl RegisterLayout {
    /// Creates the layout for a trace. None if GDB does not know the instruction set.
    pub fn of_trace(index: &Index) -> Option<Self> {
        let traits = index.source().traits();
        let named = named_registers(index);
        let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
        let description = traits.instruction_set.target_description(&names)?;
        let is_described = |name: &str| {
            let mut registers = description.features.iter().flat_map(|one| &one.registers);
            registers.any(|register| register.name == name)
        };
        let is_plain = |name: &str| {
            let mut letters = name.bytes();
            letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
        };
        let recorded = named
            .iter()
            .filter(|(name, view)| {
                is_plain(name) && !is_described(name) && matches!(view.size_bytes, 1 | 2 | 4 | 8)
            })
            .take(RECORDED_REGISTERS)
            .map(|(name, view)| TargetRegister {
                name: name.clone(),
                kind: TargetRegisterKind::Integer(view.size_bytes),
                content: RegisterContent::Traced(name.clone()),
            })
            .collect();
        Some(Self {
            description,
            recorded,
            endian: traits.endian,
        })
    }

    /// Reads the contents of all registers of a thread, in the byte order of the processor. A
    /// register with an unknown byte is unavailable as a whole, as clients know no other form.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn read(
        &self,
        index: &Index,
        thread: ThreadId,
        position: Position,
        cancel: &Cancel,
    ) -> Result<Vec<Option<u8>>, QueryError> {
        let mut views = Vec::new();
        for register in self.registers() {
            if let RegisterContent::Traced(name) = &register.content {
                let view = NameReader(index).register_view_at(name, thread, position)?;
                views.extend(view.map(|view| (register.name.clone(), view)));
            }
        }
        let question = RegisterViewsAt {
            position,
            thread,
            views,
        };
        let states = question.run(index, cancel)?;
        let mut states = states.iter().peekable();
        let mut bytes = Vec::new();
        for register in self.registers() {
            // The states are in the order of the registers, without those that have no view.
            let state = states.next_if(|state| state.name == register.name);
            bytes.extend(self.contents(register, state));
        }
        Ok(bytes)
    }

    fn registers(&self) -> impl Iterator<Item = &TargetRegister> {
        let described = self.description.features.iter();
        described
            .flat_map(|feature| &feature.registers)
            .chain(&self.recorded)
    }

    fn contents(
        &self,
        register: &TargetRegister,
        state: Option<&RegisterState>,
    ) -> Vec<Option<u8>> {
        let size = usize::from(register.kind.size_bytes());
        let known: Option<Vec<u8>> = match (&register.content, state) {
            (RegisterContent::Zero, _) => Some(Vec::new()),
            (RegisterContent::Traced(_), Some(state)) => state.value.0.iter().copied().collect(),
            (RegisterContent::Traced(_), None) => None,
        };
        let mut bytes = match known {
            Some(known) => {
                let mut bytes: Vec<_> = known.into_iter().map(Some).collect();
                bytes.resize(size, Some(0));
                bytes
            }
            None => vec![None; size],
        };
        if self.endian == Endian::Big {
            bytes.reverse();
        }
        bytes
    }
}

/// Returns the registers that only the trace names, of all threads.
fn named_registers(index: &Index) -> Vec<(String, RegisterView)> {
    let threads = (0..).map(ThreadId).take(index.threads().len());
    let mut named: Vec<_> = threads
        .flat_map(|thread| NameReader(index).named_registers(thread))
        .collect();
    named.sort_unstable();
    named.dedup_by(|one, other| one.0 == other.0);
    named
}
