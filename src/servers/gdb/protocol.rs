//! The target's answers in the terms of the protocol layer.
//!
//! Error numbers are those of `errno.h`: 1 for other processes, 14 for unknown memory, 30 for writes,
//! 28 for too many stop points, 22 for a thread that does not exist.

use anyhow::Error;
use gdbstub::common::{Pid, Signal, Tid};
use gdbstub::target::ext::auxv::{Auxv, AuxvOps};
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadResume, MultiThreadResumeOps, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps,
    SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::exec_file::{ExecFile, ExecFileOps};
use gdbstub::target::ext::extended_mode::ExtendedModeOps;
use gdbstub::target::ext::libraries::{Libraries, LibrariesOps, LibrariesSvr4, LibrariesSvr4Ops};
use gdbstub::target::ext::memory_map::{MemoryMap, MemoryMapOps};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::section_offsets::{Offsets, SectionOffsets, SectionOffsetsOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{Target, TargetError, TargetResult};
use stepback_debugger::analysis::run_control::{RunningThreads, StopAtStores, WatchedRange};
use stepback_index::QueryError;
use stepback_index::answer::{AccessKinds, Direction, MemoryRange, ThreadId};
use stepback_machine::Address;

use crate::servers::gdb::arch::{RegisterBytes, TraceArch};
use crate::servers::gdb::libraries::program_offset;
use crate::servers::gdb::target::{BreakpointForm, ClientKind, PointOutcome, TraceTarget, tid_of};

pub(super) const NOT_PERMITTED: u8 = 1;
const BAD_ADDRESS: u8 = 14;
const INVALID: u8 = 22;
const NO_SPACE: u8 = 28;
const READ_ONLY: u8 = 30;

impl Target for TraceTarget<'_> {
    type Arch = TraceArch;
    type Error = Error;

    fn base_ops(&mut self) -> BaseOps<'_, TraceArch, Error> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }

    fn support_extended_mode(&mut self) -> Option<ExtendedModeOps<'_, Self>> {
        self.is_extended.then_some(self)
    }

    fn support_section_offsets(&mut self) -> Option<SectionOffsetsOps<'_, Self>> {
        (program_offset(&self.session.images) != 0).then_some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_memory_map(&mut self) -> Option<MemoryMapOps<'_, Self>> {
        Some(self)
    }

    fn support_exec_file(&mut self) -> Option<ExecFileOps<'_, Self>> {
        self.documents.program.is_some().then_some(self)
    }

    fn support_auxv(&mut self) -> Option<AuxvOps<'_, Self>> {
        (!self.documents.auxiliary_vector.is_empty()).then_some(self)
    }

    fn support_libraries_svr4(&mut self) -> Option<LibrariesSvr4Ops<'_, Self>> {
        Some(self)
    }

    fn support_libraries(&mut self) -> Option<LibrariesOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadBase for TraceTarget<'_> {
    fn read_registers(&mut self, regs: &mut RegisterBytes, tid: Tid) -> TargetResult<(), Self> {
        let thread = existing(self.thread_of(tid))?;
        regs.0 = self.registers(thread).map_err(fatal)?;
        Ok(())
    }

    fn write_registers(&mut self, _regs: &RegisterBytes, _tid: Tid) -> TargetResult<(), Self> {
        Err(TargetError::Errno(READ_ONLY))
    }

    fn read_addrs(
        &mut self,
        start_addr: u64,
        data: &mut [u8],
        tid: Tid,
    ) -> TargetResult<usize, Self> {
        let thread = existing(self.thread_of(tid))?;
        let len_bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
        let known = self.memory(thread, start_addr, len_bytes).map_err(fatal)?;
        match copied(&known, data) {
            0 => Err(TargetError::Errno(BAD_ADDRESS)),
            count => Ok(count),
        }
    }

    fn write_addrs(&mut self, _start: u64, _data: &[u8], _tid: Tid) -> TargetResult<(), Self> {
        Err(TargetError::Errno(READ_ONLY))
    }

    fn list_active_threads(&mut self, is_active: &mut dyn FnMut(Tid)) -> Result<(), Error> {
        let threads = self.threads()?;
        threads.into_iter().map(tid_of).for_each(is_active);
        Ok(())
    }

    fn is_thread_alive(&mut self, tid: Tid) -> Result<bool, Error> {
        Ok(self.thread_of(tid).is_some())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadResume for TraceTarget<'_> {
    fn resume(&mut self) -> Result<(), Error> {
        // The session calls `run` when the packet has been decoded.
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Error> {
        self.request = Default::default();
        Ok(())
    }

    fn set_resume_action_continue(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Error> {
        self.request.continuing = self.thread_of(tid);
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }
}

impl MultiThreadSingleStep for TraceTarget<'_> {
    fn set_resume_action_step(&mut self, tid: Tid, _: Option<Signal>) -> Result<(), Error> {
        let thread = match self.thread_of(tid) {
            Some(thread) => thread,
            None => self.current_thread()?,
        };
        self.request.stepping = Some(thread);
        Ok(())
    }
}

impl MultiThreadSchedulerLocking for TraceTarget<'_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Error> {
        let request = &self.request;
        if let Some(thread) = request.stepping.or(request.continuing) {
            self.request.threads = RunningThreads::One(thread);
        }
        Ok(())
    }
}

impl ReverseStep<Tid> for TraceTarget<'_> {
    /// Steps the thread that the client reads. The protocol layer names the one that stopped last,
    /// but after `thread 2` GDB sends only `Hg2` before the step.
    fn reverse_step(&mut self, _tid: Tid) -> Result<(), Error> {
        let only = self.running_thread();
        let thread = match only {
            Some(thread) => thread,
            None => self.current_thread()?,
        };
        self.request.direction = Direction::Back;
        self.request.stepping = Some(thread);
        self.request.threads = only.map_or(RunningThreads::All, RunningThreads::One);
        Ok(())
    }
}

impl ReverseCont<Tid> for TraceTarget<'_> {
    fn reverse_cont(&mut self) -> Result<(), Error> {
        let only = self.running_thread();
        self.request.direction = Direction::Back;
        self.request.stepping = None;
        self.request.threads = only.map_or(RunningThreads::All, RunningThreads::One);
        Ok(())
    }
}

impl ThreadExtraInfo for TraceTarget<'_> {
    fn thread_extra_info(&self, tid: Tid, buf: &mut [u8]) -> Result<usize, Error> {
        let name = self
            .thread_of(tid)
            .map_or("", |thread| self.index().thread_name(thread));
        Ok(copied(name.as_bytes(), buf))
    }
}

impl Breakpoints for TraceTarget<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

impl SwBreakpoint for TraceTarget<'_> {
    fn add_sw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        accepted(self.add_breakpoint(BreakpointForm::Software, addr))
    }

    fn remove_sw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        self.remove_breakpoint(BreakpointForm::Software, addr);
        Ok(true)
    }
}

impl HwBreakpoint for TraceTarget<'_> {
    fn add_hw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        accepted(self.add_breakpoint(BreakpointForm::Hardware, addr))
    }

    fn remove_hw_breakpoint(&mut self, addr: u64, _kind: usize) -> TargetResult<bool, Self> {
        self.remove_breakpoint(BreakpointForm::Hardware, addr);
        Ok(true)
    }
}

impl TraceTarget<'_> {
    /// Returns the watched range as the current thread sees it; `None` for one without bytes or beyond
    /// the end of memory.
    fn watched(
        &self,
        address: u64,
        len_bytes: u64,
        kind: WatchKind,
    ) -> Result<Option<WatchedRange>, QueryError> {
        let last = len_bytes.checked_sub(1);
        if last.and_then(|last| address.checked_add(last)).is_none() {
            return Ok(None);
        }
        Ok(Some(WatchedRange {
            thread: self.current_thread()?,
            range: MemoryRange {
                address: Address(address),
                len_bytes,
            },
            kinds: match kind {
                WatchKind::Write => AccessKinds::Writes,
                WatchKind::Read => AccessKinds::Reads,
                WatchKind::ReadWrite => AccessKinds::All,
            },
            // After a store that changes nothing gdb runs on by itself, a dozen packets later; LLDB
            // can be asked to stop.
            stores: match (kind, self.client) {
                (WatchKind::Write, ClientKind::Gdb) => StopAtStores::Changes,
                _ => StopAtStores::All,
            },
        }))
    }
}

impl HwWatchpoint for TraceTarget<'_> {
    fn add_hw_watchpoint(
        &mut self,
        addr: u64,
        len: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        match self.watched(addr, len, kind).map_err(fatal)? {
            Some(watched) => accepted(self.add_watch(watched)),
            None => Ok(false),
        }
    }

    fn remove_hw_watchpoint(
        &mut self,
        addr: u64,
        len: u64,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        if let Some(watched) = self.watched(addr, len, kind).map_err(fatal)? {
            self.remove_watch(watched);
        }
        Ok(true)
    }
}

impl MonitorCmd for TraceTarget<'_> {
    fn handle_monitor_cmd(&mut self, cmd: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Error> {
        let answer = self.monitor(&String::from_utf8_lossy(cmd));
        out.write_raw(answer.as_bytes());
        Ok(())
    }
}

impl SectionOffsets for TraceTarget<'_> {
    fn get_section_offsets(&mut self) -> Result<Offsets<u64>, Error> {
        let offset = program_offset(&self.session.images);
        Ok(Offsets::Sections {
            text: offset,
            data: offset,
            bss: Some(offset),
        })
    }
}

impl TargetDescriptionXmlOverride for TraceTarget<'_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        match annex {
            b"target.xml" => Ok(part(self.documents.target.as_bytes(), offset, length, buf)),
            _ => Err(TargetError::Errno(0)),
        }
    }
}

impl MemoryMap for TraceTarget<'_> {
    fn memory_map_xml(
        &self,
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let map = self.documents.memory_map.as_bytes();
        Ok(part(map, offset, length, buf))
    }
}

impl ExecFile for TraceTarget<'_> {
    fn get_exec_file(
        &self,
        _pid: Option<Pid>,
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let path = self.documents.program.as_deref().unwrap_or_default();
        Ok(part(path.as_bytes(), offset, length, buf))
    }
}

impl Auxv for TraceTarget<'_> {
    fn get_auxv(&self, offset: u64, length: usize, buf: &mut [u8]) -> TargetResult<usize, Self> {
        let vector = &self.documents.auxiliary_vector;
        Ok(part(vector, offset, length, buf))
    }
}

impl LibrariesSvr4 for TraceTarget<'_> {
    fn get_libraries_svr4(
        &self,
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let list = self.documents.libraries_svr4.as_bytes();
        Ok(part(list, offset, length, buf))
    }
}

impl Libraries for TraceTarget<'_> {
    fn get_libraries(
        &self,
        offset: u64,
        length: usize,
        buf: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let list = self.documents.libraries.as_bytes();
        Ok(part(list, offset, length, buf))
    }
}

/// Copies a part of a document and returns its length.
fn part(document: &[u8], offset: u64, length: usize, buf: &mut [u8]) -> usize {
    let rest = usize::try_from(offset)
        .ok()
        .and_then(|offset| document.get(offset..))
        .unwrap_or_default();
    let wanted = rest.get(..length).unwrap_or(rest);
    copied(wanted, buf)
}

/// Copies the bytes that have room and returns their number.
fn copied(bytes: &[u8], room: &mut [u8]) -> usize {
    let pairs = room.iter_mut().zip(bytes);
    pairs.map(|(to, from)| *to = *from).count()
}

fn existing(thread: Option<ThreadId>) -> Result<ThreadId, TargetError<Error>> {
    thread.ok_or(TargetError::Errno(INVALID))
}

fn fatal(error: QueryError) -> TargetError<Error> {
    TargetError::Fatal(error.into())
}

fn accepted(outcome: PointOutcome) -> Result<bool, TargetError<Error>> {
    match outcome {
        PointOutcome::Done => Ok(true),
        PointOutcome::TooMany => Err(TargetError::Errno(NO_SPACE)),
    }
}
