//! Registers of the RISC-V architecture by number ([`RiscvRegisters`]), looked up once per trace.

use stepback_machine::{InstructionSet, RegisterView, Registers};

use crate::text::digits::decimal;
use crate::text_log::LoggedRegister;

/// Maximum length in bytes of a vector register in a log.
pub(super) const VALUE_BYTES: usize = 256;

/// Views of the numbered registers of one width.
#[derive(Clone, Debug)]
pub(super) struct RiscvRegisters {
    pub set: InstructionSet,
    general: Vec<Option<RegisterView>>,
    float: Vec<Option<RegisterView>>,
    vector: Vec<Option<RegisterView>>,
}

impl RiscvRegisters {
    pub fn new(set: InstructionSet) -> Self {
        let views = |letter: char| {
            (0..32)
                .map(|number| Registers::view(&format!("{letter}{number}"), set))
                .collect()
        };
        Self {
            set,
            general: views('x'),
            float: views('f'),
            vector: views('v'),
        }
    }

    /// Returns general register `number`; none for `x0`, which is never written, and beyond 31.
    #[inline]
    pub fn general(&self, number: u64) -> Option<RegisterView> {
        let number = usize::try_from(number).ok().filter(|number| *number > 0)?;
        self.general.get(number).copied()?
    }

    /// Returns floating-point register `number`.
    #[inline]
    pub fn float(&self, number: u64) -> Option<RegisterView> {
        self.float.get(usize::try_from(number).ok()?).copied()?
    }

    /// Returns vector register `number` with the length in bytes that the log shows.
    pub fn vector(&self, number: u64, size_bytes: u16) -> Option<RegisterView> {
        let view = self.vector.get(usize::try_from(number).ok()?).copied()??;
        let size_bytes = size_bytes.clamp(1, view.size_bytes);
        Some(RegisterView { size_bytes, ..view })
    }

    /// Returns the register with a name in lower case, such as `x5`, `a0` or `mepc`; a register of
    /// its own for names outside the table.
    pub fn named<'n>(&self, name: &'n str) -> LoggedRegister<'n> {
        match Registers::view(name, self.set) {
            Some(view) => LoggedRegister::View(view),
            None => LoggedRegister::Named {
                name: name.as_bytes(),
                size_bytes: self.set.word_bytes(),
            },
        }
    }

    /// Returns whether a name belongs to the zero register.
    pub fn is_zero(name: &[u8]) -> bool {
        matches!(name, b"x0" | b"zero" | b"c0")
    }

    /// Returns the name of a control register by its number.
    pub fn control_name(&self, number: u64) -> String {
        let known = u16::try_from(number)
            .ok()
            .and_then(|number| self.set.control_register_name(number));
        known.map_or_else(|| format!("csr_{number:03x}"), str::to_owned)
    }

    /// Returns the vector register with a name such as `v8`.
    pub fn vector_named(&self, name: &[u8], size_bytes: u16) -> Option<RegisterView> {
        let number = decimal(name.strip_prefix(b"v")?)?;
        self.vector(number, size_bytes)
    }
}
