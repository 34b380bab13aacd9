//! The pane with the list of steps of a window, or with the raw text of the trace ([`TracePane`]).
//! One of the effects of the last step can be picked ([`PickedEffect`]), to travel to the previous
//! write of its cell.

use std::sync::Arc;

use ratatui::layout::Rect;
use stepback_debugger::action::{
    Access, Action, CellName, Direction, FoldAction, PanelKind, SearchAction, TravelAction,
    ViewAction,
};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::hit_rows::StepSelection;
use stepback_debugger::model::step_rows::{CallPathEntry, StepRow, call_path};
use stepback_debugger::model::{TextSpan, TraceWindow};
use stepback_debugger::worker::Slot;
use stepback_index::Cancel;
use stepback_parsers::Position;

use crate::pane::{
    CursorDirection, MouseInput, MouseInputKind, Pane, PaneAction, PaneCommand, PaneContext,
};
use crate::panes::trace::raw::RawList;
use crate::panes::trace::steps::{CodeStyle, StepList, StepListContext, effect_spans};
use crate::panes::trace::view::{PositionAnchor, TraceLine};
use crate::pen::Pen;

/// Maximum number of calls named in the bar.
const DEEPEST: usize = 8;

/// Step list of one window, or the raw text of the trace.
pub struct TracePane {
    window: WindowId,
    steps: StepList,
    raw: RawList,
    path: Slot<Position, Vec<CallPathEntry>>,
    anchor: PositionAnchor,
    picked: Option<PickedEffect>,
    code: CodeStyle,
    /// Area of the last frame.
    area: Rect,
}

impl TracePane {
    pub fn new(window: WindowId) -> Self {
        Self {
            window,
            steps: StepList::default(),
            raw: RawList::default(),
            path: Slot::default(),
            anchor: PositionAnchor::default(),
            picked: None,
            code: CodeStyle {
                has_colors: true,
                has_symbols: true,
            },
            area: Rect::default(),
        }
    }

    fn window_of<'a>(&self, cx: &PaneContext<'a>) -> &'a TraceWindow {
        cx.desk.windows.followed(self.window)
    }

    /// Returns the picked line, which is valid until the position moves.
    fn picked(&self, window: &TraceWindow) -> Option<&PickedEffect> {
        self.picked
            .as_ref()
            .filter(|picked| picked.at == window.position)
    }

    fn pick(&mut self, cx: &PaneContext<'_>, out: &mut Vec<PaneAction>) {
        let window = self.window_of(cx);
        let row = window
            .position
            .last_step()
            .and_then(|step| self.steps.row_of(step));
        let before = self.picked.as_ref();
        self.picked = match (window.is_raw, row) {
            (true, row) => next_line(
                &self.raw.lines_of_last(window),
                row,
                window.position,
                before,
            ),
            (false, Some(row)) => next_effect(row, window.position, before),
            (false, None) => None,
        };
        if self.picked.is_none() {
            out.push(PaneAction::Say(say!("terminal-nothing-picked").to_owned()));
        }
    }

    /// Travels to the previous or next write of the picked cell.
    fn go_to_picked(&self, direction: Direction, cx: &PaneContext<'_>, out: &mut Vec<PaneAction>) {
        match self
            .picked(self.window_of(cx))
            .and_then(|picked| picked.cell.clone())
        {
            Some(cell) => out.push(PaneAction::Do(Action::Travel(TravelAction::GoToAccess(
                cell,
                Access::Write,
                direction,
            )))),
            None => out.push(PaneAction::Say(say!("terminal-pick-first").to_owned())),
        }
    }

    fn arrange(&mut self, cx: &PaneContext<'_>) {
        let window = self.window_of(cx);
        match window.is_raw {
            true => self.raw.arrange(self.anchor),
            false => self.steps.arrange(self.anchor, window),
        }
        self.anchor = self.anchor.next();
    }

    fn scroll(&mut self, rows: i16, cx: &PaneContext<'_>) {
        let window = self.window_of(cx);
        match window.is_raw {
            true => self
                .raw
                .view
                .scroll(rows.into(), cx.desk.session.index.info().lines),
            // The text below the last step can be scrolled into view as well.
            false => self
                .steps
                .view
                .scroll(rows.into(), window.row_count().saturating_add(1)),
        }
    }

    fn click(
        &self,
        row: u16,
        kind: MouseInputKind,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        let window = self.window_of(cx);
        if window.is_raw {
            let to = self.raw.position_at(row);
            return out.extend(to.map(|to| PaneAction::Do(Action::travel(window.id, to))));
        }
        let travel = |to: Position| PaneAction::Do(Action::travel(window.id, to));
        match (self.steps.shown_at(row), kind) {
            (Some(TraceLine::Folded { call, .. }), MouseInputKind::DoubleClick) => {
                out.push(PaneAction::Do(Action::Fold(FoldAction::Toggle(call))));
            }
            (Some(TraceLine::Step(step)), MouseInputKind::DoubleClick) => {
                let call = self.steps.row_of(step).and_then(|row| row.call);
                out.extend(call.map(|call| PaneAction::Do(Action::Fold(FoldAction::Toggle(call)))));
            }
            (Some(TraceLine::Step(step) | TraceLine::Below(step, _)), _) => {
                out.push(travel(step.after()))
            }
            (Some(TraceLine::Folded { last, .. }), _) => out.push(travel(last.after())),
            (Some(TraceLine::Hidden { first, last }), _) => {
                out.push(PaneAction::Do(Action::Search(SearchAction::OpenHidden(
                    window.id,
                    StepRange {
                        first: first.before(),
                        last: last.after(),
                    },
                ))));
            }
            (Some(TraceLine::Position | TraceLine::End | TraceLine::Died(_)) | None, _) => {}
        }
    }
}

impl Pane for TracePane {
    fn kind(&self) -> PanelKind {
        PanelKind::Trace
    }

    fn title(&self, cx: &PaneContext<'_>) -> String {
        let window = self.window_of(cx);
        let name = cx.desk.name();
        let path = self
            .path
            .peek()
            .map_or_else(String::new, |(_, path)| path_words(path));
        let mut parts = vec![name];
        parts.extend((cx.desk.windows.list.len() > 1).then(|| format!("[{}]", window.id.0)));
        parts.extend(window.is_raw.then(|| say!("terminal-raw").to_owned()));
        let only = match window.only_hits.of {
            StepSelection::Hits => say!("terminal-only-hits"),
            StepSelection::Slice => say!("terminal-only-slice"),
        };
        parts.extend(window.only_hits.is_on.then(|| only.to_owned()));
        if let Some(thread) = window
            .thread
            .and_then(|thread| cx.desk.session.index.threads().get(usize::from(thread.0)))
        {
            parts.push(say!("terminal-stays", thread = thread.name.as_str()));
        }
        parts.extend((!path.is_empty()).then_some(path));
        parts.join("  ")
    }

    fn window(&self) -> Option<WindowId> {
        Some(self.window)
    }

    fn page_rows(&self) -> u64 {
        u64::from(self.area.height).saturating_sub(2).max(1)
    }

    fn selection(&self, cx: &PaneContext<'_>) -> Option<CellName> {
        self.picked(self.window_of(cx))
            .and_then(|picked| picked.cell.clone())
    }

    /// Returns the picked effect, or all effects of the last step.
    fn copied(&self, cx: &PaneContext<'_>) -> Option<String> {
        let window = self.window_of(cx);
        if window.is_raw {
            let lines = self.raw.lines_of_last(window);
            return (!lines.is_empty()).then(|| lines.join("\n"));
        }
        let row = self.steps.row_of(window.position.last_step()?)?;
        let picked = self
            .picked(window)
            .and_then(|picked| row.effects.get(picked.effect?));
        Some(picked.map_or_else(|| row.full_text(), |effect| effect.full_text()))
    }

    fn status(&self, cx: &PaneContext<'_>) -> Vec<TextSpan> {
        let window = self.window_of(cx);
        let Some(picked) = self.picked(window) else {
            return Vec::new();
        };
        let row = window
            .position
            .last_step()
            .and_then(|step| self.steps.row_of(step));
        let effect = picked.effect.and_then(|place| row?.effects.get(place));
        effect.map(effect_spans).unwrap_or_default()
    }

    fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        match command {
            PaneCommand::Move(toward) => match moved(toward) {
                Some(action) => out.push(PaneAction::Do(action)),
                None => return false,
            },
            PaneCommand::Fold(fold) => out.push(PaneAction::Do(Action::Fold(fold))),
            PaneCommand::Raw => out.push(PaneAction::Do(Action::View(ViewAction::ToggleRawText))),
            PaneCommand::Arrange => self.arrange(cx),
            PaneCommand::Pick => self.pick(cx, out),
            PaneCommand::Access(direction) => self.go_to_picked(direction, cx, out),
            PaneCommand::Colors => self.code.has_colors ^= true,
            PaneCommand::Symbols => self.code.has_symbols ^= true,
            _ => return false,
        }
        true
    }

    fn touch(&mut self, touch: MouseInput, cx: &PaneContext<'_>, out: &mut Vec<PaneAction>) {
        match (touch.kind, touch.y.checked_sub(self.area.y)) {
            (MouseInputKind::Wheel(rows), _) => self.scroll(rows, cx),
            (kind, Some(row)) => self.click(row, kind, cx, out),
            (_, None) => {}
        }
    }

    fn leave_trace(&mut self) {
        *self = Self {
            code: self.code,
            ..Self::new(self.window)
        };
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        self.area = area;
        let window = self.window_of(cx);
        let session = Arc::clone(&cx.desk.session);
        self.path.poll(&window.position, cx.worker(), |position| {
            let position = *position;
            move |_: &Cancel| call_path(&session, position)
        });
        let picked = self
            .picked
            .take()
            .filter(|picked| picked.at == window.position);
        let scene = StepListContext {
            window,
            code: self.code,
            picked: picked.as_ref(),
        };
        match window.is_raw {
            true => {
                self.steps.fetch_last(cx, window);
                self.raw.draw(area, pen, cx, &scene);
            }
            false => self.steps.draw(area, pen, cx, &scene),
        }
        self.picked = picked;
    }
}

/// Returns the calls around a position. Of a deep stack only the outermost and innermost are named,
/// because the bar has no room for more.
fn path_words(path: &[CallPathEntry]) -> String {
    let names = |parts: &[CallPathEntry]| {
        parts
            .iter()
            .map(|part| part.name.as_str())
            .collect::<Vec<_>>()
            .join(" > ")
    };
    match path {
        [first, .., _] if path.len() > DEEPEST => {
            let inner = path.get(path.len() - DEEPEST + 1..).unwrap_or_default();
            format!("{} > … > {}", first.name, names(inner))
        }
        path => names(path),
    }
}

/// Returns the movement of the window for a cursor key.
fn moved(toward: CursorDirection) -> Option<Action> {
    Some(match toward {
        CursorDirection::Up => Action::Travel(TravelAction::StepRow(Direction::Back)),
        CursorDirection::Down => Action::Travel(TravelAction::StepRow(Direction::Forward)),
        CursorDirection::PageUp => Action::Travel(TravelAction::Page(Direction::Back)),
        CursorDirection::PageDown => Action::Travel(TravelAction::Page(Direction::Forward)),
        CursorDirection::First => Action::Travel(TravelAction::Edge(Direction::Back)),
        CursorDirection::Last => Action::Travel(TravelAction::Edge(Direction::Forward)),
        CursorDirection::Left | CursorDirection::Right => return None,
    })
}

/// One of the lines that belong to the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedEffect {
    /// Position after the step.
    pub at: Position,
    /// Index of the line. In raw text line 0 is the instruction itself.
    pub place: usize,
    /// Index of the effect.
    pub effect: Option<usize>,
    /// The affected cell.
    pub cell: Option<CellName>,
}

/// Returns the next effect of a step, or none after the last. Effects without a cell are skipped.
pub fn next_effect(
    row: &StepRow,
    at: Position,
    now: Option<&PickedEffect>,
) -> Option<PickedEffect> {
    let first = now
        .filter(|now| now.at == at)
        .map_or(0, |now| now.place + 1);
    let (place, effect) = row
        .effects
        .iter()
        .enumerate()
        .skip(first)
        .find(|(_, effect)| effect.cell.is_some())?;
    Some(PickedEffect {
        at,
        place,
        effect: Some(place),
        cell: effect.cell.clone(),
    })
}

/// Returns the next line of a step, or none after the last.
pub fn next_line(
    lines: &[String],
    row: Option<&StepRow>,
    at: Position,
    now: Option<&PickedEffect>,
) -> Option<PickedEffect> {
    let place = now
        .filter(|now| now.at == at)
        .map_or(0, |now| now.place + 1);
    let line = lines.get(place)?;
    let effect = row.and_then(|row| effect_in(line, row));
    let cell = effect.and_then(|effect| row?.effects.get(effect)?.cell.clone());
    Some(PickedEffect {
        at,
        place,
        effect,
        cell,
    })
}

/// Returns the effect that a line of text describes: the line contains the register's name or the
/// address.
fn effect_in(line: &str, row: &StepRow) -> Option<usize> {
    let words: Vec<String> = line
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .map(str::to_lowercase)
        .collect();
    row.effects.iter().position(|effect| match &effect.cell {
        Some(CellName::Register(name)) => words.iter().any(|word| word == name),
        Some(CellName::Memory(address, _)) => {
            let digits = address.trim_start_matches("0x");
            words.iter().any(|word| {
                word.trim_start_matches("0x").trim_start_matches('0')
                    == digits.trim_start_matches('0')
            })
        }
        None => false,
    })
}
