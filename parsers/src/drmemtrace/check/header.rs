//! Header of a thread: checks that its records match what it announces.

use crate::drmemtrace::check::rules;
use crate::drmemtrace::check::rules::RecordReport;
use crate::drmemtrace::head::{FileType, TraceHead};
use crate::drmemtrace::raw_record::marker;
use crate::marker::{Marker, MarkerKind};

/// First versions in which a rule holds.
const BRANCHES_SINCE: u64 = 5;
const TIMES_SINCE: u64 = 6;
/// `TRACE_MARKER_TYPE_KERNEL_EVENT_RAW`.
const RAW_EVENT: MarkerKind = MarkerKind(45);
const CACHE_LINE: MarkerKind = MarkerKind(10);
const CHUNK_INSTRUCTIONS: MarkerKind = MarkerKind(marker::CHUNK_INSTRUCTIONS);

/// Header of a thread, and the announced records that were seen.
#[derive(Clone, Debug)]
pub(super) struct ThreadHeader {
    pub file_type: FileType,
    pub version: u64,
    has_cache_line: bool,
    has_page_size: bool,
    has_instruction_count: bool,
    has_endpoint: bool,
    has_system_call: bool,
    has_blocking: bool,
    instruction_count: u64,
    chunk_instructions: u64,
    /// Number of the next chunk, counted from the start of the thread's file.
    next_chunk: u64,
    pub instructions: u64,
    pub is_over: bool,
}

impl ThreadHeader {
    /// Creates the header of a thread from the head of the trace's first file.
    pub fn new(head: TraceHead) -> Self {
        Self {
            file_type: head.file_type,
            version: head.version,
            has_cache_line: false,
            has_page_size: false,
            has_instruction_count: false,
            has_endpoint: false,
            has_system_call: false,
            has_blocking: false,
            instruction_count: 0,
            chunk_instructions: 0,
            next_chunk: 0,
            instructions: 0,
            is_over: false,
        }
    }

    pub fn has(&self, bits: FileType) -> bool {
        self.file_type.has(bits)
    }

    /// Returns whether instructions may be left out.
    pub fn is_filtered(&self) -> bool {
        self.has(FileType::INSTRUCTIONS_FILTERED)
    }

    /// Returns whether accesses may be left out or are not recorded.
    pub fn lacks_accesses(&self) -> bool {
        self.has(FileType::DATA_FILTERED) || self.has(FileType::INSTRUCTION_ONLY)
    }

    /// Returns whether branches have recorded targets.
    pub fn has_branch_targets(&self) -> bool {
        self.version >= BRANCHES_SINCE && !self.is_filtered()
    }

    /// Returns whether a system call has a timestamp before and after it.
    pub fn has_times_of_calls(&self) -> bool {
        self.version >= TIMES_SINCE
    }

    pub fn is_synthetic(&self) -> bool {
        self.has(FileType::REGDEPS)
    }

    /// Returns whether each file is of one core: records of a thread's header may then belong to
    /// another thread.
    pub fn is_of_core(&self) -> bool {
        self.has(FileType::CORE_SHARDED)
    }

    /// Checks a marker of the header, or one that the header announces.
    pub fn marker(&mut self, marker: Marker, report: &mut RecordReport<'_>) {
        match marker.kind {
            MarkerKind::RECORDING => self.set_file_type(FileType(marker.value), report),
            MarkerKind::VERSION => self.version = marker.value,
            CACHE_LINE => self.has_cache_line = true,
            MarkerKind::PAGE_SIZE => self.has_page_size = true,
            CHUNK_INSTRUCTIONS => self.chunk_instructions = marker.value,
            MarkerKind::INSTRUCTION_COUNT => self.count_instructions(marker.value, report),
            MarkerKind::CHUNK_FOOTER => self.end_chunk(marker.value, report),
            MarkerKind::FILTER_ENDPOINT => {
                self.has_endpoint = true;
                let is_announced = self.has(FileType::FILTERED_WARMUP);
                if !is_announced {
                    report.say(
                        &rules::FILTER,
                        "the filtered part ends, but the file type names none",
                    );
                }
            }
            MarkerKind::SYSTEM_CALL => self.has_system_call = true,
            MarkerKind::MAYBE_BLOCKING => self.has_blocking = true,
            MarkerKind::VECTOR_LENGTH => self.check_vector_length(marker.value, report),
            RAW_EVENT => report.add(&rules::RAW, || {
                "a kernel event of the raw form of traces".to_owned()
            }),
            MarkerKind::HARDWARE_EVENT | MarkerKind::HARDWARE_RETURN => {
                let is_whole = self.has(FileType::WHOLE_SYSTEM);
                if !is_whole {
                    report.say(&rules::HARDWARE, "the trace is not of a whole system");
                }
            }
            _ => {}
        }
        if self.is_synthetic() {
            check_synthetic(marker, report);
        }
    }

    fn set_file_type(&mut self, file_type: FileType, report: &mut RecordReport<'_>) {
        self.file_type = file_type;
        let is_both = file_type.has(FileType::WHOLE_SYSTEM) && file_type.has(FileType::KERNEL);
        if is_both {
            report.say(
                &rules::FILE_TYPE,
                "the file type names a whole system and traced system calls",
            );
        }
        let is_one = !file_type.has(FileType::REGDEPS) || !file_type.has(FileType::ARCHITECTURES);
        if !is_one {
            report.say(
                &rules::REGDEPS,
                "the file type names a real architecture as well",
            );
        }
    }

    fn check_vector_length(&self, bytes: u64, report: &mut RecordReport<'_>) {
        let has_vectors = self.has(FileType::AARCH64) || self.is_synthetic();
        if !has_vectors {
            report.say(
                &rules::VECTOR,
                "the processor has no vectors of such a length",
            );
        }
        if !(1..=256).contains(&bytes) || !bytes.is_multiple_of(16) {
            report.add(&rules::VECTOR, || format!("{bytes} bytes"));
        }
    }

    fn count_instructions(&mut self, count: u64, report: &mut RecordReport<'_>) {
        self.has_instruction_count = true;
        let before = std::mem::replace(&mut self.instruction_count, count);
        if count < before {
            report.add(&rules::COUNTS, || {
                format!("{count} instructions, after {before}")
            });
        }
    }

    fn end_chunk(&mut self, number: u64, report: &mut RecordReport<'_>) {
        if self.is_of_core() {
            return;
        }
        let expected = std::mem::replace(&mut self.next_chunk, number.wrapping_add(1));
        if number != expected {
            report.add(&rules::CHUNK, || {
                format!("chunk {number} ends, expected was chunk {expected}")
            });
        }
        let (count, instructions) = (self.chunk_instructions, self.instructions);
        if !self.has(FileType::TEMPLATES) && (count == 0 || !instructions.is_multiple_of(count)) {
            report.add(&rules::CHUNK, || {
                format!("chunk {number} ends after {instructions} instructions, chunks have {count} each")
            });
        }
    }

    /// Checks the header against all records at the end of the thread.
    pub fn exit(&mut self, report: &mut RecordReport<'_>) {
        self.is_over = true;
        if self.is_of_core() {
            return;
        }
        if self.is_filtered() && !self.has_instruction_count {
            report.say(
                &rules::COUNTS,
                "the trace is filtered, and no record counts its instructions",
            );
        }
        if !self.has_cache_line {
            report.say(&rules::HEADER, "the size of cache lines is not told");
        }
        if !self.has_page_size {
            report.say(&rules::HEADER, "the size of pages is not told");
        }
        if self.has_system_call && !self.has(FileType::SYSTEM_CALLS) {
            report.say(
                &rules::CONTENT,
                "there are system calls, but the file type does not name them",
            );
        }
        if self.has_blocking && !self.has(FileType::BLOCKING_CALLS) {
            report.say(
                &rules::CONTENT,
                "system calls may block, but the file type does not name this",
            );
        }
        if self.has(FileType::FILTERED_WARMUP) && !self.has_endpoint {
            report.say(
                &rules::FILTER,
                "the beginning is filtered, and nothing says where that ends",
            );
        }
    }

    /// Returns whether a thread that ends must have at least one instruction.
    pub fn must_have_steps(&self) -> bool {
        !self.is_of_core() && !self.is_filtered() && !self.has(FileType::TEMPLATES)
    }
}

/// Checks that a trace of synthetic instructions contains no marker that it must not.
fn check_synthetic(marker: Marker, report: &mut RecordReport<'_>) {
    /// `futex`, whose arguments are kept so that schedules can be replayed.
    const FUTEX: u64 = (1 << 32) + 202;
    /// `TRACE_MARKER_TYPE_SYSCALL_IDX`.
    const CALL_NUMBER: MarkerKind = MarkerKind(19);
    let what = match marker.kind {
        MarkerKind::SYSTEM_CALL
        | CALL_NUMBER
        | MarkerKind::SYSTEM_CALL_START
        | MarkerKind::SYSTEM_CALL_END
        | MarkerKind::SYSTEM_CALL_FAILED => "a system call",
        MarkerKind::FUNCTION if marker.value != FUTEX => "a function other than futex",
        MarkerKind::SIGNAL => "a signal number",
        MarkerKind::UNCOMPLETED => "the encoding of an instruction",
        _ => return,
    };
    report.add(&rules::REGDEPS, || format!("{what} is recorded"));
}
