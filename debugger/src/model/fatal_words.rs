//! Describes how a program most likely died.

use stepback_machine::AccessKind;

use crate::analysis::fatal_ending::{FatalCause, FatalEnding};
use crate::messages::say;

/// Formats the line below the last step.
pub fn fatal_words(ending: &FatalEnding) -> String {
    match &ending.cause {
        FatalCause::Access { kind, address } => {
            let address = format!("{address:#x}");
            let behind = match ending.steps_behind {
                0 => String::new(),
                many => say!("fatal-behind", count = many),
            };
            match kind {
                AccessKind::Read => say!("fatal-load", address = address, behind = behind),
                AccessKind::Write => say!("fatal-store", address = address, behind = behind),
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
        let words =
            "No exit: most likely a fatal signal. The recorder ends these badly: the load from";
        let behind = "looks completed, and the 2 steps behind it may not have run";
        check(
            |writer| load(writer, 0x18),
            &format!("1: {words} 0x18 {behind}"),
        );
        check(|writer| load(writer, 0x4141_4141_4141), "");
        check(
            |writer| load(writer, 0x0141_4141_4141_4141),
            &format!("1: {words} 0x141414141414141 {behind}"),
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
        let words =
            "No exit: most likely a fatal signal, which the program sent itself with tgkill";
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
