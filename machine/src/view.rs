//! Register numbers, and views of register bytes.

use serde::{Deserialize, Serialize};

/// Number of a register: a separate run of bytes. Numbers below [`RegisterId::FIRST_NAMED`] come
/// from the architecture's table; others are assigned by name.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RegisterId(pub u16);

impl RegisterId {
    /// First general register: `x0` … `x30` (`r0` … `r12` are the low halves); the x86 general
    /// registers in encoding order; `x0` … of RISC-V. The stack pointer is [`Self::SP`] in all of
    /// them instead.
    pub const X0: Self = Self(0);
    /// Base of the x86 segment `fs`.
    pub const FS_BASE: Self = Self(16);
    /// Base of the x86 segment `gs`.
    pub const GS_BASE: Self = Self(17);
    /// Current stack pointer: `sp`, `xsp`, `wsp`, `r13`, `rsp`, `%o6`.
    pub const SP: Self = Self(31);
    /// Link register of AArch32: `lr`, `r14`. Also `%o7` of SPARC. In AArch64 `lr` is `x30`.
    pub const LR: Self = Self(32);
    /// Address of the thread's next step.
    pub const PC: Self = Self(33);
    /// Status register: `psr`, `cpsr`, `xpsr`, `pstate` of Arm, `rflags`. With register windows,
    /// the lowest four bytes hold the current window ([`crate::Mode::window_status`]), and the next
    /// bytes are the condition codes.
    pub const PSR: Self = Self(34);
    /// Floating-point status and control of AArch32; `mxcsr`, `fcsr`, `fsr`.
    pub const FPSCR: Self = Self(35);
    /// Floating-point control, including that of the x87.
    pub const FPCR: Self = Self(36);
    /// Floating-point status, including that of the x87.
    pub const FPSR: Self = Self(37);
    /// Vector predication status of M-profile.
    pub const VPR: Self = Self(38);
    /// First vector register: `v0` … `v31`, 16 bytes, 256 with SVE (`z0` … `z31`); `zmm0` …
    /// `zmm31`, 64 bytes; `f0` … `f31` of RISC-V, 8 bytes; `q0`, `q4` … `q60` of SPARC, 16 bytes,
    /// in sixteen registers.
    pub const V0: Self = Self(40);
    /// First predicate register: `p0` … `p15`, up to 32 bytes; `k0` … `k7` of x86.
    pub const P0: Self = Self(72);
    /// First x87 register: `st0` … `st7`, 10 bytes, which contain `mm0` … `mm7`.
    pub const ST0: Self = Self(80);
    /// First of the banks and cells that [`crate::Mode::home`] chooses from; follows all registers
    /// above.
    pub const FIRST_BANK: Self = Self(88);
    /// First number assigned by name; follows all banks and cells.
    pub const FIRST_NAMED: Self = Self(1152);
}

/// A range of bytes of a register.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct RegisterView {
    /// The register.
    pub register: RegisterId,
    /// First byte, counted from the least significant.
    pub offset: u16,
    /// Number of bytes, at least 1.
    pub size_bytes: u16,
}

impl RegisterView {
    /// Creates a view from its parts.
    pub const fn new(register: RegisterId, offset: u16, size_bytes: u16) -> Self {
        Self {
            register,
            offset,
            size_bytes,
        }
    }

    /// Returns true if the two views share a byte.
    pub fn overlaps(self, other: Self) -> bool {
        self.register == other.register
            && u32::from(self.offset) < u32::from(other.offset) + u32::from(other.size_bytes)
            && u32::from(other.offset) < u32::from(self.offset) + u32::from(self.size_bytes)
    }

    /// Returns true if this view contains all bytes of another.
    pub fn includes(self, other: Self) -> bool {
        self.register == other.register
            && self.offset <= other.offset
            && u32::from(other.offset) + u32::from(other.size_bytes)
                <= u32::from(self.offset) + u32::from(self.size_bytes)
    }
}
