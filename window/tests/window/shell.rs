//! The shell of the window: opening, keys, palette, "Go to", panels, messages.

use std::time::{Duration, Instant};

use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Access, Action, CellName, Direction, FileAction, Follow, PanelKind, TravelAction,
};
use stepback_debugger::desk::{Desk, TraceChoice};
use stepback_debugger::session::OpenOptions;
use stepback_window::{App, WindowOptions, Workspace};

use crate::sandbox::SHORT;

struct Fixture {
    harness: Harness<'static, App>,
    _folder: tempfile::TempDir,
}

impl Fixture {
    /// Opens the window with the trace.
    fn open() -> Self {
        let folder = folder_with_trace();
        let path = folder.path().join("a.tarmac");
        let trace = Some(TraceChoice::of(OpenOptions::new(path)));
        let mut fixture = Self {
            harness: harness(WindowOptions {
                trace,
                ..WindowOptions::default()
            }),
            _folder: folder,
        };
        fixture.wait();
        assert!(
            fixture.app().workspace().is_some(),
            "{:?}",
            fixture.app().toasts()
        );
        fixture
    }

    /// Opens the start screen.
    fn start() -> Self {
        let mut fixture = Self {
            harness: harness(WindowOptions::default()),
            _folder: folder_with_trace(),
        };
        fixture.wait();
        fixture
    }

    fn app(&self) -> &App {
        self.harness.state()
    }

    #[track_caller]
    fn desk(&self) -> &Desk {
        let Some(desk) = self.app().desk() else {
            panic!("no trace is open")
        };
        desk
    }

    fn workspace(&self) -> &Workspace {
        let Some(workspace) = self.app().workspace() else {
            panic!("no trace is open")
        };
        workspace
    }

    fn wait(&mut self) {
        let limit = Instant::now() + Duration::from_secs(60);
        loop {
            self.harness.run_steps(2);
            if self.app().is_idle() {
                break;
            }
            assert!(Instant::now() < limit, "nothing came for a minute");
        }
        // This also checks that every widget has a name, and that no widget redraws endlessly.
        self.harness.run();
    }

    fn press(&mut self, modifiers: Modifiers, key: Key) {
        self.harness.key_press_modifiers(modifiers, key);
        self.wait();
    }

    fn perform(&mut self, action: Action) {
        self.harness.state_mut().perform(action);
        self.wait();
    }

    fn type_text(&mut self, text: &str) {
        self.harness.event(egui::Event::Text(text.to_owned()));
        self.wait();
    }

    #[track_caller]
    fn check_position(&self, expected: u64) {
        let windows = &self.desk().windows;
        assert_eq!(windows.active().position.0, expected);
    }

    fn panels(&self) -> Vec<PanelKind> {
        let dock = &self.workspace().dock;
        let panes = dock.tiles.tiles().filter_map(|tile| match tile {
            egui_tiles::Tile::Pane(pane) => Some(pane.kind()),
            egui_tiles::Tile::Container(_) => None,
        });
        panes.collect()
    }
}

fn folder_with_trace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().and_then(|folder| {
        std::fs::write(folder.path().join("a.tarmac"), SHORT)?;
        Ok(folder)
    });
    folder.unwrap_or_else(|error| panic!("no folder can be made: {error}"))
}

fn harness(options: WindowOptions) -> Harness<'static, App> {
    let builder = Harness::builder().with_size([1280.0, 800.0]);
    builder.build_eframe(move |cc| App::deterministic(cc, options))
}

#[test]
fn keys_step_forward_and_back() {
    let mut fixture = Fixture::open();
    fixture.check_position(0);
    fixture.press(Modifiers::NONE, Key::F11);
    fixture.press(Modifiers::NONE, Key::F11);
    fixture.check_position(2);
    fixture.press(Modifiers::NONE, Key::F10);
    fixture.check_position(5);
    fixture.press(Modifiers::SHIFT, Key::F10);
    fixture.check_position(2);
    fixture.press(Modifiers::NONE, Key::End);
    fixture.check_position(12);
    fixture.press(Modifiers::ALT, Key::ArrowLeft);
    fixture.check_position(2);
}

#[test]
fn the_box_go_to_moves_and_tells_what_it_does_not_understand() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::COMMAND, Key::G);
    fixture.type_text("line:4");
    fixture.press(Modifiers::NONE, Key::Enter);
    fixture.check_position(2);
    fixture.press(Modifiers::COMMAND, Key::G);
    fixture.type_text("nowhere");
    fixture.press(Modifiers::NONE, Key::Enter);
    fixture.check_position(2);
    let error = fixture.app().go_to_error().expect("an error").to_owned();
    assert!(error.contains("nowhere"), "{error}");
    fixture.harness.get_by_label(&error);
}

#[test]
fn what_is_typed_into_a_field_moves_nothing() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::COMMAND, Key::G);
    fixture.press(Modifiers::NONE, Key::S);
    fixture.press(Modifiers::NONE, Key::Minus);
    fixture.check_position(0);
}

#[test]
fn the_palette_runs_a_whole_command_line() {
    let mut fixture = Fixture::open();
    fixture.perform(Action::Travel(TravelAction::GoTo("end".to_owned())));
    fixture.press(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    assert!(fixture.app().is_palette_open());
    fixture.type_text("last write x2");
    fixture.press(Modifiers::NONE, Key::Enter);
    assert!(!fixture.app().is_palette_open());
    fixture.check_position(10);
    // If the step just before the position wrote the cell, a repeated query searches before that
    // step.
    fixture.perform(Action::Travel(TravelAction::GoToAccess(
        CellName::Register("x2".to_owned()),
        Access::Write,
        Direction::Back,
    )));
    fixture.check_position(2);
}

#[test]
fn the_palette_asks_for_an_argument() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    fixture.type_text("show memory");
    fixture.press(Modifiers::NONE, Key::Enter);
    assert!(fixture.app().is_palette_open());
    fixture.type_text("0x1000");
    fixture.press(Modifiers::NONE, Key::Enter);
    assert!(!fixture.app().is_palette_open());
    fixture.press(Modifiers::COMMAND | Modifiers::SHIFT, Key::P);
    fixture.press(Modifiers::NONE, Key::Escape);
    assert!(!fixture.app().is_palette_open());
}

#[test]
fn a_second_window_has_a_position_of_its_own() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::COMMAND, Key::B);
    fixture.press(Modifiers::NONE, Key::End);
    let windows = &fixture.desk().windows;
    let positions: Vec<(u32, u64)> = windows
        .list
        .iter()
        .map(|window| (window.id.0, window.position.0))
        .collect();
    assert_eq!(positions, [(1, 0), (2, 12)]);
    fixture.press(Modifiers::COMMAND, Key::Num1);
    assert_eq!(fixture.desk().windows.active, WindowId(1));
}

#[test]
fn the_last_trace_window_stays_open() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::COMMAND, Key::W);
    assert!(fixture.panels().contains(&PanelKind::Trace));
    assert!(
        fixture
            .app()
            .toasts()
            .iter()
            .any(|toast| toast.title.contains("last trace window"))
    );
}

#[test]
fn f6_gives_the_keyboard_to_each_visible_panel() {
    let mut fixture = Fixture::open();
    let first = fixture.workspace().focused;
    let mut seen = vec![first];
    for _ in 0..10 {
        fixture.press(Modifiers::NONE, Key::F6);
        let focused = fixture.workspace().focused;
        if focused == first {
            break;
        }
        seen.push(focused);
    }
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn menus_hold_the_commands() {
    let mut fixture = Fixture::open();
    fixture
        .harness
        .get_by_role_and_label(Role::Button, "Go")
        .click();
    fixture.wait();
    fixture.harness.get_by_label("Go to end End").click();
    fixture.wait();
    fixture.check_position(12);
}

#[test]
fn a_file_that_is_not_there_is_told_by_name() {
    let mut fixture = Fixture::start();
    fixture.perform(Action::File(FileAction::OpenPath(
        "/nowhere/b.tarmac".into(),
    )));
    let toast = fixture.app().toasts().first().expect("a message").clone();
    assert_eq!(toast.title, "The trace could not be opened");
    assert!(toast.text.contains("/nowhere/b.tarmac"), "{}", toast.text);
    fixture.harness.get_by_label("Dismiss").click();
    fixture.wait();
    assert!(fixture.app().toasts().is_empty());
}

#[test]
fn the_trace_is_closed_and_listed_as_recent() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::COMMAND | Modifiers::SHIFT, Key::W);
    assert!(fixture.app().workspace().is_none());
    assert_eq!(fixture.app().settings().recent.len(), 1);
    fixture.harness.get_by_label("Open a.tarmac").click();
    fixture.wait();
    assert!(fixture.app().workspace().is_some());
}

#[test]
fn the_page_of_keys_opens_and_closes() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::NONE, Key::F1);
    assert!(fixture.app().is_page_open());
    fixture
        .harness
        .get_by_label_contains("Side by side: Ctrl+B");
    fixture.press(Modifiers::NONE, Key::Escape);
    assert!(!fixture.app().is_page_open());
}

#[test]
fn a_panel_is_pinned_duplicated_and_closed() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::NONE, Key::F11);
    fixture.harness.get_by_label("Registers panel menu").click();
    fixture.wait();
    fixture.harness.get_by_label("Pin at 1").click();
    fixture.wait();
    let is_pinned = |tile: &egui_tiles::Tile<stepback_window::panels::Pane>| match tile {
        egui_tiles::Tile::Pane(pane) => pane.follow() == Some(Follow::Pinned(1.into())),
        egui_tiles::Tile::Container(_) => false,
    };
    assert_eq!(
        fixture
            .workspace()
            .dock
            .tiles
            .tiles()
            .filter(|tile| is_pinned(tile))
            .count(),
        1
    );
    fixture.harness.get_by_label("Registers panel menu").click();
    fixture.wait();
    fixture.harness.get_by_label("Duplicate").click();
    fixture.wait();
    assert_eq!(
        fixture
            .workspace()
            .dock
            .tiles
            .tiles()
            .filter(|tile| is_pinned(tile))
            .count(),
        2
    );
    fixture.press(Modifiers::COMMAND, Key::W);
    assert_eq!(
        fixture
            .workspace()
            .dock
            .tiles
            .tiles()
            .filter(|tile| is_pinned(tile))
            .count(),
        1
    );
}

#[test]
fn compare_shows_the_comparison_of_two_windows() {
    let mut fixture = Fixture::open();
    fixture.press(Modifiers::NONE, Key::End);
    fixture.press(Modifiers::COMMAND, Key::D);
    assert_eq!(fixture.desk().windows.list.len(), 2);
    assert!(fixture.panels().contains(&PanelKind::Compare));
    fixture.check_position(12);
}

#[test]
fn a_script_is_performed_line_by_line() {
    let folder = folder_with_trace();
    let (path, script) = (folder.path().join("a.tarmac"), folder.path().join("a.txt"));
    std::fs::write(&script, "Go to end\nLast write x2\nStep back\n# done\n").expect("a script");
    let trace = Some(TraceChoice::of(OpenOptions::new(path)));
    let options = WindowOptions {
        trace,
        script: Some(script),
        ..WindowOptions::default()
    };
    let mut fixture = Fixture {
        harness: harness(options),
        _folder: folder,
    };
    let limit = Instant::now() + Duration::from_secs(60);
    while !(fixture.app().is_script_done() && fixture.app().is_idle()) {
        fixture.harness.run_steps(2);
        assert!(Instant::now() < limit, "the script does not end");
    }
    fixture.wait();
    assert_eq!(fixture.app().failure(), None);
    fixture.check_position(9);
}
