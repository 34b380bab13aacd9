//! Notes about the limitations of a trace, one sentence each.

use stepback_index::MarkerReader;
use stepback_parsers::{MarkerKind, drmemtrace::FileType};

use crate::messages::say;
use crate::session::Session;

/// Returns notes about what a drmemtrace trace contains or lacks; for other formats, whether calls
/// are known.
pub fn trace_notes(session: &Session) -> Vec<String> {
    let Some(trace) = session.drmemtrace() else {
        return unusual_notes(session);
    };
    let threads = trace
        .threads()
        .iter()
        .filter(|thread| !thread.is_idle())
        .count();
    let by_time = (threads > 1).then(|| say!("notes-by-time").to_owned());
    std::iter::once(say!("notes-no-values").to_owned())
        .chain(unusual_notes(session))
        .chain(by_time)
        .collect()
}

/// Returns the notes that do not apply to most traces.
pub fn unusual_notes(session: &Session) -> Vec<String> {
    let calls = session
        .lacks_steps
        .then(|| say!("notes-calls-are-not-known").to_owned());
    let Some(trace) = session.drmemtrace() else {
        return calls.into_iter().collect();
    };
    let file_type = trace.head().file_type;
    let marked = |kind: MarkerKind| {
        MarkerReader(&session.index)
            .marker_counts()
            .any(|known| known.kind == kind)
    };
    let assumed = file_type.instruction_set().is_none().then(|| {
        let set = session.index.source().traits().instruction_set;
        say!("notes-assumed", architecture = set.names().spoken)
    });
    let notes = [
        (
            lacks_encodings(session) && session.images.is_empty(),
            say!("notes-instructions-were-recorded-without-their"),
        ),
        (
            lacks_encodings(session) && !session.images.is_empty(),
            say!("notes-instructions-were-recorded-without-their-bytes"),
        ),
        (
            file_type.has(FileType::FILTERED),
            say!("notes-the-recorder-left-out-what"),
        ),
        (
            file_type.has(FileType::INSTRUCTION_ONLY),
            say!("notes-no-loads-and-stores-are"),
        ),
        (
            file_type.has(FileType::REGDEPS),
            say!("notes-instructions-are-synthetic-and-show"),
        ),
        (
            file_type.has(FileType::KERNEL),
            say!("notes-system-calls-hold-what-the"),
        ),
        (
            file_type.has(FileType::WHOLE_SYSTEM),
            say!("notes-the-whole-system-is-recorded"),
        ),
        (
            file_type.has(FileType::TEMPLATES),
            say!("notes-these-are-pieces-of-kernel"),
        ),
        (
            file_type.has(FileType::CORE_SHARDED),
            say!("notes-its-files-are-cores-and"),
        ),
        (
            marked(MarkerKind::WINDOW),
            say!("notes-the-recording-has-windows-between"),
        ),
    ];
    let notes = notes
        .into_iter()
        .filter(|(is_true, _)| *is_true)
        .map(|(_, note)| note.to_owned());
    assumed.into_iter().chain(notes).chain(calls).collect()
}

/// Returns true if a trace records the addresses of instructions but not their encodings.
pub fn lacks_encodings(session: &Session) -> bool {
    let Some(trace) = session.drmemtrace() else {
        return false;
    };
    let file_type = trace.head().file_type;
    !file_type.has(FileType::ENCODINGS)
        && !file_type.has(FileType::REGDEPS)
        && trace.counts().total.encodings == 0
}
