//! The predictors of all processors.

use crate::rst::container::paged::TableBudget;
use crate::rst::container::rz3::array::SectionArray;
use crate::rst::container::rz3::bits::{SectionBits, SectionFault};
use crate::rst::container::rz3::cpu::Rz3CpuState;

/// Maximum number of processors.
const CPUS: usize = 1 << 10;
/// Maximum bytes for the predictors of all processors together, enough for some two hundred
/// processors that execute all code.
const MEMORY: usize = 1 << 30;

/// The processors, created when they first occur.
#[derive(Debug)]
pub struct Rz3CpuTable {
    cpus: Vec<Option<Box<Rz3CpuState>>>,
    budget: TableBudget,
    /// Predicted processor of the next instruction.
    pub predicted: u16,
    /// Processor of the last instruction.
    pub last: u16,
}

impl Rz3CpuTable {
    pub fn new() -> Self {
        let cpus = (0..CPUS).map(|_| None).collect();
        Self {
            cpus,
            budget: TableBudget::new(MEMORY),
            predicted: 0,
            last: 0,
        }
    }

    /// Reads the processor number of a record, given its prediction.
    #[inline]
    pub fn number(bits: &mut SectionBits, predicted: u16) -> u16 {
        bits.predicted_or(
            SectionArray::IsCpuPredicted,
            u64::from(predicted),
            SectionArray::Cpu,
        ) as u16 // ten bits
    }

    pub fn is_known(&self, number: u16) -> bool {
        self.cpus
            .get(usize::from(number))
            .is_some_and(Option::is_some)
    }

    /// Returns the predictors of a processor and the remaining memory. Returns none and sets a
    /// fault if the memory is exceeded.
    #[inline]
    pub fn touch(
        &mut self,
        number: u16,
        bits: &mut SectionBits,
    ) -> Option<(&mut Rz3CpuState, &mut TableBudget)> {
        let place = self.cpus.get_mut(usize::from(number))?;
        if place.is_none() {
            begin(place, &mut self.budget, bits);
        }
        Some((place.as_mut()?, &mut self.budget))
    }

    /// Drops pending differences, since none waits for an instruction of another section. Returns
    /// the first record that is incomplete without its instruction.
    pub fn end_section(&mut self) -> Option<usize> {
        let pending = self
            .cpus
            .iter_mut()
            .flatten()
            .filter_map(|cpu| cpu.pending.take());
        let needed = pending.filter(|pending| pending.is_pc_predicted || pending.is_data_predicted);
        needed.map(|pending| pending.record).min()
    }
}

#[cold]
fn begin(place: &mut Option<Box<Rz3CpuState>>, budget: &mut TableBudget, bits: &mut SectionBits) {
    if budget.take(Rz3CpuState::BYTES) {
        *place = Some(Box::new(Rz3CpuState::new()));
    } else {
        bits.fail(SectionFault::Memory);
    }
}
