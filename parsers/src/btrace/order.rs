//! Sorts the records of all threads by time.
//!
//! A recorder samples the time before it waits for the lock of the buffer. So records of different
//! threads are slightly out of order in the file; those of one thread are in order. Records pass
//! through a reorder window. The window also shows the next record of a thread, which determines
//! the thread's path after the current one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;

use foldhash::HashMap;

use crate::btrace::record::{BranchRecord, BranchRecordReader};
use crate::packed::Damage;

/// Number of records in the window.
const WINDOW: usize = 1 << 14;
/// Maximum number of threads whose last record is remembered.
const THREADS: usize = 1 << 16;

/// A record in time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedRecord<'a> {
    /// Number in this order, from 1.
    pub ordinal: u64,
    /// Record, with a time that does not run backwards in its thread.
    pub record: &'a BranchRecord,
    /// Next record of its thread, if it is in the window.
    pub next: Option<&'a BranchRecord>,
    /// True if the thread has or may have another record.
    pub may_go_on: bool,
    /// Recorded time, if it did not fit the thread's other times and was corrected.
    pub wrong_time: Option<u64>,
}

/// Reader that returns records in time order.
pub struct TimeOrderedReader {
    reader: BranchRecordReader,
    slots: VecDeque<ReorderSlot>,
    /// Number of the first slot.
    first: u64,
    /// Keys and numbers of slots that arrived in order.
    sorted: VecDeque<(u64, u64)>,
    /// Keys and numbers of slots that arrived out of order.
    late: BinaryHeap<Reverse<(u64, u64)>>,
    threads: HashMap<u64, LastThreadRecord>,
    handed_out: u64,
    is_over: bool,
}

#[derive(Clone, Copy, Debug)]
struct ReorderSlot {
    record: BranchRecord,
    /// Time by which the record is sorted.
    key: u64,
    /// Slot number of the thread's next record.
    next: Option<u64>,
    wrong_time: Option<u64>,
    is_taken: bool,
}

/// Last record of a thread.
#[derive(Clone, Copy, Debug)]
struct LastThreadRecord {
    slot: u64,
    key: u64,
    /// Key of the thread's record before; `None` for its first record.
    key_before: Option<u64>,
}

impl TimeOrderedReader {
    /// Creates a reader that begins with the first record.
    pub fn new(reader: BranchRecordReader) -> Self {
        Self {
            reader,
            slots: VecDeque::new(),
            first: 0,
            sorted: VecDeque::new(),
            late: BinaryHeap::new(),
            threads: HashMap::default(),
            handed_out: 0,
            is_over: false,
        }
    }

    /// Returns the next record; `None` after the last one.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn next_turn(&mut self) -> io::Result<Option<OrderedRecord<'_>>> {
        while self.slots.front().is_some_and(|slot| slot.is_taken) {
            self.slots.pop_front();
            self.first += 1;
        }
        while self.slots.len() < WINDOW && !self.is_over {
            match self.reader.next_record()? {
                Some(record) => self.push(record),
                None => self.is_over = true,
            }
        }
        Ok(self.take().and_then(|number| self.turn(number)))
    }

    /// Returns the number of bytes after the last whole record, once all records were returned.
    pub fn cut_off_bytes(&self) -> usize {
        self.reader.cut_off_bytes()
    }

    /// Returns why the records end, once all were returned, if the file is compressed and damaged
    /// there.
    pub fn damage(&self) -> Option<&Damage> {
        self.reader.damage()
    }

    fn push(&mut self, mut record: BranchRecord) {
        let number = self.first + self.slots.len() as u64;
        let known = self.threads.get(&record.thread).copied();
        if known.is_none() && self.threads.len() >= THREADS {
            self.threads.clear();
        }
        let earliest = known.map_or(0, |known| self.earliest_after(known, record.time));
        let key = record.time.unwrap_or(earliest).max(earliest);
        let wrong_time = record.time.filter(|time| *time != key);
        if record.time.is_some() {
            record.time = Some(key);
        }
        if let Some(slot) = known.and_then(|known| self.slot(known.slot)) {
            slot.next = Some(number);
        }
        self.threads.insert(
            record.thread,
            LastThreadRecord {
                slot: number,
                key,
                key_before: known.map(|_| earliest),
            },
        );
        self.slots.push_back(ReorderSlot {
            record,
            key,
            next: None,
            wrong_time,
            is_taken: false,
        });
        self.queue(key, number);
    }

    /// Returns the earliest time that the next record of a thread may have. If only the time of the
    /// thread's last record is out of line, corrects that one instead.
    fn earliest_after(&mut self, known: LastThreadRecord, time: Option<u64>) -> u64 {
        let LastThreadRecord {
            slot: number,
            key,
            key_before,
        } = known;
        let lower =
            time.filter(|time| *time < key && key_before.is_none_or(|before| *time >= before));
        let slot = self.slot(number).filter(|slot| !slot.is_taken);
        let Some((slot, key_before)) = slot.zip(lower.map(|time| key_before.unwrap_or(time)))
        else {
            return key;
        };
        slot.wrong_time = slot.wrong_time.or(slot.record.time);
        (slot.key, slot.record.time) = (key_before, Some(key_before));
        self.late.push(Reverse((key_before, number)));
        key_before
    }

    fn queue(&mut self, key: u64, number: u64) {
        match self.sorted.back() {
            Some((last, _)) if *last > key => self.late.push(Reverse((key, number))),
            _ => self.sorted.push_back((key, number)),
        }
    }

    fn slot(&mut self, number: u64) -> Option<&mut ReorderSlot> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.slots.get_mut(place)
    }

    /// Returns the number of the slot with the lowest key.
    fn take(&mut self) -> Option<u64> {
        loop {
            let late = self.late.peek().map(|Reverse(late)| *late);
            let (key, number) = match (self.sorted.front().copied(), late) {
                (Some(sorted), Some(late)) if late < sorted => {
                    self.late.pop().map(|Reverse(late)| late)?
                }
                (Some(_), _) => self.sorted.pop_front()?,
                (None, _) => self.late.pop().map(|Reverse(late)| late)?,
            };
            // A slot whose time was corrected is in both queues.
            let Some(slot) = self
                .slot(number)
                .filter(|slot| !slot.is_taken && slot.key == key)
            else {
                continue;
            };
            slot.is_taken = true;
            self.handed_out += 1;
            return Some(number);
        }
    }

    fn turn(&self, number: u64) -> Option<OrderedRecord<'_>> {
        let slot = |number: u64| {
            self.slots
                .get(usize::try_from(number.checked_sub(self.first)?).ok()?)
        };
        let ReorderSlot {
            record,
            next,
            wrong_time,
            ..
        } = slot(number)?;
        let next = next.and_then(slot).map(|slot| &slot.record);
        let may_go_on = next.is_some() || !self.is_over;
        Some(OrderedRecord {
            ordinal: self.handed_out,
            record,
            next,
            may_go_on,
            wrong_time: *wrong_time,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::btrace::record::BranchLayout;
    use crate::read_at::TraceFile;

    /// A record as returned by the reader, with owned fields.
    struct Handed {
        record: BranchRecord,
        next: Option<BranchRecord>,
        wrong_time: Option<u64>,
    }

    /// Returns the records of a file in time order. `records` lists threads and times; the address
    /// of a record is four times its index.
    fn turns(records: &[(u64, u64)]) -> Vec<Handed> {
        let layout = BranchLayout::own(0);
        let mut bytes = Vec::new();
        for (place, (thread, time)) in records.iter().enumerate() {
            let record = BranchRecord {
                number: 0,
                time: Some(*time),
                pc: 4 * place as u64,
                target: 0,
                thread: *thread,
                cpu: Some(0),
                is_taken: true,
                is_annulled: None,
                kind: None,
                word: None,
            };
            layout.write(&record, &mut bytes);
        }
        let file = TraceFile {
            name: String::new(),
            data: Arc::new(bytes),
        };
        let mut order = TimeOrderedReader::new(BranchRecordReader::new(file, layout));
        let mut turns = Vec::new();
        while let Some(OrderedRecord {
            record,
            next,
            wrong_time,
            ..
        }) = order.next_turn().unwrap()
        {
            turns.push(Handed {
                record: *record,
                next: next.copied(),
                wrong_time,
            });
        }
        turns
    }

    #[track_caller]
    fn check(records: &[(u64, u64)], expected: &[(u64, u64)]) {
        let found: Vec<_> = turns(records)
            .iter()
            .map(|turn| (turn.record.number, turn.record.time.unwrap()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn records_of_threads_are_put_in_the_order_of_their_times() {
        check(
            &[(1, 10), (2, 5), (1, 20), (2, 15), (3, 15)],
            &[(2, 5), (1, 10), (4, 15), (5, 15), (3, 20)],
        );
    }

    #[test]
    fn one_wrong_time_does_not_displace_the_others_of_its_thread() {
        check(
            &[(1, 10), (1, 9_000), (1, 20), (2, 15), (1, 30)],
            &[(1, 10), (2, 10), (4, 15), (3, 20), (5, 30)],
        );
        check(
            &[(1, 9_000), (1, 20), (2, 15), (1, 30)],
            &[(3, 15), (1, 20), (2, 20), (4, 30)],
        );
        check(
            &[(1, 10), (1, 20), (1, 3), (2, 25), (1, 30)],
            &[(1, 10), (2, 20), (3, 20), (4, 25), (5, 30)],
        );
        let wrong: Vec<_> = turns(&[(1, 10), (1, 9_000), (1, 20)])
            .iter()
            .map(|turn| turn.wrong_time)
            .collect();
        assert_eq!(wrong, [None, Some(9_000), None]);
    }

    #[test]
    fn the_next_record_of_the_thread_is_shown() {
        let turns = turns(&[(1, 10), (2, 5), (1, 20), (2, 15)]);
        let next: Vec<_> = turns
            .iter()
            .map(|turn| turn.next.map(|next| next.number))
            .collect();
        assert_eq!(next, [Some(4), Some(3), None, None]);
    }

    #[test]
    fn one_that_is_far_too_late_does_not_hold_the_others_up() {
        let mut records: Vec<_> = (0..3 * WINDOW as u64).map(|time| (1, time)).collect();
        records[0] = (2, u64::MAX);
        let turns = turns(&records);
        assert_eq!(turns.len(), records.len());
        let position = turns
            .iter()
            .position(|turn| turn.record.thread == 2)
            .unwrap();
        assert!((WINDOW - 2..=WINDOW).contains(&position), "{position}");
        let rest: Vec<_> = turns
            .iter()
            .filter(|turn| turn.record.thread == 1)
            .map(|turn| turn.record.number)
            .collect();
        assert!(rest.is_sorted());
    }
}
