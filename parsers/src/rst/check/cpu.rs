//! State of the rule checks for each processor.

use crate::rst::check::instruction::AddressWidthCheck;
use crate::rst::check::opening::CpuOpeningCheck;
use crate::rst::check::path::ControlPathCheck;
use crate::rst::check::translation::TranslationCheck;
use crate::rst::check::traps::TrapCheck;

/// Maximum number of processors: their numbers have ten bits.
const CPUS: usize = 1 << 10;

/// State of the rule checks for one processor.
#[derive(Debug, Default)]
pub struct CpuState {
    /// Facts recorded before its first instruction.
    pub opening: CpuOpeningCheck,
    /// The expected address of its next instruction.
    pub path: ControlPathCheck,
    /// Its address translations.
    pub translation: TranslationCheck,
    /// Its trap levels.
    pub traps: TrapCheck,
    /// The width of its addresses.
    pub narrow: AddressWidthCheck,
    /// True if its last record was a value of memory.
    pub is_behind_memory: bool,
}

/// The processors seen until now.
#[derive(Debug, Default)]
pub struct CpuStateTable(Vec<Option<Box<CpuState>>>);

impl CpuStateTable {
    /// Returns the state of a processor by its number, created on first use.
    pub fn get(&mut self, number: u16) -> &mut CpuState {
        let place = usize::from(number) % CPUS;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place].get_or_insert_default()
    }

    /// Iterates over the states of all processors seen.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut CpuState> {
        self.0.iter_mut().flatten().map(|cpu| &mut **cpu)
    }
}
