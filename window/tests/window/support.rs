//! The whole window without a display: keys, mouse, and access to widgets by name.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use egui::accesskit::Role;
use egui::{Event, Key, Modifiers, Rect};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, AppAction, Follow, PanelId, PanelKind};
use stepback_debugger::desk::Desk;
use stepback_debugger::model::TraceWindow;
use stepback_window::panels::Pane;
use stepback_window::{App, WindowOptions, Workspace};
use tempfile::TempDir;

use crate::sandbox::Sandbox;

/// Longer than any wait takes.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Ctrl+Shift.
pub const CTRL_SHIFT: Modifiers = Modifiers::COMMAND.plus(Modifiers::SHIFT);

/// The window under test.
pub struct Driver {
    pub harness: Harness<'static, App>,
    pub folder: Arc<TempDir>,
    pub copied: Copied,
}

/// Last text copied to the clipboard.
pub type Copied = Arc<Mutex<Option<String>>>;

impl Driver {
    /// Opens the demo.
    #[track_caller]
    pub fn demo() -> Self {
        let sandbox = Sandbox::new();
        let mut window = sandbox.open(&sandbox.demo());
        window.close_messages();
        window
    }

    /// Makes the window so high that no row of the general registers is scrolled away.
    pub fn heighten(&mut self) {
        self.harness.set_size(egui::vec2(1280.0, 1000.0));
        // The height of the timeline follows in the next frame.
        self.wait();
        self.wait();
    }

    /// Opens a fixture.
    #[track_caller]
    pub fn fixture(name: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.open(&sandbox.fixture(name))
    }

    /// Opens a trace given as text.
    #[track_caller]
    pub fn text(trace: impl AsRef<[u8]>) -> Self {
        let sandbox = Sandbox::new();
        sandbox.open(&sandbox.file("a.tarmac", trace))
    }

    /// Opens the start screen.
    #[track_caller]
    pub fn start() -> Self {
        let mut window = Sandbox::new().window(WindowOptions::default());
        window.wait();
        window
    }

    pub fn harness(&mut self) -> &mut Harness<'static, App> {
        &mut self.harness
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn app(&self) -> &App {
        self.harness.state()
    }

    #[track_caller]
    pub fn desk(&self) -> &Desk {
        self.app().desk().expect("an open trace")
    }

    #[track_caller]
    pub fn workspace(&self) -> &Workspace {
        self.app().workspace().expect("an open trace")
    }

    #[track_caller]
    pub fn active(&self) -> &TraceWindow {
        self.desk().windows.active()
    }

    /// Draws until all pending work is done and drawn.
    #[track_caller]
    pub fn wait(&mut self) {
        let limit = Instant::now() + PATIENCE;
        loop {
            // This also checks that every widget has a name, and that no widget redraws endlessly.
            self.harness.run();
            if self.app().is_idle() {
                break;
            }
            assert!(Instant::now() < limit, "nothing came for a minute");
        }
    }

    /// Draws until a condition holds, regardless of the clock.
    #[track_caller]
    pub fn wait_until(&mut self, is_so: impl Fn(&Self) -> bool) {
        let limit = Instant::now() + PATIENCE;
        while !is_so(self) {
            self.harness.step();
            assert!(
                Instant::now() < limit,
                "it did not become so within a minute"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[track_caller]
    pub fn press(&mut self, key: Key) {
        self.press_with(Modifiers::NONE, key);
    }

    #[track_caller]
    pub fn press_with(&mut self, modifiers: Modifiers, key: Key) {
        let stroke = |pressed| Event::Key {
            key,
            pressed,
            modifiers,
            repeat: false,
            physical_key: None,
        };
        // Sends everything in one frame, unlike the harness: frames take most of the time.
        let held = [
            Event::ModifiersChanged(modifiers),
            stroke(true),
            stroke(false),
        ];
        let events = &mut self.harness.input_mut().events;
        events.extend(
            held.into_iter()
                .chain([Event::ModifiersChanged(Modifiers::NONE)]),
        );
        self.wait();
    }

    #[track_caller]
    pub fn type_text(&mut self, text: &str) {
        self.harness.event(Event::Text(text.to_owned()));
        self.wait();
    }

    #[track_caller]
    pub fn enter(&mut self, text: &str) {
        self.harness.event(Event::Text(text.to_owned()));
        self.harness.step();
        self.press(Key::Enter);
    }

    /// Types into the "Go to" box.
    #[track_caller]
    pub fn go_to(&mut self, place: &str) {
        self.press_with(Modifiers::COMMAND, Key::G);
        self.enter(place);
    }

    /// Types into the command palette.
    #[track_caller]
    pub fn command(&mut self, line: &str) {
        self.press_with(CTRL_SHIFT, Key::P);
        self.enter(line);
    }

    #[track_caller]
    pub fn perform(&mut self, action: impl Into<Action>) {
        self.harness.state_mut().perform(action.into());
        self.wait();
    }

    /// Advances time, so that two clicks are not a double click.
    fn pause(&mut self) {
        let now = self.harness.ctx.input(|input| input.time);
        self.harness.input_mut().time = Some(now + 2.0);
    }

    #[track_caller]
    pub fn click(&mut self, label: &str) {
        self.pause();
        self.harness.get_by_label(label).click();
        self.wait();
    }

    /// Clicks the first drawn widget with a name, for example in the first of two trace windows.
    #[track_caller]
    pub fn click_first(&mut self, label: &str) {
        self.pause();
        self.harness
            .get_all_by_label(label)
            .next()
            .expect(label)
            .click();
        self.wait();
    }

    #[track_caller]
    pub fn click_with(&mut self, modifiers: Modifiers, label: &str) {
        self.pause();
        self.harness.get_by_label(label).click_modifiers(modifiers);
        self.wait();
    }

    #[track_caller]
    pub fn click_button(&mut self, label: &str) {
        self.pause();
        self.harness
            .get_by_role_and_label(Role::Button, label)
            .click();
        self.wait();
    }

    /// Clicks a row of the command palette.
    #[track_caller]
    pub fn click_option(&mut self, label: &str) {
        self.pause();
        self.harness
            .get_by_role_and_label(Role::ListBoxOption, label)
            .click();
        self.wait();
    }

    pub fn has_option(&self, label: &str) -> bool {
        self.harness
            .query_by_role_and_label(Role::ListBoxOption, label)
            .is_some()
    }

    #[track_caller]
    pub fn double_click(&mut self, label: &str) {
        self.pause();
        let node = self.harness.get_by_label(label);
        node.click();
        node.click();
        self.wait();
    }

    /// Rests the pointer on a place until a hover text shows.
    #[track_caller]
    pub fn rest_at(&mut self, place: egui::Pos2) {
        // Directly after a click no hover text shows.
        self.pause();
        self.harness.hover_at(place);
        self.wait();
        self.pause();
        self.wait();
    }

    /// Clicks at a place several times.
    #[track_caller]
    pub fn click_at(&mut self, place: egui::Pos2, times: u32) {
        self.pause();
        self.harness.hover_at(place);
        self.wait();
        for _ in 0..times {
            for pressed in [true, false] {
                self.harness.event(egui::Event::PointerButton {
                    pos: place,
                    button: egui::PointerButton::Primary,
                    pressed,
                    modifiers: Modifiers::NONE,
                });
            }
        }
        self.wait();
    }

    /// Selects an entry of a widget's context menu.
    #[track_caller]
    pub fn choose(&mut self, label: &str, entry: &str) {
        self.harness.get_by_label(label);
        self.choose_first(label, entry);
    }

    #[track_caller]
    pub fn choose_first(&mut self, label: &str, entry: &str) {
        self.pause();
        self.harness
            .get_all_by_label(label)
            .next()
            .expect(label)
            .click_secondary();
        self.wait();
        self.pause();
        self.harness
            .get_by_role_and_label(Role::MenuItem, entry)
            .click();
        self.wait();
        assert!(!self.has_role(Role::MenuItem), "the menu is still open");
    }

    /// Selects an entry of a menu in the menu bar; its label ends with its key.
    #[track_caller]
    pub fn choose_in_bar(&mut self, menu: &str, entry: &str) {
        self.click_button(menu);
        self.click(entry);
    }

    /// Returns true if a text field has the keyboard focus.
    pub fn is_typing(&self) -> bool {
        self.harness.ctx.text_edit_focused()
    }

    pub fn has(&self, label: &str) -> bool {
        self.harness.query_all_by_label(label).next().is_some()
    }

    pub fn has_role(&self, role: Role) -> bool {
        self.harness.query_all_by_role(role).next().is_some()
    }

    pub fn count_like(&self, part: &str) -> usize {
        self.harness.query_all_by_label_contains(part).count()
    }

    /// Returns the name of the only widget whose name contains a text.
    #[track_caller]
    pub fn only_label_like(&self, part: &str) -> String {
        self.harness
            .get_by_label_contains(part)
            .accesskit_node()
            .label()
            .unwrap()
    }

    /// Returns the content of a text field.
    #[track_caller]
    pub fn value_of(&self, field: &str) -> String {
        self.harness
            .get_by_role_and_label(Role::TextInput, field)
            .value()
            .unwrap_or_default()
    }

    pub fn harness_rect(&self) -> Rect {
        self.harness.ctx.content_rect()
    }

    #[track_caller]
    pub fn rect(&self, label: &str) -> Rect {
        self.harness.get_by_label(label).rect()
    }

    /// Returns the last text copied to the clipboard.
    pub fn copied(&self) -> Option<String> {
        self.copied.lock().unwrap().clone()
    }

    #[track_caller]
    pub fn check_position(&self, expected: u64) {
        assert_eq!(self.active().position.0, expected);
    }

    /// Returns all trace windows and their positions.
    pub fn positions(&self) -> Vec<(u32, u64)> {
        self.desk()
            .windows
            .list
            .iter()
            .map(|window| (window.id.0, window.position.0))
            .collect()
    }

    pub fn rows(&self) -> u64 {
        self.active().folds.row_count()
    }

    /// Returns the kinds of all panels, from left to right and top to bottom.
    pub fn panels_in_order(&self) -> Vec<PanelKind> {
        let dock = &self.workspace().dock;
        let mut open: Vec<egui_tiles::TileId> = dock.root().into_iter().collect();
        let mut found = Vec::new();
        while let Some(tile) = open.pop() {
            match dock.tiles.get(tile) {
                Some(egui_tiles::Tile::Pane(pane)) => found.push(pane.kind()),
                Some(egui_tiles::Tile::Container(container)) => {
                    open.extend(container.children_vec().into_iter().rev());
                }
                None => {}
            }
        }
        found
    }

    pub fn panels(&self) -> Vec<PanelKind> {
        self.panes().map(Pane::kind).collect()
    }

    pub fn follows(&self, kind: PanelKind) -> Vec<Follow> {
        self.panes()
            .filter(|pane| pane.kind() == kind)
            .filter_map(Pane::follow)
            .collect()
    }

    /// Returns the first tile of a kind of panel.
    #[track_caller]
    pub fn tile(&self, kind: PanelKind) -> PanelId {
        let tiles = &self.workspace().dock.tiles;
        let is_meant = |tile: &egui_tiles::TileId| {
            tiles.get_pane(tile).is_some_and(|pane| pane.kind() == kind)
        };
        PanelId(
            tiles
                .tile_ids()
                .find(is_meant)
                .expect("a panel of this kind")
                .0,
        )
    }

    /// Returns the height of the tab group that contains a kind of panel.
    #[track_caller]
    pub fn tabs_height(&self, kind: PanelKind) -> f32 {
        let tiles = &self.workspace().dock.tiles;
        let tabs = tiles
            .parent_of(egui_tiles::TileId(self.tile(kind).0))
            .expect("tabs");
        tiles.rect(tabs).expect("a place").height()
    }

    fn panes(&self) -> impl Iterator<Item = &Pane> {
        self.workspace()
            .dock
            .tiles
            .tiles()
            .filter_map(|tile| match tile {
                egui_tiles::Tile::Pane(pane) => Some(pane),
                egui_tiles::Tile::Container(_) => None,
            })
    }

    #[track_caller]
    pub fn check_active(&self, expected: u32) {
        assert_eq!(self.desk().windows.active, WindowId(expected));
    }

    /// Returns the titles of all messages.
    pub fn messages(&self) -> Vec<String> {
        self.app()
            .toasts()
            .iter()
            .map(|toast| toast.title.clone())
            .collect()
    }

    /// Checks the only message, ignoring case, since a sentence may begin with a name.
    #[track_caller]
    pub fn check_stated(&self, expected: &str) {
        let stated: Vec<String> = self
            .messages()
            .iter()
            .map(|title| title.to_lowercase())
            .collect();
        assert_eq!(stated, [expected]);
    }

    #[track_caller]
    pub fn close_messages(&mut self) {
        if !self.app().toasts().is_empty() {
            self.perform(Action::App(AppAction::DismissToasts));
        }
    }
}

pub fn remember_copied(ui: &egui::Ui, clipboard: &Copied) {
    ui.ctx().output(|output| {
        for command in &output.commands {
            if let egui::OutputCommand::CopyText(text) = command {
                *clipboard.lock().unwrap() = Some(text.clone());
            }
        }
    });
}
