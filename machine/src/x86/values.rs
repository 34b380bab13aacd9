//! Values that instructions write to registers and memory.

use iced_x86::{InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind, Register};

use crate::expression::{Expression, Operation};
use crate::view::{RegisterId, RegisterView};
use crate::x86::access::X86Describer;

impl X86Describer {
    /// Fills in the values that can be modelled.
    pub fn values(&mut self) {
        use Mnemonic as M;
        if self.instruction.has_op_mask() {
            return;
        }
        self.repetition();
        match self.instruction.mnemonic() {
            M::Mov | M::Movzx | M::Movnti => self.set(0, self.value(1)),
            M::Movsx | M::Movsxd => self.set(0, self.value(1).sign_extended(self.bits(1))),
            M::Lea => self.set(0, self.address()),
            M::Add => self.binary(Operation::Add),
            M::Sub => self.binary(Operation::Subtract),
            M::And => self.binary(Operation::And),
            M::Or => self.binary(Operation::Or),
            M::Xor => self.binary(Operation::Xor),
            M::Inc => self.set(0, self.value(0).plus(1)),
            M::Dec => self.set(0, self.value(0).plus(-1)),
            M::Neg => self.set(
                0,
                Expression::Constant(0).with(Operation::Subtract, self.value(0)),
            ),
            M::Not => self.set(
                0,
                self.value(0)
                    .with(Operation::Xor, Expression::Constant(u64::MAX)),
            ),
            M::Shl | M::Sal => self.shift(Operation::ShiftLeft),
            M::Shr => self.shift(Operation::ShiftRight),
            M::Sar => self.shift(Operation::ShiftRightSigned),
            M::Imul if self.instruction.op_count() > 1 => self.multiply(),
            M::Xchg => self.exchange(),
            M::Xadd => self.exchange_and_add(),
            M::Cbw => self.set_view(RegisterId::X0, 2, self.low(1).sign_extended(8)),
            M::Cwde => self.set_view(RegisterId::X0, 4, self.low(2).sign_extended(16)),
            M::Cdqe => self.set_view(RegisterId::X0, 8, self.low(4).sign_extended(32)),
            M::Cwd => self.set_view(RegisterId(2), 2, self.sign_of(2)),
            M::Cdq => self.set_view(RegisterId(2), 4, self.sign_of(4)),
            M::Cqo => self.set_view(RegisterId(2), 8, self.sign_of(8)),
            M::Push | M::Pop | M::Call | M::Ret => self.stack(),
            M::Pushf | M::Pushfd | M::Pushfq | M::Popf | M::Popfd | M::Popfq => self.move_stack(),
            M::Leave => self.leave(),
            M::Enter => self.enter(),
            M::Stosb | M::Stosw | M::Stosd | M::Stosq | M::Movsb | M::Movsw | M::Movsq => {
                self.set_stored(self.value(1))
            }
            M::Rdfsbase => self.set(0, Expression::Register(self.word(RegisterId::FS_BASE))),
            M::Rdgsbase => self.set(0, Expression::Register(self.word(RegisterId::GS_BASE))),
            M::Wrfsbase => self.set_view(RegisterId::FS_BASE, 8, self.value(0)),
            M::Wrgsbase => self.set_view(RegisterId::GS_BASE, 8, self.value(0)),
            M::Movd | M::Movq | M::Vmovd | M::Vmovq => self.move_low(),
            M::Movdqa | M::Movdqu | M::Movaps | M::Movups | M::Movapd | M::Movupd | M::Lddqu => {
                self.set(0, self.value(1))
            }
            M::Vmovdqa | M::Vmovdqu | M::Vmovaps | M::Vmovups | M::Vmovapd | M::Vmovupd => {
                self.set(0, self.value(1))
            }
            M::Vmovdqa32
            | M::Vmovdqa64
            | M::Vmovdqu8
            | M::Vmovdqu16
            | M::Vmovdqu32
            | M::Vmovdqu64 => {
                self.set(0, self.value(1));
            }
            M::Movntdq | M::Movntps | M::Movntpd | M::Vmovntdq | M::Vmovntps => {
                self.set(0, self.value(1))
            }
            M::Movss | M::Movsd | M::Vmovss | M::Vmovsd => self.move_scalar(),
            M::Movlps | M::Movlpd | M::Movhlps | M::Movhps | M::Movhpd | M::Movlhps => {
                self.move_half()
            }
            M::Addss | M::Subss | M::Mulss | M::Divss | M::Minss | M::Maxss | M::Cmpss => {
                self.combine_scalar(4)
            }
            M::Addsd | M::Subsd | M::Mulsd | M::Divsd | M::Minsd | M::Maxsd => {
                self.combine_scalar(8)
            }
            // The string comparison has the same mnemonic.
            M::Cmpsd if self.register(0).is_xmm() => self.combine_scalar(8),
            M::Sqrtss | M::Rsqrtss | M::Rcpss | M::Roundss | M::Cvtsi2ss | M::Cvtsd2ss => {
                self.write_part(0, 4)
            }
            M::Sqrtsd | M::Roundsd | M::Cvtsi2sd | M::Cvtss2sd | M::Cvtpi2ps => {
                self.write_part(0, 8)
            }
            M::Pinsrb | M::Pinsrw | M::Pinsrd | M::Pinsrq => self.insert_lane(),
            M::Vzeroupper | M::Vzeroall => self.clear_vectors(),
            M::Pxor
            | M::Xorps
            | M::Xorpd
            | M::Vpxor
            | M::Vxorps
            | M::Vxorpd
            | M::Vpxord
            | M::Vpxorq => self.clear(),
            _ if self.is_fused_scalar() => {
                self.combine_scalar(u16::from(self.bits_of_memory() / 8))
            }
            _ => {}
        }
    }

    /// REP: the counter ends as 0 (Intel SDM, volume 2, REP). REPE and REPNE may end earlier, so
    /// they are left out.
    fn repetition(&mut self) {
        use Mnemonic as M;
        let moves = matches!(
            self.instruction.mnemonic(),
            M::Movsb
                | M::Movsw
                | M::Movsd
                | M::Movsq
                | M::Stosb
                | M::Stosw
                | M::Stosd
                | M::Stosq
                | M::Lodsb
                | M::Lodsw
                | M::Lodsd
                | M::Lodsq
                | M::Insb
                | M::Insw
                | M::Insd
                | M::Outsb
                | M::Outsw
                | M::Outsd
        );
        let counter = match self.string_address() {
            Some(size_bytes) if moves && self.instruction.has_rep_prefix() => size_bytes,
            _ => return,
        };
        self.set_view(RegisterId(1), counter, Expression::Constant(0));
        self.description.meaning.is_repeated = true;
    }

    /// Returns the address size of a string instruction, which is also the size of its counter;
    /// none for other instructions.
    fn string_address(&self) -> Option<u16> {
        let kinds =
            (0..self.instruction.op_count()).map(|operand| self.instruction.op_kind(operand));
        kinds.into_iter().find_map(|kind| match kind {
            OpKind::MemoryESRDI | OpKind::MemorySegRSI => Some(8),
            OpKind::MemoryESEDI | OpKind::MemorySegESI => Some(4),
            OpKind::MemoryESDI | OpKind::MemorySegSI => Some(2),
            _ => None,
        })
    }

    fn binary(&mut self, operation: Operation) {
        let is_same =
            self.instruction.op1_kind() == OpKind::Register && self.register(0) == self.register(1);
        let value = match operation {
            Operation::Xor | Operation::Subtract if is_same => Expression::Constant(0),
            Operation::And | Operation::Or if is_same => self.value(0),
            _ => self.value(0).with(operation, self.value(1)),
        };
        self.set(0, value);
    }

    fn shift(&mut self, operation: Operation) {
        let bits = self.bits(0);
        // The processor masks the shift count to this number of bits.
        let count = self.value(1).with(
            Operation::And,
            Expression::Constant(if bits == 64 { 63 } else { 31 }),
        );
        let value = self.value(0);
        let value = if operation == Operation::ShiftRightSigned {
            value.sign_extended(bits)
        } else {
            value
        };
        self.set(0, value.with(operation, count));
    }

    fn multiply(&mut self) {
        let factor = if self.instruction.op_count() == 2 {
            0
        } else {
            2
        };
        self.set(
            0,
            self.value(1).with(Operation::Multiply, self.value(factor)),
        );
    }

    fn exchange(&mut self) {
        let (first, second) = (self.value(0), self.value(1));
        self.set(0, second);
        if self.register(0) != self.register(1) || self.is_memory(0) {
            self.set(1, first);
        }
    }

    fn exchange_and_add(&mut self) {
        let (first, second) = (self.value(0), self.value(1));
        self.set(1, first.clone());
        self.set(0, first.with(Operation::Add, second));
    }

    /// Returns the low bytes of `rax`.
    fn low(&self, size_bytes: u16) -> Expression {
        Expression::Register(RegisterView::new(RegisterId::X0, 0, size_bytes))
    }

    /// Returns the sign of `rax` extended to all bits.
    fn sign_of(&self, size_bytes: u8) -> Expression {
        let value = self.low(size_bytes.into()).sign_extended(size_bytes * 8);
        value.with(Operation::ShiftRightSigned, Expression::Constant(63))
    }

    fn set_view(&mut self, register: RegisterId, size_bytes: u16, value: Expression) {
        let bits = u8::try_from(size_bytes * 8).unwrap_or(64);
        let is_cleared = size_bytes == 4 && self.word_bytes == 8;
        let view = RegisterView::new(register, 0, if is_cleared { 8 } else { size_bytes });
        self.description.set(view, value.zero_extended(bits));
    }

    fn stack(&mut self) {
        self.move_stack();
        match self.instruction.mnemonic() {
            Mnemonic::Push => {
                let bits =
                    u8::try_from(self.instruction.stack_pointer_increment().unsigned_abs() * 8)
                        .unwrap_or(64);
                let value = self.value(0);
                self.set_stored(value.zero_extended(bits));
            }
            Mnemonic::Call => self.set_stored(Expression::Constant(self.instruction.next_ip())),
            // The final value of `pop rsp` is the loaded one.
            Mnemonic::Pop if self.register(0) != Register::None => {
                self.set(0, Expression::Loaded(0))
            }
            _ => {}
        }
    }

    /// Moves the stack pointer by a constant.
    fn move_stack(&mut self) {
        let stack = self.word(RegisterId::SP);
        let increment = i64::from(self.instruction.stack_pointer_increment());
        let bits = u8::try_from(stack.size_bytes * 8).unwrap_or(64);
        self.description.set(
            stack,
            Expression::Register(stack)
                .plus(increment)
                .zero_extended(bits),
        );
    }

    fn leave(&mut self) {
        let (stack, frame) = (self.word(RegisterId::SP), self.word(RegisterId(5)));
        let bits = u8::try_from(stack.size_bytes * 8).unwrap_or(64);
        let word = i64::from(stack.size_bytes);
        self.description.set(
            stack,
            Expression::Register(frame).plus(word).zero_extended(bits),
        );
        self.description.set(frame, Expression::Loaded(0));
    }

    /// ENTER without nesting; nested frames are not modelled.
    fn enter(&mut self) {
        if self.value(1) != Expression::Constant(0) {
            return;
        }
        let (stack, frame) = (self.word(RegisterId::SP), self.word(RegisterId(5)));
        let bits = u8::try_from(stack.size_bytes * 8).unwrap_or(64);
        let word = i64::from(stack.size_bytes);
        let room = i64::from(self.instruction.immediate16());
        self.set_stored(Expression::Register(frame));
        self.description.set(
            frame,
            Expression::Register(stack).plus(-word).zero_extended(bits),
        );
        self.description.set(
            stack,
            Expression::Register(stack)
                .plus(-word - room)
                .zero_extended(bits),
        );
    }

    /// MOVD, MOVQ: moves the low bytes of a vector, to and from any operand.
    fn move_low(&mut self) {
        let low = |operand| match self.value(operand) {
            Expression::Register(view) => Expression::Register(RegisterView {
                size_bytes: view.size_bytes.min(8),
                ..view
            }),
            value => value,
        };
        let value = low(1);
        let is_x87 = |operand| self.register(operand).is_mm();
        if is_x87(0) || is_x87(1) {
            return;
        }
        self.set(0, value);
    }

    /// MOVSS, MOVSD. A move between registers keeps the rest of the vector.
    fn move_scalar(&mut self) {
        if self.is_memory(0) {
            let size_bytes = u16::from(self.bits(0)) / 8;
            let value = match self.value(1) {
                Expression::Register(view) => {
                    Expression::Register(RegisterView { size_bytes, ..view })
                }
                value => value, // string MOVSD
            };
            self.set_stored(value);
        } else if self.is_memory(1) {
            self.set(0, Expression::Loaded(0));
        } else if self.instruction.op_count() == 2 {
            let size_bytes = if matches!(self.instruction.mnemonic(), Mnemonic::Movss) {
                4
            } else {
                8
            };
            if let Expression::Register(view) = self.value(1) {
                self.move_part(
                    0,
                    size_bytes,
                    Expression::Register(RegisterView { size_bytes, ..view }),
                );
            }
        }
    }

    /// Writes some bytes of the first operand and keeps the others. The old value of the written
    /// bytes is read only if another operand names it.
    fn write_part(&mut self, offset: u16, size_bytes: u16) {
        let Some(whole) = self.view(self.register(0)) else {
            return;
        };
        let part = RegisterView {
            offset,
            size_bytes,
            ..whole
        };
        self.description.forget_reads(whole.register);
        if self.register(1) == self.register(0) {
            self.description.read(part);
        }
        let bits = u128::MAX >> (128 - 8 * u32::from(size_bytes)) << (8 * u32::from(offset));
        self.description.write_keeping(whole, !bits);
    }

    /// ADDSS and the like: combine scalars of the first and second operand (Intel SDM, volume 2).
    fn combine_scalar(&mut self, size_bytes: u16) {
        self.write_part(0, size_bytes);
        if let Some(whole) = self.view(self.register(0)) {
            self.description.read(RegisterView {
                offset: 0,
                size_bytes,
                ..whole
            });
        }
    }

    /// Returns true for VFMADD132SS and the like: only the first operand is written, and it is a
    /// scalar.
    fn is_fused_scalar(&self) -> bool {
        let is_of_three = self.instruction.op_count() == 3
            && self.instruction.encoding() != iced_x86::EncodingKind::Legacy;
        let is_scalar = matches!(
            self.instruction.memory_size(),
            MemorySize::Float16 | MemorySize::Float32 | MemorySize::Float64
        );
        let is_fused = is_of_three && is_scalar && self.register(0).is_xmm();
        is_fused
            && InstructionInfoFactory::new()
                .info(&self.instruction)
                .op0_access()
                == OpAccess::ReadWrite
    }

    fn bits_of_memory(&self) -> u8 {
        u8::try_from(self.instruction.memory_size().size() * 8).unwrap_or(64)
    }

    /// PINSRB and the like.
    fn insert_lane(&mut self) {
        let size_bytes = match self.instruction.mnemonic() {
            Mnemonic::Pinsrb => 1,
            Mnemonic::Pinsrw => 2,
            Mnemonic::Pinsrd => 4,
            _ => 8,
        };
        let lane = u16::from(self.instruction.immediate8()) % (16 / size_bytes);
        let value = match self.value(1) {
            Expression::Register(view) => Expression::Register(RegisterView { size_bytes, ..view }),
            value => value,
        };
        self.move_part(lane * size_bytes, size_bytes, value);
    }

    /// MOVLPS, MOVHPS, MOVHLPS, MOVLHPS and the like: move half of a vector and keep the other
    /// half.
    fn move_half(&mut self) {
        use Mnemonic as M;
        if self.is_memory(0) {
            return;
        }
        let mnemonic = self.instruction.mnemonic();
        let offset = if matches!(mnemonic, M::Movhps | M::Movhpd | M::Movlhps) {
            8
        } else {
            0
        };
        let value = match self.value(1) {
            Expression::Register(view) => {
                let from = if mnemonic == M::Movhlps { 8 } else { 0 };
                Expression::Register(RegisterView {
                    offset: from,
                    size_bytes: 8,
                    ..view
                })
            }
            value => value,
        };
        self.move_part(offset, 8, value);
    }

    /// Moves a value to some bytes of the first operand and keeps the others.
    fn move_part(&mut self, offset: u16, size_bytes: u16, value: Expression) {
        let Some(whole) = self.view(self.register(0)) else {
            return;
        };
        if let Some(source) = self.view(self.register(1)) {
            self.description.forget_reads(source.register);
        }
        self.write_part(offset, size_bytes);
        self.description.forget_reads(whole.register);
        self.description.set_part(
            RegisterView {
                offset,
                size_bytes,
                ..whole
            },
            value,
        );
    }

    /// VZEROUPPER, VZEROALL: affect each register that can be named without EVEX.
    fn clear_vectors(&mut self) {
        self.description.forget_lists();
        let is_all = self.instruction.mnemonic() == Mnemonic::Vzeroall;
        for number in 0..if self.word_bytes == 8 { 16 } else { 8 } {
            let whole = RegisterView::new(RegisterId(RegisterId::V0.0 + number), 0, 64);
            let kept = if is_all { 0 } else { 16 };
            self.description.write(whole);
            if !is_all {
                self.description.keep(RegisterView {
                    size_bytes: kept,
                    ..whole
                });
            }
            let cleared = RegisterView {
                offset: kept,
                size_bytes: 64 - kept,
                ..whole
            };
            self.description.set_part(cleared, Expression::Constant(0));
        }
    }

    /// Zeroes a vector that is combined with itself.
    fn clear(&mut self) {
        let last = self.instruction.op_count().saturating_sub(1);
        let is_same = self.register(last) == self.register(last.saturating_sub(1));
        if is_same && self.register(last).is_vector_register() {
            self.set(0, Expression::Constant(0));
        }
    }
}
