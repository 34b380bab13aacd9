//! Armv8.1-M instructions that the disassembler does not support (DDI 0553, C2.4) or takes for
//! unpredictable forms of others.
//!
//! 64-bit shifts and saturating shifts share their leading bits with ORRS of `sp` or `pc`.

use crate::arm::flags::{NZCV, Q, of_condition, test_of_condition};
use crate::arm::flow::{t32_target, thumb_opcode};
use crate::control::BranchTarget;
use crate::description::MeaningBuilder;
use crate::expression::{Expression, Operation};
use crate::instruction::{CodeSite, Instruction};
use crate::meaning::ConditionalSelection;
use crate::view::{RegisterId, RegisterView};

const FLAGS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 4);
const LINK: RegisterView = RegisterView::new(RegisterId::LR, 0, 4);
const STACK: RegisterView = RegisterView::new(RegisterId::SP, 0, 4);
const R12: RegisterView = RegisterView::new(RegisterId(12), 0, 4);

const CONDITIONS: [&str; 16] = [
    "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "al",
];

/// Decodes one of these instructions; none for others.
pub fn decode(site: &CodeSite) -> Option<Instruction> {
    let word = thumb_opcode(&site.encoding);
    let mut found = MainlineDescriber {
        word,
        pc: site.pc.0,
        description: MeaningBuilder::default(),
    };
    let text = match word >> 16 {
        0xea50..=0xea5f
            if word & 0x100 != 0 && matches!(word & 0x803f, 0x000f | 0x001f | 0x002f | 0x003f) =>
        {
            found.shift_by_constant()
        }
        0xea50..=0xea5f if word & 0x15f == 0x10d => found.shift_by_register()?,
        0xea50..=0xea5f if word & 0xc000 == 0x8000 => found.select(),
        0xf000..=0xf04f if word & 0xd001 == 0xc001 => found.repeat()?,
        0xe89f if word & 0x2000 == 0 => found.clear(),
        0xf3af => found.sign()?,
        _ => return None,
    };
    Some(Instruction::new(&text, Some(found.description)))
}

struct MainlineDescriber {
    word: u32,
    pc: u64,
    description: MeaningBuilder,
}

impl MainlineDescriber {
    fn field(&self, first: u32, width: u32) -> u32 {
        self.word >> first & ((1 << width) - 1)
    }

    /// LSLL, LSRL, ASRL, UQSHLL, URSHRL, SRSHRL, SQSHLL; UQSHL, URSHR, SRSHR, SQSHL.
    fn shift_by_constant(&mut self) -> String {
        let kind = self.field(4, 2);
        let amount = match self.field(12, 3) << 2 | self.field(6, 2) {
            0 => 32,
            amount => amount,
        };
        let operands = self.shifted_registers();
        let is_rounded = operands.len() == 1 || self.field(16, 1) == 1;
        if is_rounded && matches!(kind, 0 | 3) {
            self.saturate();
        }
        if let ([low, high], false) = (operands.as_slice(), is_rounded) {
            self.set_shifted(*low, *high, kind, amount);
        }
        let names = match (operands.len(), is_rounded) {
            (1, _) => ["uqshl", "urshr", "srshr", "sqshl"],
            (_, true) => ["uqshll", "urshrl", "srshrl", "sqshll"],
            _ => ["lsll", "lsrl", "asrl", "sqshll"],
        };
        let name = names.get(kind as usize).copied().unwrap_or_default();
        format!("{name} {}, {}", texts(&operands), number(amount))
    }

    /// LSLL, ASRL, UQRSHLL, SQRSHRL; UQRSHL, SQRSHR. The lowest byte of the amount is signed; its
    /// sign gives the direction.
    fn shift_by_register(&mut self) -> Option<String> {
        let amount = general(self.field(12, 4));
        let operands = self.shifted_registers();
        self.description.read(amount);
        let is_saturating = operands.len() == 1 || self.field(16, 1) == 1;
        if is_saturating {
            self.saturate();
        }
        let is_right = self.field(5, 1) == 1;
        let name = match (operands.len(), is_saturating, is_right) {
            (1, _, false) => "uqrshl",
            (1, _, true) => "sqrshr",
            (_, true, false) => "uqrshll",
            (_, true, true) => "sqrshrl",
            (_, false, false) => "lsll",
            (_, false, true) => "asrl",
        };
        let limit = match (operands.len(), is_saturating, self.field(7, 1)) {
            (2, true, 0) => "#0x40, ",
            (2, true, _) => "#0x30, ",
            (_, _, 0) => "",
            _ => return None,
        };
        Some(format!(
            "{name} {}, {limit}{}",
            texts(&operands),
            text(amount)
        ))
    }

    /// Returns the shifted register, or the two of a long shift; they are both read and written.
    fn shifted_registers(&mut self) -> Vec<RegisterView> {
        let views = match self.field(9, 3) {
            7 => vec![general(self.field(16, 4))],
            high => vec![general(self.field(17, 3) << 1), general(high << 1 | 1)],
        };
        for view in &views {
            self.description.read(*view);
            self.description.write(*view);
        }
        views
    }

    fn set_shifted(&mut self, low: RegisterView, high: RegisterView, kind: u32, amount: u32) {
        let by = |amount: u32| Expression::Constant(u64::from(amount));
        let upper = Expression::Register(high).with(Operation::ShiftLeft, by(32));
        let operation = match kind {
            0 => Operation::ShiftLeft,
            1 => Operation::ShiftRight,
            _ => Operation::ShiftRightSigned,
        };
        let value = Expression::Register(low)
            .with(Operation::Or, upper)
            .with(operation, by(amount));
        self.description.set(low, value.clone().zero_extended(32));
        self.description.set(
            high,
            value.with(Operation::ShiftRight, by(32)).zero_extended(32),
        );
    }

    /// Adds a write that may set Q but never clears it.
    fn saturate(&mut self) {
        self.description.read(FLAGS);
        self.description.write(FLAGS);
        let flags = &mut self.description.meaning.flags;
        (flags.read, flags.written, flags.kept) = (Some(0), Some(Q), Q);
    }

    /// CSEL, CSINC, CSINV, CSNEG, in which register 15 is zero; CSET, CINC and the like are forms
    /// of them.
    fn select(&mut self) -> String {
        let (kind, condition) = (self.field(12, 2), self.field(4, 4));
        let (to, first, second) = (
            general(self.field(8, 4)),
            self.field(16, 4),
            self.field(0, 4),
        );
        let value = |number| {
            if number == 15 {
                Expression::Constant(0)
            } else {
                Expression::Register(general(number))
            }
        };
        let (chosen, other) = (value(first), value(second));
        self.description.read_all(&chosen);
        self.description.read_all(&other);
        self.description.read(FLAGS);
        self.description.meaning.flags.read = Some(of_condition(condition));
        let otherwise = match kind {
            0 => other,
            1 => other.plus(1),
            2 => other.with(Operation::Xor, Expression::Constant(u64::MAX)),
            _ => Expression::Constant(0).with(Operation::Subtract, other),
        };
        self.description.meaning.selection = Some(ConditionalSelection {
            test: test_of_condition(condition),
            chosen,
            otherwise,
        });
        self.description.write(to);
        let name = |number| {
            if number == 15 {
                "zr".to_owned()
            } else {
                text(general(number))
            }
        };
        let word = |condition: u32| {
            CONDITIONS
                .get(condition as usize)
                .copied()
                .unwrap_or_default()
        };
        let (to, inverse) = (text(to), word(condition ^ 1));
        match kind {
            1 if first == 15 && second == 15 => format!("cset {to}, {inverse}"),
            2 if first == 15 && second == 15 => format!("csetm {to}, {inverse}"),
            1 if first == second => format!("cinc {to}, {}, {inverse}", name(first)),
            2 if first == second => format!("cinv {to}, {}, {inverse}", name(first)),
            3 if first == second => format!("cneg {to}, {}, {inverse}", name(first)),
            _ => {
                let mnemonic = ["csel", "csinc", "csinv", "csneg"]
                    .get(kind as usize)
                    .copied()
                    .unwrap_or_default();
                format!(
                    "{mnemonic} {to}, {}, {}, {}",
                    name(first),
                    name(second),
                    word(condition)
                )
            }
        }
    }

    /// WLS, DLS, LE and the tail-predicated forms: the link register counts the iterations.
    fn repeat(&mut self) -> Option<String> {
        let (number, is_start) = (self.field(16, 4), self.field(13, 1) == 1);
        let size = match self.field(20, 3) {
            size @ 0..=3 => ["tp.8", "tp.16", "tp.32", "tp.64"]
                .get(size as usize)
                .copied()
                .unwrap_or_default(),
            4 => "",
            _ => return None,
        };
        let target = match t32_target(self.word, self.pc) {
            BranchTarget::Address(target) => format!("#{target:#x}"),
            _ => String::new(),
        };
        if number != 15 {
            let count = general(number);
            self.description.read(count);
            // WLS does not change the link register if there are no iterations.
            let value = if is_start {
                Expression::Register(count)
            } else {
                Expression::Unknown
            };
            self.description.set(LINK, value);
            let count = text(count);
            return Some(if is_start {
                format!("dls{size} lr, {count}")
            } else {
                format!("wls{size} lr, {count}, {target}")
            });
        }
        let name = match (is_start, self.field(20, 3)) {
            (true, 0) => return Some("lctp".to_owned()),
            (false, 2) => return Some(format!("le {target}")),
            (false, 0) => "le",
            (false, 1) => "letp",
            _ => return None,
        };
        // The last iteration does not change it.
        self.description.read(LINK);
        self.description.write(LINK);
        Some(format!("{name} lr, {target}"))
    }

    /// CLRM: zeroes registers, and with the last bit the flags.
    fn clear(&mut self) -> String {
        let mut names = Vec::new();
        for number in (0..15).filter(|number| self.word >> number & 1 == 1) {
            let view = general(number);
            self.description.set(view, Expression::Constant(0));
            names.push(text(view));
        }
        if self.word & 0x8000 != 0 {
            self.description.write(FLAGS);
            self.description.meaning.flags.written = Some(NZCV | Q);
            names.push("apsr".to_owned());
        }
        format!("clrm {{{}}}", names.join(", "))
    }

    /// PAC, PACBTI, AUT, BTI: `r12` holds the signature of a return address.
    fn sign(&mut self) -> Option<String> {
        let name = match self.word & 0xffff {
            0x801d => "pac",
            0x800d => "pacbti",
            0x802d => "aut",
            0x800f => return Some("bti".to_owned()),
            _ => return None,
        };
        self.description.read(LINK);
        self.description.read(STACK);
        if name == "aut" {
            self.description.read(R12)
        } else {
            self.description.write(R12)
        }
        Some(format!("{name} r12, lr, sp"))
    }
}

/// Returns the register with a number below 15.
fn general(number: u32) -> RegisterView {
    let register = match number {
        13 => RegisterId::SP,
        14 => RegisterId::LR,
        number => RegisterId(u16::try_from(number).unwrap_or_default()),
    };
    RegisterView::new(register, 0, 4)
}

fn text(view: RegisterView) -> String {
    match view.register {
        RegisterId::SP => "sp".to_owned(),
        RegisterId::LR => "lr".to_owned(),
        register => format!("r{}", register.0),
    }
}

fn texts(views: &[RegisterView]) -> String {
    views
        .iter()
        .map(|view| text(*view))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Formats a number the way the disassembler does.
fn number(value: u32) -> String {
    if value < 10 {
        format!("#{value}")
    } else {
        format!("#{value:#x}")
    }
}
