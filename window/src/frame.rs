//! One frame: collect answers, read keys, draw, apply actions.

use std::collections::HashMap;

use egui::{CentralPanel, Frame, Panel, Pos2, Rect, Ui, vec2};
use stepback_debugger::action::{
    Action, CallMeasure, FileAction, FunctionsOf, PanelAction, PanelId, ThemeChoice, TimelineLanes,
};
use stepback_debugger::desk::{Desk, Tone};
use stepback_debugger::keymap::{CommandContext, CommandId, CommandSwitches, KeyboardFocus};
use stepback_debugger::messages::{LanguageChoice, say};
use stepback_debugger::model::hit_rows::StepSelection;
use stepback_debugger::program;
use stepback_debugger::program::WatchPace;
use stepback_index::read::forbid_reads;

use super::app::App;
use super::banner::Banner;
use super::dock::DockView;
use super::ending_card::EndingCard;
use super::layouts::PointerRelease;
use super::palette::PaletteContext;
use super::picture::PendingScreenshot;
use super::pointer_rest::PointerRest;
use super::pressed::{PressedCommands, take_pressed};
use super::settings::{Settings, first_zoom};
use super::widgets::{line_above, line_below};
use super::workspace::{Workspace, WorkspaceContext};
use super::{about, banner, indexing_card, menu_bar, status_bar, toolbar};
use crate::indexing_card::opening_page_ui;
use crate::panels::HoverCell;
use crate::room;
use crate::theme::ThemeColors;

/// Returns the pointer's screen position while it is outside the window. The position is relative
/// to the window if the system does not report the window's corner.
fn pointer_outside(ui: &Ui) -> Option<Pos2> {
    ui.input(|input| {
        let at = input
            .pointer
            .interact_pos()
            .filter(|at| !input.content_rect().contains(*at))?;
        let corner = input
            .viewport()
            .inner_rect
            .map_or(Pos2::ZERO, |window| window.min);
        Some(corner + at.to_vec2())
    })
}

/// Returns the states of switchable commands, which menus mark with a tick.
fn switches(
    workspace: Option<&Workspace>,
    desk: Option<&Desk>,
    settings: &Settings,
) -> CommandSwitches {
    let window = desk.map(|desk| desk.windows.active());
    let is_chosen = |choice| settings.theme == choice;
    let lanes = workspace.zip(desk).map(|(it, desk)| {
        it.timeline
            .shown(desk.threads.all().any().map(|threads| &**threads))
    });
    let shows = |kind| lanes == Some(kind);
    let tells = |of| desk.is_some_and(|desk| desk.functions.of() == of);
    let measures = |by| desk.is_some_and(|desk| desk.functions.measure() == by);
    let edges = desk.map(|desk| desk.slice.edges()).unwrap_or_default();
    let all = [
        (
            CommandId::RawText,
            window.is_some_and(|window| window.is_raw),
        ),
        (
            CommandId::OnlyHits,
            window.is_some_and(|window| {
                window.only_hits.is_on && window.only_hits.of == StepSelection::Hits
            }),
        ),
        (
            CommandId::OnlyStepsOfTheSlice,
            window.is_some_and(|window| {
                window.only_hits.is_on && window.only_hits.of == StepSelection::Slice
            }),
        ),
        (CommandId::SliceFollowsAddresses, edges.addresses),
        (CommandId::SliceFollowsFlags, edges.flags),
        (CommandId::SliceFollowsControl, edges.control),
        (
            CommandId::StayInThread,
            window.is_some_and(|window| window.thread.is_some()),
        ),
        (
            CommandId::SourceLinesInRows,
            desk.is_some_and(|desk| desk.sources.is_in_rows),
        ),
        (CommandId::OwnFileBrowser, settings.uses_own_browser),
        (
            CommandId::WindowsMoveTogether,
            desk.is_some_and(|desk| desk.windows.is_synced),
        ),
        (CommandId::TimelineCalls, shows(TimelineLanes::Calls)),
        (CommandId::TimelineThreads, shows(TimelineLanes::Threads)),
        (CommandId::TimelineCores, shows(TimelineLanes::Cores)),
        (
            CommandId::TimelineCallsAndThreads,
            shows(TimelineLanes::CallsAndThreads),
        ),
        (
            CommandId::TimelineCallsAndCores,
            shows(TimelineLanes::CallsAndCores),
        ),
        (
            CommandId::FunctionsOfTheSelection,
            tells(FunctionsOf::Selection),
        ),
        (
            CommandId::FunctionsOfTheWholeTrace,
            tells(FunctionsOf::Whole),
        ),
        (CommandId::FlameGraphBySteps, measures(CallMeasure::Steps)),
        (CommandId::FlameGraphByTime, measures(CallMeasure::Time)),
        (CommandId::ThemeDark, is_chosen(ThemeChoice::Dark)),
        (CommandId::ThemeLight, is_chosen(ThemeChoice::Light)),
        (CommandId::ThemeSystem, is_chosen(ThemeChoice::System)),
        (
            CommandId::ThemeColourBlindDark,
            is_chosen(ThemeChoice::SafeDark),
        ),
        (
            CommandId::ThemeColourBlindLight,
            is_chosen(ThemeChoice::SafeLight),
        ),
        (
            CommandId::LanguageSystem,
            settings.language == LanguageChoice::System,
        ),
        (
            CommandId::LanguageEnglish,
            settings.language == LanguageChoice::English,
        ),
        (
            CommandId::LanguageFrench,
            settings.language == LanguageChoice::French,
        ),
    ];
    CommandSwitches {
        on: all
            .into_iter()
            .filter(|(_, is_on)| *is_on)
            .map(|(command, _)| command)
            .collect(),
    }
}

/// Number of frames without pending queries after which the panels have drawn the last answer: one
/// to collect it, one to lay out dependent content, one spare.
const QUIET: u32 = 3;
/// Time in seconds for which the caret blinks after input.
const BLINKING: f64 = 4.0;
/// Interval at which the window polls a running search.
const FINDING: std::time::Duration = std::time::Duration::from_millis(100);

impl App {
    /// Draws a frame and applies the user's actions.
    pub(super) fn frame(&mut self, ui: &mut Ui) {
        // Painters query the worker: this thread must never wait for a disk.
        let _drawing = forbid_reads();
        self.rest_caret();
        self.fit_screen();
        self.take_answers();
        self.fit_panels();
        let tok = ThemeColors::current(ui);
        let pointed = HoverCell::take(&self.context).map(|HoverCell { cell, at }| (cell, at));
        let situation = CommandContext {
            pointed,
            ..self.situation(tok)
        };
        self.pointer_rest.look_at(ui);
        self.held_keys.advance(&self.context);
        let mut requested = self.pressed(ui, &situation);
        let pointer = self.pointer_rest.take(ui);
        self.draw(ui, tok, &situation, &mut requested);
        PointerRest::put_back(ui, pointer);
        self.program.queue.extend(requested);
        program::apply_queue(self);
        let is_released = ui.input(|input| input.pointer.any_released());
        self.watch_panels(if is_released {
            PointerRelease::Now
        } else {
            PointerRelease::No
        });
        self.advance_picture();
        self.advance_script();
        self.frames += 1;
        if !self.program.queue.is_empty() {
            self.context.request_repaint();
        }
    }

    /// Chooses the size of text in the first run, once the screen is known.
    fn fit_screen(&mut self) {
        if !self.is_zoom_awaited {
            return;
        }
        let screen = self.context.input(|input| {
            let viewport = input.viewport();
            let scale = viewport.native_pixels_per_point?;
            Some((scale, viewport.monitor_size?.x * input.pixels_per_point()))
        });
        if let Some((scale, width)) = screen {
            self.is_zoom_awaited = false;
            self.settings.zoom = first_zoom(scale, width);
            self.settings.apply(&self.context);
        }
    }

    fn fit_panels(&mut self) {
        let size = self.context.content_rect().size();
        if let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_ref())
        {
            workspace.fit_panels(desk, size);
        }
    }

    /// Lets the caret blink only for a while after input: each change redraws the whole window.
    fn rest_caret(&mut self) {
        if self.program.mode.is_synchronous {
            return;
        }
        let (now, has_events) = self
            .context
            .input(|input| (input.time, !input.events.is_empty()));
        if has_events {
            self.input_at = now;
        }
        let blinks = now - self.input_at < BLINKING;
        if self.context.global_style().visuals.text_cursor.blink != blinks {
            self.context
                .all_styles_mut(|style| style.visuals.text_cursor.blink = blinks);
        }
    }

    fn take_answers(&mut self) {
        program::advance(self);
        self.take_picked();
        self.take_settings();
        self.take_fonts();
        if let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        {
            workspace.look_at_functions(desk);
            let is_following = workspace.look_at_own_slices(desk) || desk.slice.is_under_way();
            let is_finding = workspace.look_at_own_finds(desk) || desk.find.is_under_way();
            if is_following || is_finding {
                self.context.request_repaint_after(FINDING);
            }
        }
        if let Some(desk) = &self.program.desk {
            self.toasts.move_to(desk.windows.active().position);
        }
        self.toasts.expire(&self.context);
        let pace = match self.context.input(|input| input.focused) {
            true => WatchPace::Active,
            false => WatchPace::Paused,
        };
        self.program.set_watch_pace(pace);
    }

    pub(super) fn situation(&mut self, tok: &ThemeColors) -> CommandContext {
        let switches = switches(
            self.workspace.as_ref(),
            self.program.desk.as_ref(),
            &self.settings,
        );
        let indexing = self.program.indexing();
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_ref())
        else {
            return CommandContext {
                switches,
                indexing,
                ..CommandContext::default()
            };
        };
        let follow_refusal = desk.session.follow_refusal();
        CommandContext {
            indexing,
            switches,
            follow_refusal,
            is_without_text: !desk.session.index.source().is_text(),
            ..workspace.situation(desk, tok)
        }
    }

    /// Returns true if the palette, a page, the file browser or a menu is in front of the panels.
    pub(super) fn is_covered(&self) -> bool {
        self.palette.is_some()
            || self.page.is_some()
            || self.browser.is_some()
            || self.settings_page.is_some()
            || egui::Popup::is_any_open(&self.context)
    }

    pub(super) fn pressed(&mut self, ui: &Ui, situation: &CommandContext) -> Vec<Action> {
        if self.is_covered() {
            return Vec::new();
        }
        let is_typing = self.context.text_edit_focused();
        let keyboard = if is_typing {
            KeyboardFocus::Field
        } else {
            KeyboardFocus::Panel
        };
        let PressedCommands { commands, waiting } =
            ui.input_mut(|input| take_pressed(input, situation, keyboard));
        if let Some(waiting) = waiting {
            self.held_keys.hold(waiting, &self.context);
        }
        let is_escape = !is_typing && ui.input(|input| input.key_pressed(egui::Key::Escape));
        if is_escape && !self.toasts.dismiss_newest() {
            self.escape();
        }
        let mut actions = Vec::new();
        for command in commands {
            match command.action(situation) {
                Some(action) => actions.push(action),
                // A command that requires an argument prompts for it in the palette.
                None if command.argument.is_some() => {
                    self.palette = Some(super::palette::PaletteState::asking(command))
                }
                None => {
                    if let Some(reason) = situation.refusal(command.id) {
                        self.toasts.show(Tone::Info, reason);
                    }
                }
            }
        }
        actions
    }

    /// Handles Escape: stops the current search, following or indexing.
    fn escape(&mut self) {
        if let Some(desk) = self.program.desk.as_mut()
            && (desk.give_up() || desk.functions.stop() || desk.leave_only_hits())
        {
            return;
        }
        match &self.program.opening {
            Some(opening) if opening.is_following() => opening.stop_following(),
            Some(opening) => opening.cancel(),
            None => {}
        }
    }

    fn draw(
        &mut self,
        ui: &mut Ui,
        tok: &'static ThemeColors,
        situation: &CommandContext,
        out: &mut Vec<Action>,
    ) {
        let bar = Frame::new().fill(tok.bg2);
        // A field loses the focus when it takes Enter; that Enter must not reach a panel.
        let is_covered = self.is_covered() || self.context.text_edit_focused();
        let keyboard = if is_covered {
            KeyboardFocus::Field
        } else {
            KeyboardFocus::Panel
        };
        Panel::top("menu bar")
            .exact_size(30.0)
            .frame(bar)
            .show_separator_line(false)
            .show(ui, |ui| {
                menu_bar::menu_bar_ui(ui, self, situation, out);
                if self.workspace.is_none() {
                    line_below(ui.painter(), ui.max_rect(), tok.line);
                }
            });
        Panel::bottom("status bar")
            .exact_size(24.0)
            .frame(bar)
            .show_separator_line(false)
            .show(ui, |ui| {
                line_above(ui.painter(), ui.max_rect(), tok.line);
                status_bar::status_bar_ui(ui, self, out);
            });
        let mut timeline = None;
        if self.workspace.is_some() {
            Panel::top("toolbar")
                .exact_size(38.0)
                .frame(bar)
                .show_separator_line(false)
                .show(ui, |ui| {
                    toolbar::toolbar_ui(ui, self, situation, out);
                    line_below(ui.painter(), ui.max_rect(), tok.line);
                });
            timeline = self.timeline(ui, tok, out);
            self.banner(ui, bar, out);
            self.first_words(ui, bar, out);
        }
        let within = CentralPanel::default()
            .frame(Frame::new().fill(self.ground_color(tok)))
            .show(ui, |ui| {
                match self.workspace {
                    Some(_) => self.dock(ui, tok, keyboard, out),
                    None => match self
                        .program
                        .opening
                        .as_ref()
                        .filter(|opening| opening.stands_alone)
                    {
                        Some(opening) => opening_page_ui(ui, opening),
                        None => self.start.ui(ui, &self.settings, &self.program.worker, out),
                    },
                }
                ui.max_rect()
            });
        self.torn_ui(ui, tok, out);
        if let Some(timeline) = timeline {
            self.timeline_grip(ui, timeline, tok);
        }
        self.draw_over(ui, within.inner, situation, out);
    }

    /// Returns the background: the gap colour between the tiles of a dock, or the content colour of
    /// the start screen.
    fn ground_color(&self, tok: &ThemeColors) -> egui::Color32 {
        if self.workspace.is_some() {
            tok.bg0
        } else {
            tok.bg1
        }
    }

    fn banner(&mut self, ui: &mut Ui, bar: Frame, out: &mut Vec<Action>) {
        let Some(workspace) = self.workspace.as_mut() else {
            return;
        };
        let mut is_closed = |banner: &Banner, id: &str| {
            let strip = Panel::top(id)
                .exact_size(banner::HEIGHT)
                .frame(bar)
                .show_separator_line(false);
            strip.show(ui, |ui| banner.ui(ui, out)).inner
        };
        let change = workspace.change.map(Banner::of_change);
        if change.is_some_and(|note| is_closed(&note, "changed file")) {
            workspace.change = None;
        }
        let banner = workspace.banner.as_ref();
        if banner.is_some_and(|note| is_closed(note, "banner")) {
            workspace.banner = None;
        }
    }

    /// Draws the first steps for the demo, or else the card about the end of the trace.
    fn first_words(&mut self, ui: &mut Ui, bar: Frame, out: &mut Vec<Action>) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_ref())
        else {
            return;
        };
        if let Some(guide) = &mut workspace.guide {
            guide.look_at(desk);
            let strip = Panel::top("demo hint")
                .exact_size(banner::HINT_HEIGHT)
                .frame(bar)
                .show_separator_line(false);
            if strip.show(ui, |ui| guide.ui(ui)).inner {
                workspace.guide = None;
            }
            return;
        }
        let Some(report) = desk.ending().filter(|_| workspace.has_ending_card) else {
            return;
        };
        let card = EndingCard { report, desk };
        let strip = Panel::top("ending card")
            .exact_size(card.height(ui.ctx().content_rect().height()))
            .frame(bar)
            .show_separator_line(false);
        if strip.show(ui, |ui| card.ui(ui, out)).inner {
            workspace.has_ending_card = false;
        }
    }

    fn dock(
        &mut self,
        ui: &mut Ui,
        tok: &'static ThemeColors,
        keyboard: KeyboardFocus,
        out: &mut Vec<Action>,
    ) {
        let (Some(workspace), Some(desk)) = (self.workspace.as_mut(), self.program.desk.as_mut())
        else {
            return;
        };
        let is_keyboard_here =
            keyboard == KeyboardFocus::Panel && !self.context.text_edit_focused();
        let focused = workspace.focused;
        let WorkspaceContext { cx, dock, .. } = workspace.drawn(desk, tok);
        let mut view = DockView {
            cx,
            focused,
            is_keyboard_here,
            clicked: None,
            widths: HashMap::new(),
            out,
        };
        let dragged = dock
            .dragged_id(ui)
            .filter(|tile| dock.tiles.get_pane(tile).is_some());
        let outside = dragged.and_then(|tile| Some((tile, pointer_outside(ui)?)));
        // A tab that is dragged out of the window must not be shown or dropped inside it.
        let pointer = outside.map(|_| ui.input_mut(|input| std::mem::take(&mut input.pointer)));
        dock.ui(&mut view, ui);
        if let Some(tile) = view.clicked {
            workspace.focus(desk, tile);
        }
        if let (Some(pointer), Some((tile, at))) = (pointer, outside) {
            if pointer.any_released() {
                workspace.put_torn_at(tile, at);
                out.push(Action::Panel(PanelAction::TearOff(Some(PanelId(tile.0)))));
            }
            ui.input_mut(|input| input.pointer = pointer);
        }
        room::widen(&mut workspace.dock);
    }

    /// Draws the overlays: messages, the indexing card, the palette, pages, and the sign for
    /// dropped files.
    fn draw_over(
        &mut self,
        ui: &mut Ui,
        within: Rect,
        situation: &CommandContext,
        out: &mut Vec<Action>,
    ) {
        let mut within = within;
        if let Some(opening) = self
            .program
            .opening
            .as_ref()
            .filter(|opening| !opening.is_card_hidden)
        {
            let card = indexing_card::indexing_card_ui(ui, within, opening, out);
            within.max.y -= card;
        }
        // A followed trace wakes the window when it grows.
        if self
            .program
            .opening
            .as_ref()
            .is_some_and(|opening| !opening.is_following())
        {
            self.context
                .request_repaint_after(std::time::Duration::from_millis(60));
        }
        let in_use = self
            .workspace
            .as_ref()
            .and_then(|workspace| workspace.dock.tiles.rect(workspace.focused?));
        self.toasts.ui(ui, within, in_use, out);
        about::page_ui(ui, &mut self.page, &mut self.keys_filter);
        self.settings_ui(ui, out);
        self.browser_ui(ui);
        let places = match (&self.palette, &self.program.desk) {
            (Some(palette), Some(desk)) => {
                self.places
                    .poll(&palette.query, &desk.session, &self.program.worker)
            }
            _ => &[],
        };
        let searches = self
            .program
            .desk
            .as_ref()
            .map_or(&[][..], |desk| desk.searches.list());
        let slices = self
            .program
            .desk
            .as_ref()
            .map_or(&[][..], |desk| desk.slices.list());
        let settings = &mut self.settings;
        if let Some(palette) = &mut self.palette
            && palette.ui(
                ui,
                &mut PaletteContext {
                    situation,
                    places,
                    searches,
                    slices,
                    settings,
                    out,
                },
            )
        {
            self.palette = None;
        }
        self.take_dropped(ui, out);
    }

    fn take_dropped(&self, ui: &Ui, out: &mut Vec<Action>) {
        let (dropped, is_over) = ui.input(|input| {
            (
                input.raw.dropped_files.clone(),
                !input.raw.hovered_files.is_empty(),
            )
        });
        let paths: Vec<_> = dropped.iter().map(|file| file.path().to_owned()).collect();
        match &*paths {
            [] => {}
            [one] => out.push(Action::File(FileAction::OpenPath(one.clone()))),
            several => out.push(Action::File(FileAction::OpenDropped(several.to_vec()))),
        }
        if is_over && self.workspace.is_some() {
            let tok = ThemeColors::current(ui);
            let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop"));
            let painter = ui.ctx().layer_painter(layer);
            let whole = ui.ctx().content_rect();
            painter.rect_filled(whole, 0.0, tok.veil);
            let card = Rect::from_center_size(whole.center(), vec2(420.0, 72.0));
            painter.rect(
                card,
                8.0,
                tok.sel,
                egui::Stroke::new(2.0, tok.accent),
                egui::StrokeKind::Inside,
            );
            let font = crate::theme::medium(13.0);
            painter.text(
                card.center(),
                egui::Align2::CENTER_CENTER,
                say!("frame-drop-the-trace-a-file"),
                font,
                tok.t1,
            );
        }
    }

    /// Saves the requested picture, once its content is drawn.
    fn advance_picture(&mut self) {
        let Some(picture) = &mut self.picture else {
            return;
        };
        match picture.advance(&self.context, &self.folder_worker) {
            None => {}
            Some(Err(error)) => {
                self.picture = None;
                self.report(&error);
            }
            Some(Ok(path)) => {
                self.picture = None;
                if self.program.is_script_over {
                    self.toasts.show(
                        Tone::Info,
                        &say!("dialog-saved", path = path.display().to_string()),
                    );
                }
            }
        }
    }

    /// Performs the next line of the script once the answers to the previous one are drawn; then
    /// takes the picture and ends.
    fn advance_script(&mut self) {
        // A short query may have started and ended within this frame; its answer is not drawn yet.
        let jobs = self.program.worker.jobs_begun() + self.folder_worker.jobs_begun();
        let is_quiet = self.is_idle() && jobs == self.jobs_seen;
        self.jobs_seen = jobs;
        self.quiet_frames = if is_quiet {
            self.quiet_frames.saturating_add(1)
        } else {
            0
        };
        if self.program.is_script_over {
            return;
        }
        if self.failure().is_some() {
            self.program.is_script_over = true;
            self.context.send_viewport_cmd(egui::ViewportCommand::Close);
            return;
        }
        // Until the script is done, frames must follow even without a request.
        self.context.request_repaint();
        if self.quiet_frames >= QUIET && self.picture.is_none() {
            self.next_of_script();
        }
    }

    fn next_of_script(&mut self) {
        let tok = ThemeColors::of(self.context.theme());
        let situation = self.situation(tok);
        if program::next_of_script(self, &situation) {
            self.quiet_frames = 0;
            self.context.request_repaint();
        } else {
            self.finish();
        }
    }

    fn finish(&mut self) {
        if let Some(path) = self.screenshot.take() {
            self.picture = Some(PendingScreenshot::new(path));
            return;
        }
        self.program.is_script_over = true;
        if self.is_quitting {
            self.context.send_viewport_cmd(egui::ViewportCommand::Close);
        }
    }
}
