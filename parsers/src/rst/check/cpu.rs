//! What the rules remember of each processor.

use crate::rst::check::instruction::AddressWidthCheck;
use crate::rst::check::opening::CpuOpeningCheck;
use crate::rst::check::path::ControlPathCheck;
use crate::rst::check::translation::TranslationCheck;
use crate::rst::check::traps::TrapCheck;

/// Numbers of processors have ten bits.
const CPUS: usize = 1 << 10;

/// What the rules remember of a processor.
#[derive(Debug, Default)]
pub struct CpuState {
    /// What was told of it before its first instruction.
    pub opening: CpuOpeningCheck,
    /// Where it goes on.
    pub path: ControlPathCheck,
    /// How its addresses are translated.
    pub translation: TranslationCheck,
    /// Its trap levels.
    pub traps: TrapCheck,
    /// Whether its addresses have 32 bits.
    pub narrow: AddressWidthCheck,
    /// Its last record was a value of memory.
    pub is_behind_memory: bool,
}

/// The processors seen so far.
#[derive(Debug, Default)]
pub struct CpuStateTable(Vec<Option<Box<CpuState>>>);

impl CpuStateTable {
    /// A processor by its number.
    pub fn get(&mut self, number: u16) -> &mut CpuState {
        let place = usize::from(number) % CPUS;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place].get_or_insert_default()
    }

    /// All of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut CpuState> {
        self.0.iter_mut().flatten().map(|cpu| &mut **cpu)
    }
}
