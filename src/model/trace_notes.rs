//! What a user should keep in mind about a trace, one sentence each.

use stepback_index::MarkerReader;
use stepback_parsers::{MarkerKind, Source as _, drmemtrace::FileType};

use crate::session::Session;

/// What a drmemtrace trace does not hold or holds besides; nothing for other formats.
pub fn trace_notes(session: &Session) -> Vec<String> {
    const NO_VALUES: &str = "values of registers and memory are not recorded";
    const BY_TIME: &str =
        "threads are put in order by their times: between two times of a thread, what others did first is not known";
    let Some(trace) = session.drmemtrace() else { return Vec::new() };
    let threads = trace.threads().iter().filter(|thread| !thread.is_idle()).count();
    let by_time = (threads > 1).then(|| BY_TIME.to_owned());
    std::iter::once(NO_VALUES.to_owned()).chain(unusual_notes(session)).chain(by_time).collect()
}

/// Those of them that most traces do not have.
pub fn unusual_notes(session: &Session) -> Vec<String> {
    let Some(trace) = session.drmemtrace() else { return Vec::new() };
    let file_type = trace.head().file_type;
    let marked = |kind: MarkerKind| MarkerReader(&session.index).marker_counts().any(|known| known.kind == kind);
    let assumed = file_type.instruction_set().is_none().then(|| {
        let set = session.index.source().traits().instruction_set;
        format!("the trace does not say its architecture: {} is assumed (see --arch)", set.names().spoken)
    });
    let notes = [
        (
            lacks_encodings(session) && session.images.is_empty(),
            "instructions were recorded without their bytes: name the program's files by --image ELF or --sysroot DIR \
             (\"Add image…\" in the window) to see what they are",
        ),
        (
            lacks_encodings(session) && !session.images.is_empty(),
            "instructions were recorded without their bytes: what they are comes from the program's files",
        ),
        (
            file_type.has(FileType::FILTERED),
            "the recorder left out what its caches held: steps and accesses are missing, so a last writer may be wrong",
        ),
        (file_type.has(FileType::INSTRUCTION_ONLY), "no loads and stores are recorded"),
        (
            file_type.has(FileType::REGDEPS),
            "instructions are synthetic and show registers and a category alone, so nothing is disassembled",
        ),
        (file_type.has(FileType::KERNEL), "system calls hold what the kernel ran"),
        (file_type.has(FileType::WHOLE_SYSTEM), "the whole system is recorded, not one program"),
        (
            file_type.has(FileType::TEMPLATES),
            "these are pieces of kernel code to be put into other traces, not a program",
        ),
        (
            file_type.has(FileType::CORE_SHARDED),
            "its files are cores, and times and cpus may be those of a simulated schedule",
        ),
        (marked(MarkerKind::WINDOW), "the recording has windows: between two of them time is missing"),
    ];
    let notes = notes.into_iter().filter(|(is_true, _)| *is_true).map(|(_, note)| note.to_owned());
    assumed.into_iter().chain(notes).collect()
}

/// Whether a trace tells where instructions are but not what they are.
pub fn lacks_encodings(session: &Session) -> bool {
    let Some(trace) = session.drmemtrace() else { return false };
    let file_type = trace.head().file_type;
    !file_type.has(FileType::ENCODINGS) && !file_type.has(FileType::REGDEPS) && trace.counts().total.encodings == 0
}
