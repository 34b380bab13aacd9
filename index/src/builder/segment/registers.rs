//! Register views that a segment writes, with the slots of their writes.

use foldhash::HashMap;
use stepback_machine::{RegisterId, RegisterView};

use crate::builder::segment::sealed::SealedSegment;

/// Number of threads whose common views are numbered without hashing.
const COMMON_THREADS: usize = 4;
/// Number of common parts of a register.
const COMMON_PARTS: usize = 8;

/// Collects the writes of registers.
#[derive(Debug, Default)]
pub(super) struct RegisterColumns {
    /// Names of the registers outside the table.
    names: Vec<String>,
    views: Vec<(u16, RegisterView)>,
    /// Slots of the writes of each view; lists beyond the last view are buffers.
    slots: Vec<Vec<u32>>,
    /// For the first threads, each register of the table and each common part of it: number of the
    /// view + 1.
    common: Vec<u32>,
    others: HashMap<(u16, RegisterView), usize>,
}

impl RegisterColumns {
    /// Begins a task.
    pub fn begin_task(&mut self) {
        self.names.clear();
    }

    /// Adds the next register outside the table.
    pub fn add_name(&mut self, register: RegisterId, name: &str) {
        debug_assert_eq!(
            usize::from(register.0 - RegisterId::FIRST_NAMED.0),
            self.names.len(),
            "named registers come in order"
        );
        self.names.push(name.to_owned());
    }

    /// Begins a segment.
    pub fn clear(&mut self) {
        self.views.clear();
        self.others.clear();
        self.common.clear();
        self.common.resize(
            COMMON_THREADS * usize::from(RegisterId::FIRST_NAMED.0) * COMMON_PARTS,
            0,
        );
    }

    /// Records a write of a view by a thread; several in a slot are listed once.
    #[inline(always)]
    pub fn push(&mut self, slot: u32, thread: u16, view: RegisterView) {
        let number = self.number(thread, view);
        let slots = &mut self.slots[number];
        if slots.last() != Some(&slot) {
            slots.push(slot);
        }
    }

    #[inline(always)]
    fn number(&mut self, thread: u16, view: RegisterView) -> usize {
        let place = Self::place(thread, view);
        let known = match place {
            Some(place) => self.common[place]
                .checked_sub(1)
                .map(|number| number as usize),
            None => self.others.get(&(thread, view)).copied(),
        };
        match known {
            Some(number) => number,
            None => self.add_view(thread, view, place),
        }
    }

    #[inline(always)]
    fn place(thread: u16, view: RegisterView) -> Option<usize> {
        let part = match (view.offset, view.size_bytes) {
            (0, 8) => 0,
            (0, 4) => 1,
            (0, 16) => 2,
            (8, 8) => 3,
            (4, 4) => 4,
            (8, 4) => 5,
            (12, 4) => 6,
            _ => return None,
        };
        let (thread, register) = (usize::from(thread), usize::from(view.register.0));
        let registers = usize::from(RegisterId::FIRST_NAMED.0);
        (thread < COMMON_THREADS && register < registers)
            .then(|| (thread * registers + register) * COMMON_PARTS + part)
    }

    #[cold]
    fn add_view(&mut self, thread: u16, view: RegisterView, place: Option<usize>) -> usize {
        let number = self.views.len();
        self.views.push((thread, view));
        if self.slots.len() == number {
            self.slots.push(Vec::new());
        }
        self.slots[number].clear();
        match place {
            Some(place) => self.common[place] = number as u32 + 1,
            None => _ = self.others.insert((thread, view), number),
        }
        number
    }

    /// Iterates over the views with the slots of their writes.
    pub fn lists(&self) -> impl Iterator<Item = (u16, RegisterView, &Vec<u32>)> {
        self.views
            .iter()
            .zip(&self.slots)
            .map(|((thread, view), slots)| (*thread, *view, slots))
    }

    /// Hands over the names and views.
    pub fn finish(&self, sealed: &mut SealedSegment) {
        sealed.register_names = self.names.clone();
        sealed.views = self.views.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_listed_by_thread_and_view_once_a_slot() {
        let mut registers = RegisterColumns::default();
        registers.clear();
        let [whole, part] =
            [(0, 8), (3, 1)].map(|(offset, size)| RegisterView::new(RegisterId(1), offset, size));
        let writes = [
            (1, 0, whole),
            (1, 0, whole),
            (2, 9, whole),
            (3, 0, part),
            (4, 0, whole),
        ];
        for (slot, thread, view) in writes {
            registers.push(slot, thread, view);
        }
        let lists: Vec<_> = registers.lists().collect();
        let expected = [
            (0, whole, &vec![1, 4]),
            (9, whole, &vec![2]),
            (0, part, &vec![3]),
        ];
        assert_eq!(lists, expected);
    }
}
