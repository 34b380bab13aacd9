//! Details of one byte at the foot of the memory panel, and the context menu of a byte.

use egui::{Color32, Pos2, Rect, Ui, pos2};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Access, Action, Direction};
use stepback_debugger::messages::say;
use stepback_debugger::model::address_text::tells_physical;
use stepback_debugger::model::byte_detail::{ByteAccesses, ByteDetail, byte_digits};
use stepback_debugger::model::externals::ExternalRow;
use stepback_debugger::model::memory::{ByteCell, aligned};
use stepback_debugger::model::so_far::{SourceWords, source_so_far};
use stepback_debugger::session::Session;
use stepback_debugger::views::{ByteAction, MemoryView};
use stepback_machine::Address;
use stepback_parsers::{RegisterSource, Step};

use crate::panels::PanelContext;
use crate::panels::bookmarks::add_items;
use crate::panels::cursor_list::PanelOutput;
use crate::panels::memory::rows::{MemoryInput, MemoryRowsView};
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::panels::pen::{INSET, Pen, ROW};
use crate::panels::row::StepLink;
use crate::theme::{icons, mono, ui as ui_font};

/// Height of the first line, in points.
const HEIGHT: f32 = 24.0;

/// Minimum width of a foot that says which byte it is about, in points.
const POINTED_FROM: f32 = 440.0;

/// Panel context of the foot.
#[derive(Clone, Copy)]
pub struct MemoryFootContext<'a> {
    pub cx: &'a PanelContext<'a>,
    pub memory: &'a MemoryView,
    /// Byte under the pointer.
    pub pointed: Option<Address>,
}

/// Start and right limit of a line.
pub struct FootLineArea {
    pub at: Pos2,
    pub right: f32,
}

/// Returns the height of the foot.
/// Traces without values have a second line, about the memory around the byte. Traces with physical
/// addresses have one too.
pub fn height(session: &Session) -> f32 {
    match session.index.source().traits().registers {
        RegisterSource::Recorded if !tells_physical(session) => HEIGHT,
        RegisterSource::Recorded | RegisterSource::Operands => HEIGHT + ROW,
    }
}

/// Draws the foot.
pub fn foot_ui(
    ui: &Ui,
    rect: Rect,
    address: Option<Address>,
    scene: MemoryFootContext<'_>,
    out: &mut Vec<Action>,
) {
    let MemoryFootContext {
        cx,
        memory,
        pointed,
    } = scene;
    let pen = Pen::new(ui, rect, cx.tok);
    pen.fill(rect, cx.tok.bg2);
    pen.line_across(rect.left(), rect.right(), rect.top(), cx.tok.line);
    let Some(address) = address else { return };
    let y = rect.top() + HEIGHT / 2.0;
    let mut x = pen.code(
        rect.left() + INSET,
        y,
        format!("{:08x}", address.0),
        cx.tok.t1,
    ) + 8.0;
    // The cursor may be at another byte, which is lit.
    if pointed == Some(address) && memory.cursor() != pointed && rect.width() >= POINTED_FROM {
        x = pen.label(x, y, say!("memory-pointed"), cx.tok.t3) + 8.0;
    }
    let Some(detail) = memory.byte(address) else {
        return;
    };
    let window = cx.desk.windows.travelling(memory.follow());
    let mut line = FootLine {
        ui,
        pen: &pen,
        cx,
        window,
        at: pos2(x, y),
        right: rect.right(),
    };
    if let Some(symbol) = &detail.symbol {
        line.at.x = pen.cut_text(
            line.at,
            symbol,
            mono(12.5),
            cx.tok.symbol,
            line.right - 120.0,
        ) + INSET;
    }
    let below = FootLineArea {
        at: pos2(rect.left() + INSET, y + ROW - 2.0),
        right: rect.right(),
    };
    if let Some(physical) = detail
        .physical
        .as_deref()
        .filter(|_| detail.accesses.is_none())
    {
        pen.cut_text(
            below.at,
            physical,
            ui_font(11.5),
            cx.tok.t2,
            below.right - 8.0,
        );
    }
    match (&detail.external, &detail.accesses) {
        (Some(read), _) => line.external_ui(detail, read, out),
        (None, Some(accesses)) => {
            block_ui(scene, &pen, below, detail);
            line.accesses_ui(detail, accesses, out);
        }
        (None, None) => line.value_ui(detail, out),
    }
}

/// The first line, drawn from left to right.
struct FootLine<'a> {
    ui: &'a Ui,
    pen: &'a Pen<'a>,
    cx: &'a PanelContext<'a>,
    /// Window in which links travel.
    window: WindowId,
    /// Start of the next text.
    at: Pos2,
    right: f32,
}

impl FootLine<'_> {
    fn label(&mut self, text: &str, gap: f32) {
        self.at.x = self
            .pen
            .text(self.at.x, self.at.y, text, ui_font(11.5), self.cx.tok.t2)
            + gap;
    }

    fn code(&mut self, byte: Option<u8>, color: Color32, gap: f32) {
        self.at.x = self
            .pen
            .code(self.at.x, self.at.y, byte_digits(byte), color)
            + gap;
    }

    fn link(&mut self, step: Step, out: &mut Vec<Action>) {
        let link = StepLink {
            step,
            trace: self.cx.trace(),
            window: self.window,
        };
        self.at.x = link.ui(self.ui, self.pen, self.at.x, self.at.y, out) + INSET;
    }

    /// Draws a byte that a read showed to differ from the known value.
    fn external_ui(&mut self, detail: &ByteDetail, read: &ExternalRow, out: &mut Vec<Action>) {
        self.label(say!("memory-external-read-by"), 3.0);
        self.link(read.step, out);
        let (was, now) = read.byte(detail.address).unwrap_or((None, 0));
        self.label(say!("memory-was"), 7.0);
        self.code(was, self.cx.tok.t1, 7.0);
        self.label(say!("memory-now"), 7.0);
        self.code(Some(now), self.cx.tok.external, INSET);
        if let Some(step) = detail.written_by {
            self.label(say!("memory-last-write"), 3.0);
            self.link(step, out);
        }
    }

    /// Draws a byte of a trace without values: the steps that access it.
    fn accesses_ui(&mut self, detail: &ByteDetail, accesses: &ByteAccesses, out: &mut Vec<Action>) {
        let written = accesses.written.as_deref().unwrap_or("");
        let steps = [
            (detail.written_by, say!("memory-written-by", what = written)),
            (accesses.last_read, say!("memory-last-read-step").to_owned()),
            (detail.next_write, say!("memory-next-write").to_owned()),
            (accesses.next_read, say!("memory-next-read").to_owned()),
        ];
        if detail.written_by.is_none() {
            self.label(say!("memory-never-written-before"), INSET);
        }
        for (step, words) in steps {
            if let Some(step) = step.filter(|_| self.at.x + 130.0 < self.right) {
                self.label(words.trim_start(), 3.0);
                self.link(step, out);
            }
        }
    }

    /// Draws any other byte: the origin of its value, and the next write.
    fn value_ui(&mut self, detail: &ByteDetail, out: &mut Vec<Action>) {
        let source = detail.state.source;
        let state = source_so_far(
            &self.cx.desk.session,
            source,
            SourceWords::of(source).phrase,
        );
        match detail.written_by {
            Some(step) => {
                self.label(&say!("memory-state-written-by", state = &*state), 3.0);
                self.link(step, out);
            }
            None => self.label(&say!("memory-state-never-written", state = &*state), INSET),
        }
        if let (Some(before), Some(_)) = (detail.before, detail.written_by) {
            self.label(say!("memory-before"), 7.0);
            self.code(Some(before), self.cx.tok.t1, INSET);
        }
        if let Some(step) = detail.next_write.filter(|_| self.at.x + 120.0 < self.right) {
            self.label(say!("memory-next-write"), 3.0);
            self.link(step, out);
        }
    }
}

/// Draws the known ones of: doubt about the last store, heap block, physical address.
fn block_ui(scene: MemoryFootContext<'_>, pen: &Pen<'_>, place: FootLineArea, detail: &ByteDetail) {
    let (MemoryFootContext { cx, memory, .. }, FootLineArea { at, right }) = (scene, place);
    let mut x = at.x;
    let mut say = |text: &str, color| {
        x = pen.cut_text(pos2(x, at.y), text, ui_font(11.5), color, right - 8.0) + INSET;
    };
    if let Some(doubt) = detail
        .accesses
        .as_ref()
        .and_then(|accesses| accesses.doubt.as_deref())
    {
        say(doubt, pen.tok.warn);
    }
    if let Some(words) = memory.heap_words(detail.address, cx.desk) {
        say(&words, pen.tok.t2);
    }
    let address = detail.address.0;
    let physical = cx
        .desk
        .session
        .companions
        .pages
        .as_ref()
        .and_then(|pages| pages.physical(address));
    match (&detail.physical, physical) {
        (Some(words), _) => say(words, pen.tok.t2),
        (None, Some(physical)) => say(
            &say!("memory-physical", address = format!("{physical:x}")),
            pen.tok.t2,
        ),
        (None, None) => {}
    }
}

/// Byte that the menu is about.
#[derive(Clone, Copy)]
pub struct MenuByte<'a> {
    pub address: Address,
    pub cell: &'a ByteCell,
}

/// Draws the menu of a byte.
pub fn byte_menu(
    ui: &mut Ui,
    byte: MenuByte<'_>,
    view: MemoryRowsView<'_>,
    requested: PanelOutput<'_, MemoryInput>,
) {
    let (tok, address) = (view.cx.tok, byte.address);
    let PanelOutput { touched, out } = requested;
    menu_head_ui(
        ui,
        tok,
        &say!("memory-byte-at", address = format!("{:x}", address.0)),
        &byte.cell.hex(),
    );
    let mut add = |ui: &mut Ui, item: MenuItem<'_>, action: ByteAction| {
        if item.ui(ui, tok) {
            touched.action = Some((address, action));
        }
    };
    let last_write = |len_bytes| ByteAction::GoToAccess(len_bytes, Access::Write, Direction::Back);
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-byte"))
            .icon(icons::LAST_WRITE)
            .key("1"),
        last_write(1),
    );
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-half")).key("2"),
        last_write(2),
    );
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-word")).key("4"),
        last_write(4),
    );
    add(
        ui,
        MenuItem::new(say!("memory-last-write-of-the-double")).key("8"),
        last_write(8),
    );
    menu_line_ui(ui, tok);
    let group = u64::from(view.memory.group());
    let next_write = MenuItem::new(say!("memory-next-write-2"))
        .icon(icons::NEXT_WRITE)
        .key("Shift+Enter");
    add(
        ui,
        next_write,
        ByteAction::GoToAccess(group, Access::Write, Direction::Forward),
    );
    for (words, direction) in [
        (say!("memory-last-read-2"), Direction::Back),
        (say!("memory-next-read-2"), Direction::Forward),
    ] {
        add(
            ui,
            MenuItem::new(words),
            ByteAction::GoToAccess(group, Access::Read, direction),
        );
    }
    menu_line_ui(ui, tok);
    for len_bytes in [1, group].into_iter().take(if group > 1 { 2 } else { 1 }) {
        let first = aligned(address, len_bytes).0;
        let (label, key) = if len_bytes == 1 {
            (format!("[{first:x}]"), "W")
        } else {
            (format!("[{first:x}:{len_bytes}]"), "")
        };
        let words = say!("slice-why-item", cell = label);
        add(
            ui,
            MenuItem::new(&words).icon(icons::WHY).key(key),
            ByteAction::Why(len_bytes),
        );
    }
    let accesses = MenuItem::new(say!("memory-list-all-accesses"))
        .icon(icons::LIST)
        .key("Ctrl+Shift+A");
    add(ui, accesses, ByteAction::ListAccesses);
    add(
        ui,
        MenuItem::new(say!("memory-all-values"))
            .icon(icons::LIST)
            .key("Alt+A"),
        ByteAction::ListValues,
    );
    add(
        ui,
        MenuItem::new(say!("memory-watch"))
            .icon(icons::WATCH)
            .key("O"),
        ByteAction::Watch,
    );
    add(
        ui,
        MenuItem::new(say!("memory-waveform")).key("Shift+W"),
        ByteAction::Wave,
    );
    menu_line_ui(ui, tok);
    add_items(ui, view.memory.place(address), view.cx, out);
    add(
        ui,
        MenuItem::new(say!("memory-name-this-memory")),
        ByteAction::Name,
    );
    menu_line_ui(ui, tok);
    add(
        ui,
        MenuItem::new(say!("memory-begin-here")).icon(icons::MEMORY),
        ByteAction::Show,
    );
    add(
        ui,
        MenuItem::new(say!("memory-copy-address"))
            .icon(icons::COPY)
            .key("Ctrl+C"),
        ByteAction::CopyAddress,
    );
    add(
        ui,
        MenuItem::new(say!("memory-copy-value")),
        ByteAction::CopyValue,
    );
}
