//! Rules about the order of markers: system calls, functions, physical addresses, restartable
//! sequences.

use stepback_machine::flow::RecordedBranch;

use crate::drmemtrace::check::instruction::CheckedInstruction;
use crate::drmemtrace::check::rules;
use crate::drmemtrace::check::rules::RecordReport;
use crate::drmemtrace::check::thread::ThreadCheck;
use crate::marker::{Marker, MarkerKind, traced_system_call};

/// Maximum number of return addresses kept for a thread; those of deeper calls are not compared.
const DEPTH: usize = 256;
/// Mask of the address bits inside a page of any size.
const IN_PAGE: u64 = 0xfff;

/// Last two records of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecentRecords([Option<Marker>; 2]);

impl RecentRecords {
    /// Notes a record: a marker, or `None` for any other record.
    pub fn note(&mut self, marker: Option<Marker>) {
        let Self([last, _]) = *self;
        self.0 = [marker, last];
    }

    /// Returns the kind of the last record; `None` if it is no marker.
    pub fn last(&self) -> Option<MarkerKind> {
        self.0[0].map(|marker| marker.kind)
    }

    fn last_marker(&self) -> Option<Marker> {
        self.0[0]
    }

    fn is_time_and_cpu(&self) -> bool {
        self.0.map(|marker| marker.map(|marker| marker.kind))
            == [Some(MarkerKind::CPU), Some(MarkerKind::TIMESTAMP)]
    }
}

/// Return addresses of the calls that a thread is inside, and the traced function that its markers
/// name.
#[derive(Clone, Debug, Default)]
pub(super) struct ThreadCallStack {
    returns: Vec<u64>,
    is_too_deep: bool,
    function: u64,
}

impl ThreadCallStack {
    pub fn instruction(&mut self, instruction: &CheckedInstruction) {
        match instruction.branch {
            RecordedBranch::Call | RecordedBranch::IndirectCall => self.push(instruction.next_pc()),
            RecordedBranch::Return => _ = self.returns.pop(),
            _ => {}
        }
    }

    /// Pushes a handler, whose return address no call states.
    pub fn enter_handler(&mut self) {
        self.push(0);
    }

    fn push(&mut self, address: u64) {
        if self.returns.len() < DEPTH {
            self.returns.push(address);
        } else {
            self.is_too_deep = true;
        }
    }
}

/// State of a restartable sequence (`rseq`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RestartableSequence {
    is_inside: bool,
    /// End of the last sequence.
    end: Option<u64>,
    start: Option<u64>,
}

impl RestartableSequence {
    pub fn instruction(
        &mut self,
        new: &CheckedInstruction,
        last: Option<&CheckedInstruction>,
        report: &mut RecordReport<'_>,
    ) {
        let Some(end) = self.end.filter(|_| self.is_inside) else {
            return;
        };
        let start = *self.start.get_or_insert(new.pc);
        let is_last = new.next_pc() == end;
        if !is_last && (start..end).contains(&new.pc) {
            return;
        }
        let is_left = last.is_some_and(CheckedInstruction::is_branch);
        if !is_last && !is_left {
            report.say(
                &rules::RSEQ,
                "a restartable sequence is left without a branch or an abort",
            );
        }
        self.is_inside = false;
    }

    fn enter(&mut self, end: u64) {
        *self = Self {
            is_inside: true,
            end: Some(end),
            start: None,
        };
    }
}

impl ThreadCheck {
    /// Checks the records that must come before a marker.
    pub(super) fn check_sequence(&mut self, marker: Marker, report: &mut RecordReport<'_>) {
        self.check_after(marker, report);
        match marker.kind {
            MarkerKind::SYSTEM_CALL => self.check_system_call(report),
            MarkerKind::MAYBE_BLOCKING => {
                let is_call = self.recent.last() == Some(MarkerKind::SYSTEM_CALL)
                    || self.header.is_synthetic();
                if !is_call {
                    report.say(&rules::BLOCKING, "no system call is recorded right before");
                }
            }
            MarkerKind::FUNCTION => {
                self.calls.function = marker.value;
                self.check_function(report);
            }
            MarkerKind::RETURN_ADDRESS => self.check_return_address(marker.value, report),
            MarkerKind::RSEQ_ENTRY => self.sequence.enter(marker.value),
            MarkerKind::RSEQ_ABORT => self.check_abort(marker.value, report),
            MarkerKind::KERNEL_EVENT => {
                let is_aborted = self.recent.last() == Some(MarkerKind::RSEQ_ABORT);
                let is_left = self
                    .last
                    .as_ref()
                    .is_some_and(CheckedInstruction::is_branch);
                let is_open = self.sequence.is_inside && !is_aborted && !is_left;
                if is_open {
                    report.say(
                        &rules::RSEQ,
                        "a signal in a restartable sequence without a recorded abort",
                    );
                }
            }
            _ => {}
        }
    }

    /// Checks the record that must come right after the previous marker.
    fn check_after(&self, marker: Marker, report: &mut RecordReport<'_>) {
        let Some(before) = self.recent.last_marker() else {
            return;
        };
        match before.kind {
            MarkerKind::RSEQ_ABORT => {
                let is_event = marker.kind == MarkerKind::KERNEL_EVENT;
                if !is_event {
                    report.say(&rules::RSEQ, "no kernel event comes right after an abort");
                }
            }
            MarkerKind::PHYSICAL_ADDRESS if marker.kind != MarkerKind::VIRTUAL_ADDRESS => {
                report.add(&rules::PHYSICAL, || {
                    "no virtual address comes right after a physical one".to_owned()
                });
            }
            MarkerKind::PHYSICAL_ADDRESS if (before.value ^ marker.value) & IN_PAGE != 0 => {
                let (physical, address) = (before.value, marker.value);
                report.add(&rules::PHYSICAL, || {
                    format!("{address:#x} and {physical:#x} are not at one place in a page")
                });
            }
            _ => {}
        }
    }

    fn check_system_call(&self, report: &mut RecordReport<'_>) {
        let is_asking =
            self.last.is_none_or(|last| last.is_trap != Some(false)) || self.header.is_filtered();
        if !is_asking {
            report.say(
                &rules::SYSTEM_CALL,
                "the instruction before is none that asks the kernel",
            );
        }
        let has_times = !self.header.has_times_of_calls() || self.recent.is_time_and_cpu();
        if !has_times {
            report.say(
                &rules::SYSTEM_CALL,
                "no time and CPU come right before a system call",
            );
        }
    }

    fn is_of_system_call(&self) -> bool {
        traced_system_call(self.calls.function, self.set).is_some()
    }

    fn check_function(&self, report: &mut RecordReport<'_>) {
        let is_after_branch = self.last.is_none_or(|last| last.is_branch())
            || self.is_elsewhere
            || self.is_interrupted;
        let is_right = self.is_of_system_call() || is_after_branch || self.header.is_filtered();
        if !is_right {
            report.say(
                &rules::FUNCTION,
                "a function is recorded where no branch leads into or out of it",
            );
        }
    }

    fn check_return_address(&self, address: u64, report: &mut RecordReport<'_>) {
        let expected = self
            .calls
            .returns
            .last()
            .filter(|_| !self.calls.is_too_deep && !self.header.is_filtered());
        if let Some(expected) = expected.filter(|expected| **expected != address) {
            report.add(&rules::FUNCTION, || {
                format!("a function returns to {address:#x}, its call to {expected:#x}")
            });
        }
    }

    /// Checks an abort. The last instruction of an aborted sequence was not executed, unless it is
    /// the one that failed.
    fn check_abort(&mut self, failed: u64, report: &mut RecordReport<'_>) {
        let end = self.sequence.end;
        let is_done = self
            .last
            .is_some_and(|last| Some(last.next_pc()) == end && last.pc != failed);
        if is_done {
            report.say(
                &rules::RSEQ,
                "the last instruction of a restartable sequence is there, and it was aborted",
            );
        }
        self.sequence.is_inside = false;
    }
}
