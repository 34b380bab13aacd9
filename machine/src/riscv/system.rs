//! Accesses to control registers, and privileged instructions (The RISC-V Instruction Set Manual,
//! volume I, 6 "Zicsr", and volume II).

use crate::expression::{Expression, Operation};
use crate::meaning::AccessKind;
use crate::riscv::bits::RiscvDescriber;
use crate::riscv::csr::{FCSR, FFLAGS, FRM, csr_name, csr_view, view_of_csr};
use crate::riscv::registers::general;
use crate::view::RegisterView;

impl RiscvDescriber {
    /// Describes an instruction of the SYSTEM opcode.
    pub fn system(&mut self) -> bool {
        match self.field(12, 3) {
            0 => self.privileged(),
            4 if self.field(31, 1) == 1 => {
                // May-be-operations (Zimop).
                let is_binary = self.field(25, 1) == 1;
                self.read(if is_binary { &[15, 20] } else { &[15] });
                self.set(Expression::Unknown);
            }
            4 => self.guest_access(),
            _ => self.control_register(),
        }
        true
    }

    /// Adds control registers that are read, by name.
    pub fn read_csrs(&mut self, names: &[&str]) {
        for name in names {
            if let Some(view) = csr_view(name, self.xlen) {
                self.description.read(view);
            }
        }
    }

    /// Adds a control register that is written, by name.
    pub fn write_csr(&mut self, name: &str) {
        if let Some(view) = csr_view(name, self.xlen) {
            self.description.write(view);
        }
    }

    /// ECALL, EBREAK, returns from handlers, and fences.
    fn privileged(&mut self) {
        let (reads, writes): (&[&str], &[&str]) = match self.opcode {
            0x0000_0073 => {
                // Kernels return a result in this register.
                self.description.write(general(10, self.xlen));
                return;
            }
            0x1020_0073 => (&["sepc", "sstatus"], &["sstatus", "mstatus"]), // SRET
            0x3020_0073 => (&["mepc", "mstatus"], &["mstatus", "sstatus"]), // MRET
            0x7020_0073 => (&["mnepc", "mnstatus"], &["mnstatus"]),         // MNRET
            0x7b20_0073 => (&["dpc", "dcsr"], &[]),                         // DRET
            _ => (&[], &[]),
        };
        self.read_csrs(reads);
        for name in writes {
            self.write_csr(name);
        }
        // SFENCE.VMA, SINVAL.VMA and those of the hypervisor.
        if matches!(self.field(25, 7), 0x09 | 0x0b | 0x11 | 0x13 | 0x31 | 0x33) {
            self.read(&[15, 20]);
        }
    }

    /// HLV, HLVX and HSV: accesses to the memory of a guest.
    fn guest_access(&mut self) {
        let size_bytes = 1 << self.field(26, 2);
        let bits = 8 << self.field(26, 2);
        if self.field(25, 1) == 1 {
            let value = self.value(20).zero_extended(bits);
            self.access(AccessKind::Write, 0, size_bytes, value);
            return;
        }
        let loaded = self.access(AccessKind::Read, 0, size_bytes, Expression::Unknown);
        let is_signed = self.field(20, 1) == 0 && bits < self.xlen.bits();
        self.set(if is_signed {
            loaded.sign_extended(bits)
        } else {
            loaded
        });
    }

    /// CSRRW, CSRRS, CSRRC and their immediate forms. CSRRW without a destination does not read the
    /// register; the others do not write it if their source is zero.
    fn control_register(&mut self) {
        let number = u16::try_from(self.field(20, 12)).unwrap_or_default();
        let is_immediate = self.field(14, 1) == 1;
        let source = if is_immediate {
            Expression::Constant(u64::from(self.field(15, 5)))
        } else {
            self.value(15)
        };
        let is_exchange = self.field(12, 2) == 1;
        let is_read = !is_exchange || self.field(7, 5) != 0;
        let is_written = is_exchange || self.field(15, 5) != 0;
        if !is_immediate {
            self.read(&[15]);
        }
        let Some(register) = view_of_csr(number, self.xlen) else {
            self.set(Expression::Unknown);
            return;
        };
        let before = Expression::Register(register);
        if is_read {
            self.description.read(register);
        }
        if is_written {
            let value = match self.field(12, 2) {
                1 => source,
                2 => before.clone().with(Operation::Or, source),
                _ => before.clone().with(Operation::And, self.inverted(source)),
            };
            self.write_control(number, register, value);
        }
        if is_read {
            self.set(if is_kept_by_hardware(number) {
                before
            } else {
                Expression::Unknown
            });
        }
    }

    fn inverted(&self, value: Expression) -> Expression {
        value.with(
            Operation::Xor,
            Expression::Constant(self.xlen.wrapped(u64::MAX)),
        )
    }

    /// Writes a control register and those that share bits with it.
    fn write_control(&mut self, number: u16, register: RegisterView, value: Expression) {
        match number {
            FFLAGS | FRM | FCSR => {
                let others = [FFLAGS, FRM, FCSR]
                    .into_iter()
                    .filter(|other| *other != number);
                let others: Vec<_> = others
                    .filter_map(|other| view_of_csr(other, self.xlen))
                    .collect();
                for other in others {
                    self.description.read(other);
                    self.description.write(other);
                }
                self.description.read(register);
                self.description.write(register);
            }
            _ if is_plain(number) => self.description.set(register, value),
            _ => {
                self.description.write(register);
                let name = csr_name(number).unwrap_or_default();
                let twins = SHARED.iter().filter_map(|(one, other)| match name {
                    name if name == *one => Some(*other),
                    name if name == *other => Some(*one),
                    _ => None,
                });
                twins.for_each(|twin| self.write_csr(twin));
            }
        }
    }
}

/// Control registers that show the same bits.
const SHARED: [(&str, &str); 5] = [
    ("mstatus", "sstatus"),
    ("mie", "sie"),
    ("mip", "sip"),
    ("vcsr", "vxrm"),
    ("vcsr", "vxsat"),
];

/// Returns true for a register that holds any value written to it.
fn is_plain(number: u16) -> bool {
    let scratch = [
        "mscratch",
        "sscratch",
        "vsscratch",
        "mnscratch",
        "dscratch0",
        "dscratch1",
    ];
    csr_name(number).is_some_and(|name| scratch.contains(&name))
}

/// Returns true for a register that only control register instructions change: no trap, interrupt,
/// counter or other instruction does.
fn is_kept_by_hardware(number: u16) -> bool {
    // pmpcfg0 …, pmpaddr0 …; mvendorid … mconfigptr.
    if is_plain(number) || matches!(number, FRM | 0x3a0..=0x3ef | 0xf11..=0xf15) {
        return true;
    }
    let names = [
        "stvec",
        "scounteren",
        "senvcfg",
        "satp",
        "vstvec",
        "vsatp",
        "misa",
        "medeleg",
        "mideleg",
        "mtvec",
        "mcounteren",
        "menvcfg",
        "hedeleg",
        "hideleg",
        "hcounteren",
        "henvcfg",
        "hgatp",
        "mseccfg",
        "vlenb",
    ];
    csr_name(number).is_some_and(|name| names.contains(&name))
}
