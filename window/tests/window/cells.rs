//! Cells: in the rows of the trace, in other notations, and in memory.

use egui::{Key, Modifiers};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Action, CellName, Direction, Follow, MemoryChange, MemoryText, PanelAction, PanelKind,
    RegisterFormat, ViewAction,
};
use stepback_generator::drmemtrace::{Container, TraceRecipe, TraceWriter};

use crate::sandbox::Sandbox;
use crate::support::Driver;

fn at(position: u64) -> Driver {
    let mut window = Driver::fixture("overflow_bare.tiny.tarmac");
    window.go_to(&position.to_string());
    window
}

/// Returns the cell that "last write" applies to.
fn cell(window: &Driver) -> Option<CellName> {
    window.workspace().cell().cloned()
}

fn register(name: &str) -> Option<CellName> {
    Some(CellName::Register(name.to_owned()))
}

fn change(window: &mut Driver, change: MemoryChange) {
    window.perform(Action::View(ViewAction::Memory(change)));
}

#[test]
fn a_click_on_a_register_in_a_row_selects_it() {
    let mut window = at(1250);
    let place = window.place_of_text("step 1252", "x19");
    window.click_at(place, 1);
    window.check_position(1253);
    assert_eq!(cell(&window), register("x19"));
}

#[test]
fn a_double_click_on_a_register_in_a_row_travels_to_its_last_write() {
    let mut window = at(1250);
    let place = window.place_of_text("step 1252", "x19");
    window.click_at(place, 2);
    window.check_position(1189);
}

/// The core of a row differs from that of the previous step.
const TWO_CORES: &str = "\
1 clk cpu0 IT (0) 00001000 d2800020 O EL1h_n : MOV x0,#1
1 clk cpu0 R X0 0000000000000001
2 clk cpu0 IT (1) 00001004 d2800041 O EL1h_n : MOV x1,#2
2 clk cpu0 R X1 0000000000000002
3 clk cpu1 IT (0) 00002000 d2800060 O EL1h_n : MOV x0,#3
3 clk cpu1 R X0 0000000000000003
4 clk cpu0 IT (2) 00001008 aa0003e2 O EL1h_n : MOV x2,x0
4 clk cpu0 R X2 0000000000000001
";

#[test]
fn a_register_in_a_row_is_that_of_the_thread_of_the_row() {
    let sandbox = Sandbox::new();
    let mut window = sandbox.open(&sandbox.file("cores.tarmac", TWO_CORES));
    window.go_to("2");
    let place = window.place_of_text("step 3", "x0");
    window.click_at(place, 1);
    assert_eq!(cell(&window), register("x0 of cpu0"));
    window.go_to("2");
    let place = window.place_of_text("step 3", "x0");
    window.click_at(place, 2);
    window.check_position(1);
}

#[test]
fn an_address_in_a_row_is_selected_in_memory() {
    let mut window = at(1250);
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Memory)));
    let place = window.place_of_text("step 1249", "[80020010]");
    window.click_at(place, 1);
    assert!(window.has("byte 0x80020010"));
    assert_eq!(
        cell(&window),
        Some(CellName::Memory("0x80020010".to_owned(), 1))
    );
}

#[test]
fn registers_are_written_as_they_were_chosen() {
    let mut window = at(1250);
    let hex = window.register("x0");
    window.perform(Action::View(ViewAction::FormatRegisters(
        RegisterFormat::Unsigned,
    )));
    let number: u64 = window.register("x0").parse().unwrap();
    assert_eq!(u64::from_str_radix(&hex, 16), Ok(number));
    window.perform(Action::View(ViewAction::FormatRegisters(
        RegisterFormat::Hex,
    )));
    window.perform(Action::View(ViewAction::HalveRegisters));
    assert!(
        window.painted("register x0").starts_with("w0"),
        "{}",
        window.painted("register x0")
    );
}

/// An exception sets the program counter to its vector (DDI 0487, D1.3), whose address the trace does
/// not show: it ends there. `stepback at` says the same.
#[test]
fn the_pc_is_unknown_where_the_trace_ends_in_an_exception() {
    let mut window = Driver::demo();
    window.go_to("end");
    let pc = window.register("pc");
    assert!(pc.starts_with("unknown"), "{pc}");
    assert_eq!(window.count_like("frame 0 b682e58791e59992"), 1);
}

#[test]
fn a_stored_constant_is_shown_in_a_trace_without_values() {
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.time(13_400_000_000_000_000, 1);
    // mov qword ptr [rax], 0x10
    writer.instruction(0x40_1000, &[0x48, 0xc7, 0x00, 0x10, 0x00, 0x00, 0x00]);
    writer.write(0x5000, 8);
    let sandbox = Sandbox::new();
    let mut window =
        sandbox.open(&sandbox.file("app.trace", writer.finish().pack(Container::Plain)));
    window.go_to("0");
    let row = window.painted("step 0");
    assert!(row.contains("[5000] ← 10"), "{row}");
}

#[test]
fn rows_of_memory_are_as_wide_as_they_were_chosen() {
    let mut window = at(1250);
    window.perform(Action::View(ViewAction::ShowMemory("80020000".to_owned())));
    let is_one_row = |window: &Driver| {
        window.rect("byte 0x80020000").top() == window.rect("byte 0x8002001f").top()
    };
    change(&mut window, MemoryChange::Width(Some(16)));
    assert!(!is_one_row(&window));
    change(&mut window, MemoryChange::Width(Some(8)));
    assert!(window.rect("byte 0x80020000").top() < window.rect("byte 0x80020008").top());
    change(&mut window, MemoryChange::Text(MemoryText::Utf8));
    change(&mut window, MemoryChange::Floats);
    assert!(window.has("number at 0x80020000"));
}

#[test]
fn memory_is_compared_in_place() {
    let mut window = at(1250);
    window.perform(Action::View(ViewAction::ShowMemory("x22".to_owned())));
    window.press(Key::D);
    assert!(window.has("stop comparing memory"));
    window.press(Key::D);
    let pinned = Follow::Pinned(1249.into());
    change(&mut window, MemoryChange::Compare(Some(pinned)));
    change(&mut window, MemoryChange::GoToChanged(Direction::Forward));
    assert_eq!(
        cell(&window),
        Some(CellName::Memory("0x80020010".to_owned(), 1))
    );
    change(&mut window, MemoryChange::GoToChanged(Direction::Forward));
    assert_eq!(window.count_like("No changed byte above the cursor"), 1);
}

#[test]
fn comparing_with_a_window_ends_when_that_is_closed() {
    let mut window = at(1250);
    window.press_with(Modifiers::COMMAND, Key::B);
    window.perform(Action::View(ViewAction::ShowMemory("x22".to_owned())));
    change(
        &mut window,
        MemoryChange::Compare(Some(Follow::Window(WindowId(1)))),
    );
    assert!(window.has("stop comparing memory"));
    window.press_with(Modifiers::COMMAND, Key::Num1);
    window.press_with(Modifiers::COMMAND, Key::W);
    assert_eq!(window.positions().len(), 1);
    assert!(!window.has("stop comparing memory"));
}

#[test]
fn a_text_is_found_in_memory() {
    let mut window = at(1250);
    window.perform(Action::View(ViewAction::ShowMemory("80020000".to_owned())));
    window.command("Find in memory %u5b");
    assert_eq!(
        cell(&window),
        Some(CellName::Memory("0x84020000".to_owned(), 1))
    );
    window.command("Find next in memory");
    assert_eq!(window.count_like("Not found above the cursor"), 1);
}

#[test]
fn regions_and_the_stack_are_listed() {
    let mut window = at(1250);
    window.perform(Action::Panel(PanelAction::ShowPanel(PanelKind::Regions)));
    assert!(window.count_like("region 8") > 1);
    window.perform(Action::Panel(PanelAction::ShowPanel(
        PanelKind::StackMemory,
    )));
    assert!(window.count_like("word ") > 3);
}

#[test]
fn windows_move_together_until_they_are_let_go() {
    let mut window = at(1250);
    window.press_with(Modifiers::COMMAND, Key::B);
    window.go_to("1,300");
    window.perform(Action::Panel(PanelAction::SyncWindows));
    window.press(Key::F11);
    assert_eq!(window.positions(), [(1, 1251), (2, 1301)]);
    // A window that follows another keeps as much history as the one that steps.
    let remembered = |window: &Driver| {
        window
            .desk()
            .windows
            .list
            .iter()
            .map(|one| one.back.len())
            .collect::<Vec<_>>()
    };
    let before = remembered(&window);
    window.press(Key::F11);
    window.press(Key::F10);
    assert_eq!(remembered(&window), before);
    window.go_to("1,301");
    let (first, second) = (window.positions()[0].1, window.positions()[1].1);
    assert_eq!(second - first, 50);
    window.go_to("1,301");
    window.perform(Action::Panel(PanelAction::SyncWindows));
    let first = window.positions()[0].1;
    window.press(Key::F11);
    assert_eq!(window.positions(), [(1, first), (2, 1302)]);
}

#[test]
fn windows_scroll_together_until_they_are_let_go() {
    let mut window = at(1250);
    window.press_with(Modifiers::COMMAND, Key::B);
    window.go_to("1,300");
    // The window in front, whose row is in view, and the one next to it.
    let tops = |window: &mut Driver| {
        let top = |label: &str| window.rect(label).top();
        (top("step 1252"), top("step 1298"))
    };
    let before = tops(&mut window);
    window.perform(Action::Panel(PanelAction::SyncWindows));
    scroll(&mut window, -2.0);
    let after = tops(&mut window);
    assert!(after.1 < before.1 - 30.0, "{before:?} {after:?}");
    assert!(
        ((after.0 - before.0) - (after.1 - before.1)).abs() < 1.0,
        "{before:?} {after:?}"
    );
    window.check_position(1300);
    window.perform(Action::Panel(PanelAction::SyncWindows));
    scroll(&mut window, -1.0);
    let alone = tops(&mut window);
    assert!(
        alone.0 == after.0 && alone.1 < after.1,
        "{after:?} {alone:?}"
    );
}

/// Turns the wheel over the row of the second trace window's position.
fn scroll(window: &mut Driver, lines: f32) {
    let at = window.rect("step 1298").center();
    window.harness().hover_at(at);
    window.harness().event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: egui::vec2(0.0, lines),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    // The toolkit spreads the movement over some frames.
    window.harness().run_steps(60);
    window.wait();
}
