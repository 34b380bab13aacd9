//! Random commit logs of RISC-V: small pools of addresses and registers, so that they collide.

use std::fmt::Write as _;

use super::dice::Dice;

/// Number of harts.
const HARTS: usize = 2;
/// Address of the code, and of the trap handler.
const CODE: u64 = 0x8000_0000;
const HANDLER: u64 = 0x8000_0100;

/// A commit log in the making.
struct CommitLogText {
    dice: Dice,
    text: String,
    /// Digits of an address: 8 or 16.
    digits: usize,
    has_listings: bool,
    pcs: [u64; HARTS],
    /// Address to which the handler returns; none outside of it.
    interrupted: [Option<u64>; HARTS],
    hart: usize,
}

/// Writes a log with a number of instructions, in the style of Spike.
pub fn write(steps: u64, seed: u64) -> String {
    let mut dice = Dice(seed);
    let digits = if dice.one_in(2) { 8 } else { 16 };
    let has_listings = !dice.one_in(3);
    let mut log = CommitLogText {
        dice,
        text: String::new(),
        digits,
        has_listings,
        pcs: [CODE, CODE + 0x40],
        interrupted: [None; HARTS],
        hart: 0,
    };
    for _ in 0..steps {
        log.step();
    }
    // The oracle knows no branches of RISC-V, so the last instructions are none.
    for hart in 0..HARTS {
        log.hart = hart;
        let pc = log.pcs[hart];
        log.line(pc, 0x0000_0013, "");
    }
    log.text
}

impl CommitLogText {
    fn value(&mut self) -> u64 {
        let all = match self.dice.below(4) {
            0 => self.dice.below(4),
            1 => self.data(),
            2 => CODE + 4 * self.dice.below(8),
            _ => self.dice.number(),
        };
        if self.digits == 8 {
            all & 0xffff_ffff
        } else {
            all
        }
    }

    fn data(&mut self) -> u64 {
        CODE + 0x1000 + self.dice.below(24)
    }

    fn hex(&self, value: u64) -> String {
        format!("0x{value:0digits$x}", digits = self.digits)
    }

    /// Adds ` x5  0x…`, and returns the number of the register.
    fn register(&mut self, items: &mut String) -> u32 {
        let number = [1, 2, 5, 10, 31][self.dice.below(5) as usize];
        let value = self.value();
        _ = write!(items, " x{number:<2} {}", self.hex(value));
        number
    }

    fn step(&mut self) {
        if self.dice.one_in(6) {
            self.hart = self.dice.below(HARTS as u64) as usize;
        }
        match self.dice.below(40) {
            0 => return self.trap(),
            1 => return self.noise(),
            _ => {}
        }
        let pc = self.pcs[self.hart];
        let mut items = String::new();
        let mut next = pc + 4;
        let opcode = match self.dice.below(12) {
            0 | 1 => self.register(&mut items) << 7 | 0x0015_0013, // addi xN, a0, 1
            2 => 0x00b5_0533 & !0xf80 | self.register(&mut items) << 7, // add xN, a0, a1
            3 | 4 => self.load(&mut items),
            5 | 6 => self.store(&mut items),
            7 => self.atomic(&mut items),
            8 => {
                let value = self.value();
                let number = self.register(&mut items);
                _ = write!(items, " c833_mepc {}", self.hex(value));
                number << 7 | 0x3410_9073 // csrrw xN, mepc, ra
            }
            9 => {
                // jal ra, +8
                next = pc + 8;
                _ = write!(items, " x1  {}", self.hex(pc + 4));
                0x0080_00ef
            }
            10 if self.interrupted[self.hart].is_some() => {
                next = self.interrupted[self.hart].take().unwrap_or(CODE);
                0x3020_0073 // mret
            }
            10 => {
                next = CODE + 4 * self.dice.below(32);
                0x0000_8067 // ret
            }
            _ => {
                if self.dice.one_in(2) {
                    next = pc + 16;
                }
                0x00b5_0863 // beq a0, a1, +16
            }
        };
        self.line(pc, opcode, &items);
        self.pcs[self.hart] = next;
    }

    fn load(&mut self, items: &mut String) -> u32 {
        let kind = self.dice.below(3) as u32;
        let number = self.register(items);
        let address = self.data();
        _ = write!(items, " mem {}", self.hex(address));
        kind << 12 | number << 7 | 0x0005_0003 // lb, lh or lw xN, 0(a0)
    }

    fn store(&mut self, items: &mut String) -> u32 {
        let kind = self.dice.below(3) as u32;
        let (address, value) = (self.data(), self.dice.number());
        let digits = 2 << kind;
        let value = value & (u64::MAX >> (64 - 4 * digits));
        _ = write!(items, " mem {} 0x{value:0digits$x}", self.hex(address));
        kind << 12 | 0x00b5_0023 // sb, sh or sw a1, 0(a0)
    }

    fn atomic(&mut self, items: &mut String) -> u32 {
        let number = self.register(items);
        let (address, value) = (self.data() & !3, self.dice.below(1 << 32));
        let address = self.hex(address);
        _ = write!(items, " mem {address} mem {address} 0x{value:08x}");
        0x00b5_202f | number << 7 // amoadd.w xN, a1, (a0)
    }

    fn line(&mut self, pc: u64, opcode: u32, items: &str) {
        let (hart, pc) = (self.hart, self.hex(pc));
        if self.has_listings {
            _ = writeln!(self.text, "core   {hart}: {pc} (0x{opcode:08x}) text");
        }
        // Sometimes a newline is lost.
        let end = if self.dice.one_in(40) { "" } else { "\n" };
        _ = write!(
            self.text,
            "core   {hart}: 3 {pc} (0x{opcode:08x}){items}{end}"
        );
    }

    fn trap(&mut self) {
        let (hart, pc) = (self.hart, self.pcs[self.hart]);
        let address = self.hex(pc);
        let is_interrupt = self.dice.one_in(2);
        if self.has_listings {
            if is_interrupt {
                _ = writeln!(
                    self.text,
                    "core   {hart}: exception interrupt #7, epc {address}"
                );
            } else {
                _ = write!(
                    self.text,
                    "core   {hart}: {address} (0x00000073) ecall\n\
                     core   {hart}: exception trap_user_ecall, epc {address}\n\
                     core   {hart}:           tval 0x0\n"
                );
            }
        }
        self.interrupted[hart] = Some(pc + if is_interrupt { 0 } else { 4 });
        self.pcs[hart] = HANDLER;
    }

    fn noise(&mut self) {
        let hart = self.hart;
        let line = match self.dice.below(4) {
            0 => "Hello\n".to_owned(),
            1 => format!("core   {hart}: >>>>  main\n"),
            2 => format!("core   {hart}: 3 0x8000000z (0x00a00513) x10 0x0000000a\n"),
            _ => "output without a newline ".to_owned(),
        };
        self.text.push_str(&line);
    }
}
