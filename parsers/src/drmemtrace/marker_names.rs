//! Names of records other than steps and accesses, by the numbers of DynamoRIO's
//! `trace_marker_type_t` and `trace_type_t`, and the kind of branch that each type of instruction
//! record represents.

use std::borrow::Cow;

use stepback_machine::flow::RecordedBranch;

use crate::drmemtrace::raw_record::kind;
use crate::marker::{Gap, GapReason, Marker, MarkerKind};

/// Names of marker records by number (`trace_marker_type_t`), in lower case.
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

/// Names of records by type (`trace_type_t`), in lower case; prefetches and flushes as in the
/// `view` tool.
const RECORDS: [&str; 51] = [
    "read",
    "write",
    "pref",
    "pref_r_l1",
    "pref_r_l2",
    "pref_r_l3",
    "pref_nta",
    "pref_r",
    "pref_w",
    "pref_i",
    "instr",
    "instr_direct_jump",
    "instr_indirect_jump",
    "instr_conditional_jump",
    "instr_direct_call",
    "instr_indirect_call",
    "instr_return",
    "instr_bundle",
    "iflush",
    "iflush_end",
    "dflush",
    "dflush_end",
    "thread",
    "thread_exit",
    "pid",
    "header",
    "footer",
    "pref_hw",
    "marker",
    "instr_no_fetch",
    "instr_maybe_fetch",
    "instr_sysenter",
    "pref_r_l1_nt",
    "pref_r_l2_nt",
    "pref_r_l3_nt",
    "pref_i_l1",
    "pref_i_l1_nt",
    "pref_i_l2",
    "pref_i_l2_nt",
    "pref_i_l3",
    "pref_i_l3_nt",
    "pref_w_l1",
    "pref_w_l1_nt",
    "pref_w_l2",
    "pref_w_l2_nt",
    "pref_w_l3",
    "pref_w_l3_nt",
    "encoding",
    "instr_taken_jump",
    "instr_untaken_jump",
    "invalid",
];

/// Returns the format's name of a marker, or `marker 77` if the format has none. For other records,
/// returns the name of their type.
pub fn marker_name(kind: MarkerKind) -> Cow<'static, str> {
    if let Some(record) = kind.0.checked_sub(MarkerKind::FIRST_RECORD.0) {
        return record_name(record as u8).into();
    }
    if kind == MarkerKind::TRAP {
        return "trap".into();
    }
    if kind == MarkerKind::ADDRESS_CONTEXT {
        return "address_context".into();
    }
    if kind == MarkerKind::TRANSLATIONS_FORGOTTEN {
        return "translations_forgotten".into();
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

/// Plain words for markers, with the names of the format.
const PLAIN_WORDS: [(&str, &str); 16] = [
    ("signal", "signal_number"),
    ("interrupt", "hardware_event"),
    ("exception", "hardware_event"),
    ("time", "timestamp"),
    ("cpu", "cpu_id"),
    ("core", "cpu_id"),
    ("system_call", "syscall"),
    ("system_call_failed", "syscall_failed"),
    ("function", "func_id"),
    ("argument", "func_arg"),
    ("return_value", "func_retval"),
    ("return_address", "func_retaddr"),
    ("exit", "thread_exit"),
    ("idle", "core_idle"),
    ("window", "window_id"),
    ("context_switch", "context_switch_start"),
];

/// Returns the kinds of all records that are pushed as markers.
fn marker_kinds() -> impl Iterator<Item = MarkerKind> {
    let is_marker = |kind: &u8| matches!(kind, 2..=9 | 18 | 20 | 23 | 29 | 32..=46);
    let records = (0..=u8::MAX).filter(is_marker).map(MarkerKind::record);
    (0..MarkerKind::FIRST_RECORD.0)
        .map(MarkerKind)
        .chain(records)
}

/// Returns the kind of a name that [`marker_name`] returns, or of a plain word for it, for records
/// that are pushed as markers. Case and the plural do not matter, and `_` may be a space or a
/// hyphen.
///
/// ```
/// use stepback_parsers::MarkerKind;
/// use stepback_parsers::drmemtrace::marker_kind;
///
/// assert_eq!(marker_kind("signal_number"), Some(MarkerKind::SIGNAL));
/// assert_eq!(marker_kind("Signals"), Some(MarkerKind::SIGNAL));
/// assert_eq!(marker_kind("system call"), Some(MarkerKind::SYSTEM_CALL));
/// ```
pub fn marker_kind(name: &str) -> Option<MarkerKind> {
    let named = |name: &str| marker_kinds().find(|kind| marker_name(*kind) == name);
    let plain = |word: &str| {
        let (_, name) = PLAIN_WORDS.iter().find(|(plain, _)| *plain == word)?;
        named(name)
    };
    let of = |word: &str| named(word).or_else(|| plain(word));
    let word = name.to_ascii_lowercase().replace([' ', '-'], "_");
    named(name)
        .or_else(|| of(&word))
        .or_else(|| of(word.strip_suffix('s')?))
}

/// Returns the plain words and the names of the format that [`marker_kind`] accepts.
pub fn known_marker_names() -> Vec<Cow<'static, str>> {
    let plain = PLAIN_WORDS.iter().map(|(word, _)| Cow::Borrowed(*word));
    let named = marker_kinds()
        .map(marker_name)
        .filter(|name| matches!(name, Cow::Borrowed(_)));
    let mut names: Vec<_> = plain.chain(named).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns a prefetch or flush in the spelling of DynamoRIO's `view` tool: `pref-r-L1-NT`,
/// `iflush`.
pub(super) fn hint_word(kind: MarkerKind) -> String {
    let words = marker_name(kind)
        .split('_')
        .map(hint_part)
        .collect::<Vec<_>>();
    words.join("-")
}

/// Capitalises cache levels and abbreviations.
fn hint_part(part: &str) -> String {
    let is_capital = matches!(part, "l1" | "l2" | "l3" | "nt" | "nta" | "hw");
    if is_capital {
        part.to_uppercase()
    } else {
        part.to_owned()
    }
}

/// Returns the name of a record type.
pub fn record_name(kind: u8) -> &'static str {
    RECORDS.get(usize::from(kind)).copied().unwrap_or("invalid")
}

/// Returns the effect on control of an instruction with this record type (`trace_type_t`).
#[inline(always)]
pub fn branch_of(kind: u8) -> RecordedBranch {
    match kind {
        11 => RecordedBranch::Jump,
        12 => RecordedBranch::IndirectJump,
        13 => RecordedBranch::Conditional(None),
        14 => RecordedBranch::Call,
        15 => RecordedBranch::IndirectCall,
        16 => RecordedBranch::Return,
        31 => RecordedBranch::SystemEntry,
        48 => RecordedBranch::Conditional(Some(true)),
        49 => RecordedBranch::Conditional(Some(false)),
        _ => RecordedBranch::None,
    }
}

/// Returns the name of the record type of instructions with this branch.
pub fn instruction_name(branch: RecordedBranch) -> &'static str {
    let is_meant = |kind: &u8| branch_of(*kind) == branch;
    record_name(
        (0..=u8::MAX)
            .find(|kind| is_meant(kind) && u16::from(*kind) >= kind::INSTRUCTION)
            .unwrap_or(u8::MAX),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_mean_markers_of_the_format() {
        for (word, name) in PLAIN_WORDS {
            assert_eq!(marker_name(marker_kind(word).unwrap()), name, "{word}");
        }
        for name in known_marker_names() {
            assert!(marker_kind(&name).is_some(), "{name}");
        }
        assert_eq!(marker_kind("marker 77"), Some(MarkerKind(77)));
        assert_eq!(marker_kind("nothing"), None);
        assert_eq!(marker_kind(""), None);
    }

    #[test]
    fn an_instruction_is_called_by_the_type_of_its_record() {
        for kind in [10, 11, 12, 13, 14, 15, 16, 31, 48, 49] {
            assert_eq!(instruction_name(branch_of(kind)), record_name(kind));
        }
    }
}
