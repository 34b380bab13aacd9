//! The steps of two traces side by side.

use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::effects::EffectText;
use stepback_debugger::model::step_rows::StepRow;
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::BothTracesView;

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

/// Width of the number of a step, in cells.
const NUMBER: u16 = 11;
/// Width of the disassembly, in cells.
const CODE: u16 = 26;

impl ListView for BothTracesView {
    fn title(&self, _: &PaneContext<'_>) -> String {
        say!("differences-both-traces").to_owned()
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        if self.is_here(place) {
            pen.role(run, "▶", StyleRole::Position(cx.desk.windows.active.0));
        }
        let Some(step) = self.step(place) else {
            return;
        };
        let run = run.after(2);
        let half = run.cells() / 2;
        let role = match step.has_other_values {
            true => StyleRole::Changed,
            false => StyleRole::Text(TextRole::Second),
        };
        let sides = [
            (&step.a, run.first(half.saturating_sub(1))),
            (&step.b, run.after(half)),
        ];
        for (row, run) in sides {
            match row {
                Some(row) => draw_step(row, role, run, pen),
                None => _ = pen.role(run.after(NUMBER), "·", StyleRole::Text(TextRole::Label)),
            }
        }
    }
}

fn draw_step(row: &StepRow, effects: StyleRole, run: CellRun, pen: &mut Pen<'_>) {
    let style = pen.look.text(TextRole::Label);
    pen.text_right(run.first(NUMBER - 2), &thousands(row.step.0), style);
    let code = run.after(NUMBER);
    pen.role(
        code.first(CODE),
        &row.code.full_text(),
        StyleRole::Text(TextRole::Plain),
    );
    let words: Vec<String> = row.effects.iter().map(EffectText::full_text).collect();
    pen.role(code.after(CODE + 1), &words.join("  "), effects);
}
