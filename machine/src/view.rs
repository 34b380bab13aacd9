//! A register by its number, and some bytes of it.

use serde::{Deserialize, Serialize};

/// A register as a run of bytes of its own. Below [`RegisterId::FIRST_NAMED`]: the architecture's table; from there on: by name.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RegisterId(pub u16);

impl RegisterId {
    /// `x0` … `x30` (`r0` … `r12` are the low halves); the general registers of x86 in the order of their encodings;
    /// `x0` … of RISC-V. But for the stack pointer, which is [`Self::SP`] in all of them.
    pub const X0: Self = Self(0);
    /// Where the segment `fs` of x86 begins.
    pub const FS_BASE: Self = Self(16);
    /// Where the segment `gs` of x86 begins.
    pub const GS_BASE: Self = Self(17);
    /// The stack pointer in use: `sp`, `xsp`, `wsp`, `r13`, `rsp`, `%o6`.
    pub const SP: Self = Self(31);
    /// The link register of AArch32: `lr`, `r14`. In AArch64 `lr` is `x30`. `%o7`.
    pub const LR: Self = Self(32);
    /// Address of the thread's next step.
    pub const PC: Self = Self(33);
    /// `psr`, `cpsr`, `xpsr`, `pstate` of Arm, `rflags`. Where there are register windows, the lowest four bytes say which
    /// is in use ([`crate::Mode::window_status`]), and the next are the condition codes.
    pub const PSR: Self = Self(34);
    /// Floating-point status and control of AArch32; `mxcsr`, `fcsr`, `fsr`.
    pub const FPSCR: Self = Self(35);
    /// Floating-point control, that of the x87 too.
    pub const FPCR: Self = Self(36);
    /// Floating-point status, that of the x87 too.
    pub const FPSR: Self = Self(37);
    /// Vector predication status of M-profile.
    pub const VPR: Self = Self(38);
    /// `v0` … `v31`, 16 bytes, 256 with SVE (`z0` … `z31`); `zmm0` … `zmm31`, 64 bytes; `f0` … `f31` of RISC-V, 8 bytes;
    /// `q0`, `q4` … `q60` of SPARC, 16 bytes, in sixteen of them.
    pub const V0: Self = Self(40);
    /// `p0` … `p15`, up to 32 bytes; `k0` … `k7` of x86.
    pub const P0: Self = Self(72);
    /// `st0` … `st7` of the x87, 10 bytes, with `mm0` … `mm7` in them.
    pub const ST0: Self = Self(80);
    /// The first of the banks and cells that [`crate::Mode::home`] chooses from, behind all registers above.
    pub const FIRST_BANK: Self = Self(88);
    /// The first number given by name, behind all banks and cells.
    pub const FIRST_NAMED: Self = Self(1152);
}

/// Some bytes of a register.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RegisterView {
    /// Which register.
    pub register: RegisterId,
    /// First byte, counted from the least significant.
    pub offset: u16,
    /// Number of bytes, at least 1.
    pub size_bytes: u16,
}

impl RegisterView {
    /// A view from its parts.
    pub const fn new(register: RegisterId, offset: u16, size_bytes: u16) -> Self {
        Self {
            register,
            offset,
            size_bytes,
        }
    }

    /// True when the two share a byte.
    pub fn overlaps(self, other: Self) -> bool {
        self.register == other.register
            && u32::from(self.offset) < u32::from(other.offset) + u32::from(other.size_bytes)
            && u32::from(other.offset) < u32::from(self.offset) + u32::from(self.size_bytes)
    }

    /// True when it has all bytes of another.
    pub fn includes(self, other: Self) -> bool {
        self.register == other.register
            && self.offset <= other.offset
            && u32::from(other.offset) + u32::from(other.size_bytes)
                <= u32::from(self.offset) + u32::from(self.size_bytes)
    }
}
