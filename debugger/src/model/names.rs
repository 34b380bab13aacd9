//! Names of functions, frames, traps and bookmarked places, as panels show them.

use stepback_index::answer::Call;
use stepback_index::query::Steps;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::{Address, InstructionSet};
use stepback_parsers::Position;

use crate::analysis::exceptions::{Trap, trap_of};
use crate::image::Images;
pub use crate::image::function_name;
use crate::messages::say;
use crate::notes::BookmarkPlace;
use crate::session::Session;

/// Returns the name of a frame: the trap that it handles, with the handler's name if a symbol
/// exists; otherwise its function. Cost: for the frames of exceptions a look at the list of traps.
///
/// # Errors
/// See [`QueryError`].
pub fn frame_name(session: &Session, call: &Call, cancel: &Cancel) -> Result<String, QueryError> {
    let trap = trap_of(&session.index, call, cancel)?;
    let words = trap.map(|trap| trap_words(trap, session.index.instruction_set(call.thread)));
    let handler = session.images.code_at(call.function).is_some();
    let function = function_name(&session.images, call.function);
    Ok(match words {
        Some(words) if handler => format!("{words} ({function})"),
        Some(words) => words,
        None => function,
    })
}

/// Names a trap: `trap 0x68 fast data access MMU miss`, `trap 0x16d system call write`.
pub fn trap_words(trap: Trap, set: InstructionSet) -> String {
    let Trap {
        number,
        system_call,
    } = trap;
    let number = format!("{number:#x}");
    let called = system_call.map(|call| {
        set.system_call_name(call)
            .map_or_else(|| set.system_call_number(call).to_string(), str::to_owned)
    });
    match (called, set.trap_name(trap.number)) {
        (Some(name), _) => say!("names-system-call", number = number, name = name),
        (None, Some(name)) => say!("names-trap", number = number, name = name),
        (None, None) => say!("names-trap-plain", number = number),
    }
}

/// Returns the symbol that contains an address, as columns show it: `decode_field+0x10c`.
pub fn place_name(images: &Images, address: Address) -> Option<String> {
    let found = images.symbol_at(address)?;
    Some(if found.offset == 0 {
        found.name.to_owned()
    } else {
        format!("{}+{:#x}", found.name, found.offset)
    })
}

/// Describes a bookmark's place: the instruction just executed with its function, or the symbol of
/// memory. Runs on a worker, because it reads the trace.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn place_words(
    session: &Session,
    place: BookmarkPlace,
    cancel: &Cancel,
) -> anyhow::Result<String> {
    let position = match place {
        BookmarkPlace::Memory { address, .. } => {
            return Ok(place_name(&session.images, Address(address)).unwrap_or_default());
        }
        BookmarkPlace::Position(position)
        | BookmarkPlace::Range {
            first: position, ..
        } => Position(position),
    };
    if position > session.index.end() {
        return Ok(if session.index.is_whole() {
            say!("bookmarks-behind-the-end-of-the")
        } else {
            say!("bookmarks-not-indexed-yet")
        }
        .to_owned());
    }
    // The bookmark ribbon is drawn at the step just executed, which is the step that the user
    // marked.
    let step = position.last_step().unwrap_or(position.next_step());
    let records = Steps {
        first: step,
        count: 1,
    }
    .run(&session.index, cancel)?;
    let Some(record) = records.first() else {
        return Ok(String::new());
    };
    let name =
        place_name(&session.images, record.pc).unwrap_or_else(|| format!("{:x}", record.pc.0));
    let words: Vec<&str> = record.text.split_whitespace().collect();
    Ok(format!("{name}  {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::CallId;
    use stepback_parsers::Position;

    use super::*;
    use crate::action::FoldAction;
    use crate::action::WindowId;
    use crate::analysis::exceptions::window_trap_frames;
    use crate::model::{MoveOutcome, TraceWindow, WindowMove};
    use crate::session::{OpenOptions, open};

    /// Encodes an instruction that continues with the next one, traps, or branches.
    fn instruction(flags: u8, pc: u64, word: u32, ea: u64) -> Vec<u8> {
        [
            &[3, flags, 0, 0][..],
            &word.to_be_bytes(),
            &pc.to_be_bytes(),
            &ea.to_be_bytes(),
        ]
        .concat()
    }

    fn trap(level: u8, number: u16, pc: u64) -> Vec<u8> {
        let [high, low] = number.to_be_bytes();
        [
            &[7, level, high, low, 0, 0x12, 0, 0][..],
            &pc.to_be_bytes(),
            &(pc + 4).to_be_bytes(),
        ]
        .concat()
    }

    /// Builds a trace with a save that spills a window, and a system call during which a page is
    /// missing.
    fn nest() -> Vec<u8> {
        const NOP: u32 = 0x0100_0000;
        const SAVE: u32 = 0x9de3_bf50;
        const RETRY: u32 = 0x83f0_0000;
        const DONE: u32 = 0x81f0_0000;
        const CALL: u32 = 0x91d0_206d;
        let mut header = b"\x02\x02\x0d%RST Header v2.13".to_vec();
        header.resize(24, 0);
        [
            header,
            instruction(0, 0x1000, NOP, 0),
            trap(0, 0x80, 0x1004),
            instruction(0x20, 0x1004, SAVE, 0),
            instruction(0, 0xf000_1000, NOP, 0),
            instruction(0x44, 0xf000_1004, RETRY, 0x1004),
            instruction(0, 0x1004, SAVE, 0),
            instruction(0, 0x1008, NOP, 0),
            trap(0, 0x16d, 0x100c),
            instruction(0x64, 0x100c, CALL, 0xf000_2da0),
            instruction(0, 0xf000_2da0, NOP, 0),
            trap(1, 0x68, 0xf000_2da4),
            instruction(0x20, 0xf000_2da4, NOP, 0),
            instruction(0, 0xf000_0d00, NOP, 0),
            instruction(0x44, 0xf000_0d04, RETRY, 0xf000_2da4),
            instruction(0, 0xf000_2da4, NOP, 0),
            instruction(0x44, 0xf000_2da8, DONE, 0x1010),
            instruction(0, 0x1010, NOP, 0),
        ]
        .concat()
    }

    #[test]
    fn traps_inside_of_traps_have_their_names_and_spills_fold_together() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nest.rst");
        std::fs::write(&path, nest()).unwrap();
        let session = open(
            &OpenOptions::new(path),
            &Default::default(),
            &Default::default(),
        )
        .unwrap();
        let calls = session.index.calls();
        let cancel = Cancel::default();
        let frames: Vec<(u32, String)> = (0..calls.len())
            .filter_map(|id| calls.get(CallId(id)))
            .map(|call| (call.depth, frame_name(&session, &call, &cancel).unwrap()))
            .collect();
        let expected = [
            (0, "1000"),
            (1, "trap 0x80 window spill, normal 0"),
            (1, "trap 0x16d trap instruction 0x6d"),
            (2, "trap 0x68 fast data access MMU miss"),
        ];
        assert_eq!(
            frames,
            expected.map(|(depth, name)| (depth, name.to_owned()))
        );
        assert_eq!(
            window_trap_frames(&session.index, &cancel).unwrap(),
            [CallId(1)]
        );
        let steps = session.index.step_count();
        let mut window = TraceWindow::new(WindowId(1), steps, Position(0));
        let landing = WindowMove::Fold(FoldAction::WindowTraps)
            .make(&session.index, &mut window, &cancel)
            .unwrap();
        assert_eq!(
            (landing, window.folds.row_count()),
            (MoveOutcome::Made, steps - 1)
        );
        cancel.cancel();
        let stopped =
            WindowMove::Fold(FoldAction::WindowTraps).make(&session.index, &mut window, &cancel);
        assert!(matches!(stopped, Err(QueryError::Cancelled)), "{stopped:?}");
    }
}
