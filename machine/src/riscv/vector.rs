//! Registers of vector instructions (The RISC-V Instruction Set Manual, volume I, 30). Results are
//! not modelled.
//!
//! Of a register group whose size only `vtype` states, the first register is named. A masked
//! instruction also reads its destination, whose inactive elements may keep their values. Elements
//! past the vector length count as lost.

use crate::expression::Expression;
use crate::riscv::bits::RiscvDescriber;
use crate::riscv::registers::vector;
use crate::riscv::vector_forms::VectorForm;
use crate::view::RegisterView;

impl RiscvDescriber {
    /// Describes a vector instruction.
    pub fn vector(&mut self) -> bool {
        let Some(form) = VectorForm::of(self.opcode) else {
            return false;
        };
        let is_configuration = form.mnemonic.starts_with("vset");
        if is_configuration {
            self.configure();
            return true;
        }
        let is_memory = self.field(0, 7) != 0x57;
        if is_memory {
            // The number of bytes depends on the vector length and the mask.
            self.description.access_unknown();
        }
        if !form.is_whole {
            self.read_csrs(&["vl", "vtype"]);
        }
        if form.mnemonic.ends_with("ff.v") {
            self.write_csr("vl");
        }
        self.rounding(&form.mnemonic);
        self.operands(&form);
        true
    }

    fn operands(&mut self, form: &VectorForm) {
        let is_masked = form.operands.contains('M') && self.field(25, 1) == 0;
        for letter in form.operands.chars() {
            match letter {
                'w' => self.read_vectors(20, if form.is_whole { form.registers } else { 1 }),
                'x' => self.read_vectors(15, 1),
                'Y' => self.read_vectors(7, form.registers),
                's' | 'z' => self.read(&[15]),
                't' => self.read(&[20]),
                'S' => self.description.read(self.float_view(15)),
                '0' => self.description.read(vector(0)),
                'M' if is_masked => self.description.read(vector(0)),
                'A' => self.read_vectors(7, 1),
                _ => {}
            }
        }
        // A reduction has a single element, which is never inactive.
        let is_reduction = form.mnemonic.ends_with(".vs");
        if is_masked && form.operands.starts_with('V') && !is_reduction {
            self.read_vectors(7, form.registers);
        }
        match form.operands.chars().next() {
            Some('d') => self.set(Expression::Unknown),
            Some('D') => self.description.write(self.float_view(7)),
            Some('V' | 'A') => {
                for register in self.vectors(7, form.registers) {
                    self.description.write(register);
                }
            }
            _ => {}
        }
    }

    /// VSETVLI, VSETIVLI and VSETVL. With `zero` as both operands, the vector length stays.
    fn configure(&mut self) {
        let is_immediate = self.field(30, 2) == 3;
        if !is_immediate {
            self.read(&[15]);
            if self.field(7, 5) == 0 && self.field(15, 5) == 0 {
                self.read_csrs(&["vl"]);
            }
        }
        if self.field(30, 2) == 2 {
            self.read(&[20]);
        }
        self.write_csr("vl");
        self.write_csr("vtype");
        self.set(Expression::Unknown);
    }

    /// Adds the fixed-point rounding mode and saturation flag.
    fn rounding(&mut self, mnemonic: &str) {
        let name = mnemonic.split('.').next().unwrap_or_default();
        let is_rounded = matches!(
            name,
            "vaadd"
                | "vaaddu"
                | "vasub"
                | "vasubu"
                | "vssrl"
                | "vssra"
                | "vsmul"
                | "vnclip"
                | "vnclipu"
        );
        let is_saturated = matches!(
            name,
            "vsadd" | "vsaddu" | "vssub" | "vssubu" | "vsmul" | "vnclip" | "vnclipu"
        );
        if is_rounded {
            self.read_csrs(&["vxrm"]);
        }
        if is_saturated {
            self.read_csrs(&["vxsat"]);
            self.write_csr("vxsat");
        }
    }

    /// Returns consecutive vector registers, from the one whose number is at this bit position.
    fn vectors(&self, place: u32, count: u16) -> impl Iterator<Item = RegisterView> + use<> {
        let first = u16::try_from(self.field(place, 5)).unwrap_or_default();
        (first..first.saturating_add(count).min(32)).map(vector)
    }

    fn read_vectors(&mut self, place: u32, count: u16) {
        for register in self.vectors(place, count) {
            self.description.read(register);
        }
    }
}
