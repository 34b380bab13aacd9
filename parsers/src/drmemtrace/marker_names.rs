//! Names of the records that are neither steps nor accesses.

use std::borrow::Cow;

use crate::gap::{Gap, GapReason};
use crate::marker::{Marker, MarkerKind};

/// Names of marker records by number (`trace_marker_type_t`), lower case.
const MARKERS: [&str; 47] = [
    "kernel_event",
    "kernel_xfer",
    "timestamp",
    "cpu_id",
    "func_id",
    "func_retaddr",
    "func_arg",
    "func_retval",
    "split_value",
    "filetype",
    "cache_line_size",
    "instruction_count",
    "version",
    "rseq_abort",
    "window_id",
    "physical_address",
    "physical_address_not_available",
    "virtual_address",
    "page_size",
    "syscall_idx",
    "chunk_instr_count",
    "chunk_footer",
    "record_ordinal",
    "filter_endpoint",
    "rseq_entry",
    "syscall",
    "maybe_blocking_syscall",
    "syscall_trace_start",
    "syscall_trace_end",
    "branch_target",
    "syscall_failed",
    "direct_thread_switch",
    "core_wait",
    "core_idle",
    "context_switch_start",
    "context_switch_end",
    "vector_length",
    "syscall_unschedule",
    "syscall_schedule",
    "syscall_arg_timeout",
    "signal_number",
    "uncompleted_instruction",
    "midblock_end_pc",
    "hardware_event",
    "hardware_context_return",
    "kernel_event_raw",
    "skipped_memref",
];

/// Names of records by type (`trace_type_t`), lower case.
const RECORDS: [&str; 51] = [
    "read",
    "write",
    "prefetch",
    "prefetcht0",
    "prefetcht1",
    "prefetcht2",
    "prefetchnta",
    "prefetch_read",
    "prefetch_write",
    "prefetch_instr",
    "instr",
    "instr_direct_jump",
    "instr_indirect_jump",
    "instr_conditional_jump",
    "instr_direct_call",
    "instr_indirect_call",
    "instr_return",
    "instr_bundle",
    "instr_flush",
    "instr_flush_end",
    "data_flush",
    "data_flush_end",
    "thread",
    "thread_exit",
    "pid",
    "header",
    "footer",
    "hardware_prefetch",
    "marker",
    "instr_no_fetch",
    "instr_maybe_fetch",
    "instr_sysenter",
    "prefetch_read_l1_nt",
    "prefetch_read_l2_nt",
    "prefetch_read_l3_nt",
    "prefetch_instr_l1",
    "prefetch_instr_l1_nt",
    "prefetch_instr_l2",
    "prefetch_instr_l2_nt",
    "prefetch_instr_l3",
    "prefetch_instr_l3_nt",
    "prefetch_write_l1",
    "prefetch_write_l1_nt",
    "prefetch_write_l2",
    "prefetch_write_l2_nt",
    "prefetch_write_l3",
    "prefetch_write_l3_nt",
    "encoding",
    "instr_taken_jump",
    "instr_untaken_jump",
    "invalid",
];

/// The name of a marker as the format has it, `marker 77` for one that it does not name; of other records that of their type.
pub fn marker_name(kind: MarkerKind) -> Cow<'static, str> {
    if let Some(record) = kind.0.checked_sub(MarkerKind::FIRST_RECORD.0) {
        return record_name(record as u8).into();
    }
    if kind == MarkerKind::LEFT_OUT {
        return "left_out".into();
    }
    if let Some(gap) = Gap::of(Marker { kind, value: 0 }) {
        return gap_name(gap.reason).into();
    }
    match MARKERS.get(usize::from(kind.0)) {
        Some(name) => (*name).into(),
        None => format!("marker {}", kind.0).into(),
    }
}

fn gap_name(reason: GapReason) -> &'static str {
    match reason {
        GapReason::Lost => "gap_lost",
        GapReason::Off => "gap_off",
        GapReason::Unmapped => "gap_unmapped",
        GapReason::Contradiction => "gap_contradiction",
    }
}

/// The kind of a name that [`marker_name`] gives; only of records that are pushed as markers.
pub fn marker_kind(name: &str) -> Option<MarkerKind> {
    let is_marker = |kind: &u8| matches!(kind, 2..=9 | 18 | 20 | 23 | 29 | 32..=46);
    let records = (0..=u8::MAX).filter(is_marker).map(MarkerKind::record);
    let mut kinds = (0..MarkerKind::FIRST_RECORD.0).map(MarkerKind).chain(records);
    kinds.find(|kind| marker_name(*kind) == name)
}

/// The name of a record's type.
pub fn record_name(kind: u8) -> &'static str {
    RECORDS.get(usize::from(kind)).copied().unwrap_or("invalid")
}
