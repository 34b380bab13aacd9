//! Branches, exceptions and system registers.

use crate::view::{RegisterId, RegisterView};

use crate::arm::a64::bits::{A64Describer, FLAGS, GeneralWidth, Register31};
use crate::arm::flags::{C, NZCV, V, Z};
use crate::expression::Expression;

const LINK: RegisterView = RegisterView::new(RegisterId(30), 0, 8);
const STACK: RegisterView = RegisterView::new(RegisterId::SP, 0, 8);

impl A64Describer {
    pub fn control(&mut self) -> bool {
        match self.opcode >> 24 {
            0x14..=0x17 => {} // B
            0x94..=0x97 => self.link(),
            0x54 => self.description.read(FLAGS),
            0x34..=0x37 | 0xb4..=0xb7 => self.read_general(&[0], self.width()), // CBZ, TBZ
            0xd4 => self.exception(),
            0xd5 => return self.system(),
            0xd6 | 0xd7 => return self.branch_to_register(),
            _ => return false,
        }
        true
    }

    /// Writes the return address of a call.
    fn link(&mut self) {
        self.description
            .set(LINK, Expression::Constant(self.pc.0.wrapping_add(4)));
    }

    /// SVC, HVC and SMC return the result of a kernel or hypervisor call in `x0`; HLT returns that
    /// of a debugger.
    fn exception(&mut self) {
        let is_call = matches!(self.field(0, 5), 1..=3) && self.field(21, 3) == 0;
        if is_call || self.field(21, 3) == 2 {
            self.description
                .write(RegisterView::new(RegisterId::X0, 0, 8));
        }
    }

    fn branch_to_register(&mut self) -> bool {
        let kind = self.field(21, 4);
        if kind > 2 && !matches!(kind, 8 | 9) {
            return matches!(kind, 4 | 5); // ERET, DRPS
        }
        self.read_general(&[5], GeneralWidth::X);
        if kind & 7 == 2 && self.field(5, 5) == 31 {
            self.description.read(LINK); // RETAA
        }
        let has_modifier = kind >= 8 || self.flag(11) && kind == 2;
        if has_modifier {
            self.description.read(if kind == 2 {
                STACK
            } else {
                self.general(0, GeneralWidth::X, Register31::Stack)
                    .unwrap_or(STACK)
            });
        }
        if kind & 7 == 1 {
            self.link();
        }
        true
    }

    fn system(&mut self) -> bool {
        match self.opcode & !31 {
            // Hints; the pointer authentication hints change x30 or x17.
            0xd503_2300..=0xd503_23e0 => self.sign(LINK),
            _ if self.opcode == 0xd503_20ff => self.sign(LINK), // XPACLRI
            0xd503_2100..=0xd503_21e0 => self.sign(RegisterView::new(RegisterId(17), 0, 8)),
            0xd503_2000..=0xd503_3fe0 => {} // other hints, barriers
            0xd500_4000 if self.field(0, 5) == 31 => self.change_flags(C, C), // CFINV
            0xd500_4020 if self.field(0, 5) == 31 => self.change_flags(C | Z, NZCV), // XAFLAG
            0xd500_4040 if self.field(0, 5) == 31 => self.change_flags(C | V | Z, NZCV), // AXFLAG
            _ if self.is_other_state() => self.keep_flags(),
            0xd53b_4200 => self.read_system(FLAGS),
            0xd53b_4400 => self.read_system(RegisterView::new(RegisterId::FPCR, 0, 4)),
            0xd53b_4420 => self.read_system(RegisterView::new(RegisterId::FPSR, 0, 4)),
            0xd51b_4200 => self.write_system(FLAGS),
            0xd51b_4400 => self.write_system(RegisterView::new(RegisterId::FPCR, 0, 4)),
            0xd51b_4420 => self.write_system(RegisterView::new(RegisterId::FPSR, 0, 4)),
            // DC ZVA writes a block whose size the trace does not state.
            0xd50b_7420 => {
                self.read_general(&[0], GeneralWidth::X);
                self.description.access_unknown();
            }
            _ if self.matches(0xfff0_0000, 0xd530_0000) => {
                self.set_general(0, Expression::Unknown, Register31::Zero)
            } // MRS
            _ if self.matches(0xfff0_0000, 0xd510_0000) => self.read_general(&[0], GeneralWidth::X), // MSR
            _ if self.matches(0xfff8_0000, 0xd508_0000) => self.read_general(&[0], GeneralWidth::X), // SYS
            _ => return false,
        }
        true
    }

    /// Returns true for MSR (immediate) of DAIF, PAN, SPSel and the like, but not of SVCR, which
    /// clears vectors.
    fn is_other_state(&self) -> bool {
        self.matches(0xfff8_f01f, 0xd500_401f) && !self.matches(0x0007_00e0, 0x0003_0060)
    }

    fn change_flags(&mut self, read: u64, written: u64) {
        self.description.read(FLAGS);
        self.description.write(FLAGS);
        self.description.meaning.flags.read = Some(read);
        self.description.meaning.flags.written = Some(written);
    }

    /// Adds a write of the status register that leaves the condition flags unchanged.
    fn keep_flags(&mut self) {
        self.change_flags(0, NZCV);
        self.description.meaning.flags.kept = NZCV;
    }

    fn sign(&mut self, pointer: RegisterView) {
        self.description.read(pointer);
        self.description.read(STACK);
        self.description.write(pointer);
    }

    fn read_system(&mut self, view: RegisterView) {
        let value = if view == FLAGS {
            Expression::Unknown
        } else {
            Expression::Register(view)
        };
        self.description.read(view);
        self.set_general(0, value, Register31::Zero);
    }

    fn write_system(&mut self, view: RegisterView) {
        self.read_general(&[0], GeneralWidth::X);
        self.description.write(view);
    }
}
