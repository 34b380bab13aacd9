//! Instructions in text form: `reads | writes | accesses | values`.

use crate::expression::{Expression, Operation};
use crate::instruction::{Address, Encoding, Instruction, decode};
use crate::meaning::{AccessKind, ExecutionCondition, MemoryOperand};
use crate::registers::Registers;
use crate::set::InstructionSet;
use crate::view::RegisterView;

/// Checks lines of the form `hexadecimal bytes ; reads | writes | accesses | values`; the last part
/// is optional. Instructions are at 0x1000.
#[track_caller]
pub fn check(set: InstructionSet, lines: &str) {
    let mut found = String::new();
    let mut expected = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (bytes, rest) = line.split_once(';').unwrap();
        let instruction = decode(encoding(bytes.trim()), Address(0x1000), set);
        let wanted: Vec<_> = rest.split('|').map(str::trim).collect();
        let parts = parts(&instruction, set);
        let stated = parts
            .iter()
            .take(wanted.len())
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" | ");
        expected += &format!(
            "{} ; {} ; {}\n",
            bytes.trim(),
            instruction.text,
            wanted.join(" | ")
        );
        found += &format!("{} ; {} ; {stated}\n", bytes.trim(), instruction.text);
    }
    let wrong: Vec<_> = found
        .lines()
        .zip(expected.lines())
        .filter(|(found, expected)| found != expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

pub fn encoding(digits: &str) -> Encoding {
    let bytes: Vec<_> = (0..digits.len() / 2)
        .map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).unwrap())
        .collect();
    Encoding::new(&bytes).unwrap()
}

fn parts(instruction: &Instruction, set: InstructionSet) -> [String; 4] {
    let Some(registers) = &instruction.registers else {
        return ["?"; 4].map(str::to_owned);
    };
    let names = |views: &[RegisterView]| {
        let mut names: Vec<_> = views.iter().map(|view| name(*view, set)).collect();
        names.sort_unstable();
        names.join(" ")
    };
    let meaning = &instruction.meaning;
    let memory: Vec<_> = meaning
        .memory
        .iter()
        .map(|operand| memory_text(operand, set))
        .collect();
    let mut values: Vec<_> = meaning
        .writes
        .iter()
        .map(|effect| {
            format!(
                "{}={}",
                name(effect.view, set),
                expression_text(&effect.value, set)
            )
        })
        .collect();
    values.sort_unstable();
    match meaning.condition {
        ExecutionCondition::Always => {}
        ExecutionCondition::Conditional => values.insert(0, "if".to_owned()),
        ExecutionCondition::Block(count) => values.insert(0, format!("block {count}")),
    }
    let memory = if meaning.is_memory_known {
        memory.join(" ")
    } else {
        "?".to_owned()
    };
    [
        names(&registers.reads),
        names(&registers.writes),
        memory,
        values.join(" "),
    ]
}

fn name(view: RegisterView, set: InstructionSet) -> String {
    match Registers::name(view, set) {
        Some(name) => name.to_owned(),
        None => format!("{}:{}:{}", view.register.0, view.offset, view.size_bytes),
    }
}

fn memory_text(operand: &MemoryOperand, set: InstructionSet) -> String {
    let letter = if operand.kind == AccessKind::Read {
        "r"
    } else {
        "w"
    };
    let size = operand
        .size_bytes
        .map_or("?".to_owned(), |size| size.to_string());
    let mut terms: Vec<_> = [operand.segment, operand.base]
        .into_iter()
        .flatten()
        .map(|view| name(view, set))
        .collect();
    if let Some(index) = operand.index {
        let sign = if index.is_signed { "s:" } else { "" };
        terms.push(format!("{sign}{}*{}", name(index.view, set), index.scale));
    }
    if operand.displacement != 0 || terms.is_empty() {
        let sign = if operand.displacement < 0 { "-" } else { "" };
        terms.push(format!("{sign}{:#x}", operand.displacement.unsigned_abs()));
    }
    let value = match &operand.value {
        Expression::Unknown => String::new(),
        value => format!("={}", expression_text(value, set)),
    };
    format!("{letter}{size}[{}]{value}", terms.join("+"))
}

fn expression_text(value: &Expression, set: InstructionSet) -> String {
    match value {
        Expression::Unknown => "?".to_owned(),
        Expression::Constant(number) => format!("{number:#x}"),
        Expression::Register(view) => name(*view, set),
        Expression::Loaded(operand) => format!("m{operand}"),
        Expression::Binary(operation, left, right) => {
            let sign = match operation {
                Operation::Add => "+",
                Operation::Subtract => "-",
                Operation::Multiply => "*",
                Operation::And => "&",
                Operation::Or => "or",
                Operation::Xor => "^",
                Operation::ShiftLeft => "<<",
                Operation::ShiftRight => ">>",
                Operation::ShiftRightSigned => ">>>",
            };
            let left = expression_text(left, set);
            match (operation, &**right) {
                (Operation::Add, Expression::Constant(number)) if number.cast_signed() < 0 => {
                    format!("({left}-{:#x})", number.cast_signed().unsigned_abs())
                }
                _ => format!("({left}{sign}{})", expression_text(right, set)),
            }
        }
        Expression::Extended {
            value,
            bits,
            is_signed,
        } => {
            format!(
                "{}{bits}({})",
                if *is_signed { "s" } else { "z" },
                expression_text(value, set)
            )
        }
    }
}
