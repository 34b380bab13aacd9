//! Source file of the position, with the next line to execute.

use stepback_debugger::messages::say;
use stepback_debugger::model::{TextRole, TextSpan};
use stepback_debugger::source::{SourceText, WordKind};
use stepback_debugger::views::{PanelView as _, SourceView};

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

impl ListView for SourceView {
    fn title(&self, _: &PaneContext<'_>) -> String {
        let file = self.line().map(|line| format!("  {}", line.file_name()));
        format!("{}{}", say!("source-source"), file.unwrap_or_default())
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let (Some(shown), Some(line)) = (self.shown(), self.line_at(place)) else {
            return;
        };
        let Some(text) = &shown.file.text else { return };
        let is_here = self.is_here(line, &shown.file);
        if is_here {
            pen.role(
                run,
                "▶",
                StyleRole::Position(
                    cx.desk
                        .windows
                        .travelling(self.follow().unwrap_or_default())
                        .0,
                ),
            );
        }
        let digits = text.lines.len().to_string().len();
        let number = CellRun::first(run.after(1), u16::try_from(digits).unwrap_or(u16::MAX));
        let role = if is_here {
            StyleRole::Key
        } else {
            StyleRole::Text(TextRole::Label)
        };
        pen.text_right(number, &line.to_string(), pen.look.style(role));
        let rest = run.from(number.end).after(1);
        let mark = match () {
            () if !shown.file.has_code(line) => " ",
            () if shown.executed.contains(&line) => "│",
            () => "·",
        };
        pen.role(rest, mark, StyleRole::Text(TextRole::Number));
        pen.spans(rest.after(2), &spans_of(text, line, self.aside()));
    }
}

/// Returns the words of a line with their meanings, without the first `aside` columns.
fn spans_of(text: &SourceText, line: u32, aside: usize) -> Vec<TextSpan> {
    let mut left_out = aside;
    let mut spans = Vec::new();
    for word in text.words(line) {
        let count = word.text.chars().count();
        let kept: String = word.text.chars().skip(left_out).collect();
        left_out = left_out.saturating_sub(count);
        if !kept.is_empty() {
            spans.push(TextSpan::new(meaning_of(word.kind), kept));
        }
    }
    spans
}

fn meaning_of(kind: WordKind) -> TextRole {
    match kind {
        WordKind::Plain => TextRole::Plain,
        WordKind::Keyword => TextRole::Branch,
        WordKind::Text => TextRole::Read,
        WordKind::Number => TextRole::Number,
        WordKind::Comment => TextRole::Comment,
        WordKind::Directive => TextRole::Symbol,
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::PaneStage;
    use super::*;
    use crate::pane::{CursorDirection, PaneCommand, PromptPurpose};
    use stepback_debugger::action::Direction;
    use stepback_debugger::session::test_session::overflow_with_image;

    fn stage(position: u64) -> PaneStage<ListPane<SourceView>> {
        PaneStage::over(
            overflow_with_image(),
            position,
            ListPane::new(SourceView::default()),
        )
    }

    #[test]
    fn the_line_of_the_position_is_in_view_with_lines_around_it() {
        let mut stage = stage(1250);
        assert_eq!(
            stage.draw(70, 12),
            r" overflow.c:43  in decode_field
   36 │             unsigned c = hexval(s[2]) << 12 | hexval(s[3]) << 8
   37 │             s += 6;
   38 │             if (c < 0x80) *p++ = (char)c;
   39 │             else if (c < 0x800) { *p++ = (char)(0xc0 | c >> 6)…
   40               else {
   41 │                 *p++ = (char)(0xe0 | c >> 12);
   42 │                 *p++ = (char)(0x80 | ((c >> 6) & 63));
*▶ 43 │                 *p++ = (char)(0x80 | (c & 63));
   44               }
   45 ·         } else if (*s == '%') { *p++ = (char)(hexval(s[1]) << 4
   46 ·         else *p++ = *s++;"
        );
        stage.go_to(0);
        assert_eq!(
            stage.draw(70, 12),
            r#" mini_a64.S:6  in _start
   3       .type _start,%function
   4   _start:
   5       // sp is set up by the "loader"; x0=argc x1=argv are NOT gi…
*▶ 6 │     ldr x0, [sp]
   7 │     add x1, sp, #8
   8 │     mov x29, xzr
   9 │     bl main
  10 ·     bl mini_exit
  11       .size _start,.-_start
  12       .type semihost,%function
  13   semihost:"#
        );
    }

    #[test]
    fn executions_of_a_line_are_gone_to_both_ways() {
        let requested = stage(1250)
            .press(&[
                PaneCommand::Access(Direction::Back),
                PaneCommand::Access(Direction::Forward),
            ])
            .requested;
        assert_eq!(
            format!("{:?}", requested.as_slice()),
            r#"[Do(Travel(GoToLine("/build/trace-corpus/src/overflow.c", 43, Forward, None))), Do(Travel(GoToLine("/build/trace-corpus/src/overflow.c", 43, Back, None)))]"#
        );
    }

    #[test]
    fn long_lines_are_scrolled_and_lines_chosen_by_a_text() {
        let mut stage = stage(1250).press(&[PaneCommand::Move(CursorDirection::Right)]);
        assert_eq!(
            stage.draw(40, 6),
            r" overflow.c:43  in decode_field
   39 │     else if (c < 0x800) { *p++ =…
   40       else {
   41 │         *p++ = (char)(0xe0 | c >…
   42 │         *p++ = (char)(0x80 | ((c
*▶ 43 │         *p++ = (char)(0x80 | (c …"
        );
        stage.answer(PromptPurpose::Filter, "c >> 6");
        let mut stage = stage.press(&[PaneCommand::Move(CursorDirection::Left)]);
        assert_eq!(
            stage.draw(70, 8),
            r" overflow.c:43  in decode_field
*  39 │             else if (c < 0x800) { *p++ = (char)(0xc0 | c >> 6)…
   42 │                 *p++ = (char)(0x80 | ((c >> 6) & 63));"
        );
    }

    #[test]
    fn without_an_image_the_pane_says_what_to_do() {
        assert_eq!(
            PaneStage::at(0, ListPane::new(SourceView::default())).draw(60, 6),
            r"  No program image
  Add the ELF file that was traced, compiled with -g."
        );
    }

    #[test]
    fn the_source_survives_all_sizes() {
        stage(1250).drum();
    }
}
