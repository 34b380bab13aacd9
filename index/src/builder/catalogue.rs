//! Directory of an index while segments are taken: converts the numbers of each segment to those of
//! the whole index.

use std::collections::{HashMap, HashSet};

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{Recurrence, SourceTraits, Step};
use xxhash_rust::xxh3::xxh3_64;

use crate::answers::cell::ThreadInfo;
use crate::answers::index_info::{TimeFall, WARNINGS_KEPT, Warning, WarningKind};
use crate::builder::calls::pass::CallSearch;
use crate::builder::code_ledger::CodeLedger;
use crate::builder::segment::markers::MarkersOfKind;
use crate::builder::segment::sealed::{SealedSegment, SegmentFall, SegmentProblem};
use crate::builder::segment::turns::TurnKind;
use crate::store::codes::CodeContents;
use crate::store::contents::{Contents, MarkerContents, ViewContents, WarningContents, mapped};
use crate::store::data::Extent;
use crate::store::fingerprint::Fingerprint;
use crate::store::segment::meta::SegmentMeta;

/// Maximum number of threads, and of registers outside the architecture's table: their numbers have
/// 16 bits.
const NUMBERS: usize = 1 << 15;
/// Number of a register beyond the limit.
const UNNUMBERED: u16 = u16::MAX;

/// Directory of the segments taken, and the numbers assigned.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Contents of the directory.
    pub contents: Contents,
    latest_time: Option<u64>,
    thread_numbers: HashMap<String, u16>,
    name_numbers: HashMap<String, u16>,
    view_numbers: HashMap<(u16, RegisterView), usize>,
    /// Warnings that are given once only and were given.
    complaints: HashSet<String>,
    /// Executed instructions.
    pub codes: CodeLedger,
    /// Places of the kept warnings, by their sentences.
    warning_places: HashMap<String, usize>,
    /// Place of the warning about decreasing times.
    fall_place: Option<usize>,
}

impl Catalogue {
    /// Creates the catalogue of an empty index.
    pub fn new(traits: &SourceTraits, fingerprint: &Fingerprint) -> Self {
        let contents = Contents {
            fingerprint: fingerprint.clone(),
            traits: traits.clone(),
            steps: 0,
            lines: 0,
            text_end: 0,
            is_whole: true,
            time_range: None,
            warning_count: 0,
            warnings: Vec::new(),
            time_falls: Vec::new(),
            externals: 0,
            threads: Vec::new(),
            register_names: Vec::new(),
            views: Vec::new(),
            markers: Vec::new(),
            segments: Vec::new(),
            key_maps: Vec::new(),
            calls: Extent::default(),
            codes: CodeContents::default(),
            host_regions: Extent {
                checksum: xxh3_64(&[]),
                ..Extent::default()
            },
            open_calls: Extent {
                checksum: xxh3_64(&[]),
                ..Extent::default()
            },
            call_layout: Default::default(),
            resume: Extent {
                checksum: xxh3_64(&[]),
                ..Extent::default()
            },
        };
        Self::resume(contents, Vec::new(), CodeLedger::default())
    }

    /// Creates the catalogue of a resumed index, given the once-only warnings that it gave.
    pub fn resume(contents: Contents, complaints: Vec<String>, codes: CodeLedger) -> Self {
        let numbers = |names: &mut dyn Iterator<Item = &String>| names.cloned().zip(0..).collect();
        let views = contents.views.iter().enumerate();
        let fall_place = contents.kept_warnings().position(|it| it.is_of_time());
        Self {
            latest_time: contents.time_range.map(|(_, last)| last),
            thread_numbers: numbers(&mut contents.threads.iter().map(|thread| &thread.name)),
            name_numbers: numbers(&mut contents.register_names.iter()),
            view_numbers: views
                .map(|(number, view)| ((view.thread, view.view), number))
                .collect(),
            complaints: complaints.into_iter().collect(),
            codes,
            fall_place,
            warning_places: contents
                .warnings
                .iter()
                .zip(0..)
                .map(|(warning, place)| (warning.message.clone(), place))
                .collect(),
            contents,
        }
    }

    /// Returns the given once-only warnings, sorted.
    pub fn complaints(&self) -> Vec<String> {
        let mut complaints: Vec<_> = self.complaints.iter().cloned().collect();
        complaints.sort_unstable();
        complaints
    }

    /// Returns the number of segments without key maps.
    pub fn unmapped(&self) -> usize {
        self.contents.segments.len() - mapped(&self.contents.key_maps)
    }

    /// Completes the directory entry of a segment; its task begins after `task_lines` lines.
    pub fn begin_segment(&mut self, segment: &SealedSegment, task_lines: u64) -> SegmentMeta {
        let number = self.contents.segments.len();
        let mut meta = segment.meta.clone();
        meta.line_base = task_lines + segment.line_in_task;
        (meta.step_base, meta.time_before) = (self.contents.steps, self.latest_time);
        if let Some((first, last)) = segment.time_range {
            self.latest_time = self.latest_time.max(Some(last));
            let range = self.contents.time_range.get_or_insert((first, last));
            range.1 = range.1.max(last);
        }
        self.take_threads(&mut meta, segment);
        self.take_views(&mut meta, segment, number as u32);
        self.codes.take(&segment.codes, meta.step_base);
        self.take_markers(&meta, segment, number as u32);
        meta
    }

    fn take_threads(&mut self, meta: &mut SegmentMeta, segment: &SealedSegment) {
        for (name, thread) in segment.thread_names.iter().zip(&mut meta.threads) {
            thread.thread = self.thread_number(name, meta.line_base);
            self.contents.threads[usize::from(thread.thread)].steps += u64::from(thread.steps);
        }
        let transfers = &segment.calls.transfers;
        let firsts = transfers.firsts.iter();
        let firsts = firsts.filter_map(|place| transfers.list.get(*place as usize));
        let firsts = firsts.map(|first| (first.thread, first.slot, first.instruction_set));
        let arrivals = segment
            .calls
            .turns
            .iter()
            .filter_map(|turn| match turn.what {
                TurnKind::Arrival {
                    instruction_set, ..
                } => Some((turn.thread, turn.slot, instruction_set)),
                _ => None,
            });
        for (thread, slot, instruction_set) in firsts.chain(arrivals) {
            let number = meta.threads[usize::from(thread)].thread;
            let thread = &mut self.contents.threads[usize::from(number)];
            if thread.first_step.is_none() {
                let step = (meta.step_base + u64::from(slot)).saturating_sub(1);
                thread.first_step = Some(Step(step));
                thread.instruction_set = instruction_set;
            }
        }
    }

    fn thread_number(&mut self, name: &str, line_base: u64) -> u16 {
        let next = self.contents.threads.len();
        if let Some(known) = self.thread_numbers.get(name) {
            return *known;
        }
        if next >= NUMBERS {
            self.complain(
                line_base,
                format!("more than {NUMBERS} threads: the rest counts as the first"),
            );
            return 0;
        }
        self.thread_numbers.insert(name.to_owned(), next as u16);
        // Until its first step is seen, the instruction set of the trace's first step.
        let instruction_set = self.contents.traits.instruction_set;
        let name = name.to_owned();
        self.contents.threads.push(ThreadInfo {
            name,
            steps: 0,
            instruction_set,
            first_step: None,
            last_time: None,
        });
        next as u16
    }

    fn register_number(&mut self, name: &str, line_base: u64) -> u16 {
        let next = self.contents.register_names.len();
        if let Some(known) = self.name_numbers.get(name) {
            return *known;
        }
        if next >= NUMBERS {
            let message = format!(
                "more than {NUMBERS} registers outside the architecture's table: the rest is left out"
            );
            self.complain(line_base, message);
            return UNNUMBERED;
        }
        self.name_numbers.insert(name.to_owned(), next as u16);
        self.contents.register_names.push(name.to_owned());
        next as u16
    }

    /// Gives a warning once, for the segment that begins after `line_base` lines.
    pub fn complain(&mut self, line_base: u64, message: String) {
        if self.complaints.insert(message.clone()) {
            self.contents.warning_count += 1;
            self.warn(Warning {
                line: line_base + 1,
                offset: 0,
                kind: WarningKind::Problem(message),
                count: 1,
            });
        }
    }

    /// Records the warnings of the call search.
    pub fn take_complaints(&mut self, search: &CallSearch) {
        for (line, complaint) in search.complaints() {
            self.complain(line, complaint.to_owned());
        }
    }

    fn take_views(&mut self, meta: &mut SegmentMeta, segment: &SealedSegment, number: u32) {
        for name in &segment.register_names {
            meta.named.push(self.register_number(name, meta.line_base));
        }
        for (thread, view) in &segment.views {
            let thread = meta.threads[usize::from(*thread)].thread;
            let register = global_register(view.register, &meta.named);
            if register == RegisterId(UNNUMBERED) {
                continue;
            }
            let view = RegisterView { register, ..*view };
            let place = *self.view_numbers.entry((thread, view)).or_insert_with(|| {
                self.contents.views.push(ViewContents {
                    thread,
                    view,
                    segments: Vec::new(),
                });
                self.contents.views.len() - 1
            });
            self.contents.views[place].segments.push(number);
        }
    }

    fn take_markers(&mut self, meta: &SegmentMeta, segment: &SealedSegment, number: u32) {
        let markers = &mut self.contents.markers;
        for MarkersOfKind {
            thread,
            kind,
            count,
        } in &segment.markers
        {
            let thread = meta.threads[usize::from(*thread)].thread;
            let known =
                markers.binary_search_by_key(&(thread, *kind), |known| (known.thread, known.kind));
            let place = known.unwrap_or_else(|place| {
                markers.insert(
                    place,
                    MarkerContents {
                        thread,
                        kind: *kind,
                        count: 0,
                        segments: Vec::new(),
                    },
                );
                place
            });
            markers[place].count += count;
            // Threads beyond the limit count as the first.
            if markers[place].segments.last() != Some(&number) {
                markers[place].segments.push(number);
            }
        }
    }

    /// Takes the problems of a segment; its task begins after `task_lines` lines.
    pub fn take_problems(
        &mut self,
        task_lines: u64,
        meta: &SegmentMeta,
        segment: &mut SealedSegment,
    ) {
        let problems = std::mem::take(&mut segment.problems);
        self.contents.warning_count += segment.problem_count;
        let mut first_ones = Vec::new();
        for SegmentProblem {
            slot,
            line,
            column,
            kind,
            mut count,
        } in problems
        {
            let message = kind.to_string();
            if kind.recurrence() == Recurrence::OnceARun {
                if !self.complaints.insert(message.clone()) {
                    continue;
                }
                self.contents.warning_count += 1;
                count = 1;
            }
            let warning = Warning {
                line: task_lines + line + 1,
                offset: u64::from(column),
                kind: WarningKind::Problem(message),
                count,
            };
            first_ones.push((slot, warning));
        }
        first_ones.extend(self.take_times(task_lines, meta, segment));
        // In trace order, regardless of the source of each problem.
        first_ones.sort_by_key(|(slot, warning)| (warning.line, *slot));
        first_ones
            .into_iter()
            .for_each(|(_, warning)| self.warn(warning));
    }

    /// Counts a warning, and keeps it if it is the first of its kind.
    fn warn(&mut self, warning: Warning) {
        let message = warning.kind.to_string();
        let place = match warning.kind {
            WarningKind::TimeFalls(_) => &mut self.fall_place,
            WarningKind::Problem(_) => &mut self.warning_places.get(&message).copied(),
        };
        let next = self.contents.warnings.len();
        if let Some(known) = place.and_then(|place| self.contents.warnings.get_mut(place)) {
            known.count += warning.count;
        } else if next < WARNINGS_KEPT {
            *place = Some(next);
            self.warning_places.insert(message.clone(), next);
            self.contents.warnings.push(WarningContents {
                line: warning.line,
                column: warning.offset,
                message,
                count: warning.count,
            });
        }
    }

    /// Takes the times of a segment's threads. If they run backwards, returns a warning for the
    /// first place, with its slot.
    fn take_times(
        &mut self,
        task_lines: u64,
        meta: &SegmentMeta,
        segment: &mut SealedSegment,
    ) -> Option<(u32, Warning)> {
        let mut falls = std::mem::take(&mut segment.time_falls);
        let inside = falls.len();
        for (times, known) in segment.thread_times.iter().zip(&meta.threads) {
            let Some(thread) = self.contents.threads.get_mut(usize::from(known.thread)) else {
                continue;
            };
            if let Some((step, from)) = times
                .first
                .zip(thread.last_time)
                .filter(|(step, from)| step.time < *from)
            {
                falls.push(SegmentFall { step, from });
            }
            thread.last_time = times.last.or(thread.last_time);
        }
        let count = segment.fall_count + (falls.len() - inside) as u64;
        self.contents.warning_count += count;
        falls.sort_by_key(|fall| fall.step.slot);
        let step_of =
            |fall: &SegmentFall| (meta.step_base + u64::from(fall.step.slot)).saturating_sub(1);
        let room = WARNINGS_KEPT.saturating_sub(self.contents.time_falls.len());
        let kept = falls.iter().take(room);
        let kept = kept.map(|fall| TimeFall {
            step: Step(step_of(fall)),
            from: fall.from,
            to: fall.step.time,
        });
        self.contents.time_falls.extend(kept);
        let first = falls.first()?;
        let fall = TimeFall {
            step: Step(step_of(first)),
            from: first.from,
            to: first.step.time,
        };
        let warning = Warning {
            line: task_lines + first.step.line + 1,
            offset: 0,
            kind: WarningKind::TimeFalls(fall),
            count,
        };
        Some((first.step.slot, warning))
    }
}

/// Converts a register number of a segment to that of the index.
fn global_register(register: RegisterId, named: &[u16]) -> RegisterId {
    let place = register.0.checked_sub(RegisterId::FIRST_NAMED.0);
    let name = place.and_then(|place| named.get(usize::from(place)));
    name.map_or(register, |name| {
        RegisterId(RegisterId::FIRST_NAMED.0.saturating_add(*name))
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::answers::cell::ThreadId;
    use crate::answers::error::Cancel;
    use crate::builder::build_index::BuildOptions;
    use crate::builder::build_index::index_in_memory;
    use crate::query::question::Query as _;
    use crate::query::registers::RegistersAt;
    use crate::read::names::NameReader;

    #[test]
    fn registers_beyond_the_numbers_are_left_out_with_a_warning() {
        let mut text = String::new();
        for number in 0..NUMBERS + 10 {
            writeln!(text, "{number} clk IT (1) 00001000 e1a00000 A usr : NOP\n{number} clk R sys_{number} 00000001")
                .unwrap();
        }
        let tarmac = Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap();
        let index = index_in_memory(
            Arc::new(tarmac),
            &BuildOptions {
                segment_bytes: 64 << 10,
                threads: 1,
            },
        )
        .unwrap();
        let view =
            |number: usize| NameReader(&index).register_view(&format!("SYS_{number}"), ThreadId(0));
        assert!(view(NUMBERS - 1).is_some() && view(NUMBERS).is_none());
        assert_eq!(index.info().warning_count, 1);
        assert!(
            index.warnings()[0]
                .kind
                .to_string()
                .starts_with("more than 32768 registers"),
            "{:?}",
            index.warnings()
        );
        let file = RegistersAt {
            position: index.end(),
            thread: None,
        }
        .run(&index, &Cancel::default())
        .unwrap();
        assert_eq!(
            file.get("sys_32767").and_then(|value| value.to_u64()),
            Some(1)
        );
    }
}
