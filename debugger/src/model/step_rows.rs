//! Rows of a step list, the remarks about unusual steps, and the call path above the list.
//!
//! Unless the format records it, the next step of the thread shows whether a branch was taken. One
//! more step is therefore read than is displayed.

use anyhow::Result;
use stepback_index::answer::{CallId, CallTable, Effect, StepRecord, ThreadId};
use stepback_index::query::Steps;
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::flow::{RecordedBranch, TextFlow};
use stepback_machine::{Address, InstructionSet, RegisterView, Registers, decode};
use stepback_parsers::{DelaySlot, Line, MarkerKind, Position, RegisterSource, Step, StepOrigin};

use crate::messages::say;
use crate::model::TextRole;
use crate::model::effects::{BranchOutcome, EffectText};
use crate::model::marker_lines::{MarkerLine, MarkerReader};
use crate::model::moves::frame_of_step;
use crate::model::names::{frame_name, function_name};
use crate::model::span::{Code, CodeKind, step_code};
use crate::session::Session;
use crate::syntax::branch_target;

/// Step with everything that a row shows.
#[derive(Clone, Debug)]
pub struct StepRow {
    pub step: Step,
    /// Line in the trace.
    pub line: Option<Line>,
    pub time: Option<u64>,
    pub thread: ThreadId,
    /// Call depth.
    pub depth: u32,
    /// Address of the instruction.
    pub address: Address,
    /// Instruction set that its register names refer to.
    pub set: InstructionSet,
    /// Offset from the start of the function.
    pub offset: Option<u64>,
    /// Coloured disassembly.
    pub code: Code,
    /// Disassembly as the trace has it.
    pub text: String,
    /// Outcome of the branch.
    pub branch: Option<BranchOutcome>,
    pub effects: Vec<EffectText>,
    /// Registers of the operands, in formats that do not record register values.
    pub operands: OperandRegisters,
    /// Exceptions of the step, as the trace words them.
    pub exceptions: Vec<String>,
    /// Other events at the step: system calls, signals, traced functions.
    pub lines: Vec<MarkerLine>,
    /// Any further information of the trace.
    pub notes: Vec<String>,
    /// Evidence for the step.
    pub origin: StepOrigin,
    /// False if its condition failed.
    pub is_executed: bool,
    /// The kernel executed it.
    pub is_kernel: bool,
    /// Call that the step made, if it can be folded.
    pub call: Option<CallId>,
}

/// Names of the registers that an instruction uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperandRegisters {
    pub read: Vec<String>,
    pub written: Vec<String>,
}

impl OperandRegisters {
    fn of(record: &StepRecord) -> Self {
        let set = record.instruction_set;
        let Some(encoding) = record.encoding else {
            return Self::default();
        };
        let instruction = decode(encoding, record.pc, set);
        let names = |views: &[RegisterView]| -> Vec<String> {
            views
                .iter()
                .filter_map(|view| Registers::name(*view, set).map(str::to_owned))
                .collect()
        };
        let used = instruction.registers.as_ref();
        used.map_or_else(Self::default, |used| Self {
            read: names(&used.reads),
            written: names(&used.writes),
        })
    }
}

impl StepRow {
    /// Returns true if the step had no effect; such a row is dimmed.
    pub fn is_idle(&self) -> bool {
        !self.is_executed || self.branch == Some(BranchOutcome::Not)
    }

    /// Returns everything on one line, including parts that do not fit into the row.
    pub fn full_text(&self) -> String {
        let effects = self.effects.iter().map(EffectText::full_text);
        let lines = self.lines.iter().map(MarkerLine::text);
        let words = self
            .exceptions
            .iter()
            .cloned()
            .chain(lines)
            .chain(self.notes.iter().cloned());
        let parts: Vec<String> = std::iter::once(self.code.full_text())
            .chain(effects)
            .chain(words)
            .collect();
        parts.join("   ")
    }
}

/// Builds the rows of consecutive steps. Runs on a worker, because it reads the trace.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn step_rows(
    session: &Session,
    first: Step,
    count: u64,
    cancel: &Cancel,
) -> Result<Vec<StepRow>> {
    // Read two more steps, a delay slot and the one that shows whether the last branch was taken.
    let records = Steps {
        first,
        count: count.saturating_add(2),
    }
    .run(&session.index, cancel)?;
    let wanted = usize::try_from(count)
        .unwrap_or(usize::MAX)
        .min(records.len());
    let makes = StepRowBuilder {
        session,
        calls: session.index.calls(),
        has_values: session.index.source().traits().registers == RegisterSource::Recorded,
    };
    let rows = records
        .iter()
        .enumerate()
        .take(wanted)
        .map(|(place, record)| {
            let later = records.iter().skip(place + 1);
            let later = later.filter(|next| next.thread == record.thread);
            makes.row(record, &FollowingSteps::of(record, later))
        });
    Ok(rows.collect())
}

/// The steps of a thread after a step.
#[derive(Clone, Copy, Debug, Default)]
struct FollowingSteps<'a> {
    /// The delay slot, if the step is a branch that has one.
    slot: Option<&'a StepRecord>,
    /// The step after it.
    next: Option<&'a StepRecord>,
}

impl<'a> FollowingSteps<'a> {
    fn of(record: &StepRecord, mut later: impl Iterator<Item = &'a StepRecord>) -> Self {
        let first = later.next();
        let slot = first.filter(|first| {
            first.delay_slot != DelaySlot::None && record.delay_slot == DelaySlot::None
        });
        let next = if slot.is_some() { later.next() } else { first };
        Self { slot, next }
    }

    /// Returns the address at which a step that does not branch goes on.
    fn fall_through(&self, record: &StepRecord) -> Address {
        let last = self.slot.unwrap_or(record);
        Address(last.pc.0.wrapping_add(u64::from(last.length_bytes)))
    }
}

struct StepRowBuilder<'a> {
    session: &'a Session,
    calls: &'a CallTable,
    /// False for formats that record only the addresses of accesses.
    has_values: bool,
}

impl StepRowBuilder<'_> {
    fn row(&self, record: &StepRecord, following: &FollowingSteps<'_>) -> StepRow {
        let images = &self.session.images;
        let mut code = step_code(record, images);
        code.kind = said_kind(record.branch).unwrap_or(code.kind);
        let words = |pick: fn(&Effect) -> Option<&String>| {
            record.effects.iter().filter_map(pick).cloned().collect()
        };
        let frame = frame_of_step(self.calls, record.thread, record.step)
            .and_then(|frame| self.calls.get(frame));
        let called = self.calls.called_by(record.thread, record.step);
        let mut row = StepRow {
            step: record.step,
            line: record.line,
            time: record.time,
            thread: record.thread,
            depth: frame.map_or(0, |frame| frame.depth),
            address: record.pc,
            set: record.instruction_set,
            offset: images.function_at(record.pc).map(|found| found.offset),
            code,
            text: record.text.clone(),
            effects: Vec::new(),
            operands: OperandRegisters::default(),
            branch: None,
            exceptions: words(|effect| {
                if let Effect::Exception(text) = effect {
                    Some(text)
                } else {
                    None
                }
            }),
            lines: Vec::new(),
            notes: origin_notes(record)
                .map(str::to_owned)
                .chain(words(|effect| {
                    if let Effect::Note(text) = effect {
                        Some(text)
                    } else {
                        None
                    }
                }))
                .collect(),
            origin: record.origin,
            is_executed: record.is_executed,
            is_kernel: !self.has_values && is_kernel_address(record),
            call: called.filter(|call| self.calls.steps_inside(*call).is_some()),
        };
        let next = next_pc(record, following.next);
        let fall_through = following.fall_through(record);
        row.branch = match row.code.kind {
            CodeKind::Branch => branch_taken(record, next, fall_through),
            _ => None,
        };
        row.effects.extend(row.branch.map(EffectText::of_branch));
        if record.delay_slot == DelaySlot::Annulled {
            let word = say!("step-annulled").to_owned();
            row.effects
                .push(EffectText::of_words(TextRole::Second, word));
        }
        if self.has_values {
            row.effects.extend(
                record
                    .effects
                    .iter()
                    .filter_map(|effect| EffectText::of(effect, record.instruction_set)),
            );
            put_destination_first(&mut row, record);
        } else {
            self.add_markers(&mut row, record, next);
        }
        let more = record.effects.last().and_then(|effect| match effect {
            Effect::More(count) => Some(more_words(*count, &self.session.index)),
            _ => None,
        });
        row.notes.extend(more);
        row
    }

    /// Adds the information specific to formats without values: branch targets, sizes and addresses
    /// of accesses, markers.
    fn add_markers(&self, row: &mut StepRow, record: &StepRecord, next: Option<Address>) {
        let images = &self.session.images;
        let is_indirect = matches!(
            record.branch,
            RecordedBranch::IndirectJump | RecordedBranch::IndirectCall | RecordedBranch::Return
        );
        if let Some(target) = next.filter(|_| is_indirect) {
            row.effects.clear();
            row.effects.push(EffectText::of_words(
                TextRole::Symbol,
                format!("→ {}", function_name(images, target)),
            ));
        }
        let words = MarkerReader::of(self.session, record.instruction_set).read(&record.effects);
        if words.repetitions > 0 {
            let rounds = say!("step-rounds", count = words.repetitions + 1);
            row.effects
                .push(EffectText::of_words(TextRole::Second, rounds));
        }
        row.effects
            .extend(EffectText::of_accesses(record.effects.iter()));
        row.effects.extend(
            words
                .effects
                .into_iter()
                .map(|text| EffectText::of_words(TextRole::Label, text)),
        );
        row.operands = OperandRegisters::of(record);
        row.lines = words.lines;
        row.notes.extend(words.asides);
    }
}

/// Moves the destination of the instruction to the front. An instruction that switches the register
/// window changes the value of every register in it.
fn put_destination_first(row: &mut StepRow, record: &StepRecord) {
    let set = record.instruction_set;
    let Some(encoding) = record.encoding else {
        return;
    };
    let Some(step) = set.window_step(&encoding) else {
        return;
    };
    let instruction = decode(encoding, record.pc, set);
    let Some(used) = instruction.registers.as_ref() else {
        return;
    };
    let destinations: Vec<&str> = used
        .writes
        .iter()
        .filter_map(|view| Registers::name_after(step, *view, set))
        .collect();
    row.effects
        .sort_by_key(|effect| !destinations.contains(&effect.label.text.as_str()));
}

/// Returns the effect on control flow, if the format records it.
fn said_kind(branch: RecordedBranch) -> Option<CodeKind> {
    match branch {
        RecordedBranch::Unsaid => None,
        RecordedBranch::None | RecordedBranch::SystemEntry => Some(CodeKind::Other),
        RecordedBranch::Jump | RecordedBranch::IndirectJump | RecordedBranch::Conditional(_) => {
            Some(CodeKind::Branch)
        }
        RecordedBranch::Call | RecordedBranch::IndirectCall => Some(CodeKind::Call),
        RecordedBranch::Return => Some(CodeKind::Return),
    }
}

/// Returns the address executed after a step. If the kernel interrupted, its event records the
/// address.
fn next_pc(record: &StepRecord, next: Option<&StepRecord>) -> Option<Address> {
    let event = record.effects.iter().find_map(|effect| match effect {
        Effect::Marker(marker) if marker.kind == MarkerKind::KERNEL_EVENT => Some(marker.value),
        _ => None,
    });
    match event {
        Some(interrupted) => Some(Address(interrupted)).filter(|address| address.0 != 0),
        None => next.map(|next| next.pc),
    }
}

/// Returns true for addresses in the upper half of the address space, where 64-bit kernels are.
fn is_kernel_address(record: &StepRecord) -> bool {
    record.instruction_set.word_bytes() == 8 && record.pc.0 >> 63 != 0
}

/// Determines from the next step of the thread whether a branch was taken.
fn branch_taken(
    record: &StepRecord,
    next: Option<Address>,
    fall_through: Address,
) -> Option<BranchOutcome> {
    if !record.is_executed {
        return Some(BranchOutcome::Not);
    }
    // After an exception the next step does not depend on the branch.
    if record
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Exception(_)))
    {
        return None;
    }
    // If the next step does not follow the branch directly, the disassembly names the target.
    let to = match record.branch {
        RecordedBranch::Conditional(Some(false)) => return Some(BranchOutcome::Not),
        RecordedBranch::Conditional(Some(true)) => {
            branch_target(&record.text, record.pc, record.instruction_set).or(next)?
        }
        _ => next?,
    };
    Some(match () {
        // Compilers sometimes leave branches to the next instruction. They count as taken.
        () if to == fall_through
            && record.branch != RecordedBranch::Conditional(Some(true))
            && is_conditional(record) =>
        {
            BranchOutcome::Not
        }
        () if to > record.pc => BranchOutcome::Down,
        () => BranchOutcome::Up,
    })
}

/// Returns true if a branch is conditional.
fn is_conditional(record: &StepRecord) -> bool {
    record.instruction_set.text_flow(&record.text) == Some(TextFlow::Conditional)
}

/// Frame in the call path above a step list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPathEntry {
    pub call: CallId,
    pub name: String,
    /// Position at which it was entered.
    pub entered_at: Position,
}

/// Returns the calls around a position, outermost first, for the thread that executes there.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn call_path(session: &Session, position: Position) -> Result<Vec<CallPathEntry>> {
    let calls = session.index.calls();
    let thread = SlotReader(&session.index).thread_at(position)?;
    let path = calls.path_at(thread, position).into_iter();
    path.filter_map(|call| path_part(session, call).transpose())
        .collect()
}

fn path_part(session: &Session, call: CallId) -> Result<Option<CallPathEntry>> {
    let calls = session.index.calls();
    let Some(frame) = calls.get(call) else {
        return Ok(None);
    };
    let entered_at = calls.entered_at(call).unwrap_or_default();
    let name = frame_name(session, &frame, &Cancel::default())?;
    Ok(Some(CallPathEntry {
        call,
        name,
        entered_at,
    }))
}

/// Returns the remark for a step that was reached but not executed.
pub fn not_executed() -> &'static str {
    say!("step-not-executed")
}

/// Returns the remarks for a line of text: whether it was executed, its delay slot, and its origin.
pub fn step_remarks(record: &StepRecord) -> impl Iterator<Item = &'static str> {
    let is_skipped = !record.is_executed && record.delay_slot != DelaySlot::Annulled;
    let origin = match record.origin {
        StepOrigin::Recorded => None,
        StepOrigin::Reconstructed => Some(say!("step-reconstructed")),
        StepOrigin::Inferred => Some(say!("step-inferred")),
    };
    is_skipped
        .then(not_executed)
        .into_iter()
        .chain(slot_remark(record))
        .chain(origin)
}

/// Returns the notes for the details of one step: that it is in a delay slot, and the evidence for it
/// if it was not recorded.
fn origin_notes(record: &StepRecord) -> impl Iterator<Item = &'static str> {
    let origin = match record.origin {
        StepOrigin::Recorded => None,
        StepOrigin::Reconstructed => Some(say!("step-reconstructed-what-is-recorded-leads")),
        StepOrigin::Inferred => Some(say!("step-inferred-likely-but-nothing-recorded")),
    };
    let is_in_slot = record.delay_slot == DelaySlot::Executed;
    let slot = is_in_slot.then(|| say!("step-in-a-delay-slot"));
    slot.into_iter().chain(origin)
}

fn slot_remark(record: &StepRecord) -> Option<&'static str> {
    match record.delay_slot {
        DelaySlot::None => None,
        DelaySlot::Executed => Some(say!("step-in-a-delay-slot")),
        DelaySlot::Annulled => Some(say!("step-annulled")),
    }
}

/// Reports that a step had more effects than the answer contains, and where to find them.
pub fn more_words(count: u64, index: &Index) -> String {
    match index.source().is_text() {
        true => say!("step-more-in-lines", count = count),
        false => say!("step-more-in-records", count = count),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use stepback_machine::{Encoding, InstructionSet};

    use super::*;
    use crate::session::test_session::overflow;
    use crate::session::{OpenOptions, open};

    fn rows(first: u64, count: u64) -> Vec<StepRow> {
        step_rows(&overflow(), Step(first), count, &Cancel::default()).unwrap()
    }

    #[track_caller]
    fn check(step: u64, expected: &str) {
        let row = &rows(step, 1)[0];
        let call = if row.call.is_some() { " (call)" } else { "" };
        assert_eq!(
            format!("{:x} {}{call}", row.address.0, row.full_text()),
            expected
        );
    }

    #[test]
    fn a_row_tells_what_the_step_did() {
        check(1248, "80000494 orr    w0, w0, #0xffffff80   x0 ← ffffffa9");
        check(1249, "80000498 strb   w0, [x19, #1]   [80020010] ← a9");
        check(1240, "80000448 cmp    w1, #0x7f   nzcv ← nzCv");
        check(1229, "80000438 bl     0x80000328   x30 ← 8000043c (call)");
    }

    #[test]
    fn a_branch_that_nothing_decides_is_taken_even_to_the_next_instruction() {
        let code = |text: &str| StepRecord {
            text: text.to_owned(),
            ..record_of(1254)
        };
        let next = Address(0x8000_04b0);
        let taken = |text| branch_taken(&code(text), Some(next), next);
        assert_eq!(taken("B {pc}+0x4"), Some(BranchOutcome::Down));
        assert_eq!(taken("B.NE {pc}+0x4"), Some(BranchOutcome::Not));
    }

    /// A call or a return of SPARC is followed by its delay slot.
    #[test]
    fn a_branch_leads_to_the_step_after_its_delay_slot() {
        let fixtures = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/btrace"));
        let folder = tempfile::tempdir().unwrap();
        for name in ["hello_gap.btf", "hello.elf"] {
            fs::copy(fixtures.join(name), folder.path().join(name)).unwrap();
        }
        let options = OpenOptions::new(folder.path().join("hello_gap.btf"));
        let session = open(&options, &Default::default(), &Default::default()).unwrap();
        let text = |step: u64| {
            let rows = step_rows(&session, Step(step), 1, &Cancel::default()).unwrap();
            rows[0].full_text()
        };
        assert!(
            text(1235).starts_with("call   %g1   → op_add"),
            "{}",
            text(1235)
        );
        assert!(text(1238).ends_with("→ start_c+0xa0"), "{}", text(1238));
    }

    fn record_of(step: u64) -> StepRecord {
        let records = Steps {
            first: Step(step),
            count: 1,
        }
        .run(&overflow().index, &Cancel::default())
        .unwrap();
        records.into_iter().next().unwrap()
    }

    #[test]
    fn a_row_that_changes_the_window_begins_with_what_the_instruction_is_about() {
        // save %sp, -224, %sp
        let encoding = Encoding::new(&0x9de3_bf20_u32.to_be_bytes());
        let record = StepRecord {
            instruction_set: InstructionSet::Sparc64,
            encoding,
            ..record_of(1254)
        };
        let mut row = rows(1254, 1).remove(0);
        row.effects = ["cwp", "l0", "sp"]
            .map(|name| EffectText::of_words(TextRole::Register, name))
            .to_vec();
        put_destination_first(&mut row, &record);
        assert_eq!(
            row.effects
                .iter()
                .map(EffectText::full_text)
                .collect::<Vec<_>>(),
            ["sp", "cwp", "l0"]
        );
    }

    #[test]
    fn a_branch_tells_where_it_went() {
        check(1241, "8000044c b.hi   0x80000458   ↓ taken");
        check(1254, "800004ac b      0x800003f0   ↑ taken");
        check(1256, "800003f4 cbz    w1, 0x800004b0   not taken");
        assert!(rows(1256, 1)[0].is_idle() && !rows(1254, 1)[0].is_idle());
    }

    #[test]
    fn the_last_row_has_its_exception() {
        let rows = rows(1760, 64);
        assert_eq!(rows.len(), 3);
        let last = rows.last().map(|row| row.exceptions.join(" "));
        assert!(
            last.as_deref()
                .is_some_and(|text| text.contains("CURRENT_SPx_SYNC")),
            "{last:?}"
        );
    }

    #[test]
    fn the_path_of_calls_ends_with_the_frame_around_the_position() {
        let entered = |position| -> Vec<u64> {
            call_path(&overflow(), Position(position))
                .unwrap()
                .iter()
                .map(|part| part.entered_at.0)
                .collect()
        };
        let inside = entered(1233);
        assert_eq!((inside.len(), inside.last()), (5, Some(&1230)));
        assert_eq!(entered(1237), inside[..4]);
        assert_eq!(entered(1229), inside[..4]);
        assert_eq!(entered(1230), inside);
    }
}

#[cfg(test)]
mod step_remarks_tests {
    use stepback_index::query::Steps;
    use stepback_index::{Cancel, Query as _};
    use stepback_parsers::Step;

    use super::*;
    use crate::session::test_session::overflow;

    #[track_caller]
    fn check(change: impl Fn(&mut StepRecord), expected: &[&str]) {
        let step = Steps {
            first: Step(10),
            count: 1,
        };
        let mut record = step
            .run(&overflow().index, &Cancel::default())
            .unwrap()
            .remove(0);
        change(&mut record);
        assert_eq!(step_remarks(&record).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_ordinary_step_needs_no_words() {
        check(|_| {}, &[]);
        check(|record| record.is_executed = false, &["not executed"]);
    }

    #[test]
    fn whoever_asks_about_a_step_is_told_how_it_is_known() {
        let step = Steps {
            first: Step(10),
            count: 1,
        };
        let mut record = step
            .run(&overflow().index, &Cancel::default())
            .unwrap()
            .remove(0);
        assert_eq!(origin_notes(&record).count(), 0);
        record.delay_slot = DelaySlot::Executed;
        record.origin = StepOrigin::Reconstructed;
        let notes: Vec<_> = origin_notes(&record).collect();
        assert_eq!(
            notes,
            [
                "in a delay slot",
                "reconstructed: not recorded, but the path must pass here"
            ]
        );
        record.origin = StepOrigin::Inferred;
        assert_eq!(
            origin_notes(&record).last(),
            Some("inferred: likely, but not proven by the recording")
        );
    }

    #[test]
    fn delay_slots_and_inferred_steps_are_reported() {
        check(
            |record| record.delay_slot = DelaySlot::Executed,
            &["in a delay slot"],
        );
        check(|record| record.origin = StepOrigin::Inferred, &["inferred"]);
        check(
            |record| record.origin = StepOrigin::Reconstructed,
            &["reconstructed"],
        );
        let annulled = |record: &mut StepRecord| {
            (record.is_executed, record.delay_slot) = (false, DelaySlot::Annulled);
            record.origin = StepOrigin::Inferred;
        };
        check(annulled, &["annulled", "inferred"]);
    }
}
