//! Rules that hold for every format.

use stepback_parsers::check::Rule;
use stepback_parsers::check::Severity::{Error, Info, Warning};

/// Input that the index could not read.
pub static DAMAGED: Rule = Rule {
    id: "damaged",
    severity: Error,
    clause: "",
    title: "part of the trace could not be read",
    meaning: "the file is damaged or cut off, or its writer does not follow the format: this part is missing",
};

/// A log whose lines have blocks of instructions, by the choice of options.
pub static BLOCKS: Rule = Rule {
    id: "blocks",
    severity: Warning,
    clause: "",
    title: "each line of the log is a block of instructions",
    meaning: "it was recorded without one-insn-per-tb: registers are known only between blocks",
};

/// An image whose code differs from what was executed.
pub static IMAGE: Rule = Rule {
    id: "image",
    severity: Warning,
    clause: "",
    title: "an image does not contain the executed instructions",
    meaning: "an image is of another build or program, or was loaded elsewhere: names, lines and memory of it are wrong",
};

/// An image that differs in a few instructions only.
pub static IMAGE_CHANGES: Rule = Rule {
    id: "image-changed",
    severity: Info,
    clause: "",
    title: "an image does not contain the executed instructions",
    meaning: "the program was patched or changed itself, or a debugger set breakpoints",
};

/// Decreasing times.
pub static TIME: Rule = Rule {
    id: "time-backwards",
    severity: Warning,
    clause: "",
    title: "the time of a thread runs backwards",
    meaning: "parts of the trace are in the wrong order or were put together, or the clock was set",
};

/// Control flow that the instruction does not allow.
pub static PATH: Rule = Rule {
    id: "path",
    severity: Warning,
    clause: "",
    title: "a thread continues at an unexpected address",
    meaning: "steps are missing, or an interrupt, an exception or a context switch is not recorded",
};

/// A register change without a write.
pub static REGISTER: Rule = Rule {
    id: "register-unwritten",
    severity: Warning,
    clause: "",
    title: "a register changed without a write",
    meaning: "the trace lacks an instruction or an exception, or the line belongs to another step or processor",
};

/// A memory change without a write.
pub static MEMORY: Rule = Rule {
    id: "memory-unwritten",
    severity: Warning,
    clause: "",
    title: "a read did not return the last write",
    meaning: "a device wrote there (DMA), a store is missing from the trace, or the address now maps to other memory",
};

/// A memory change that something outside the trace may have made.
pub static MEMORY_OUTSIDE: Rule = Rule {
    id: "memory-outside",
    severity: Info,
    clause: "",
    title: "a read did not return the last write",
    meaning: "usually a write by a system call, an interrupt, a device or another processor, which the trace does not show",
};

/// A trace that ends badly, as [`crate::analysis::ending::bad_ending`] decides.
pub static BAD_ENDING: Rule = Rule {
    id: "bad-ending",
    severity: Warning,
    clause: "",
    title: "the trace ends in a failure",
    meaning: "the program crashed, was killed or gave up, or the recorder lost its last steps",
};

/// A thread without a recorded creation.
pub static THREAD: Rule = Rule {
    id: "thread-without-start",
    severity: Info,
    clause: "",
    title: "a later thread was not created by a system call",
    meaning: "the recorder was attached while the thread was already running, or the part with its start is missing",
};

/// A thread with an event before its first instruction, or without any instruction.
pub static NO_STEP: Rule = Rule {
    id: "thread-without-step",
    severity: Warning,
    clause: "",
    title: "a thread has no instruction, or does not begin with one",
    meaning: "its name is damaged, or the trace was cut out of a longer one, or filtered by thread",
};
