//! Encodes a collected segment into the bytes of its sections.
//!
//! The section of registers also has the lists of [`STEPS_OF_THREAD`] and of markers
//! ([`crate::store::segment::meta::markers_of`]):
//!
//! ```text
//! count: u32, then for each list
//! (thread: u16, register: u16, offset: u16, size: u16, n: u32, end: u32), then the lists
//! ```

use stepback_machine::RegisterView;
use xxhash_rust::xxh3::xxh3_64;

use crate::builder::segment::builder::SegmentBuilder;
use crate::builder::segment::sealed::{GranuleState, SealedSegment};
use crate::store::data::IndexData;
use crate::store::directory::{DirectoryWriter, push_visits};
use crate::store::granules::{NO_TOUCH, Touch, TouchCoverage, push_granule};
use crate::store::packed::{push_list, push_times};
use crate::store::segment::meta::{SECTIONS, STEPS_OF_THREAD, SegmentMeta, SegmentThread};

/// Buffers for encoding.
#[derive(Debug, Default)]
pub struct Encoder {
    starts: Vec<u32>,
    /// Keys with their numbers, ascending.
    order: Vec<(u64, u32)>,
    touches: Vec<Touch>,
    visits: Vec<u32>,
    directory: DirectoryWriter,
}

/// Memory of a segment, by ascending block.
struct Granules {
    keys: Vec<u64>,
    states: Vec<(u64, GranuleState)>,
    reaches: Vec<TouchCoverage>,
}

impl SegmentBuilder {
    /// Returns the segment as collected until now.
    pub(crate) fn encode(&mut self) -> SealedSegment {
        let mut bytes = Vec::with_capacity(self.offsets.len() * 8 + 4096);
        let mut sections = [0; SECTIONS + 1];
        push_list(&mut bytes, &self.offsets);
        sections[1] = bytes.len();
        self.lines
            .iter()
            .for_each(|line| bytes.extend_from_slice(&line.to_le_bytes()));
        sections[2] = bytes.len();
        push_times(&mut bytes, &self.times);
        sections[3] = bytes.len();
        self.push_registers(&mut bytes);
        sections[4] = bytes.len();
        let granules = self.push_granules(&mut bytes);
        sections[5] = bytes.len();
        let pcs = self.push_pcs(&mut bytes);
        sections[6] = bytes.len();
        push_list(&mut bytes, &self.external_slots);
        sections[7] = bytes.len();
        let (turns, last_slots) = self.turns.take();
        let mut meta = SegmentMeta {
            text_start: self.text_start,
            steps: self.slot,
            timeless: self.timeless,
            ..Default::default()
        };
        for (number, pair) in sections.windows(2).enumerate() {
            meta.checksums[number] = xxh3_64(&bytes[pair[0]..pair[1]]);
        }
        meta.sections = sections.map(|place| place as u64);
        meta.externals = self.externals;
        meta.damaged = self.damaged.take();
        meta.has_late_accesses = self.has_late_accesses;
        meta.has_scattered_values = self.has_scattered_values;
        meta.external_slots = self.external_slots.len() as u32;
        meta.threads = self
            .thread_steps
            .iter()
            .map(|steps| SegmentThread {
                thread: 0,
                steps: *steps,
            })
            .collect();
        SealedSegment {
            meta,
            bytes: IndexData::Memory(bytes),
            thread_names: self.thread_names.clone(),
            register_names: self.register_names.clone(),
            views: self.views.clone(),
            markers: self.markers.kinds(),
            transfers: std::mem::take(&mut self.transfers),
            thread_ends: self.threads.clone(),
            turns,
            last_slots,
            granule_keys: granules.keys,
            granules: granules.states,
            reaches: granules.reaches,
            host_calls: self.host_calls.clone(),
            pcs,
            codes: self.codes.found().to_vec(),
            time_range: self
                .times
                .get(self.timeless as usize)
                .copied()
                .zip(self.latest_time),
            problems: std::mem::take(&mut self.problems),
            problem_count: self.problem_count,
            thread_times: self.thread_times.clone(),
            time_falls: std::mem::take(&mut self.time_falls),
            fall_count: self.fall_count,
            line_in_task: self.line_start,
        }
    }

    fn push_registers(&mut self, bytes: &mut Vec<u8>) {
        let mut extra: Vec<(u16, RegisterView, Vec<u32>)> = Vec::new();
        if self.thread_names.len() > 1 {
            self.step_threads.resize(self.slot as usize, 0);
            extra = (0..self.thread_names.len() as u16)
                .map(|thread| (thread, STEPS_OF_THREAD, Vec::new()))
                .collect();
            for (owner, slot) in self.step_threads.iter().zip(1..) {
                extra[usize::from(*owner)].2.push(slot);
            }
        }
        let registers = self
            .views
            .iter()
            .zip(&self.view_slots)
            .map(|((thread, view), slots)| (*thread, *view, slots));
        let extra = extra
            .iter()
            .map(|(thread, view, slots)| (*thread, *view, slots));
        let of_all = self
            .markers
            .lists_of_all()
            .filter(|_| self.thread_names.len() > 1);
        let mut lists: Vec<_> = registers
            .chain(extra)
            .chain(self.markers.lists())
            .chain(of_all)
            .collect();
        lists.sort_unstable_by_key(|(thread, view, _)| (*thread, *view));
        bytes.extend_from_slice(&(lists.len() as u32).to_le_bytes());
        let table = bytes.len();
        bytes.resize(table + 16 * lists.len(), 0);
        let base = bytes.len();
        for (number, (thread, view, slots)) in lists.iter().enumerate() {
            push_list(bytes, slots);
            let end = (bytes.len() - base) as u32;
            let entry = &mut bytes[table + 16 * number..][..16];
            entry[0..2].copy_from_slice(&thread.to_le_bytes());
            entry[2..4].copy_from_slice(&view.register.0.to_le_bytes());
            entry[4..6].copy_from_slice(&view.offset.to_le_bytes());
            entry[6..8].copy_from_slice(&view.size_bytes.to_le_bytes());
            entry[8..12].copy_from_slice(&(slots.len() as u32).to_le_bytes());
            entry[12..16].copy_from_slice(&end.to_le_bytes());
        }
    }

    fn push_granules(&mut self, bytes: &mut Vec<u8>) -> Granules {
        let Self {
            encoder:
                Encoder {
                    starts,
                    order,
                    touches,
                    directory,
                    ..
                },
            granule_events,
            granules,
            ..
        } = self;
        let keys = granules.keys();
        starts.clear();
        starts.resize(keys.len() + 1, 0);
        granule_events
            .iter()
            .for_each(|event| starts[event.granule as usize + 1] += 1);
        (1..starts.len()).for_each(|number| starts[number] += starts[number - 1]);
        touches.clear();
        touches.resize(granule_events.len(), NO_TOUCH);
        for event in granule_events.iter() {
            let place = &mut starts[event.granule as usize];
            touches[*place as usize] = Touch {
                slot: event.slot,
                shape: event.shape,
                external: event.external,
            };
            *place += 1;
        }
        // Each start has moved to its end, which is the start of the next.
        sort(order, keys);
        directory.clear();
        let mut reaches = Vec::with_capacity(order.len());
        for (key, number) in order.iter().map(|(key, number)| (*key, *number as usize)) {
            let start = if number == 0 { 0 } else { starts[number - 1] };
            let touches = &touches[start as usize..starts[number] as usize];
            reaches
                .push(directory.push(key, |entries, lists| push_granule(entries, lists, touches)));
        }
        directory.finish(bytes);
        // A trace without values has none.
        let states = &mut self.granule_states;
        let state = |(key, number): &(u64, u32)| {
            Some((*key, std::mem::take(states.get_mut(*number as usize)?)))
        };
        Granules {
            states: order.iter().filter_map(state).collect(),
            keys: order.iter().map(|(key, _)| *key).collect(),
            reaches,
        }
    }

    fn push_pcs(&mut self, bytes: &mut Vec<u8>) -> Vec<u64> {
        let Self {
            encoder:
                Encoder {
                    starts,
                    order,
                    visits,
                    directory,
                    ..
                },
            step_pcs,
            pcs,
            ..
        } = self;
        let keys = pcs.keys();
        starts.clear();
        starts.resize(keys.len() + 1, 0);
        step_pcs
            .iter()
            .for_each(|number| starts[*number as usize + 1] += 1);
        (1..starts.len()).for_each(|number| starts[number] += starts[number - 1]);
        visits.clear();
        visits.resize(step_pcs.len(), 0);
        for (number, slot) in step_pcs.iter().zip(1..) {
            let place = &mut starts[*number as usize];
            visits[*place as usize] = slot;
            *place += 1;
        }
        sort(order, keys);
        directory.clear();
        for (key, number) in order.iter().map(|(key, number)| (*key, *number as usize)) {
            let start = if number == 0 { 0 } else { starts[number - 1] };
            let slots = &visits[start as usize..starts[number] as usize];
            directory.push(key, |entries, lists| push_visits(entries, lists, slots));
        }
        directory.finish(bytes);
        order.iter().map(|(key, _)| *key).collect()
    }
}

fn sort(order: &mut Vec<(u64, u32)>, keys: &[u64]) {
    order.clear();
    order.extend(keys.iter().copied().zip(0..));
    order.sort_unstable_by_key(|(key, _)| *key);
}
