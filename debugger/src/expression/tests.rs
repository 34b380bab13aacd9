//! Values and errors of expressions, by example.

use proptest::prelude::*;

use super::{
    IntegerType, NameLookup, NoNumber, TypedNumber, ValueLookup, ValuePath, VariableAspect, Width,
    evaluate, parse,
};
use crate::image::Signedness;

pub(super) struct Example;

/// A variable of type `int`.
fn int(bits: u64) -> ValueLookup {
    let of_type = IntegerType {
        bits: 32,
        signedness: Signedness::Signed,
    };
    ValueLookup::Typed(TypedNumber::integer(bits, of_type))
}

impl NameLookup for Example {
    fn register(&self, name: &str) -> Option<ValueLookup> {
        match name.to_ascii_lowercase().as_str() {
            "x0" | "%g1" => Some(ValueLookup::Known(0x100)),
            "sp" => Some(ValueLookup::Known(0x8000)),
            "x5" | "d0" | "d1" => Some(ValueLookup::Unknown),
            "x6" => Some(ValueLookup::Failed("the trace changed".into())),
            _ => None,
        }
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        let address = match name {
            "main" => Some(0x4000),
            "x0" => Some(0x7000),
            "a.b$c_1" => Some(1),
            "core::fmt::write" => Some(2),
            "std::vector<int, a>::~vector()" => Some(3),
            "größe" => Some(4),
            "reg::odd" => Some(5),
            "helper" => return vec![0x400, 0x424],
            _ => None,
        };
        address.into_iter().collect()
    }

    fn variable(&self, path: &ValuePath, aspect: VariableAspect) -> Option<ValueLookup> {
        if aspect != VariableAspect::Value {
            let is_known = path.to_string().starts_with("rows");
            return is_known.then_some(ValueLookup::Known(match aspect {
                VariableAspect::Size => 24,
                _ => 0x9100,
            }));
        }
        Some(match &*path.to_string() {
            "h" | "h.id" | "node.next.id" => ValueLookup::Known(7),
            "rows[7]" | "rows[7].x" | "grid[1][258]" | "grid[7][16].y.z" => ValueLookup::Known(3),
            "*p" | "**p" | "*rows[1]" => ValueLookup::Known(9),
            "(*p).x" | "(*p)[2].y" => ValueLookup::Known(11),
            "rows[1000]" => ValueLookup::Unknown,
            "rows[1001]" => ValueLookup::Failed("the trace changed".into()),
            "v[2]" | "v[8]" | "v[-1]" | "v[7].w[3]" => ValueLookup::Known(13),
            "minus" => int(3_u64.wrapping_neg()),
            "ptr" => ValueLookup::Typed(TypedNumber::pointer(0x8000, Some(4))),
            "opaque" => ValueLookup::Typed(TypedNumber::pointer(0x8000, None)),
            "real" => ValueLookup::NoNumber(NoNumber {
                reason: "it is real".to_owned(),
                depends_on_position: false,
            }),
            _ => return None,
        })
    }

    fn is_used(&self, address: u64) -> bool {
        (0x8000..0x8100).contains(&address) || address == 0xd0
    }

    /// Bytes 1, 2, 3, … from 0x8000 on.
    fn memory(&self, address: u64, width: Width) -> ValueLookup {
        let bytes = match width {
            Width::Pointer => 8,
            Width::Bytes(bytes) => usize::from(bytes),
        };
        match address {
            0x8000..0x8100 => {
                let start = u8::try_from(address - 0x8000).expect("a small number");
                let mut number = [0; 8];
                number
                    .iter_mut()
                    .zip(start + 1..)
                    .take(bytes)
                    .for_each(|(byte, value)| *byte = value);
                ValueLookup::Known(u64::from_le_bytes(number))
            }
            0x9000 => ValueLookup::Failed("the trace changed".into()),
            _ => ValueLookup::Unknown,
        }
    }
}

#[track_caller]
pub(super) fn check(text: &str, expected: u64) {
    assert_eq!(evaluate(text, &Example), Ok(expected), "{text}");
}

#[track_caller]
pub(super) fn check_error(text: &str, expected: &str) {
    assert_eq!(
        evaluate(text, &Example).expect_err(text).to_string(),
        expected,
        "{text}"
    );
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
    check("1 | 2 == 2", 1);
    check("4 & 4 == 4", 0);
    check("1 + 1 < 3", 1);
    check("8 >> 1 >= 4", 1);
    check("1 < 2 == 1", 1);
    check("2 > 1 > 0", 1);
    check("1 || 0 && 0", 1);
    check("(1 || 0) && 0", 0);
    check("0 | 2 && 4", 1);
    check("!5 + 1", 1);
    check("!!5", 1);
    check("~0 == !0 - 2", 1);
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
fn comparisons_are_unsigned_and_give_1_or_0() {
    for (text, value) in [
        ("1<2", 1),
        ("2<1", 0),
        ("2<=2", 1),
        ("3<=2", 0),
        ("2>1", 1),
        ("1>=2", 0),
        ("1==1", 1),
    ] {
        check(text, value);
    }
    check("1!=1", 0);
    check("-1 > 1", 1);
    check("sp!=0x8000", 0);
}

#[test]
fn what_cannot_change_the_result_is_not_worked_out() {
    check("0 && x5", 0);
    check("7 || nobody", 1);
    check("0 && 1/0 || 1", 1);
    check("1 && 2", 1);
    check("0 || 0", 0);
    check_error("1 && x5", "column 6: x5 is unknown at this position");
}

#[test]
fn memory_is_read_as_wide_as_a_pointer_or_as_it_is_said() {
    check("[sp]", 0x0807_0605_0403_0201);
    check("[sp+8]", 0x100f_0e0d_0c0b_0a09);
    check("u8[sp]+1", 2);
    check("u16 [ sp + 2 ]", 0x0403);
    check("u32[sp] & 0xff", 1);
    check("u64[sp]", 0x0807_0605_0403_0201);
    check("2*u8[0x8000+u8[sp]]", 4);
    check("-[sp]+[sp]", 0);
    check("[sp]%3", 0x0807_0605_0403_0201 % 3);
}

#[test]
fn memory_that_is_unknown_is_said_to_be_unknown() {
    check_error(
        "1+[x0]",
        "column 3: memory at 0x100 is unknown at this position",
    );
    check_error(
        "u8[0x9000]",
        "column 1: memory at 0x9000 could not be read: the trace changed",
    );
    check_error("[x5]", "column 2: x5 is unknown at this position");
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
    check_error("reg::main", "column 1: no register is named \"main\"");
    check_error("sym::sp", "column 1: no symbol is named \"sp\"");
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
fn a_name_of_several_symbols_means_all_of_them_or_none() {
    check_error(
        "helper",
        "column 1: 2 symbols are named helper, at 0x400, 0x424: use an address instead",
    );
    check("0 && helper", 0);
    let all = |text: &str| parse(text).unwrap().evaluate_all(&Example);
    assert_eq!(all("helper + 4"), Ok(vec![0x404, 0x428]));
    assert_eq!(all("helper - helper"), Ok(vec![0]));
    assert_eq!(all("main"), Ok(vec![0x4000]));
    assert_eq!(
        all("x5").unwrap_err().to_string(),
        "column 1: x5 is unknown at this position"
    );
}

#[test]
fn a_register_without_a_value_may_be_an_address_that_is_used() {
    let readings = |text: &str| -> Vec<String> {
        parse(text)
            .unwrap()
            .readings(&Example)
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    check("d0", 0xd0);
    check("d0 + 4", 0xd4);
    assert_eq!(readings("d0"), ["d0 is read as hexadecimal 0xd0"]);
    check_error("reg::d0", "column 1: d0 is unknown at this position");
    check_error("d1", "column 1: d1 is unknown at this position");
    assert_eq!(readings("d1"), [""; 0]);
}

#[test]
fn a_difference_below_zero_is_negative() {
    let is_negative = |text: &str| parse(text).unwrap().is_negative(&Example);
    for text in [
        "0x1000 - 0x2000",
        "-8",
        "x0 - sp",
        "0x1000 - 0x2000 - 1",
        "4 * (1 - 2)",
    ] {
        assert_eq!(is_negative(text), Ok(true), "{text}");
    }
    for text in [
        "0x2000 - 0x1000",
        "-8 + 0x1000",
        "0x1000 - 0x2000 + sp",
        "~0",
        "0xffffffffffffffff + 2",
        "(1 - 2) & 0xff",
    ] {
        assert_eq!(is_negative(text), Ok(false), "{text}");
    }
}

#[test]
fn an_unknown_register_is_said_to_be_unknown() {
    check_error("x5", "column 1: x5 is unknown at this position");
    check_error("main + X5", "column 8: X5 is unknown at this position");
    check_error("x6", "column 1: x6 could not be read: the trace changed");
}

#[test]
fn errors_say_what_and_where() {
    check_error(
        "",
        "column 1: expected an address: a number, a register, a symbol, or an expression such as sp+8",
    );
    check_error(
        "  ",
        "column 1: expected an address: a number, a register, a symbol, or an expression such as sp+8",
    );
    check_error(
        "1 +",
        "column 4: expected a number, a register, a symbol or memory at the end",
    );
    check_error(
        "1 + *2",
        "column 5: only a variable has elements, members or a target; [sp] is the memory at sp",
    );
    check_error(
        "1 2",
        "column 3: expected an operator before \"2\": + - * / % << >> & | ^ == != < <= > >= && ||",
    );
    check_error(
        "größe main",
        "column 7: expected an operator before \"main\": + - * / % << >> & | ^ == != < <= > >= && ||",
    );
    check_error("(1", "column 1: missing closing parenthesis");
    check_error(
        "(1 2)",
        "column 4: expected an operator before \"2\": + - * / % << >> & | ^ == != < <= > >= && ||",
    );
    check_error("1)", "column 2: missing opening parenthesis");
    check_error(
        "()",
        "column 2: expected a number, a register, a symbol or memory instead of \")\"",
    );
    check_error("[1", "column 1: missing closing bracket");
    check_error("2+u8[1", "column 3: missing closing bracket");
    check_error("1]", "column 2: missing opening bracket");
    check_error(
        "[]",
        "column 2: expected a number, a register, a symbol or memory instead of \"]\"",
    );
    check_error(
        "(1]",
        "column 3: expected an operator before \"]\": + - * / % << >> & | ^ == != < <= > >= && ||",
    );
    check_error("u8", "column 1: no register or symbol is named \"u8\"");
    check_error("1 = 1", "column 3: use == to compare");
    check_error("`abc", "column 1: missing closing backtick");
    check_error("1+`", "column 3: missing closing backtick");
    check_error(
        "``",
        "column 1: expected a number, a register, a symbol or memory instead of \"``\"",
    );
    check_error("1 ? 2", "column 3: unexpected character '?'");
    check_error("a::", "column 2: unexpected character ':'");
    check_error(
        "reg::",
        "column 1: expected a number, a register, a symbol or memory at the end",
    );
    check_error(
        "reg:: x0",
        "column 1: expected a number, a register, a symbol or memory instead of \" \"",
    );
    check_error("foo", "column 1: no register or symbol is named \"foo\"");
    check_error(
        "main main_2",
        "column 6: expected an operator before \"main_2\": + - * / % << >> & | ^ == != < <= > >= && ||",
    );
    check_error("1/(2-2)", "column 2: division by zero");
    check_error("1 % 0", "column 3: division by zero");
    check_error(
        "0x",
        "column 1: \"0x\": not a number in C syntax: 16, 0x10, 020 or 0b10000",
    );
    check_error(
        "0x10000000000000000",
        "column 1: \"0x10000000000000000\": a number must be less than 2^64",
    );
}

#[test]
fn deep_nesting_is_an_error_and_long_chains_are_not() {
    let deep = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    check(&deep(100), 1);
    check_error(
        &deep(101),
        "column 101: too many nested parentheses, brackets or signs",
    );
    check_error(
        &"(".repeat(1_000_000),
        "column 101: too many nested parentheses, brackets or signs",
    );
    check_error(
        &"[".repeat(1_000_000),
        "column 101: too many nested parentheses, brackets or signs",
    );
    check_error(
        &"-".repeat(1_000_000),
        "column 101: too many nested parentheses, brackets or signs",
    );
    check(&format!("0{}", "+1".repeat(200_000)), 200_000);
    check(&format!("0{}", "||0".repeat(200_000)), 0);
}

#[test]
fn an_expression_can_be_checked_before_it_is_worked_out() {
    assert!(parse("nobody + knows").is_ok());
    assert!(parse("nobody +").is_err());
    let free = |text: &str| parse(text).expect(text).is_without_position(&Example);
    assert!(free("main + 8") && free("sym::x0"));
    assert!(!free("main + x0") && !free("reg::x1") && !free("[main]"));
}

proptest! {
    #[test]
    fn no_text_brings_it_down(text in "[-+*/%&|^~<>()=!u \\[\\]`'x0-9a-fsp:é$.?]{0,40}") {
        let _any = evaluate(&text, &Example);
    }

    #[test]
    fn columns_lie_within_the_text(text in "\\PC{0,20}") {
        if let Err(error) = evaluate(&text, &Example) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column));
        }
    }
}
