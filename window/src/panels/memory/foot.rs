//! All about one byte, at the foot of the panel.

use std::sync::Arc;

use egui::{Pos2, Rect, Ui, pos2};
use stepback_index::{Cancel, Heap};
use stepback_machine::Address;
use stepback_parsers::{Position, RegisterSource};

use crate::panels::ViewCx;
use crate::panels::pen::{INSET, Pen, ROW};
use crate::panels::row::StepLink;
use crate::theme::{mono, ui as ui_font};
use stepback_debugger::action::{Action, Follow};
use stepback_debugger::analysis::heap::{has_heap, heap};
use stepback_debugger::messages::say;
use stepback_debugger::model::byte_detail::{ByteAccesses, ByteDetail, byte_detail};
use stepback_debugger::model::heap_words::block_words;
use stepback_debugger::model::physical::tells_physical;
use stepback_debugger::model::so_far::source_so_far;
use stepback_debugger::model::value_source::SourceWords;
use stepback_debugger::session::Session;
use stepback_debugger::worker::Slot;

/// Its height.
const HEIGHT: f32 = 24.0;

/// The answer about the byte that is shown.
#[derive(Debug, Default)]
pub struct Foot {
    answer: Slot<(Address, Position), ByteDetail>,
    /// The blocks of the heap, asked once a trace.
    heap: Slot<(), Heap>,
}

/// What the panel sees, and what it follows.
pub struct Scene<'a> {
    pub cx: &'a ViewCx<'a>,
    pub follow: Follow,
}

/// Where a line begins, and where it ends.
pub struct LinePlace {
    pub at: Pos2,
    pub right: f32,
}

/// A byte at a position, and what accessed it.
pub struct ByteAt<'a> {
    pub address: Address,
    pub position: Position,
    pub accesses: &'a ByteAccesses,
    /// Where the trace says that it lies in physical memory.
    pub physical: Option<&'a str>,
}

/// How high the foot of a trace is: one without values has a second line, about the memory around the byte; so has one that
/// tells of physical addresses.
pub fn height(session: &Session) -> f32 {
    match session.index.source().traits().registers {
        RegisterSource::Recorded if !tells_physical(session) => HEIGHT,
        RegisterSource::Recorded | RegisterSource::Operands => HEIGHT + ROW,
    }
}

impl Foot {
    /// What is known of a byte, if it is the one that was asked about last.
    pub fn known(&self, address: Address) -> Option<&ByteDetail> {
        self.answer.peek().map(|(_, detail)| detail).filter(|detail| detail.address == address)
    }

    /// The block of the heap that an address lies in, in words, where the blocks are known.
    pub fn block(&self, session: &Session, address: Address, position: Position) -> Option<String> {
        let (_, blocks) = self.heap.peek()?;
        block_words(session, blocks, address, position)
    }

    /// Draws the foot.
    pub fn ui(
        &mut self,
        ui: &Ui,
        rect: Rect,
        address: Option<Address>,
        Scene { cx, follow }: Scene<'_>,
        out: &mut Vec<Action>,
    ) {
        let pen = Pen::new(ui, rect, cx.tok);
        pen.fill(rect, cx.tok.bg2);
        pen.line_across(rect.left(), rect.right(), rect.top(), cx.tok.line);
        let Some(address) = address else { return };
        let position = cx.desk.windows.position_of(follow);
        let answer = self.answer.poll(&(address, position), &cx.desk.worker, |(address, position)| {
            let (address, position, session) = (*address, *position, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| byte_detail(&session, address, position, cancel)
        });
        let y = rect.top() + HEIGHT / 2.0;
        let x = pen.code(rect.left() + INSET, y, format!("{:08x}", address.0), cx.tok.t1) + 8.0;
        // The answer about another byte would be wrong here, not merely old.
        let Some(detail) = answer.any().filter(|detail| detail.address == address) else { return };
        let window = cx.desk.windows.travelling(follow);
        let link =
            |step, x: f32, out: &mut Vec<Action>| StepLink { step, trace: cx.trace(), window }.ui(ui, &pen, x, y, out);
        let label = |x: f32, text: &str| pen.text(x, y, text, ui_font(11.5), cx.tok.t2);
        if let Some(physical) = detail.physical.as_deref().filter(|_| detail.accesses.is_none()) {
            let below = pos2(rect.left() + INSET, y + ROW - 2.0);
            pen.cut_text(below, physical, ui_font(11.5), cx.tok.t2, rect.right() - 8.0);
        }
        let mut x = x;
        if let Some(symbol) = &detail.symbol {
            x = pen.cut_text(pos2(x, y), symbol, mono(12.5), cx.tok.symbol, rect.right() - 120.0) + INSET;
        }
        let state = source_so_far(&cx.desk.session, detail.state.source, SourceWords::of(detail.state.source).phrase);
        if let Some(read) = &detail.external {
            x = label(x, say!("memory-external-read-by")) + 3.0;
            x = link(read.step, x, out) + INSET;
            let (was, now) = read.byte(address).unwrap_or((None, 0));
            let was = was.map_or_else(|| "??".to_owned(), |was| format!("{was:02x}"));
            x = pen.code(label(x, say!("memory-was")) + 7.0, y, was, cx.tok.t1);
            x = pen.code(label(x + 7.0, say!("memory-now")) + 7.0, y, format!("{now:02x}"), cx.tok.external) + INSET;
            if let Some(step) = detail.written_by {
                link(step, label(x, say!("memory-last-write")) + 3.0, out);
            }
            return;
        }
        if let Some(accesses) = &detail.accesses {
            let below = pos2(rect.left() + INSET, y + ROW - 2.0);
            block_ui(
                &mut self.heap,
                &pen,
                LinePlace { at: below, right: rect.right() },
                ByteAt { address, position, accesses, physical: detail.physical.as_deref() },
                cx,
            );
            let written = accesses.written.as_deref().unwrap_or("");
            let steps = [
                (detail.written_by, say!("memory-written-by", what = written)),
                (accesses.last_read, say!("memory-last-read-step").to_owned()),
                (detail.next_write, say!("memory-next-write").to_owned()),
                (accesses.next_read, say!("memory-next-read").to_owned()),
            ];
            if detail.written_by.is_none() {
                x = label(x, say!("memory-never-written-before")) + INSET;
            }
            for (step, words) in steps {
                if let Some(step) = step.filter(|_| x + 130.0 < rect.right()) {
                    x = link(step, label(x, words.trim_start()) + 3.0, out) + INSET;
                }
            }
            return;
        }
        x = match detail.written_by {
            Some(step) => link(step, label(x, &say!("memory-state-written-by", state = &*state)) + 3.0, out) + INSET,
            None => label(x, &say!("memory-state-never-written", state = &*state)) + INSET,
        };
        if let (Some(before), Some(_)) = (detail.before, detail.written_by) {
            x = pen.code(label(x, say!("memory-before")) + 7.0, y, format!("{before:02x}"), cx.tok.t1) + INSET;
        }
        if let Some(step) = detail.next_write.filter(|_| x + 120.0 < rect.right()) {
            link(step, label(x, say!("memory-next-write")) + 3.0, out);
        }
    }
}

/// What casts doubt on the last store, the block of the heap, and the physical address: as far as they are known.
fn block_ui(
    blocks: &mut Slot<(), Heap>,
    pen: &Pen<'_>,
    LinePlace { at, right }: LinePlace,
    ByteAt { address, position, accesses, physical: told }: ByteAt<'_>,
    cx: &ViewCx<'_>,
) {
    let mut x = at.x;
    let mut say = |text: &str, color| {
        x = pen.cut_text(pos2(x, at.y), text, ui_font(11.5), color, right - 8.0) + INSET;
    };
    if let Some(doubt) = &accesses.doubt {
        say(doubt, pen.tok.warn);
    }
    if has_heap(cx.desk.session.companions.functions.as_ref()) {
        let answer = blocks.poll_long(&(), &cx.desk.worker, |()| {
            let session = Arc::clone(&cx.desk.session);
            move |cancel: &Cancel| Ok(heap(&session.index, session.companions.functions.as_ref(), cancel)?)
        });
        if let Some(words) = answer.any().and_then(|blocks| block_words(&cx.desk.session, blocks, address, position)) {
            say(&words, pen.tok.t2);
        }
    }
    let physical = cx.desk.session.companions.pages.as_ref().and_then(|pages| pages.physical(address.0));
    match (told, physical) {
        (Some(told), _) => say(told, pen.tok.t2),
        (None, Some(physical)) => say(&say!("memory-physical", address = format!("{physical:x}")), pen.tok.t2),
        (None, None) => {}
    }
}
