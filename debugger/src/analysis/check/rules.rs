//! The rules that hold for every format.

use stepback_parsers::Rule;
use stepback_parsers::Severity::{Error, Info, Warning};

/// Input that the index could not read.
pub static DAMAGED: Rule = Rule {
    id: "damaged",
    severity: Error,
    clause: "",
    title: "everything in the trace can be read",
    meaning: "the file is damaged or cut off, or its writer does not keep to the format: what is there is missing here",
};

/// An image whose code differs from what was executed.
pub static IMAGE: Rule = Rule {
    id: "image",
    severity: Warning,
    clause: "",
    title: "the images hold the instructions that the trace executed",
    meaning: "an image is of another build or program, or was loaded elsewhere: names, lines and memory of it are wrong",
};

/// An image that differs in a few instructions only.
pub static IMAGE_CHANGES: Rule = Rule {
    id: "image-changed",
    severity: Info,
    clause: "",
    title: "the images hold the instructions that the trace executed",
    meaning: "the program was patched or changed itself, or a debugger set breakpoints",
};

/// Decreasing times.
pub static TIME: Rule = Rule {
    id: "time-backwards",
    severity: Warning,
    clause: "",
    title: "the time of a thread does not run backwards",
    meaning: "parts of the trace are in the wrong order or were put together, or the clock was set",
};

/// Control flow that the instruction does not allow.
pub static PATH: Rule = Rule {
    id: "path",
    severity: Warning,
    clause: "",
    title: "a thread goes on where its last instruction leads",
    meaning: "steps are missing, or an interrupt, an exception or a switch of threads is not told",
};

/// A register change without a write.
pub static REGISTER: Rule = Rule {
    id: "register-unwritten",
    severity: Warning,
    clause: "",
    title: "a register changes only where an instruction writes it",
    meaning: "the trace lacks an instruction or an exception, or the line belongs to another step or processor",
};

/// A memory change without a write.
pub static MEMORY: Rule = Rule {
    id: "memory-unwritten",
    severity: Warning,
    clause: "",
    title: "memory holds what was written last when it is read",
    meaning: "a device wrote there (DMA), a store is missing in the trace, or an address means something else than before",
};

/// A memory change that something outside the trace may have made.
pub static MEMORY_OUTSIDE: Rule = Rule {
    id: "memory-outside",
    severity: Info,
    clause: "",
    title: "memory holds what was written last when it is read",
    meaning: "mostly what a system call, an interrupt, a device or another processor wrote: the trace does not show it",
};

/// A thread that ends in an exception after a jump to an address where nothing was ever executed.
pub static EXCEPTION_END: Rule = Rule {
    id: "ends-in-exception",
    severity: Warning,
    clause: "",
    title: "a trace does not end in an exception at an address without code",
    meaning: "the program crashed: a function pointer or a return address was overwritten, or its code is missing",
};

/// A thread without a recorded creation.
pub static THREAD: Rule = Rule {
    id: "thread-without-start",
    severity: Info,
    clause: "",
    title: "a thread that joins later was made by a system call",
    meaning: "the recorder was attached when the thread ran already, or the part with its start is missing",
};

/// A thread with an event before its first instruction, or without any instruction.
pub static NO_STEP: Rule = Rule {
    id: "thread-without-step",
    severity: Warning,
    clause: "",
    title: "a thread begins with an instruction, and has one",
    meaning: "its name is damaged, or the trace was cut out of a longer one, or filtered by thread",
};
