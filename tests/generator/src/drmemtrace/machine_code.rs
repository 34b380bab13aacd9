//! The instructions of a small program, for each architecture.

/// Instruction sets that drmemtrace records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// 64-bit x86.
    X86_64,
    /// 32-bit x86: short records.
    X86_32,
    /// 64-bit Arm.
    A64,
    /// 32-bit Arm: short records.
    Arm,
}

/// The instructions of the program by purpose, as bytes.
pub(super) struct MachineCode {
    /// Saves a register on the stack.
    pub push: &'static [u8],
    /// Copies the stack pointer.
    pub frame: &'static [u8],
    /// Sets a counter to 3.
    pub set: &'static [u8],
    /// Decrements the counter.
    pub count: &'static [u8],
    /// Jumps back to the previous instruction, unless the counter is 0.
    pub again: &'static [u8],
    /// Calls the function 0x100 bytes after the start of the program.
    pub call: &'static [u8],
    /// Fills bytes one by one; empty if no instruction does.
    pub fill: &'static [u8],
    /// Stores a word; longer than 8 bytes on x86.
    pub store: &'static [u8],
    /// Makes a system call.
    pub system: &'static [u8],
    /// Jumps to the start.
    pub back: &'static [u8],
    /// In the function: loads a word.
    pub load: &'static [u8],
    /// Returns.
    pub leave: &'static [u8],
}

impl Architecture {
    /// All architectures.
    pub const ALL: [Self; 4] = [Self::X86_64, Self::X86_32, Self::A64, Self::Arm];

    /// Returns true for records of 8 bytes.
    pub fn is_narrow(self) -> bool {
        matches!(self, Self::X86_32 | Self::Arm)
    }

    /// Returns its bit of the file type.
    pub fn file_type(self) -> u64 {
        match self {
            Self::X86_64 => 0x40,
            Self::X86_32 => 0x20,
            Self::A64 => 0x8,
            Self::Arm => 0x10,
        }
    }

    /// Returns the size of a pointer in bytes.
    pub(super) fn word_bytes(self) -> u16 {
        if self.is_narrow() { 4 } else { 8 }
    }

    /// Returns true if calls and returns go through memory.
    pub(super) fn is_x86(self) -> bool {
        matches!(self, Self::X86_64 | Self::X86_32)
    }

    pub(super) fn code(self) -> &'static MachineCode {
        match self {
            Self::X86_64 => &X86_64,
            Self::X86_32 => &X86_32,
            Self::A64 => &A64,
            Self::Arm => &ARM,
        }
    }
}

const X86_64: MachineCode = MachineCode {
    push: b"\x55",
    frame: b"\x48\x89\xe5",
    set: b"\xb9\x03\0\0\0",
    count: b"\xff\xc9",
    again: b"\x75\xfc",
    call: b"\xe8\xee\0\0\0",
    fill: b"\xf3\xaa",
    store: b"\x48\xc7\x84\x24\x80\0\0\0\x01\0\0\0",
    system: b"\x0f\x05",
    back: b"\xeb\xdc",
    load: b"\x48\x8b\x02",
    leave: b"\xc3",
};

const X86_32: MachineCode = MachineCode {
    push: b"\x55",
    frame: b"\x89\xe5",
    set: b"\xb9\x03\0\0\0",
    count: b"\x49",
    again: b"\x75\xfd",
    call: b"\xe8\xf0\0\0\0",
    fill: b"\xf3\xaa",
    store: b"\xc7\x84\x24\x80\0\0\0\x01\0\0\0",
    system: b"\xcd\x80",
    back: b"\xeb\xdf",
    load: b"\x8b\x02",
    leave: b"\xc3",
};

const A64: MachineCode = MachineCode {
    push: b"\xfd\x7b\xbf\xa9",
    frame: b"\xfd\x03\0\x91",
    set: b"\x61\0\x80\x52",
    count: b"\x21\x04\0\x71",
    again: b"\xe1\xff\xff\x54",
    call: b"\x3b\0\0\x94",
    fill: b"",
    store: b"\x60\0\0\xf9",
    system: b"\x01\0\0\xd4",
    back: b"\xf8\xff\xff\x17",
    load: b"\x40\0\x40\xf9",
    leave: b"\xc0\x03\x5f\xd6",
};

const ARM: MachineCode = MachineCode {
    push: b"\0\x48\x2d\xe9",
    frame: b"\x0d\xb0\xa0\xe1",
    set: b"\x03\x10\xa0\xe3",
    count: b"\x01\x10\x51\xe2",
    again: b"\xfd\xff\xff\x1a",
    call: b"\x39\0\0\xeb",
    fill: b"",
    store: b"\0\0\x83\xe5",
    system: b"\0\0\0\xef",
    back: b"\xf6\xff\xff\xea",
    load: b"\0\0\x92\xe5",
    leave: b"\x1e\xff\x2f\xe1",
};
