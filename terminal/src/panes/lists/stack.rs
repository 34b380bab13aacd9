//! The call stack.

use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::call_stack::{ArgumentRegister, FrameMark, called_at, entered_at};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::{PanelView as _, StackView};

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

/// Minimum row width to show the place of each call, in cells.
const WIDE: u16 = 100;

impl ListView for StackView {
    fn title(&self, _: &PaneContext<'_>) -> String {
        say!("stack-stack").to_owned()
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let label = StyleRole::Text(TextRole::Label);
        let rest = pen
            .role(run, &format!("#{place}"), label)
            .from(run.x.saturating_add(4));
        let Some(frame) = self.frame(place) else {
            pen.role(rest, say!("list-loading"), label);
            return;
        };
        let here = cx
            .desk
            .windows
            .position_of(self.follow().unwrap_or_default());
        let window = cx
            .desk
            .windows
            .travelling(self.follow().unwrap_or_default());
        if self.held_at(cx.desk).is_some()
            && [entered_at(&frame.call), called_at(&frame.call)].contains(&here)
        {
            pen.role(
                run.from(rest.x.saturating_sub(1)).first(1),
                "▶",
                StyleRole::Position(window.0),
            );
        }
        let step = frame
            .call_site
            .as_ref()
            .map(|site| thousands(site.step.0))
            .unwrap_or_default();
        pen.text_right(rest, &step, pen.look.text(TextRole::Second));
        let mut rest = rest.first(rest.cells().saturating_sub(step_cells(cx)));
        if run.cells() >= WIDE {
            let place = frame
                .call_site
                .as_ref()
                .map_or_else(|| frame.call_text(), |site| site.place_text());
            let half = rest.x + rest.cells() * 3 / 5;
            pen.role(rest.from(half), &place, label);
            rest.end = half.saturating_sub(1);
        }
        let mut rest = pen.role(rest, &frame.name, StyleRole::Text(TextRole::Symbol));
        for mark in frame.marks() {
            rest = pen.role(
                rest.after(1),
                &format!("[{}]", mark.word()),
                mark_role(mark),
            );
        }
        draw_arguments(&frame.arguments, rest, pen);
    }

    fn has_heads(&self) -> bool {
        true
    }

    fn heads(&self, run: CellRun, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let style = pen.look.text(TextRole::Label);
        let words = format!(
            "{}({})",
            say!("stack-function"),
            say!("stack-arguments-at-its-entry").to_lowercase()
        );
        let rest = run.after(4);
        pen.text_right(rest, say!("stack-step"), style);
        let rest = rest.first(rest.cells().saturating_sub(step_cells(cx)));
        if run.cells() >= WIDE {
            pen.text(
                rest.from(rest.x + rest.cells() * 3 / 5),
                say!("stack-called-from"),
                style,
            );
        }
        pen.text(rest, &words, style);
    }
}

/// Returns the width of a step number and the gap before it, in cells.
fn step_cells(cx: &PaneContext<'_>) -> u16 {
    let digits = thousands(cx.desk.session.index.step_count())
        .chars()
        .count()
        .max(say!("stack-step").chars().count());
    u16::try_from(digits).unwrap_or(u16::MAX).saturating_add(1)
}

fn mark_role(mark: FrameMark) -> StyleRole {
    if mark == FrameMark::Exception {
        StyleRole::Error
    } else {
        StyleRole::Text(TextRole::Label)
    }
}

/// Draws the argument registers and their values. Unknown values are question marks.
fn draw_arguments(arguments: &[ArgumentRegister], run: CellRun, pen: &mut Pen<'_>) {
    if arguments.is_empty() {
        return;
    }
    let quiet = StyleRole::Text(TextRole::Punctuation);
    let mut rest = pen.role(run, "(", quiet);
    for (place, argument) in arguments.iter().enumerate() {
        if place > 0 {
            rest = pen.role(rest, ", ", quiet);
        }
        rest = pen.role(rest, &argument.name, StyleRole::Text(TextRole::Register));
        rest = pen.role(rest, "=", quiet);
        let meaning = if argument.value.is_unknown() {
            TextRole::Unknown
        } else {
            TextRole::Number
        };
        rest = pen.role(rest, &argument.value_text(), StyleRole::Text(meaning));
    }
    pen.role(rest, ")", quiet);
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::PaneStage;
    use super::*;
    use crate::pane::{CursorDirection, PaneCommand};
    use stepback_debugger::action::Direction;

    fn stage() -> PaneStage<ListPane<StackView>> {
        PaneStage::at(1233, ListPane::new(StackView::default()))
    }

    #[test]
    fn frames_have_their_arguments_and_wide_ones_the_place_of_the_call() {
        assert_eq!(
            stage().draw(80, 10),
            r" 5 frames
     Function(arguments at entry)                                            Step
*#0  80000328(x0=64, x1=ffffffe0, x2=7, x3=75, x4=0, x5=0, x6=0, x7=0)      1,229
 #1  80000390(x0=84020000, x1=840200a0, x2=8001fff0, x3=10, x4=0, x5=0, x6=   746
 #2  80000764(x0=0, x1=0, x2=1, x3=8ffff815, x4=0, x5=0, x6=0, x7=0)           84
 #3  80000898 [open](x0=3, x1=8ffff6c8, x2=0, x3=0, x4=0, x5=0, x6=0, x7=0)     3
 #4  80000000"
        );
        assert_eq!(
            stage().draw(120, 10),
            r" 5 frames
     Function(arguments at entry)                                      Called from                                   Step
*#0  80000328(x0=64, x1=ffffffe0, x2=7, x3=75, x4=0, x5=0, x6=0, x7=0) 80000438                                     1,229
 #1  80000390(x0=84020000, x1=840200a0, x2=8001fff0, x3=10, x4=0, x5=0 800007f4                                       746
 #2  80000764(x0=0, x1=0, x2=1, x3=8ffff815, x4=0, x5=0, x6=0, x7=0)   800009d8                                        84
 #3  80000898 [open](x0=3, x1=8ffff6c8, x2=0, x3=0, x4=0, x5=0, x6=0,  8000000c                                         3
 #4  80000000                                                          the first frame of its thread"
        );
    }

    #[test]
    fn a_stack_stays_while_its_frames_are_looked_at() {
        let mut stage = stage().press(&[
            PaneCommand::Move(CursorDirection::Down),
            PaneCommand::Access(Direction::Back),
        ]);
        assert_eq!(
            format!("{:?}", stage.requested),
            "[Do(Travel(Travel(WindowId(1), Position(747))))]"
        );
        stage.go_to(stage.requested_position());
        assert_eq!(
            stage.draw(80, 10),
            r" 5 frames at 1,233
     Function(arguments at entry)                                            Step
 #0  80000328(x0=64, x1=ffffffe0, x2=7, x3=75, x4=0, x5=0, x6=0, x7=0)      1,229
*#1 ▶80000390(x0=84020000, x1=840200a0, x2=8001fff0, x3=10, x4=0, x5=0, x6=   746
 #2  80000764(x0=0, x1=0, x2=1, x3=8ffff815, x4=0, x5=0, x6=0, x7=0)           84
 #3  80000898 [open](x0=3, x1=8ffff6c8, x2=0, x3=0, x4=0, x5=0, x6=0, x7=0)     3
 #4  80000000"
        );
    }

    #[test]
    fn the_stack_survives_all_sizes() {
        stage().drum();
    }
}
