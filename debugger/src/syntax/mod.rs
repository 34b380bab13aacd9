//! Disassembly of a trace as coloured tokens; the theme determines the colours.
//!
//! Reads A64, A32 and T32 as Arm's models write them (`BL       {pc}+0x88c ; 0x80000898`) and as
//! gem5 does (`bl  0x80000898`).
//! Any text can be parsed: unknown parts keep their characters.
//!
//! ```
//! use stepback_debugger::syntax::{Code, TextRole};
//! use stepback_machine::{Address, InstructionSet};
//!
//! let name = |address: Address| (address == Address(0x8000_0898)).then(|| "main".to_owned());
//! let line = Code::parse("BL       {pc}+0x88c ; 0x80000898", Address(0x8000_000c),
//! InstructionSet::A64, &name);
//! assert_eq!(line.to_string(), "bl main");
//! assert_eq!(line.mnemonic.meaning, TextRole::Branch);
//!
//! let line = Code::parse("STP      x29,x30,[sp,#-0x10]!", Address(0), InstructionSet::A64, &name);
//! assert_eq!(line.to_string(), "stp x29, x30, [sp, #-0x10]!");
//! ```

mod line;

pub use crate::syntax::line::branch_target;
pub use line::{Code, CodeKind, TextRole, TextSpan};
