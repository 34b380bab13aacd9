//! The rows of reads and writes of all memory, as bars.

use std::sync::Arc;

use egui::{Color32, Rect, Ui, pos2};
use stepback_debugger::messages::say;
use stepback_debugger::model::timeline_rows::{AccessDensities, TimelineRowsRequest, densities};
use stepback_index::Cancel;
use stepback_index::query::AccessShare;

use super::lanes::TimelineCanvas;
use super::paint::{TimelineStrip, tip_ui};
use super::state::TimelineState;
use crate::panels::pen::{INSET, Pen};
use crate::theme::ui as ui_font;

/// Height of a row.
pub const HEIGHT: f32 = 11.0;
/// Minimum height of the calls; below it both rows are left out.
const LEAST_LANES: f32 = 16.0;

/// Returns the height of both rows in a strip; `others` is the height of the other rows.
pub fn height(state: &TimelineState, strip: f32, others: f32) -> f32 {
    let has_any = state
        .densities
        .peek()
        .is_some_and(|(_, densities)| densities.has_any());
    let room = strip - others - super::paint::AXIS - 2.0 * HEIGHT;
    if has_any && room >= LEAST_LANES {
        2.0 * HEIGHT
    } else {
        0.0
    }
}

/// Returns the query for the part of the trace in a strip.
fn request(strip: &TimelineStrip) -> TimelineRowsRequest {
    let (first, last) = (stepback_parsers::Position(strip.first), strip.last_known());
    TimelineRowsRequest {
        first,
        last,
        columns: strip.known_columns(),
        cell: None,
    }
}

/// Queries the densities of the rows.
pub fn ask(strip: &TimelineStrip, scene: &TimelineCanvas<'_>, state: &mut TimelineState) {
    let request = request(strip);
    let session = Arc::clone(&scene.cx.desk.session);
    state
        .densities
        .poll_long(&request, &scene.cx.desk.worker, |request| {
            let request = *request;
            move |cancel: &Cancel| densities(&session, &request, cancel)
        });
}

/// One of the two rows.
struct DensityRow<'a> {
    kind: DensityKind,
    rect: Rect,
    color: Color32,
    /// Number of steps of a column that perform the accesses.
    part: fn(&AccessShare) -> u64,
    densities: &'a AccessDensities,
    /// Age of the numbers relative to the view that is shown.
    age: AnswerAge,
}

/// Accesses that a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DensityKind {
    Reads,
    Writes,
}

impl DensityKind {
    fn label(self) -> &'static str {
        match self {
            Self::Reads => say!("timeline-reads"),
            Self::Writes => say!("timeline-writes"),
        }
    }
}

/// Age of an answer relative to the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerAge {
    /// Computed for the current view.
    Fresh,
    /// Computed for an earlier view: its columns are other steps.
    Old,
}

/// Draws both rows from a height on.
pub fn rows_ui(
    ui: &Ui,
    strip: &TimelineStrip,
    TimelineCanvas { pen, cx }: TimelineCanvas<'_>,
    top: f32,
    state: &TimelineState,
) {
    let Some((answered, densities)) = state.densities.peek() else {
        return;
    };
    let age = if *answered == request(strip) {
        AnswerAge::Fresh
    } else {
        AnswerAge::Old
    };
    let faded = pen.clone().faded();
    let pen = if age == AnswerAge::Fresh { pen } else { &faded };
    let rect = |row: f32| {
        let top = top + row * HEIGHT;
        Rect::from_min_max(
            pos2(strip.rect.left(), top),
            pos2(strip.rect.right(), top + HEIGHT),
        )
    };
    let reads = DensityRow {
        kind: DensityKind::Reads,
        rect: rect(0.0),
        color: cx.tok.read,
        part: |share| share.reads,
        densities,
        age,
    };
    let writes = DensityRow {
        kind: DensityKind::Writes,
        rect: rect(1.0),
        color: cx.tok.write,
        part: |share| share.writes,
        densities,
        age,
    };
    reads.ui(ui, strip, pen);
    writes.ui(ui, strip, pen);
}

impl DensityRow<'_> {
    fn ui(&self, ui: &Ui, strip: &TimelineStrip, pen: &Pen<'_>) {
        let (tok, y) = (pen.tok, self.rect.center().y);
        let label = pos2(self.rect.left() + INSET, y);
        pen.cut_text(
            label,
            self.kind.label(),
            ui_font(10.5),
            tok.t3,
            strip.chart.left() - 8.0,
        );
        let share = |share: &AccessShare| (self.part)(share) as f32 / share.steps.max(1) as f32;
        let most = self
            .densities
            .columns
            .iter()
            .map(share)
            .fold(0.0, f32::max)
            .max(f32::MIN_POSITIVE);
        let pen = Pen {
            painter: pen.painter.with_clip_rect(strip.chart),
            tok,
        };
        let (bottom, height) = (self.rect.bottom() - 1.0, HEIGHT - 2.0);
        for (column, stated) in (0u32..).zip(&self.densities.columns) {
            let tall = (share(stated) / most * height).ceil();
            if tall > 0.0 {
                let left = strip.chart.left() + column as f32;
                pen.fill(
                    Rect::from_min_max(pos2(left, bottom - tall), pos2(left + 1.0, bottom)),
                    self.color,
                );
            }
        }
        self.hover_ui(ui, strip);
    }

    /// Returns the tooltip of a column.
    fn words(&self, column: usize) -> String {
        match (self.age, self.densities.columns.get(column)) {
            (AnswerAge::Old, _) => say!("timeline-looking").to_owned(),
            (AnswerAge::Fresh, Some(stated)) => {
                let (part, steps) = ((self.part)(stated), stated.steps);
                let (part, steps) = (part.to_string(), steps.to_string());
                match self.kind {
                    DensityKind::Reads => say!("timeline-steps-read", part = part, steps = steps),
                    DensityKind::Writes => say!("timeline-steps-write", part = part, steps = steps),
                }
            }
            (AnswerAge::Fresh, None) => say!("timeline-not-indexed-yet").to_owned(),
        }
    }

    fn hover_ui(&self, ui: &Ui, strip: &TimelineStrip) {
        let pointer = ui
            .input(|input| input.pointer.hover_pos())
            .filter(|at| self.rect.contains(*at));
        let Some(pointer) = pointer.filter(|_| ui.rect_contains_pointer(self.rect)) else {
            return;
        };

        if pointer.x < strip.chart.left() {
            let how = if self.densities.is_exact {
                say!("timeline-all-steps")
            } else {
                say!("timeline-some-steps")
            };
            return tip_ui(
                ui,
                match self.kind {
                    DensityKind::Reads => say!("timeline-how-many-read", how = how),
                    DensityKind::Writes => say!("timeline-how-many-write", how = how),
                },
            );
        }
        let column = (pointer.x - strip.chart.left()) as usize;
        let position = say!(
            "timeline-position",
            position = strip.position_at(pointer.x).0
        );
        tip_ui(
            ui,
            format!(
                "{}
{position}",
                self.words(column)
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_an_earlier_view_are_not_told() {
        let share = AccessShare {
            steps: 32,
            reads: 12,
            ..AccessShare::default()
        };
        let densities = AccessDensities {
            columns: vec![share],
            ..AccessDensities::default()
        };
        let words = |age: AnswerAge, column: usize| {
            let (rect, color) = (Rect::ZERO, Color32::BLACK);
            let row = DensityRow {
                kind: DensityKind::Reads,
                rect,
                color,
                part: |share| share.reads,
                densities: &densities,
                age,
            };
            row.words(column)
        };
        assert_eq!(
            words(AnswerAge::Fresh, 0),
            "12 of 32 steps here read memory"
        );
        assert_eq!(words(AnswerAge::Fresh, 1), "not indexed yet");
        assert_eq!(words(AnswerAge::Old, 0), "searching…");
        assert_eq!(words(AnswerAge::Old, 1), "searching…");
    }
}
