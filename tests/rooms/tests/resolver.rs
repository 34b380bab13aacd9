//! Paths lead to the file that defines their item.

use super::trees::{arrows_text, survey_of};

/// Two crates. The test chooses the content of `user.rs` in the upper one.
const TREE: &str = "\
== parsers/src/lib.rs
mod numbers;
mod kinds;
pub mod deep;
pub use numbers::*;
pub use kinds::{Kind, Kind as Sort};
== parsers/src/numbers.rs
pub struct Step;
pub fn step() {}
== parsers/src/kinds.rs
pub enum Kind { Read, Write }
== parsers/src/deep/mod.rs
mod detect;
pub use detect::detect;
pub(crate) use detect::Detected;
== parsers/src/deep/detect.rs
pub fn detect() {}
pub struct Detected;
== index/src/lib.rs
mod cancel;
mod room;
pub use cancel::Cancel;
pub use stepback_parsers::Step as Moment;
== index/src/cancel.rs
pub struct Cancel;
== index/src/room/mod.rs
mod other;
mod user;
pub(crate) use other::Other;
use other::hidden;
== index/src/room/other.rs
pub struct Other;
pub fn hidden() {}
pub mod inner { pub const LIMIT: u8 = 1; }
macro_rules! made { ($name:ident) => { pub enum Made { $name } } }
made!(One);
modules! { mod called { LIMIT: 1; } }
";

#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let survey = survey_of(&format!("{TREE}== index/src/room/user.rs\n{code}\n"));
    let arrows = arrows_text(&survey);
    let found: Vec<_> = arrows
        .lines()
        .filter_map(|line| line.strip_prefix("index/src/room/user.rs:"))
        .collect();
    assert_eq!(found, expected, "{code}");
}

#[test]
fn a_re_export_is_transparent() {
    check("use crate::Cancel;", &["1 Cancel of index/src/cancel.rs"]);
    check(
        "use crate::room::Other;",
        &["1 Other of index/src/room/other.rs"],
    );
}

#[test]
fn re_exports_of_re_exports_lead_across_crates() {
    check("use crate::Moment;", &["1 Step of parsers/src/numbers.rs"]);
    check(
        "use stepback_parsers::Sort;",
        &["1 Kind of parsers/src/kinds.rs"],
    );
}

#[test]
fn globs_lead_to_what_is_used_through_them() {
    check(
        "use stepback_parsers::Step;",
        &["1 Step of parsers/src/numbers.rs"],
    );
    check(
        "use stepback_parsers::*;\nfn f() { step(); }",
        &["2 step of parsers/src/numbers.rs"],
    );
    check(
        "use super::*;\nfn f() { hidden(); }",
        &["2 hidden of index/src/room/other.rs"],
    );
}

#[test]
fn what_a_macro_makes_is_where_the_macro_is_defined() {
    check(
        "use super::other::Made;",
        &["1 Made of index/src/room/other.rs"],
    );
    check(
        "use super::other::called;",
        &["1 called of index/src/room/other.rs"],
    );
}

#[test]
fn nested_groups_and_self_are_taken_apart() {
    check(
        "use stepback_parsers::{deep::{self, detect}, Kind::{Read, self}};\nfn f() { deep::detect(); }",
        &[
            "1 Kind of parsers/src/kinds.rs",
            "1 detect of parsers/src/deep/detect.rs",
        ],
    );
}

#[test]
fn a_module_alone_is_no_arrow_but_what_is_used_of_it() {
    check("use stepback_parsers::deep;", &[]);
    check(
        "use stepback_parsers::deep as down;\nfn f() { down::detect(); }",
        &["2 detect of parsers/src/deep/detect.rs"],
    );
    check(
        "use super::other;\nconst A: u8 = other::inner::LIMIT;",
        &["2 LIMIT of index/src/room/other.rs"],
    );
}

#[test]
fn a_function_may_bear_the_name_of_its_module() {
    check(
        "use stepback_parsers::deep::detect;",
        &["1 detect of parsers/src/deep/detect.rs"],
    );
}

#[test]
fn paths_without_imports_are_arrows() {
    check(
        "fn f(a: crate::Cancel) {}",
        &["1 Cancel of index/src/cancel.rs"],
    );
    check(
        "fn f() -> Vec<super::Other> { g::<super::super::Moment>() }",
        &[
            "1 Other of index/src/room/other.rs",
            "1 Step of parsers/src/numbers.rs",
        ],
    );
    check(
        "impl From<stepback_parsers::Step> for u8 {}",
        &["1 Step of parsers/src/numbers.rs"],
    );
}

#[test]
fn variants_and_functions_lead_to_their_type() {
    check(
        "use stepback_parsers::Kind::Read;",
        &["1 Kind of parsers/src/kinds.rs"],
    );
    check(
        "fn f(a: u8) { match a { stepback_parsers::Kind::Read => crate::Cancel::new() } }",
        &[
            "1 Cancel of index/src/cancel.rs",
            "1 Kind of parsers/src/kinds.rs",
        ],
    );
    check(
        "use stepback_parsers::Kind::*;\nfn f() { g(Write); }",
        &[
            "1 Kind of parsers/src/kinds.rs",
            "2 Kind of parsers/src/kinds.rs",
        ][..1],
    );
}

#[test]
fn modules_inside_a_file_have_scopes_of_their_own() {
    check(
        "mod m { use super::super::Other; fn f() { self::g(); } fn g() {} }",
        &["1 Other of index/src/room/other.rs"],
    );
    check(
        "mod m { pub use crate::Cancel as Stop; }\nfn f(a: m::Stop) {}",
        &["1 Cancel of index/src/cancel.rs"],
    );
}

#[test]
fn imports_inside_functions_and_paths_inside_macros_count() {
    check(
        "fn f() { use crate::Cancel; }",
        &["1 Cancel of index/src/cancel.rs"],
    );
    check(
        "fn f() { println!(\"{}\", crate::room::hidden()); }",
        &["1 hidden of index/src/room/other.rs"],
    );
    check(
        "fn f() { json!({ \"a\" : crate::Cancel => crate::Moment }); }",
        &[
            "1 Cancel of index/src/cancel.rs",
            "1 Step of parsers/src/numbers.rs",
        ],
    );
}

#[test]
fn what_is_built_for_tests_alone_is_left_out() {
    check("#[cfg(test)]\nmod tests { use crate::Cancel; }", &[]);
    check("#[cfg(any(test, fuzzing))]\nuse crate::Cancel;", &[]);
    check("#[test]\nfn f() { crate::Cancel::new(); }", &[]);
    check("#[cfg(test)]\nmod not_there;", &[]);
    check(
        "struct A;\nimpl A { #[cfg(all(test, unix))]\nfn f(a: crate::Cancel) {} }",
        &[],
    );
}

#[test]
fn what_a_feature_or_a_system_asks_for_counts() {
    check(
        "#[cfg(feature = \"oracle\")]\nuse crate::Cancel;",
        &["2 Cancel of index/src/cancel.rs"],
    );
    check(
        "#[cfg(not(test))]\nuse crate::Cancel;",
        &["2 Cancel of index/src/cancel.rs"],
    );
    check(
        "#[cfg(not(unix))]\nuse crate::Cancel;",
        &["2 Cancel of index/src/cancel.rs"],
    );
}

#[test]
fn globs_that_lead_in_a_circle_end() {
    check(
        "use self::m::*;\nmod m { pub use super::*; }\nfn f() { nowhere(); }",
        &[],
    );
}

#[test]
fn modules_are_next_to_mod_rs_and_below_other_files() {
    let survey = survey_of(
        "== index/src/lib.rs\nmod a;\n== index/src/a.rs\nmod b;\nuse b::C;\n== index/src/a/b.rs\nmod d { pub mod e; }\npub use d::e::C;\n\
         == index/src/a/b/d/e.rs\npub struct C;\n",
    );
    let expected = [
        "index/src/a.rs:2 C of index/src/a/b/d/e.rs",
        "index/src/a/b.rs:2 C of index/src/a/b/d/e.rs",
    ];
    assert_eq!(arrows_text(&survey), expected.join("\n"));
}
