//! The value of an expression.

use super::ExpressionError;
use super::error::ExpressionErrorKind as Kind;
use super::parser::{self, Binary, Operation, Unary};
use super::token::NameKind;

/// What the names of an expression stand for.
pub trait Lookup {
    /// A register, in any case; none when no register has this name.
    fn register(&self, name: &str) -> Option<RegisterLookup>;

    /// The address of a symbol; none when no image has it.
    fn symbol(&self, name: &str) -> Option<u64>;
}

/// What a register holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterLookup {
    /// This, without the bits above 64.
    Known(u64),
    /// The trace does not say, at least not of every byte.
    Unknown,
    /// It could not be looked up, for this reason.
    Failed(String),
}

/// An expression that was read and awaits a place to be evaluated at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// In the order of evaluation, each with the column it comes from.
    pub(super) operations: Vec<(usize, Operation)>,
}

/// Reads an expression without asking what its names stand for.
///
/// # Errors
/// Says at which column it is wrong.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    parser::parse(text)
}

/// Reads an expression and works it out.
///
/// # Errors
/// Says at which column it is wrong or what has no value.
pub fn evaluate(text: &str, context: &dyn Lookup) -> Result<u64, ExpressionError> {
    parse(text)?.evaluate(context)
}

impl Expression {
    /// Works the expression out; results wrap around at 2^64.
    ///
    /// # Errors
    /// A name stands for nothing, a register is unknown, or something is divided by zero.
    pub fn evaluate(&self, context: &dyn Lookup) -> Result<u64, ExpressionError> {
        let mut stack: Vec<u64> = Vec::new();
        for (column, operation) in &self.operations {
            let at_column = |kind: Kind| ExpressionError { column: *column, kind };
            // The parser puts as many values before an operator as it takes.
            let mut pop = || stack.pop().ok_or_else(|| at_column(Kind::ValueMissing));
            let value = match operation {
                Operation::Number(value) => *value,
                Operation::Name(kind, name) => look_up(*kind, name, context).map_err(at_column)?,
                Operation::Unary(operator) => operator.apply(pop()?),
                Operation::Binary(operator) => {
                    let (right, left) = (pop()?, pop()?);
                    operator.apply(left, right).ok_or_else(|| at_column(Kind::DivisionByZero))?
                }
            };
            stack.push(value);
        }
        stack.pop().ok_or(ExpressionError { column: 1, kind: Kind::Empty })
    }

    /// True when the value does not depend on a position.
    pub fn is_without_registers(&self, context: &dyn Lookup) -> bool {
        !self.operations.iter().any(|(_, operation)| match operation {
            Operation::Name(NameKind::Register, _) => true,
            Operation::Name(NameKind::Any, name) => context.register(name).is_some(),
            _ => false,
        })
    }
}

fn look_up(kind: NameKind, name: &str, context: &dyn Lookup) -> Result<u64, Kind> {
    let register = if kind == NameKind::Symbol { None } else { context.register(name) };
    match register {
        Some(RegisterLookup::Known(value)) => return Ok(value),
        Some(RegisterLookup::Unknown) => return Err(Kind::RegisterUnknown(name.to_owned())),
        Some(RegisterLookup::Failed(why)) => return Err(Kind::RegisterFailed(name.to_owned(), why)),
        None if kind == NameKind::Register => return Err(Kind::NoRegister(name.to_owned())),
        None => {}
    }
    let missing = if kind == NameKind::Symbol { Kind::NoSymbol } else { Kind::NoName };
    context.symbol(name).ok_or_else(|| missing(name.to_owned()))
}

impl Unary {
    fn apply(self, value: u64) -> u64 {
        match self {
            Self::Minus => value.wrapping_neg(),
            Self::Complement => !value,
        }
    }
}

impl Binary {
    /// None for a division by zero.
    fn apply(self, left: u64, right: u64) -> Option<u64> {
        let distance = u32::try_from(right).unwrap_or(u32::MAX);
        Some(match self {
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::And => left & right,
            Self::ShiftLeft => left.checked_shl(distance).unwrap_or(0),
            Self::ShiftRight => left.checked_shr(distance).unwrap_or(0),
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide => left.checked_div(right)?,
            Self::Remainder => left.checked_rem(right)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Example;

    impl Lookup for Example {
        fn register(&self, name: &str) -> Option<RegisterLookup> {
            match name.to_ascii_lowercase().as_str() {
                "x0" | "%g1" => Some(RegisterLookup::Known(0x100)),
                "sp" => Some(RegisterLookup::Known(0x8000)),
                "x5" => Some(RegisterLookup::Unknown),
                "x6" => Some(RegisterLookup::Failed("the trace changed".to_owned())),
                _ => None,
            }
        }

        fn symbol(&self, name: &str) -> Option<u64> {
            match name {
                "main" => Some(0x4000),
                "x0" => Some(0x7000),
                "a.b$c_1" => Some(1),
                "core::fmt::write" => Some(2),
                "std::vector<int, a>::~vector()" => Some(3),
                "größe" => Some(4),
                "reg::odd" => Some(5),
                _ => None,
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: u64) {
        assert_eq!(evaluate(text, &Example), Ok(expected), "{text}");
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        assert_eq!(evaluate(text, &Example).expect_err(text).to_string(), expected, "{text}");
    }

    #[test]
    fn precedence_is_that_of_c() {
        check("1+2*3", 7);
        check("(1+2)*3", 9);
        check("1<<2+1", 8);
        check("1|6^3&5", 1 | (6 ^ (3 & 5)));
        check("0x3f & 0xf00 >> 4", 0x30);
        check("7 & 3 + 1", 4);
        check("100/7%4", 2);
        check("-1 & 0xff", 0xff);
        check("2*-3", 6u64.wrapping_neg());
        check("~0 >> 63", 1);
        check("- - 5", 5);
        check("+5 - +3", 2);
    }

    #[test]
    fn operators_of_one_rank_go_from_left_to_right() {
        check("10-3-2", 5);
        check("100/10/5", 2);
        check("1<<4>>2", 4);
        check("256>>2<<1", 128);
    }

    #[test]
    fn results_wrap_around_and_wide_shifts_give_nothing() {
        check("0-1", u64::MAX);
        check("0xffffffffffffffff+2", 1);
        check("0x8000000000000000*2", 0);
        check("1<<64", 0);
        check("1>>0x100000000", 0);
        check("sp-0x8008", 8u64.wrapping_neg());
    }

    #[test]
    fn a_name_is_a_register_first_and_a_prefix_decides() {
        check("x0", 0x100);
        check("X0", 0x100);
        check("reg::x0", 0x100);
        check("sym::x0", 0x7000);
        check("sym::`x0` + 1", 0x7001);
        check("main+8", 0x4008);
        check("sym::reg::odd", 5);
        check_error("reg::main", "column 1: no register is called \"main\"");
        check_error("sym::sp", "column 1: no symbol is called \"sp\"");
    }

    #[test]
    fn names_may_hold_what_linkers_allow() {
        check("a.b$c_1+1", 2);
        check("core::fmt::write", 2);
        check("`core::fmt::write`*2", 4);
        check("`std::vector<int, a>::~vector()` + 1", 4);
        check("größe", 4);
    }

    #[test]
    fn a_percent_sign_is_a_register_where_a_value_is_due() {
        check("%g1", 0x100);
        check("2+%g1", 0x102);
        check("reg::%g1", 0x100);
        check("0x107%sp", 0x107);
        check("0x107 % x0", 7);
        check("(0x107)%%g1", 7);
    }

    #[test]
    fn an_unknown_register_is_said_to_be_unknown() {
        check_error("x5", "column 1: x5 is unknown at this position");
        check_error("main + X5", "column 8: X5 is unknown at this position");
        check_error("x6", "column 1: x6 could not be looked up: the trace changed");
    }

    #[test]
    fn errors_say_what_and_where() {
        check_error("", "column 1: an address is needed: a number, a register, a symbol, or a sum such as sp+8");
        check_error("  ", "column 1: an address is needed: a number, a register, a symbol, or a sum such as sp+8");
        check_error("1 +", "column 4: a number, a register or a symbol is missing at the end");
        check_error("1 + *2", "column 5: \"*\" stands where a number, a register or a symbol must be");
        check_error("1 2", "column 3: \"2\" stands where an operator must be: + - * / % << >> & | ^");
        check_error("größe main", "column 7: \"main\" stands where an operator must be: + - * / % << >> & | ^");
        check_error("(1", "column 1: the parenthesis is never closed");
        check_error("(1 2)", "column 4: \"2\" stands where an operator must be: + - * / % << >> & | ^");
        check_error("1)", "column 2: the closing parenthesis was never opened");
        check_error("()", "column 2: \")\" stands where a number, a register or a symbol must be");
        check_error("`abc", "column 1: the backtick has no partner");
        check_error("1+`", "column 3: the backtick has no partner");
        check_error("``", "column 1: \"``\" stands where a number, a register or a symbol must be");
        check_error("1 ? 2", "column 3: the character '?' means nothing in an expression");
        check_error("a::", "column 2: the character ':' means nothing in an expression");
        check_error("reg::", "column 1: a number, a register or a symbol is missing at the end");
        check_error("reg:: x0", "column 1: \" \" stands where a number, a register or a symbol must be");
        check_error("foo", "column 1: no register and no symbol is called \"foo\"");
        check_error("main main_2", "column 6: \"main_2\" stands where an operator must be: + - * / % << >> & | ^");
        check_error("1/(2-2)", "column 2: division by zero");
        check_error("1 % 0", "column 3: division by zero");
        check_error("8000049c", "column 1: \"8000049c\" is not a number; if it is hexadecimal, write 0x8000049c");
        check_error("0x", "column 1: \"0x\": not a number in C syntax: 16, 0x10, 020 or 0b10000");
        check_error("0x10000000000000000", "column 1: \"0x10000000000000000\": a number must be less than 2^64");
    }

    #[test]
    fn deep_nesting_is_an_error_and_long_chains_are_not() {
        let deep = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        check(&deep(100), 1);
        check_error(&deep(101), "column 101: too many parentheses or signs within each other");
        check_error(&"(".repeat(1_000_000), "column 101: too many parentheses or signs within each other");
        check_error(&"-".repeat(1_000_000), "column 101: too many parentheses or signs within each other");
        check(&format!("0{}", "+1".repeat(200_000)), 200_000);
    }

    #[test]
    fn an_expression_can_be_checked_before_it_is_worked_out() {
        assert!(parse("nobody + knows").is_ok());
        assert!(parse("nobody +").is_err());
        let free = |text: &str| parse(text).expect(text).is_without_registers(&Example);
        assert!(free("main + 8") && free("sym::x0"));
        assert!(!free("main + x0") && !free("reg::x1"));
    }

    proptest! {
        #[test]
        fn no_text_brings_it_down(text in "[-+*/%&|^~<>() `x0-9a-fsp:é$.?]{0,40}") {
            let _any = evaluate(&text, &Example);
        }

        #[test]
        fn columns_lie_within_the_text(text in "\\PC{0,20}") {
            if let Err(error) = evaluate(&text, &Example) {
                prop_assert!((1..=text.chars().count() + 1).contains(&error.column));
            }
        }
    }
}
