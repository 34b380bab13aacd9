//! Every command of the palette, in every context.

use egui::Key;
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::keymap::{Command, Modifiers, commands};

use crate::sandbox::{SHORT, Sandbox, in_own_home};
use crate::support::{CTRL_SHIFT, Driver};

/// Returns an argument that suits the prompt of a command.
fn argument_of(command: &Command) -> &'static str {
    match command.name {
        "Open…" => "/nowhere/b.tarmac",
        "Add image…" => "/nowhere/b.elf",
        "Map sources…" => "/nowhere=/elsewhere",
        "Save picture…" => "/nowhere/c.png",
        "Open session…" => "/nowhere/b.session.toml",
        "Change keys…" => "Step over = F7",
        "Interface font…" | "Fixed-width font…" => "/nowhere/font.ttf",
        "Import keys…" => "/nowhere/keys.toml",
        "Save session as…" => "/nowhere/c.session.toml",
        "Bookmark memory…" => "80020340:8 handler",
        "Next execution of line…" | "Last execution of line…" => "main.c:12",
        "Go to…" => "50%",
        "Steps around hits…" => "3",
        "Rename search…" | "Rename slice…" => "one = other",
        "Show memory…" => "x0 + 8",
        "New trace window" => "3",
        "Panel follows window…" => "1",
        "Panel shows thread…" => "cpu0",
        "New registers panel" => "vector",
        "Register lanes…" => "hex 32",
        "Effects of steps…" => "0 1",
        "Compare with the call at…" => "1",
        _ => "x2",
    }
}

/// Enters a command by its name, and its argument if it prompts for one.
#[track_caller]
fn give(window: &mut Driver, command: &Command) {
    window.press_with(CTRL_SHIFT, Key::P);
    assert!(window.app().is_palette_open(), "before {}", command.name);
    window.enter(command.bare_name());
    if window.app().is_palette_open() && command.argument.is_some() {
        window.enter(argument_of(command));
    }
    close_all(window);
    assert!(
        !window.app().is_palette_open() && !window.app().is_page_open(),
        "after {}",
        command.name
    );
    window.close_messages();
}

/// Presses Escape, which leaves the prompt of the palette, then the palette; it also closes a page
/// and leaves a field.
fn close_all(window: &mut Driver) {
    for _ in 0..3 {
        let app = window.app();
        let is_page = app.is_page_open() || app.is_browsing() || app.is_settings_open();
        let is_covered = is_page || app.is_palette_open();
        if is_covered || window.is_typing() {
            window.press(Key::Escape);
        }
    }
}

#[test]
fn every_command_can_be_given_on_an_open_trace() {
    in_own_home(
        "commands::every_command_can_be_given_on_an_open_trace",
        || {
            let sandbox = Sandbox::new();
            let path = sandbox.file("a.tarmac", SHORT);
            let mut window = sandbox.open(&path);
            for command in commands() {
                give(&mut window, command);
                let is_same = window
                    .app()
                    .desk()
                    .is_some_and(|desk| desk.name() == "a.tarmac");
                if !is_same {
                    window.perform(Action::File(FileAction::OpenPath(path.clone())));
                }
            }
        },
    );
}

#[test]
fn every_command_can_be_given_on_the_start_screen() {
    in_own_home(
        "commands::every_command_can_be_given_on_the_start_screen",
        || {
            let mut window = Driver::start();
            for command in commands() {
                give(&mut window, command);
                if window.app().workspace().is_some() {
                    window.perform(Action::File(FileAction::CloseTrace));
                }
            }
        },
    );
}

#[test]
fn every_command_with_an_argument_can_be_given_as_one_line() {
    let mut window = Driver::text(SHORT);
    for command in commands()
        .iter()
        .filter(|command| command.argument.is_some())
    {
        window.command(&format!("{} {}", command.bare_name(), argument_of(command)));
        assert!(!window.app().is_palette_open(), "{}", command.name);
        window.close_messages();
    }
}

#[test]
fn every_key_can_be_pressed_on_an_open_trace_and_on_the_start_screen() {
    for mut window in [Driver::text(SHORT), Driver::start()] {
        for command in commands()
            .iter()
            .filter(|command| command.name != "Close trace")
        {
            for key in &command.keys() {
                let Modifiers { ctrl, alt, shift } = key.modifiers;
                let held = egui::Modifiers {
                    ctrl,
                    command: ctrl,
                    alt,
                    shift,
                    ..egui::Modifiers::NONE
                };
                window.press_with(held, egui::Key::from_name(key.key.name()).unwrap());
                close_all(&mut window);
            }
        }
    }
}

#[test]
fn a_disabled_button_is_not_raised_under_the_pointer() {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    let mut is_raised = |label| {
        let place = window.rect(label).center();
        window.harness().hover_at(place);
        window.wait();
        window.is_raised(label)
    };
    assert!(is_raised("Open…"));
    // There is no history yet.
    assert!(!is_raised("Back in history"));
}
