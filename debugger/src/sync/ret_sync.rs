//! Messages of ret-sync, which keeps IDA, Ghidra and Binary Ninja at the address of a debugger.
//!
//! A debugger sends one line per message: a tag and a JSON object.
//!
//! ```text
//! [notice]{"type":"new_dbg","msg":"dbg connect - stepback","dialect":"gdb"}
//! [notice]{"type":"module","path":"a.elf","modules":[{"base":4194304,"path":"a.elf"}]}
//! [sync]{"type":"loc","base":4194304,"offset":4198400}
//! [notice]{"type":"dbg_quit","msg":"dbg disconnected"}
//! ```
//!
//! `offset` is an absolute address. The plugin answers with commands of the dialect, one per line:
//! `si`, `ni`, `continue`, and breakpoints such as `tb *0x401000`.

use serde::Serialize;
use stepback_machine::Address;

use crate::number::number;
use crate::sync::place::{SyncModule, SyncPlace};

/// A command that a disassembler sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisassemblerCommand {
    StepInto,
    StepOver,
    /// Go to the next execution of a breakpoint.
    Continue,
    /// Set a breakpoint, for one hit or for all.
    Break(Address, BreakpointUse),
}

/// Lifetime of a breakpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakpointUse {
    Once,
    Always,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Message<'a> {
    NewDbg {
        msg: &'a str,
        dialect: &'a str,
    },
    Module {
        path: &'a str,
        modules: [ModuleEntry<'a>; 1],
    },
    Loc {
        base: u64,
        offset: u64,
    },
    DbgQuit {
        msg: &'a str,
    },
}

#[derive(Serialize)]
struct ModuleEntry<'a> {
    base: u64,
    path: &'a str,
}

impl Message<'_> {
    fn line(&self) -> String {
        let tag = match self {
            Self::Loc { .. } => "[sync]",
            Self::NewDbg { .. } | Self::Module { .. } | Self::DbgQuit { .. } => "[notice]",
        };
        // Numbers and strings always have a JSON form.
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{tag}{json}\n")
    }
}

/// Returns the message with which a debugger introduces itself.
pub fn greeting() -> String {
    Message::NewDbg {
        msg: "dbg connect - stepback",
        dialect: "gdb",
    }
    .line()
}

/// Returns the last message of a debugger.
pub fn farewell() -> String {
    Message::DbgQuit {
        msg: "dbg disconnected",
    }
    .line()
}

/// Returns the messages for a place, with its module if that is another one than before.
pub fn messages(place: &SyncPlace, before: Option<&SyncModule>) -> String {
    let module = &place.module;
    let mut lines = String::new();
    if before != Some(module) {
        let path = &*module.file;
        let entry = ModuleEntry {
            base: module.base.0,
            path,
        };
        let modules = [entry];
        lines.push_str(&Message::Module { path, modules }.line());
    }
    let location = Message::Loc {
        base: module.base.0,
        offset: place.pc.0,
    };
    lines.push_str(&location.line());
    lines
}

/// Parses a command of the gdb dialect; `None` if it means nothing for a trace.
pub fn command(line: &str) -> Option<DisassemblerCommand> {
    let breakpoint = |rest: &str, used: BreakpointUse| {
        let address = number(rest.trim_start_matches('*').trim()).ok()?;
        Some(DisassemblerCommand::Break(Address(address), used))
    };
    let line = line.trim();
    match line.split_once(' ').unwrap_or((line, "")) {
        ("si" | "stepi", _) => Some(DisassemblerCommand::StepInto),
        ("ni" | "nexti", _) => Some(DisassemblerCommand::StepOver),
        ("c" | "continue", _) => Some(DisassemblerCommand::Continue),
        ("b" | "hb", rest) => breakpoint(rest, BreakpointUse::Always),
        ("tb" | "thb", rest) => breakpoint(rest, BreakpointUse::Once),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The messages are those of ret-sync's own plugin for gdb.

    #[test]
    fn a_place_is_sent_with_its_module_once() {
        let place = SyncPlace {
            pc: Address(0x40_1000),
            time: None,
            module: SyncModule {
                file: "a\"b.elf".to_owned(),
                base: Address(0x40_0000),
            },
        };
        let location = "[sync]{\"type\":\"loc\",\"base\":4194304,\"offset\":4198400}\n";
        assert_eq!(messages(&place, Some(&place.module)), location);
        let module = "[notice]{\"type\":\"module\",\"path\":\"a\\\"b.elf\",\
                      \"modules\":[{\"base\":4194304,\"path\":\"a\\\"b.elf\"}]}\n";
        assert_eq!(messages(&place, None), format!("{module}{location}"));
    }

    #[test]
    fn a_debugger_introduces_itself_and_leaves() {
        let greeted = "[notice]{\"type\":\"new_dbg\",\"msg\":\"dbg connect - stepback\",\
                       \"dialect\":\"gdb\"}\n";
        assert_eq!(greeting(), greeted);
        let left = "[notice]{\"type\":\"dbg_quit\",\"msg\":\"dbg disconnected\"}\n";
        assert_eq!(farewell(), left);
    }

    #[test]
    fn commands_are_those_of_gdb() {
        let at = |used| Some(DisassemblerCommand::Break(Address(0x40_1000), used));
        for (line, expected) in [
            ("si", Some(DisassemblerCommand::StepInto)),
            ("ni\r", Some(DisassemblerCommand::StepOver)),
            ("continue", Some(DisassemblerCommand::Continue)),
            ("b *0x401000", at(BreakpointUse::Always)),
            ("thb *0x401000", at(BreakpointUse::Once)),
            ("b *x", None),
            ("run", None),
            ("shell rm -r /", None),
            ("", None),
        ] {
            assert_eq!(command(line), expected, "{line:?}");
        }
    }
}
