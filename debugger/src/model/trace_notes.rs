//! Sentences about a trace as a whole: its limitations, the places of parser warnings, and the
//! likely death of the program.

use stepback_index::Index;
use stepback_index::answer::Warning;
use stepback_index::read::MarkerReader;
use stepback_machine::AccessKind;
use stepback_parsers::MarkerKind;
use stepback_parsers::drmemtrace::FileType;

use crate::analysis::fatal_ending::{FatalCause, FatalEnding};
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

/// Formats a warning: `line 3, byte 7: what is wrong`. For formats without lines, the message
/// itself contains the place.
pub fn placed(warning: &Warning, message: &str, index: &Index) -> String {
    match index.source().is_text() {
        true => say!(
            "warnings-placed",
            line = warning.line,
            byte = warning.offset.to_string(),
            message = message
        ),
        false => message.to_owned(),
    }
}

/// Formats the line below the last step.
pub fn fatal_words(ending: &FatalEnding) -> String {
    match &ending.cause {
        FatalCause::Access { kind, address } => {
            let address = format!("{address:#x}");
            let count = ending.steps_after;
            match kind {
                AccessKind::Read => say!("fatal-load", address = address, count = count),
                AccessKind::Write => say!("fatal-store", address = address, count = count),
            }
        }
        FatalCause::Raised(call) => {
            say!("fatal-raised", call = call.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::{TraceWriter, kind, marker};
    use stepback_index::Cancel;

    use super::*;
    use crate::analysis::fatal_ending::fatal_ending;
    use crate::session::test_session::drmemtrace;

    #[track_caller]
    fn check(write: impl FnOnce(&mut TraceWriter), expected: &str) {
        let (session, _place) = drmemtrace(|writer| {
            writer.instruction(0x40_1000, &[0x48, 0x8b, 0x07]);
            writer.read(0x7ffd_0000, 8);
            write(writer);
        });
        let ending = fatal_ending(&session.index, &Cancel::default()).unwrap();
        assert_eq!(
            ending.map_or_else(String::new, |ending| format!(
                "{}: {}",
                ending.step.0,
                fatal_words(&ending)
            )),
            expected
        );
    }

    fn load(writer: &mut TraceWriter, address: u64) {
        writer.instruction(0x40_1003, &[0x48, 0x8b, 0x07]);
        writer.read(address, 8);
        writer.instruction(0x40_1006, &[0x90]);
        writer.instruction(0x40_1007, &[0x90]);
    }

    fn system_call(writer: &mut TraceWriter, number: u64) {
        writer.instruction(0x40_1008, &[0x0f, 0x05]);
        writer.marker(marker::SYSTEM_CALL, number);
    }

    #[test]
    fn an_access_where_nothing_can_be_was_the_last_thing() {
        let words = "No exit: most likely a fatal signal. The recorder does not record these well: the load from";
        let after = "looks completed, and the 2 steps after it may not have run";
        check(
            |writer| load(writer, 0x18),
            &format!("1: {words} 0x18 {after}"),
        );
        check(|writer| load(writer, 0x4141_4141_4141), "");
        check(
            |writer| load(writer, 0x0141_4141_4141_4141),
            &format!("1: {words} 0x141414141414141 {after}"),
        );
    }

    #[test]
    fn who_exits_or_handles_the_signal_has_not_died_of_it() {
        check(|writer| load(writer, 0x7ffd_0008), "");
        check(
            |writer| {
                load(writer, 0x18);
                system_call(writer, 231);
            },
            "",
        );
        check(
            |writer| {
                load(writer, 0x18);
                writer.marker(marker::KERNEL_EVENT, 0x40_1003);
                writer.branch(kind::INSTRUCTION, 0x40_2000, &[0x90], None);
            },
            "",
        );
    }

    #[test]
    fn a_signal_of_its_own_ends_a_program_too() {
        let words = "No exit: most likely a fatal signal that the program sent itself with tgkill";
        check(|writer| system_call(writer, 234), &format!("1: {words}"));
        check(
            |writer| {
                system_call(writer, 234);
                writer.instruction(0x40_100a, &[0x90]);
            },
            "",
        );
    }
}
