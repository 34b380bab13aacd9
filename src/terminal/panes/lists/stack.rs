//! The call stack.

use std::ops::Range;
use std::sync::Arc;

use stepback_index::{CallId, Cancel};
use stepback_parsers::Position;

use super::list::{Deed, Listed, Listing, Press, Row, Rows};
use crate::action::{Action, Follow, PanelKind};
use crate::messages::say;
use crate::model::Meaning;
use crate::model::call_stack::{
    Argument, CallStack, SourceWish, StackFrame, call_stack, called_at, entered_at, stack_frames,
};
use crate::model::frame_words::exception;
use crate::model::text::thousands;
use crate::terminal::look::Role;
use crate::terminal::pane::{Ask, Cx};
use crate::terminal::pen::{Pen, Run};
use crate::worker::{Answer, Slot};

/// How many frames are asked for at a time, so that stepping through a list of them rarely asks.
const BLOCK: usize = 128;
/// From this width on a row says where its function was called.
const WIDE: u16 = 100;

/// The frames around a position, innermost first.
#[derive(Default)]
pub struct Stack {
    follow: Follow,
    stack: Slot<Position, CallStack>,
    frames: Slot<(Vec<CallId>, SourceWish), Vec<StackFrame>>,
    held: Option<Held>,
}

/// A stack that stays while its user looks at its frames: at a call site, the frames inside of it would be gone.
#[derive(Clone, Copy)]
struct Held {
    /// Where the stack is that stays.
    at: Position,
    /// Where the pane sent the window. Anywhere else the stack is that of the position again.
    sent_to: Position,
}

impl Stack {
    /// Where the stack is that is shown.
    fn position(&self, cx: &Cx<'_>) -> Position {
        self.held(cx).map_or_else(|| cx.desk.windows.position_of(self.follow), |held| held.at)
    }

    fn held(&self, cx: &Cx<'_>) -> Option<Held> {
        let here = cx.desk.windows.position_of(self.follow);
        self.held.filter(|held| held.sent_to == here)
    }

    fn frame(&self, place: usize) -> Option<&StackFrame> {
        let id = self.stack.peek()?.1.frames.get(place)?;
        self.frames.peek()?.1.iter().find(|frame| frame.id == *id)
    }

    fn summary(&self, stack: &CallStack, cx: &Cx<'_>) -> String {
        let mut words = say!("stack-frames", count = stack.frames.len());
        let threads = cx.desk.session.index.threads();
        if let Some(thread) = threads.get(usize::from(stack.thread.0)).filter(|_| threads.len() > 1) {
            words = format!("{}  {words}", thread.name);
        }
        match self.held(cx) {
            Some(held) => format!("{words} {}", say!("stack-at", position = held.at.0)),
            None => words,
        }
    }
}

impl Listing for Stack {
    fn kind(&self) -> PanelKind {
        PanelKind::Stack
    }

    fn title(&self, _: &Cx<'_>) -> String {
        say!("stack-stack").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn ask(&mut self, cx: &Cx<'_>) -> Listed {
        let position = self.position(cx);
        let answer = self.stack.poll(&position, cx.worker(), |position| {
            let (position, session) = (*position, Arc::clone(&cx.desk.session));
            move |_: &Cancel| Ok(call_stack(&session, None, position)?)
        });
        let stack = match answer {
            Answer::Failed(error) => return Listed::Failed(error.to_owned()),
            answer => answer.any(),
        };
        match stack {
            None => Listed::Loading(String::new()),
            Some(stack) if stack.frames.is_empty() => Listed::Nothing(
                say!("stack-no-calls-here").to_owned(),
                say!("stack-the-thread-has-not-executed").to_owned(),
            ),
            Some(stack) => {
                let count = stack.frames.len();
                let summary = self.stack.peek().map(|(_, stack)| self.summary(stack, cx)).unwrap_or_default();
                Listed::Rows(Rows { count, summary, marked: None })
            }
        }
    }

    fn fetch(&mut self, seen: Range<usize>, cx: &Cx<'_>) -> Option<String> {
        let blocks = seen.start / BLOCK * BLOCK..(seen.end + 1).div_ceil(BLOCK) * BLOCK;
        let all = &self.stack.peek()?.1.frames;
        let ids = all.get(blocks.start..blocks.end.min(all.len())).unwrap_or_default().to_vec();
        let is_ready = cx.desk.session.images.are_lines_ready();
        let wish = if is_ready { SourceWish::Told } else { SourceWish::LeftOut };
        let answer = self.frames.poll(&(ids, wish), cx.worker(), |(ids, wish)| {
            let (ids, wish, session) = (ids.clone(), *wish, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(stack_frames(&session, &ids, wish, cancel)?)
        });
        if let Answer::Failed(error) = answer { Some(error.to_owned()) } else { None }
    }

    fn row(&self, Row { place, run }: Row, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let label = Role::Text(Meaning::Label);
        let rest = pen.role(run, &format!("#{place}"), label).from(run.x.saturating_add(4));
        let Some(frame) = self.frame(place) else {
            pen.role(rest, say!("list-loading"), label);
            return;
        };
        let here = cx.desk.windows.position_of(self.follow);
        let window = cx.desk.windows.travelling(self.follow);
        if self.held(cx).is_some() && [entered_at(&frame.call), called_at(&frame.call)].contains(&here) {
            pen.role(run.from(rest.x.saturating_sub(1)).first(1), "▶", Role::Position(window.0));
        }
        let step = frame.call_site.as_ref().map(|site| thousands(site.step.0)).unwrap_or_default();
        pen.text_right(rest, &step, pen.look.text(Meaning::Second));
        let mut rest = rest.first(rest.cells().saturating_sub(step_cells(cx)));
        if run.cells() >= WIDE {
            let place = frame.call_site.as_ref().map_or_else(|| frame.call_text(), |site| site.place_text());
            let half = rest.x + rest.cells() * 3 / 5;
            pen.role(rest.from(half), &place, label);
            rest.end = half.saturating_sub(1);
        }
        let mut rest = pen.role(rest, &frame.name, Role::Text(Meaning::Symbol));
        for mark in frame.marks() {
            rest = pen.role(rest.behind(1), &format!("[{mark}]"), mark_role(mark));
        }
        draw_arguments(&frame.arguments, rest, pen);
    }

    fn has_heads(&self) -> bool {
        true
    }

    fn heads(&self, run: Run, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let style = pen.look.text(Meaning::Label);
        let words = format!("{}({})", say!("stack-function"), say!("stack-arguments-at-its-entry").to_lowercase());
        let rest = run.behind(4);
        pen.text_right(rest, say!("stack-step"), style);
        let rest = rest.first(rest.cells().saturating_sub(step_cells(cx)));
        if run.cells() >= WIDE {
            pen.text(rest.from(rest.x + rest.cells() * 3 / 5), say!("stack-called-from"), style);
        }
        pen.text(rest, &words, style);
    }

    fn press(&mut self, Press { place, deed }: Press, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let Some(call) = self.frame(place).map(|frame| frame.call) else { return false };
        let to = match deed {
            Deed::Go => entered_at(&call),
            Deed::GoOn => called_at(&call),
            Deed::Open | Deed::Close | Deed::Remove => return false,
        };
        self.held = Some(Held { at: self.position(cx), sent_to: to });
        out.push(Ask::Do(Action::Travel(cx.desk.windows.travelling(self.follow), to.0)));
        true
    }

    fn copied(&self, place: usize) -> Option<String> {
        let frame = self.frame(place)?;
        let arguments = frame.arguments.iter().map(|argument| format!("{}={}", argument.name, argument.value_text()));
        Some(format!("#{place} {}({})", frame.name, arguments.collect::<Vec<_>>().join(", ")))
    }

    fn forget(&mut self) {
        *self = Self { follow: self.follow, ..Self::default() };
    }
}

/// Cells of the number of a step, with a gap before it.
fn step_cells(cx: &Cx<'_>) -> u16 {
    let digits = thousands(cx.desk.session.index.step_count()).len().max(say!("stack-step").len());
    u16::try_from(digits).unwrap_or(u16::MAX).saturating_add(1)
}

fn mark_role(mark: &str) -> Role {
    if mark == exception() { Role::Error } else { Role::Text(Meaning::Label) }
}

/// What the registers of the arguments held: what nothing states is a question mark.
fn draw_arguments(arguments: &[Argument], run: Run, pen: &mut Pen<'_>) {
    if arguments.is_empty() {
        return;
    }
    let quiet = Role::Text(Meaning::Punctuation);
    let mut rest = pen.role(run, "(", quiet);
    for (place, argument) in arguments.iter().enumerate() {
        if place > 0 {
            rest = pen.role(rest, ", ", quiet);
        }
        rest = pen.role(rest, &argument.name, Role::Text(Meaning::Register));
        rest = pen.role(rest, "=", quiet);
        let meaning = if argument.value.is_unknown() { Meaning::Unknown } else { Meaning::Number };
        rest = pen.role(rest, &argument.value_text(), Role::Text(meaning));
    }
    pen.role(rest, ")", quiet);
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::terminal::command::{Command, Toward};

    fn stage() -> Stage<ListPane<Stack>> {
        Stage::at(1233, ListPane::new(Stack::default()))
    }

    #[test]
    fn frames_have_their_arguments_and_wide_ones_the_place_of_the_call() {
        assert_eq!(
            stage().draw(80, 10),
            r" 5 frames
     Function(arguments at its entry)                                        Step
*#0  80000328(x0=64, x1=ffffffe0, x2=7, x3=75, x4=0, x5=0, x6=0, x7=0)      1,229
 #1  80000390(x0=84020000, x1=840200a0, x2=8001fff0, x3=10, x4=0, x5=0, x6=   746
 #2  80000764(x0=0, x1=0, x2=1, x3=8ffff815, x4=0, x5=0, x6=0, x7=0)           84
 #3  80000898 [open](x0=3, x1=8ffff6c8, x2=0, x3=0, x4=0, x5=0, x6=0, x7=0)     3
 #4  80000000"
        );
        assert_eq!(
            stage().draw(120, 10),
            r" 5 frames
     Function(arguments at its entry)                                  Called from                                   Step
*#0  80000328(x0=64, x1=ffffffe0, x2=7, x3=75, x4=0, x5=0, x6=0, x7=0) 80000438                                     1,229
 #1  80000390(x0=84020000, x1=840200a0, x2=8001fff0, x3=10, x4=0, x5=0 800007f4                                       746
 #2  80000764(x0=0, x1=0, x2=1, x3=8ffff815, x4=0, x5=0, x6=0, x7=0)   800009d8                                        84
 #3  80000898 [open](x0=3, x1=8ffff6c8, x2=0, x3=0, x4=0, x5=0, x6=0,  8000000c                                         3
 #4  80000000                                                          the first frame of its thread"
        );
    }

    #[test]
    fn a_stack_stays_while_its_frames_are_looked_at() {
        let mut stage = stage().press(&[Command::Move(Toward::Down), Command::Access(Way::Back)]);
        assert_eq!(format!("{:?}", stage.asked), "[Do(Travel(WindowId(1), 747))]");
        stage.go_to(stage.asked_position());
        assert_eq!(
            stage.draw(80, 10),
            r" 5 frames at 1,233
     Function(arguments at its entry)                                        Step
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
