//! Files that packages install with the program.

use std::fs;

use crate::cli::support::{Sandbox, text};

#[test]
fn every_shell_completes_every_subcommand() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["--help"]).succeeds().out;
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .collect();
    assert!(
        names.contains(&"find") && names.contains(&"completions"),
        "{help}"
    );
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell]).succeeds().out;
        for name in &names {
            assert!(script.contains(name), "{shell} does not know {name}");
        }
    }
    assert_eq!(sandbox.run(&["completions", "tcsh"]).code, Some(2));
}

#[test]
fn every_subcommand_has_a_man_page_with_its_options() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path("man/man1");
    sandbox.run(&["man", &text(&folder)]).succeeds();
    let page = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert!(page("stepback.1").contains("stepback\\-find(1)"));
    assert!(page("stepback-find.1").contains("\\-\\-limit"));
    // Arguments come in the order of the command line.
    let find = page("stepback-find.1");
    assert!(
        find.contains("stepback find [OPTIONS] <TRACE> <KIND> [WHAT]"),
        "{find}"
    );
    for section in [
        "SYNOPSIS",
        "ARGUMENTS",
        "EXAMPLES",
        "EXIT STATUS",
        "FILES",
        "SEE ALSO",
    ] {
        assert!(
            find.contains(&format!(".SH {section}\n")),
            "{section} in {find}"
        );
    }
    assert!(page("stepback-options.7").contains("\\-\\-force\\-index"));
    assert!(page("stepback-positions.7").contains("pc:ADDR"));
    assert!(page("stepback-addresses.7").contains("reg::x0"));
    assert!(find.contains("stepback\\-addresses(7)"));
    // Existing pages are overwritten.
    sandbox.run(&["man", &text(&folder)]).succeeds();
    let file = sandbox.file("taken", "");
    let ran = sandbox.run(&["man", &file]);
    assert!(ran.code == Some(1) && ran.err.contains("taken"), "{ran:?}");
}
