//! Variables in expressions, by example.

use super::tests::{Example, check, check_error};
use super::{evaluate, parse};

#[test]
fn variables_have_members_elements_and_targets() {
    check("h->id + 1", 8);
    check("node->next->id", 7);
    check("node -> next -> id", 7);
    check("node.next->id", 7);
    check("rows[7]", 3);
    check("rows[ h->id ].x", 3);
    check("rows[h->id]->x == 3 && rows[7] * 2 == 6", 1);
    check("grid[1][2 + u8[sp] * 256]", 3);
    check("grid[rows[7] + 4][0x10].y->z", 3);
    check("*p", 9);
    check("2 * *p - **p", 9);
    check("-*p", 9_u64.wrapping_neg());
    check("*rows[1]", 9);
    check("(*p).x + (*p)[2].y", 22);
    check("(*p)->x", 11);
    // Not hexadecimal, although addresses may be.
    check("rows[07]", 3);
    assert!(evaluate("rows[7f]", &Example).is_err());
    check("sp * 1 + (2) * [sp] & 0", 0);
}

#[test]
fn a_part_that_is_missing_is_an_error() {
    check_error(
        "1 + other->id",
        "column 5: no variable is named \"other\" here",
    );
    check_error("sp[1]", "column 3: no variable is named \"sp\" here");
    check_error(
        "rows[1000]",
        "column 5: rows[1000] is unknown at this position",
    );
    check_error(
        "rows[1001]",
        "column 5: rows[1001] could not be read: the trace changed",
    );
    check_error("rows[1", "column 5: missing closing bracket");
    for text in ["(1 + h)[2]", "5[2]", "*(2 * h)", "*5", "(1).x", "*[sp]"] {
        let error = evaluate(text, &Example).unwrap_err().to_string();
        assert!(
            error.contains("only a variable") || error.contains("operator"),
            "{text}: {error}"
        );
    }
    assert!(evaluate("h->", &Example).is_err());
    assert!(evaluate("h->5", &Example).is_err());
    assert!(evaluate(&"*".repeat(5000), &Example).is_err());
}

#[test]
fn the_rules_of_c_apply_where_a_variable_takes_part() {
    let shown = |text: &str| parse(text).unwrap().number(&Example).unwrap().shown();
    for (text, expected) in [
        ("minus < 0", 1),
        ("minus / 2", -1),
        ("minus >> 1", -2),
        ("minus == -3", 1),
        ("minus == 0xfffffffd", 1),
        ("-minus", 3),
        ("~minus", 2),
        ("(minus < 0) - 2 + minus", -4),
        ("minus * 0x40000000", 0x4000_0000),
        // Digits of any number are decimal.
        ("minus + 70000 == 69997", 1),
        ("minus < 70000", 1),
        ("70000 > minus", 1),
        // The trace uses memory at 0x8020.
        ("minus + 8023 == 8020", 1),
        // A register is a number without a sign.
        ("minus < sp", 0),
        ("minus + sp", 0x7ffd),
        // No variable takes part.
        ("0 - 3 < 0", 0),
        ("-1 > 1", 1),
        ("'A' + 1", 66),
        ("'\\n' == 10", 1),
        ("'é'", 0xe9),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
    check_error(
        "real + 1",
        "column 1: real has no integer value: it is real",
    );
    for text in ["''", "'ab'", "'", "'\\", "'\\q'", "1 + '"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn pointers_count_elements() {
    check("ptr + 2", 0x8008);
    check("2 + ptr", 0x8008);
    check("ptr - 1", 0x7ffc);
    check("ptr + 3 - ptr", 3);
    check("ptr & 0xfff0 + 5", 0x8000 & 0xfff5);
    check("ptr == 0x8000", 1);
    check_error(
        "opaque + 1",
        "column 8: the size of the target of the pointer is not known",
    );
    check("*(v + 2)", 13);
    check("*(2 + v)", 13);
    check("*(v + 10 - 2)", 13);
    check("*(v + 1 + h->id)", 13);
    check("*(v - 1)", 13);
    check("*(1 + v[7].w + 2)", 13);
    check("&rows[7] + 1", 0x9101);
    check("&main", 0x4000);
    check("*&rows[7]", 3);
    check("sizeof rows[7]", 24);
    check("sizeof(rows) * 2", 48);
    for text in [
        "*(2 * v)",
        "*(v && 1)",
        "(&rows)[1]",
        "&5",
        "sizeof 5",
        "*(v + (1 && 1))",
    ] {
        assert!(evaluate(text, &Example).is_err(), "{text}");
    }
    assert!(evaluate(&format!("*(v{})", "+1".repeat(100_000)), &Example).is_err());
}

#[test]
fn types_are_refused() {
    for (text, column) in [
        ("(int)h", 1),
        ("1 + (unsigned char)h", 5),
        ("(node *)h", 1),
        ("*(struct node **)h", 2),
        ("(int)1", 1),
    ] {
        check_error(
            text,
            &format!(
                "column {column}: types in expressions are not supported; u32[x] reads memory \
                 with a width"
            ),
        );
    }
    check("(main) - 1", 0x3fff);
    check("(main) * (2)", 0x8000);
    check("(*p).x", 11);
}

#[test]
fn only_a_path_is_a_path() {
    let path = |text: &str| {
        let path = parse(text).unwrap().path(&Example).unwrap();
        path.map(|path| path.to_string())
    };
    assert_eq!(path("rows[h->id].x").as_deref(), Some("rows[7].x"));
    assert_eq!(path("a.b").as_deref(), Some("a.b"));
    assert_eq!(path("(*p)").as_deref(), Some("*p"));
    for text in ["1", "h + 1", "[sp]", "-h", "reg::x0", "h->id && 1"] {
        assert_eq!(path(text), None, "{text}");
    }
    assert!(parse("rows[x5]").unwrap().path(&Example).is_err());
}
