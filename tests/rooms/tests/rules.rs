//! Each rule finds exactly its violations.

use super::trees::{offences_text, survey_of};
use crate::rooms::rules;
use crate::rooms::survey::{Offence, Survey};

#[track_caller]
fn check(rule: fn(&Survey) -> Vec<Offence>, tree: &str, expected: &[&str]) {
    assert_eq!(
        offences_text(rule(&survey_of(tree))),
        expected.join("\n"),
        "{tree}"
    );
}

/// Applies a rule to one file of the index and compares the ends of its messages.
#[track_caller]
fn check_code(rule: fn(&Survey) -> Vec<Offence>, code: &str, expected: &[&str]) {
    let tree = format!(
        "== machine/src/lib.rs\nmod set;\npub use set::InstructionSet;\n\
         == machine/src/set.rs\npub enum InstructionSet {{ A64, A32 }}\nfn f(a: InstructionSet) -> bool {{ a == InstructionSet::A64 }}\n\
         == index/src/lib.rs\nmod read;\n== index/src/read.rs\nuse stepback_machine::InstructionSet;\n{code}\n"
    );
    let text = offences_text(rule(&survey_of(&tree)));
    let found: Vec<_> = text
        .lines()
        .map(|line| line.strip_prefix("index/src/read.rs:2 ").unwrap_or(line))
        .collect();
    assert_eq!(found, expected, "{code}");
}

#[test]
fn an_arrow_upward_is_found() {
    let tree = "== index/src/lib.rs\nmod read;\nmod query;\npub use query::Ask;\n\
                == index/src/read.rs\npub fn read(a: crate::Ask) {}\n\
                == index/src/query.rs\nuse crate::read::read;\npub struct Ask;\n";
    let arrow = "index/src/read.rs:1 index/read -> index/query (upward): Ask of index/src/query.rs";
    check(rules::arrows::offences, tree, &[arrow]);
}

#[test]
fn neighbours_are_barred_and_all_else_of_a_crate_is_one_room() {
    check(
        rules::arrows::offences,
        "== debugger/src/lib.rs\npub mod image;\npub mod source;\npub mod number;\n\
         == debugger/src/image.rs\nuse crate::source::Line;\nuse crate::number::ONE;\n\
         == debugger/src/source.rs\npub struct Line;\n== debugger/src/number.rs\npub const ONE: u8 = 1;\n\
         == window/src/lib.rs\nmod app;\nmod theme;\n== window/src/app.rs\nuse crate::theme::RED;\nuse stepback_debugger::number::ONE;\n\
         pub struct App;\n== window/src/theme.rs\nuse crate::app::App;\npub const RED: u8 = 1;\n",
        &[
            "debugger/src/image.rs:1 debugger/image -> debugger/source (its neighbour): Line of debugger/src/source.rs",
            "window/src/theme.rs:1 window/theme -> window/shell (upward): App of window/src/app.rs",
        ],
    );
}

#[test]
fn a_file_without_a_room_and_methods_in_another_room_are_found() {
    check(
        rules::arrows::offences,
        "== index/src/lib.rs\nmod index;\nmod read;\nmod stray;\n== index/src/index.rs\npub struct Index;\n\
         == index/src/read.rs\nuse crate::index::Index;\nimpl Index {}\nimpl Clone for Index {}\n== index/src/stray.rs\n",
        &[
            "index/src/read.rs:2 index/read gives methods to Index of index/index (index/src/index.rs)",
            "index/src/stray.rs:1 has no room in the table",
        ],
    );
}

#[test]
fn a_mod_rs_may_show_its_own_folder_only() {
    check(
        rules::arrows::offences,
        "== index/src/lib.rs\nmod read;\nmod query;\n== index/src/read/mod.rs\nmod own;\npub use own::Own;\npub use crate::query::Ask;\n\
         == index/src/read/own.rs\npub struct Own;\n== index/src/query.rs\npub struct Ask;\n",
        &["index/src/read/mod.rs:3 index/read -> index/query (upward): Ask of index/src/query.rs"],
    );
}

#[test]
fn circles_of_files_may_not_leave_their_folder() {
    let circle = |first: &str, second: &str| {
        let tree = format!(
            "== index/src/lib.rs\nmod read;\n== index/src/read/mod.rs\nmod {first};\nmod {second};\n\
             == index/src/read/{first}.rs\nuse super::{second}::B;\npub struct A;\nmod below;\n\
             == index/src/read/{second}.rs\nuse super::{first}::A;\npub struct B;\n\
             == index/src/read/{first}/below.rs\n"
        );
        offences_text(rules::files::offences(&survey_of(&tree)))
    };
    assert_eq!(circle("a", "b"), "");
    let tree = "== index/src/lib.rs\nmod read;\nmod store;\n== index/src/read/mod.rs\npub mod a;\n== index/src/store/mod.rs\npub mod b;\n\
                == index/src/read/a.rs\nuse crate::store::b::B;\npub struct A;\n== index/src/store/b.rs\nuse crate::read::a::A;\npub struct B;\n";
    check(
        rules::files::offences,
        tree,
        &[
            "index/src/read/a.rs:1 2 files in a circle:",
            "    index/src/read/a.rs uses store/b.rs(B)",
            "    index/src/store/b.rs uses read/a.rs(A)",
            "    shortest way round: index/src/read/a.rs -> index/src/store/b.rs -> index/src/read/a.rs",
        ],
    );
}

#[test]
fn comparisons_of_instruction_sets_are_found_outside_machine() {
    let rule = rules::instruction_sets::offences;
    check_code(
        rule,
        "fn f(a: u8) { match a { InstructionSet::A64 | InstructionSet::A32 => {} _ => {} } }",
        &[
            "match with InstructionSet::A32",
            "match with InstructionSet::A64",
        ],
    );
    check_code(
        rule,
        "fn f(a: u8) { a == InstructionSet::A64 || a != Some(InstructionSet::A32); }",
        &["!= with InstructionSet::A32", "== with InstructionSet::A64"],
    );
    check_code(
        rule,
        "fn f(a: u8) { matches!(a, (InstructionSet::A64, _) if b); }",
        &["matches! with InstructionSet::A64"],
    );
    check_code(
        rule,
        "fn f(a: u8) { if let Some(InstructionSet::A64) = a {} }",
        &["if let with InstructionSet::A64"],
    );
    check_code(
        rule,
        "fn f(a: u8) { let Some(InstructionSet::A64) = a else { return }; }",
        &["let else with InstructionSet::A64"],
    );
    check_code(
        rule,
        "fn f(a: u8) { use InstructionSet::A64; match a { A64 => {} other => {} } }",
        &["match with InstructionSet::A64"],
    );
    check_code(
        rule,
        "fn f(a: u8) { [InstructionSet::A64].contains(&a); }",
        &["contains with InstructionSet::A64"],
    );
    check_code(
        rule,
        "fn f(a: u8) { format!(\"{}\", a.is_arm()); }",
        &["asks is_arm()"],
    );
}

#[test]
fn instruction_sets_may_be_made_and_passed_on() {
    let rule = rules::instruction_sets::offences;
    check_code(
        rule,
        "fn f() { let a = InstructionSet::A64; g(InstructionSet::A32) == 4; Set { a: InstructionSet::A64 }; }",
        &[],
    );
    check_code(
        rule,
        "#[cfg(test)] mod tests { fn f(a: u8) { a == super::InstructionSet::A64; } }",
        &[],
    );
}

#[test]
fn parameters_keep_to_the_style_guide() {
    let rule = rules::parameters::offences;
    check_code(
        rule,
        "fn f(a: bool, b: (u8, u8)) {}",
        &["fn f takes a bool \"a\"", "fn f takes a tuple \"b\""],
    );
    check_code(
        rule,
        "impl A { fn f(&self, &(a, b): &(u8, u8)) {} }",
        &["fn f takes a tuple apart in its parameters"],
    );
    check_code(
        rule,
        "trait T { fn f(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8); }",
        &["fn f has 6 parameters"],
    );
    check_code(
        rule,
        "trait T { fn f(a: bool); } impl T for A { fn f(a: bool) {} }",
        &["fn f takes a bool \"a\""],
    );
    check_code(
        rule,
        "impl Extend<(u8, u8)> for A { fn f(a: (u8, u8), b: bool) {} }",
        &[],
    );
    check_code(
        rule,
        "fn f(a: (), b: Step, Step(c): Step) { let _ = |(a, b): (u8, u8), c: bool| {}; }",
        &[],
    );
}

#[test]
fn owned_texts_that_are_decoded_are_found() {
    let rule = rules::texts::offences;
    let found = [
        "a is decoded without `decoded_text`",
        "its field is decoded without `decoded_text`",
    ];
    check_code(
        rule,
        "#[derive(Debug, Deserialize)] struct A { a: Option<Vec<String>>, b: Vec<u8> }",
        &found[..1],
    );
    check_code(
        rule,
        "#[derive(serde::Deserialize)] enum A { B(String), C { a: u8 } }",
        &found[1..],
    );
    check_code(rule, "#[derive(Debug)] struct A { a: String }", &[]);
    check_code(
        rule,
        "#[derive(Deserialize)] struct A { #[serde(deserialize_with = \"text\")] a: String }",
        &[],
    );
}

#[test]
fn code_in_mod_rs_is_found() {
    check(
        rules::modules::offences,
        "== index/src/lib.rs\n//! Text.\nmod read;\nuse read::A;\nfn f() {}\n#[cfg(test)]\nmod tests {}\n== index/src/read/mod.rs\nstruct B;\n",
        &[
            "index/src/lib.rs:4 holds f",
            "index/src/lib.rs:6 holds the body of mod tests",
            "index/src/read/mod.rs:1 holds B",
        ],
    );
}

#[test]
fn formats_are_found_by_path_and_by_word() {
    check(
        rules::formats::offences,
        "== parsers/src/lib.rs\npub mod tarmac;\npub use tarmac::Node;\n\
         == parsers/src/tarmac.rs\npub mod node;\npub use node::Node;\n== parsers/src/tarmac/node.rs\npub struct Node;\n\
         == index/src/lib.rs\nmod read;\n\
         == index/src/read.rs\nuse stepback_parsers::Node;\nfn is_tarmac() {}\n#[cfg(test)] use stepback_parsers::tarmac;\n",
        &[
            "index/src/read.rs:1 uses Node of parsers/src/tarmac/node.rs",
            "index/src/read.rs:2 says is_tarmac",
        ],
    );
}
