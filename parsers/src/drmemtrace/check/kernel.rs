//! Rules about the kernel: signals, interrupts, and kernel code if it is recorded.

use crate::drmemtrace::check::header::ThreadHeader;
use crate::drmemtrace::check::instruction::CheckedInstruction;
use crate::drmemtrace::check::rules;
use crate::drmemtrace::check::rules::RecordReport;
use crate::drmemtrace::check::thread::ThreadCheck;
use crate::drmemtrace::head::FileType;
use crate::marker::{Marker, MarkerKind};

/// Maximum number of nested handlers that are tracked.
const DEPTH: usize = 32;

/// State of the kernel code in a thread: the parts of system calls and context switches, and open
/// handlers.
#[derive(Clone, Debug, Default)]
pub(super) struct KernelTraceState {
    is_in_call: bool,
    is_in_switch: bool,
    /// Number of the last system call, and whether its kernel part may begin now.
    call: Option<u64>,
    may_begin: bool,
    /// True when a kernel part must come before the next instruction of the program.
    is_expected: bool,
    /// True when one came since the last instruction of the program.
    had_one: bool,
    /// Last instruction of the program before the kernel part.
    outside: Option<CheckedInstruction>,
    /// Number of open handlers at the start of the kernel part.
    depth: usize,
    contexts: Vec<InterruptedContext>,
    /// Context to which a handler returned; `None` if unknown.
    returned: Option<InterruptedContext>,
}

/// Interrupted context.
#[derive(Clone, Copy, Debug)]
struct InterruptedContext {
    kind: MarkerKind,
    pc: u64,
    last: Option<CheckedInstruction>,
}

impl KernelTraceState {
    pub fn is_inside(&self) -> bool {
        self.is_in_call || self.is_in_switch
    }

    /// Checks the return to the program at its next instruction.
    pub fn come_back(&mut self, header: &ThreadHeader, report: &mut RecordReport<'_>) {
        let was_expected = std::mem::take(&mut self.is_expected);
        if was_expected && !header.is_filtered() {
            report.say(
                &rules::KERNEL,
                "the kernel's part of a system call is missing",
            );
        }
        self.had_one = false;
        self.returned = None;
    }
}

impl ThreadCheck {
    pub(super) fn follow_kernel(&mut self, marker: Marker, report: &mut RecordReport<'_>) {
        match marker.kind {
            MarkerKind::SYSTEM_CALL => {
                (self.kernel.call, self.kernel.may_begin) = (Some(marker.value), true);
                self.kernel.is_expected = self.header.has(FileType::KERNEL);
            }
            MarkerKind::SYSTEM_CALL_START => self.begin_call(marker.value, report),
            MarkerKind::SYSTEM_CALL_END => self.end_call(marker.value, report),
            MarkerKind::CONTEXT_SWITCH_START => self.begin_switch(marker.value, report),
            MarkerKind::CONTEXT_SWITCH_END => self.end_switch(report),
            MarkerKind::KERNEL_EVENT | MarkerKind::HARDWARE_EVENT => self.interrupt(marker, report),
            MarkerKind::KERNEL_TRANSFER | MarkerKind::HARDWARE_RETURN => {
                self.come_from_handler(marker, report)
            }
            _ => {}
        }
        // Only these may come between a system call and its kernel part.
        let is_of_call = matches!(
            marker.kind,
            MarkerKind::SYSTEM_CALL
                | MarkerKind::MAYBE_BLOCKING
                | MarkerKind::FUNCTION
                | MarkerKind::ARGUMENT
        ) || (37..=39).contains(&marker.kind.0)
            || marker.kind.0 == 31;
        let is_late =
            is_of_call && self.kernel.had_one && !matches!(marker.kind, MarkerKind::FUNCTION);
        let is_of_program =
            marker.kind == MarkerKind::ARGUMENT || marker.kind == MarkerKind::SYSTEM_CALL;
        if is_late && !is_of_program {
            report.say(
                &rules::KERNEL,
                "it comes after the kernel's part of a system call",
            );
        }
        self.kernel.may_begin &= is_of_call;
    }

    fn begin_call(&mut self, number: u64, report: &mut RecordReport<'_>) {
        let (header, kernel) = (&self.header, &mut self.kernel);
        let is_announced = [
            FileType::KERNEL,
            FileType::KERNEL_INSTRUCTIONS,
            FileType::TEMPLATES,
            FileType::WHOLE_SYSTEM,
        ];
        let is_announced = is_announced.into_iter().any(|bits| header.has(bits));
        if !is_announced {
            report.say(
                &rules::KERNEL,
                "the file type names no kernel's part of system calls",
            );
        }
        if kernel.is_in_call {
            report.say(&rules::KERNEL, "it begins inside of another");
        }
        let is_free = header.has(FileType::TEMPLATES) || header.is_filtered();
        if !is_free && kernel.had_one {
            report.say(
                &rules::KERNEL,
                "a second one of the same system call begins",
            );
        }
        if !header.has(FileType::TEMPLATES) && !header.has(FileType::KERNEL_INSTRUCTIONS) {
            if !kernel.may_begin {
                report.say(&rules::KERNEL, "no system call is recorded right before");
            }
            if kernel.call != Some(number) {
                report.say(
                    &rules::KERNEL,
                    "it is of another system call than the one before",
                );
            }
            let is_asking = self.last.is_none_or(|last| last.is_trap != Some(false));
            if !is_asking {
                report.say(
                    &rules::KERNEL,
                    "the instruction before is none that asks the kernel",
                );
            }
        }
        (kernel.is_in_call, kernel.outside, kernel.depth) =
            (true, self.last, kernel.contexts.len());
        self.is_elsewhere = true;
    }

    fn end_call(&mut self, number: u64, report: &mut RecordReport<'_>) {
        self.check_accesses(report);
        let (header, kernel) = (&self.header, &mut self.kernel);
        kernel.is_expected = false;
        if !kernel.is_in_call {
            report.say(&rules::KERNEL, "it ends without a beginning");
        }
        if !header.has(FileType::TEMPLATES) && kernel.call != Some(number) {
            report.say(&rules::KERNEL, "the end is of another system call");
        }
        if !header.has(FileType::KERNEL_INSTRUCTIONS) {
            let is_back = self.last.is_none_or(|last| last.is_indirect());
            if !is_back {
                report.say(&rules::KERNEL, "it does not end with an indirect branch");
            }
        }
        if std::mem::take(&mut kernel.is_in_call) {
            let is_even = kernel.depth == kernel.contexts.len();
            if !is_even {
                report.say(
                    &rules::KERNEL,
                    "it has a signal or interrupt more or less than ends of them",
                );
            }
            (self.last, kernel.had_one) = (kernel.outside.take(), true);
            (self.is_elsewhere, self.is_interrupted) = (false, true);
        }
    }

    fn begin_switch(&mut self, kind: u64, report: &mut RecordReport<'_>) {
        if self.kernel.is_in_switch {
            report.say(&rules::SWITCH, "it begins inside of another");
        }
        if !(1..=2).contains(&kind) {
            report.add(&rules::SWITCH, || format!("{kind} is not a kind of switch"));
        }
        (self.kernel.is_in_switch, self.kernel.depth) = (true, self.kernel.contexts.len());
        self.is_elsewhere = true;
    }

    fn end_switch(&mut self, report: &mut RecordReport<'_>) {
        if !self.kernel.is_in_switch {
            report.say(&rules::SWITCH, "it ends without a beginning");
        }
        let is_even = !self.kernel.is_in_switch || self.kernel.depth == self.kernel.contexts.len();
        if !is_even {
            report.say(
                &rules::SWITCH,
                "it has a signal or interrupt more or less than ends of them",
            );
        }
        let is_back = self.last.is_none_or(|last| last.is_indirect());
        if !is_back {
            report.say(&rules::SWITCH, "it does not end with an indirect branch");
        }
        self.kernel.is_in_switch = false;
        (self.last, self.is_elsewhere) = (None, true);
    }

    /// Handles a signal, an abort or an interrupt.
    fn interrupt(&mut self, marker: Marker, report: &mut RecordReport<'_>) {
        let pc = marker.value;
        let is_abort = self.recent.last() == Some(MarkerKind::RSEQ_ABORT);
        // Old traces have no address there.
        if self.header.version >= 3 {
            if pc == 0 {
                report.say(&rules::EVENT, "it does not say where the thread was");
            }
            if !is_abort {
                self.check_interrupted(pc, report);
            }
        }
        self.is_interrupted = true;
        self.is_elsewhere = true;
        if is_abort {
            return;
        }
        if !self.kernel.is_inside() {
            self.calls.enter_handler();
        }
        let context = InterruptedContext {
            kind: marker.kind,
            pc,
            last: self.last.take(),
        };
        // A handler that was left by `longjmp` never ends.
        if self.kernel.contexts.len() >= DEPTH {
            self.kernel.contexts.remove(0);
        }
        self.kernel.contexts.push(context);
        // The handler comes next.
        self.kernel.returned = None;
    }

    fn check_interrupted(&self, pc: u64, report: &mut RecordReport<'_>) {
        let Some(last) = self.last.filter(|_| !self.header.is_filtered() && pc != 0) else {
            return;
        };
        let is_here = self.set.code_address(last.pc) == self.set.code_address(pc);
        // Right after another handler, the thread is at the address where that one interrupted it.
        let is_same = self.kernel.returned.is_some_and(|context| context.pc == pc);
        if !self.is_elsewhere && !is_here && !is_same && !last.leads_to(pc, self.set) {
            let from = last.pc;
            report.add(&rules::EVENT, || {
                format!("the thread was at {pc:#x}, where {from:#x} does not lead")
            });
        }
    }

    /// Handles the end of a handler.
    fn come_from_handler(&mut self, marker: Marker, report: &mut RecordReport<'_>) {
        self.check_accesses(report);
        let is_more = self.kernel.is_inside() && self.kernel.contexts.len() <= self.kernel.depth;
        if is_more {
            report.say(
                &rules::KERNEL,
                "a handler ends that did not begin in the kernel's part",
            );
        }
        let found = self.kernel.contexts.pop();
        if let Some(context) = found {
            let event = if marker.kind == MarkerKind::KERNEL_TRANSFER {
                MarkerKind::KERNEL_EVENT
            } else {
                MarkerKind::HARDWARE_EVENT
            };
            if context.kind != event {
                report.say(
                    &rules::RETURN,
                    "a signal ends as an interrupt, or the other way round",
                );
            }
        }
        self.kernel.returned = found;
        self.last = found.and_then(|context| context.last);
        (self.is_elsewhere, self.is_interrupted, self.has_called) = (true, true, false);
    }

    /// Checks that the first instruction after a handler is the interrupted one.
    pub(super) fn check_return(&self, pc: u64, report: &mut RecordReport<'_>) {
        let Some(context) = self
            .kernel
            .returned
            .filter(|context| context.pc != 0 && !self.header.is_filtered())
        else {
            return;
        };
        if self.header.version >= 3
            && self.set.code_address(context.pc) != self.set.code_address(pc)
        {
            let expected = context.pc;
            report.add(&rules::RETURN, || {
                format!("a handler returns to {pc:#x}, the thread was at {expected:#x}")
            });
        }
    }
}
