//! The table of messages, and the window in French.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use egui::{Key, Modifiers};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, AppAction, PanelAction, TravelAction};
use stepback_debugger::expression::ExampleRegisters;
use stepback_debugger::keymap::{Area, CommandContext, PANELS, commands, parse_line};
use stepback_debugger::messages::{Language, LanguageChoice, MessageValue, find, spoken_with};
use stepback_parsers::Position;
use stepback_parsers::check::format_rules;

use crate::sandbox::{SHORT, Sandbox};
use crate::support::Driver;

/// Returns the ids of a file, each with its placeholders.
fn texts(language: &str) -> BTreeMap<String, BTreeSet<String>> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .join(format!("assets/messages/{language}.ftl"));
    let text = fs::read_to_string(path).unwrap();
    let resource = fluent_syntax::parser::parse(text.as_str())
        .map_err(|(_, errors)| errors)
        .expect(language);
    let mut all = BTreeMap::new();
    for entry in resource.body {
        if let Entry::Message(message) = entry {
            let mut filled = BTreeSet::new();
            collect(&message.value.expect("a text"), &mut filled);
            let double = all.insert(message.id.name.to_owned(), filled);
            assert!(
                double.is_none(),
                "{language}: {:?} stands there twice",
                message.id.name
            );
        }
    }
    all
}

fn collect(pattern: &Pattern<&str>, filled: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression } = element else {
            continue;
        };
        let inline = match expression {
            Expression::Inline(inline) => inline,
            Expression::Select { selector, variants } => {
                variants
                    .iter()
                    .for_each(|variant| collect(&variant.value, filled));
                selector
            }
        };
        if let InlineExpression::VariableReference { id } = inline {
            filled.insert(id.name.to_owned());
        }
    }
}

/// Appends the sources of the program.
fn sources(folder: &Path, all: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns quoted texts that look like an id.
fn quoted(source: &str) -> BTreeSet<&str> {
    let is_id = |text: &&str| {
        text.bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    // Treats each piece as a literal, since a literal may contain an escaped quote.
    source.split('"').filter(is_id).collect()
}

#[test]
fn both_languages_have_the_same_texts() {
    let (english, french) = (texts("en"), texts("fr"));
    for (id, filled) in &english {
        assert_eq!(french.get(id), Some(filled), "{id} in fr.ftl");
    }
    assert_eq!(
        french
            .keys()
            .filter(|id| !english.contains_key(*id))
            .collect::<Vec<_>>(),
        [""; 0]
    );
}

#[test]
fn every_text_is_used_and_every_text_that_is_used_is_there() {
    let mut source = String::new();
    for folder in ["debugger/src", "window/src", "terminal/src", "src"] {
        sources(
            &Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(folder),
            &mut source,
        );
    }
    let texts = texts("en");
    let quoted = quoted(&source);
    let of_commands: BTreeSet<&str> = commands()
        .iter()
        .map(|command| command.label_id.as_str())
        .collect();
    let is_key = |id: &str| id.starts_with("key-");
    let of_formats: BTreeSet<&str> = format_rules().map(|rule| rule.id).collect();
    // The texts of a rule of `check` have its id in theirs.
    let is_of_rule = |id: &str| {
        let rule = id.strip_prefix("rule-");
        let rule = rule.map(|rule| rule.strip_suffix("-meaning").unwrap_or(rule));
        rule.is_some_and(|rule| quoted.contains(rule) || of_formats.contains(rule))
    };
    let is_used = |id: &&String| {
        let is_said = quoted.contains(id.as_str()) || of_commands.contains(id.as_str());
        is_said || is_key(id) || is_of_rule(id)
    };
    assert_eq!(
        texts.keys().filter(|id| !is_used(id)).collect::<Vec<_>>(),
        [""; 0],
        "texts that nobody says"
    );
    for said in source
        .split("say!(")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
    {
        assert!(texts.contains_key(said), "there is no text {said:?}");
    }
    for command in commands() {
        assert!(
            texts.contains_key(&command.label_id),
            "{:?} has no name in the table",
            command.name
        );
    }
}

#[test]
fn scripts_call_commands_as_the_english_window_does() {
    for command in commands() {
        assert_eq!(command.label(), command.name);
        let question = command
            .argument
            .as_ref()
            .map(|requested| requested.question(ExampleRegisters::default()));
        assert!(
            question.is_none_or(|question| !question.is_empty()),
            "{}",
            command.name
        );
    }
}

#[test]
fn commands_are_understood_in_english_and_in_the_language_of_the_window() {
    let situation = CommandContext {
        active: Some((WindowId(1), Position(0))),
        ..CommandContext::default()
    };
    Language::French.speak();
    let lines = [
        "Go to 1,250",
        "Aller à 1,250",
        "ALLER À 1,250",
        "aller a 1,250",
    ];
    let all = lines.map(|line| parse_line(line, &situation));
    let typed = [
        "theme colour-blind dark",
        "cadrer l'appel en cours dans la chronologie",
    ];
    let plain = typed.map(|line| parse_line(line, &situation));
    let error = parse_line("Avancer d’un pas 7", &situation).unwrap_err();
    Language::English.speak();
    let expected = Ok(Action::Travel(TravelAction::GoTo("1,250".to_owned())));
    assert_eq!(all, [(); 4].map(|()| expected.clone()));
    assert!(plain.iter().all(Result::is_ok), "{plain:?}");
    assert!(error.contains("«\u{a0}Avancer d’un pas\u{a0}»"), "{error}");
}

/// Switches a window to French.
fn french(mut window: Driver) -> Driver {
    window.perform(Action::App(AppAction::Language(LanguageChoice::French)));
    window.wait();
    window
}

#[test]
fn the_menus_speak_french_once_it_is_chosen() {
    let mut window = french(Driver::text(SHORT));
    for area in [
        "Fichier",
        "Édition",
        "Aller",
        "Pas",
        "Affichage",
        "Signets",
        "Fenêtre",
        "Aide",
    ] {
        window.harness().get_by_label(area);
    }
    window.click("Édition");
    window.harness().get_by_label_contains("Copier la position");
    window.press(Key::Escape);
    window.perform(Action::App(AppAction::Language(LanguageChoice::English)));
    window.wait();
    Area::ALL
        .iter()
        .for_each(|area| assert!(window.has(area.name()), "{}", area.name()));
}

#[test]
fn the_palette_finds_commands_in_both_languages_and_without_accents() {
    let mut window = french(Driver::text(SHORT));
    for query in ["derniere ecr", "last wr"] {
        window.press_with(Modifiers::COMMAND.plus(Modifiers::SHIFT), Key::P);
        window.type_text(query);
        window.wait();
        assert!(window.has_option("Dernière écriture…"), "{query}");
        window.press(Key::Escape);
    }
}

#[test]
fn the_page_of_keys_speaks_french() {
    let mut window = french(Driver::text(SHORT));
    window.press(Key::F1);
    window
        .harness()
        .get_by_label("Commandes…\u{a0}: Ctrl+Maj+P");
    window
        .harness()
        .get_by_label("Déplacer le curseur\u{a0}: Flèches ou PgPréc ou PgSuiv");
}

/// Returns English texts that always differ from the French ones, regardless of their arguments.
fn english_words() -> BTreeSet<&'static str> {
    let spoken_in = |language: Language| {
        language.speak();
        texts("en")
            .into_keys()
            .filter_map(|id| find(&id))
            .collect::<Vec<_>>()
    };
    let pairs = spoken_in(Language::English)
        .into_iter()
        .zip(spoken_in(Language::French));
    let words: BTreeSet<&str> = pairs
        .filter(|(english, french)| english != french)
        .map(|(english, _)| english)
        .collect();
    // Removes words that are French under another id.
    let french: BTreeSet<&str> = spoken_in(Language::French).into_iter().collect();
    words.difference(&french).copied().collect()
}

/// Returns all texts in the window, for eyes or for screen readers.
fn labels(window: &mut Driver) -> BTreeSet<String> {
    window
        .harness()
        .query_all_by(|_| true)
        .filter_map(|node| node.accesskit_node().label())
        .collect()
}

#[test]
fn no_panel_of_a_french_window_says_anything_in_english() {
    let mut window = french(Driver::demo());
    let words = english_words();
    let check = |window: &mut Driver, what: &str| {
        let left: Vec<String> = labels(window)
            .into_iter()
            .filter(|label| words.contains(label.as_str()))
            .collect();
        assert_eq!(left, [""; 0], "{what}");
    };
    check(&mut window, "the start");
    for row in &PANELS {
        window.perform(Action::Panel(PanelAction::ShowPanel(row.kind)));
        window.wait();
        check(&mut window, row.show.command().name);
    }
    for action in [
        Action::App(AppAction::CommandPalette),
        Action::App(AppAction::KeyboardHelp),
        Action::App(AppAction::About),
    ] {
        window.perform(action.clone());
        window.wait();
        check(&mut window, &format!("{action:?}"));
        window.press(Key::Escape);
    }
    Language::French.speak();
    let tabs = ["Mémoire", "Pile", "Comparaison"];
    assert!(
        tabs.iter().all(|tab| window.has(tab)),
        "{:?}",
        labels(&mut window)
    );
}

#[test]
fn the_start_screen_speaks_french() {
    let mut window = french(Driver::start());
    for label in [
        "Ouvrir la démonstration",
        "Chemin d’une trace",
        "Ouvrir une session…",
    ] {
        assert!(window.has(label), "{label}");
    }
    let words = english_words();
    let left: Vec<String> = labels(&mut window)
        .into_iter()
        .filter(|label| words.contains(label.as_str()))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn the_language_is_kept_and_a_number_decides_the_plural() {
    let mut window = french(Driver::text(SHORT));
    assert_eq!(window.app().settings().language, LanguageChoice::French);
    window.perform(Action::App(AppAction::Language(LanguageChoice::System)));
    window.wait();
    // Tests and scripts are the same on every system.
    assert_eq!(Language::spoken(), Language::English);
    let bytes = |count: u64| spoken_with("text-bytes", &[("count", MessageValue::from(count))]);
    assert_eq!(
        [0, 1, 1_250].map(bytes),
        ["0 bytes", "1 byte", "1,250 bytes"]
    );
    Language::French.speak();
    assert_eq!(
        [0, 1, 1_250].map(bytes),
        ["0 octet", "1 octet", "1\u{202f}250 octets"]
    );
}

#[test]
fn a_long_message_ends_within_the_window() {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", SHORT);
    drop(sandbox.open(&trace));
    fs::write(sandbox.path("a.tarmac.sbi"), b"nothing that is an index").unwrap();
    let mut window = sandbox.open_in([800.0, 500.0], &trace);
    window.wait();
    let place = window.rect(&window.only_label_like("The index was rebuilt"));
    assert!(place.right() <= 788.0, "{place:?}");
}
