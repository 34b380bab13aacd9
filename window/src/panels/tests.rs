//! Tests of the panels without a display: the names that they show and the actions that they push.

use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Access, Action, CellName, Direction, FoldAction, Follow, PanelAction, PanelId, PanelKind,
    TravelAction, ViewAction,
};
use stepback_debugger::desk::{Desk, desk_over};
use stepback_debugger::model::{MoveContext, SourceChoice};
use stepback_debugger::session::test_session::overflow;
use stepback_debugger::views::MemoryView;
use stepback_machine::RegisterGroup;
use stepback_parsers::Position;

use super::calls::CallsPanel;
use super::compare::ComparePanel;
use super::memory::MemoryPanel;
use super::trace::TracePanel;
use super::*;
use crate::theme::{FontSetup, ThemeColors, install_fonts, install_styles};

type Draw = Box<dyn FnMut(&mut egui::Ui, &PanelContext<'_>, &mut Vec<Action>)>;

/// A window that contains one panel.
struct Bench {
    desk: Desk,
    actions: Vec<Action>,
    is_dressed: bool,
    draw: Draw,
}

const ONE: WindowId = WindowId(1);

impl Bench {
    fn new(
        position: u64,
        draw: impl FnMut(&mut egui::Ui, &PanelContext<'_>, &mut Vec<Action>) + 'static,
    ) -> Harness<'static, Self> {
        let mut desk = desk_over(overflow(), 0);
        let ground = MoveContext::at(&desk.session.index, Position(0)).expect("a trace");
        desk.windows
            .active_mut()
            .travel(Position(position), &ground);
        desk.sources = SourceChoice {
            is_in_rows: true,
            ..SourceChoice::default()
        };
        let bench = Self {
            desk,
            actions: Vec::new(),
            is_dressed: false,
            draw: Box::new(draw),
        };
        let mut harness = Harness::builder()
            .with_size([620.0, 420.0])
            .build_ui_state(Self::frame, bench);
        harness.run();
        harness
    }

    fn frame(ui: &mut egui::Ui, bench: &mut Self) {
        if !bench.is_dressed {
            // Fonts arrive with the next frame.
            install_fonts(ui.ctx(), &FontSetup::default());
            install_styles(ui.ctx());
            bench.is_dressed = true;
            ui.ctx().request_repaint();
            return;
        }
        let Self {
            desk,
            actions,
            draw,
            ..
        } = bench;
        let cx = PanelContext {
            desk,
            tok: ThemeColors::current(ui),
            tile: PanelId(1),
            has_focus: true,
        };
        draw(ui, &cx, actions);
    }
}

/// Runs a frame and takes the actions pushed since the last call.
fn taken(harness: &mut Harness<'static, Bench>) -> Vec<Action> {
    harness.run();
    std::mem::take(&mut harness.state_mut().actions)
}

fn trace(position: u64) -> Harness<'static, Bench> {
    let mut panel = TracePanel::new(ONE);
    Bench::new(position, move |ui, cx, out| panel.ui(ui, cx, out))
}

#[test]
fn a_click_on_a_row_travels_to_after_its_step() {
    let mut harness = trace(1250);
    harness.get_by_label("step 1245").click();
    assert_eq!(taken(&mut harness), [Action::travel(ONE, Position(1246))]);
}

#[test]
fn the_box_next_to_a_call_folds_it() {
    let mut harness = trace(1235);
    harness.get_by_label("fold step 1229").click();
    let call = match taken(&mut harness).as_slice() {
        [
            Action::Panel(PanelAction::Activate(ONE)),
            Action::Fold(FoldAction::Toggle(call)),
        ] => *call,
        other => panic!("{other:?}"),
    };
    let session = overflow();
    let ground = MoveContext::at(&session.index, Position(1235)).expect("a position");
    harness
        .state_mut()
        .desk
        .windows
        .active_mut()
        .fold(FoldAction::Toggle(call), &ground);
    harness.run();
    assert!(harness.query_by_label("step 1233").is_none());
    harness.get_by_label("unfold step 1229");
    harness.get_by_label_contains("folded ");
    assert_eq!(
        harness.state().desk.windows.active().position,
        Position(1237)
    );
}

#[test]
fn the_menu_of_a_row_asks_for_the_last_write_before_it() {
    let mut harness = trace(1250);
    harness.get_by_label("step 1249").click_secondary();
    harness.run();
    harness
        .get_by_label("Last write of [80020010] before it")
        .click();
    let cell = CellName::Memory("0x80020010".to_owned(), 1);
    let expected = [
        Action::travel(ONE, Position(1249)),
        Action::Travel(TravelAction::GoToAccess(
            cell,
            Access::Write,
            Direction::Back,
        )),
    ];
    assert_eq!(taken(&mut harness), expected);
}

#[test]
fn the_list_follows_the_position_and_can_be_scrolled_away() {
    let mut harness = trace(0);
    harness.get_by_label("step 0");
    let session = overflow();
    let ground = MoveContext::at(&session.index, Position(0)).expect("a position");
    harness
        .state_mut()
        .desk
        .windows
        .active_mut()
        .edge(Direction::Forward, &ground);
    harness.run();
    harness.get_by_label("step 1762");
    harness.hover_at(egui::pos2(200.0, 200.0));
    harness.event(egui::Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: egui::vec2(0.0, 100.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run_steps(40);
    assert!(harness.query_by_label("step 1762").is_none());
}

#[test]
fn raw_text_shows_lines() {
    let mut harness = trace(1250);
    harness.state_mut().desk.windows.active_mut().is_raw = true;
    harness.run();
    harness.get_by_label("line 2583").click();
    assert_eq!(taken(&mut harness), [Action::travel(ONE, Position(1250))]);
}

#[test]
fn enter_on_a_register_asks_for_its_last_write() {
    let mut panel = RegistersPanel::new(Follow::Window(ONE));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("register x2").click();
    harness.run();
    harness.key_press(Key::ArrowDown);
    harness.key_press(Key::Enter);
    harness.key_press_modifiers(Modifiers::SHIFT, Key::Enter);
    harness.key_press(Key::M);
    let access = |direction| {
        Action::Travel(TravelAction::GoToAccess(
            CellName::Register("x3".to_owned()),
            Access::Write,
            direction,
        ))
    };
    let expected = [
        access(Direction::Back),
        access(Direction::Forward),
        Action::View(ViewAction::ShowMemory("0x75".to_owned())),
    ];
    assert_eq!(taken(&mut harness), expected);
}

#[test]
fn vector_registers_are_shown_on_demand() {
    let mut panel = RegistersPanel::new(Follow::Window(ONE));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    // In a lower panel the list would have to be scrolled to the groups.
    harness.set_size(egui::vec2(620.0, 600.0));
    harness.run();
    assert!(harness.query_by_label("register v0").is_none());
    harness.get_by_label("show vector registers").click();
    harness.run();
    harness.get_by_label("register v0");
}

#[test]
fn the_last_registers_give_way_to_the_details_of_one() {
    let mut panel = RegistersPanel::new(Follow::Window(ONE));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    for height in [600.0, 420.0, 260.0] {
        harness.set_size(egui::vec2(620.0, height));
        harness.run();
        harness.get_by_label("register x2").click();
        harness.run();
        assert!(has_step_link(&harness), "{height}");
    }
}

/// Returns true if a link to the step that wrote a register is shown.
fn has_step_link(harness: &Harness<'static, Bench>) -> bool {
    harness.get_all_by_role(egui::Role::Link).next().is_some()
}

#[test]
fn a_pinned_panel_asks_from_its_moment() {
    let mut panel = RegistersPanel::new(Follow::Pinned(900.into()));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("register x2").click();
    harness.run();
    harness.key_press(Key::Enter);
    let access = Action::Travel(TravelAction::GoToAccess(
        CellName::Register("x2".to_owned()),
        Access::Write,
        Direction::Back,
    ));
    assert_eq!(
        taken(&mut harness),
        [Action::travel(ONE, Position(900)), access]
    );
}

#[test]
fn digits_ask_for_the_last_write_of_aligned_bytes() {
    let mut panel = MemoryPanel::over(MemoryView::new(
        Follow::Window(ONE),
        "x22 + 0x10".to_owned(),
    ));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("byte 0x80020013").click();
    harness.run();
    harness.key_press(Key::Num1);
    harness.key_press(Key::Num8);
    let write = |address: &str, length| {
        Action::Travel(TravelAction::GoToAccess(
            CellName::Memory(address.to_owned(), length),
            Access::Write,
            Direction::Back,
        ))
    };
    assert_eq!(
        taken(&mut harness),
        [write("0x80020013", 1), write("0x80020010", 8)]
    );
    assert!(
        harness
            .query_all_by_label_contains("never accessed from")
            .count()
            > 0
    );
}

#[test]
fn an_address_stays_where_it_was_entered_until_the_expression_is_followed() {
    let mut panel = MemoryPanel::over(MemoryView::new(Follow::Window(ONE), "x19".to_owned()));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    let row =
        |harness: &Harness<'static, Bench>, byte: &str| harness.get_by_label(byte).rect().top();
    let first = row(&harness, "byte 0x8002000f");
    harness.state_mut().desk.windows.active_mut().position = Position(1763);
    harness.run();
    assert_eq!(row(&harness, "byte 0x8002000f"), first);
    harness.get_by_label("follow the expression").click();
    harness.run();
    // Address of x19 at this position.
    assert_eq!(row(&harness, "byte 0x840200a0"), first);
    harness.state_mut().desk.windows.active_mut().position = Position(1250);
    harness.run();
    assert_eq!(row(&harness, "byte 0x8002000f"), first);
}

#[test]
fn a_byte_that_is_asked_about_stays_in_view() {
    let mut panel = MemoryPanel::over(MemoryView::at_stack(Follow::Window(ONE)));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("byte 0x8ffff5e0").click();
    harness.run();
    harness.key_press(Key::Num8);
    let requested = taken(&mut harness);
    assert!(matches!(
        requested.as_slice(),
        [Action::Travel(TravelAction::GoToAccess(
            CellName::Memory(..),
            Access::Write,
            Direction::Back
        ))]
    ));
    // The stack is not known yet at position 0, so sp is elsewhere.
    harness.state_mut().desk.windows.active_mut().position = Position(0);
    harness.run();
    harness.get_by_label("byte 0x8ffff5e0");
}

#[test]
fn memory_can_be_scrolled_up_over_what_was_never_accessed() {
    let mut panel = MemoryPanel::over(MemoryView::new(
        Follow::Window(ONE),
        "0x84020000".to_owned(),
    ));
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("byte 0x84020000").click();
    harness.run();
    for _ in 0..4 {
        harness.key_press(Key::ArrowUp);
        harness.run();
    }
    harness.get_by_label("byte 0x8002001f");
}

#[test]
fn the_call_of_the_position_is_in_view() {
    let mut panel = CallsPanel::new(Follow::Window(ONE));
    let mut harness = Bench::new(1233, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("call 80000898").click();
    assert_eq!(taken(&mut harness), [Action::travel(ONE, Position(4))]);
    harness.get_by_label("close 80000898").click();
    harness.run();
    assert!(harness.query_by_label("call 80000764").is_none());
}

#[test]
fn calls_can_be_looked_for() {
    let mut panel = CallsPanel::new(Follow::Window(ONE));
    let mut harness = Bench::new(1233, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("Find a function").focus();
    harness.run();
    harness.get_by_label("Find a function").type_text("00328");
    harness.run();
    assert!(harness.query_all_by_label("call 80000328").count() > 5);
    harness.get_by_label("Find a function").type_text("zzz");
    harness.run();
    harness.get_by_label("No call matches");
}

#[test]
fn two_positions_are_compared() {
    let mut panel = ComparePanel::new();
    let mut harness = Bench::new(1250, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("Nothing to compare yet");
    harness.state_mut().desk.windows.open_at(Position(1763));
    harness.run();
    harness.get_by_label("difference x2").click();
    harness.run();
    harness.get_by_label("to step 1,761").click();
    assert_eq!(
        taken(&mut harness),
        [Action::travel(WindowId(2), Position(1762))]
    );
    harness.get_by_label("close group Registers").click();
    harness.run();
    assert!(harness.query_by_label("difference x2").is_none());
}

#[test]
fn a_thread_chosen_in_another_trace_gives_way_to_that_of_the_position() {
    let mut registers = RegistersPanel::new(Follow::Window(ONE));
    registers.view.thread = Some("cpu7".to_owned());
    let mut harness = Bench::new(1250, move |ui, cx, out| {
        registers.ui(ui, cx, out);
        let words = registers
            .view
            .thread
            .as_deref()
            .unwrap_or("no thread is chosen");
        ui.label(words);
    });
    harness.run();
    harness.get_by_label("no thread is chosen");
}

#[test]
fn the_tab_names_the_registers_that_are_shown() {
    let mut registers = RegistersPanel::new(Follow::Window(ONE));
    registers.choose_group(RegisterGroup::Scalable);
    let mut harness = Bench::new(1250, move |ui, cx, out| {
        registers.ui(ui, cx, out);
        ui.label(format!("tab {}", registers.title()));
    });
    harness.run();
    harness.get_by_label("tab Registers");
}

#[test]
fn a_trace_without_warnings_says_so() {
    let mut panel = Pane::new(PanelKind::Warnings, ONE);
    let harness = Bench::new(0, move |ui, cx, out| panel.ui(ui, cx, out));
    harness.get_by_label("No warnings");
}

#[test]
fn a_click_on_the_timeline_travels() {
    let mut state = TimelineState::default();
    let mut harness = Bench::new(0, move |ui, cx, out| {
        timeline_ui(ui, cx, None, &mut state, out)
    });
    harness.get_by_label("timeline").click();
    let actions = taken(&mut harness);
    let middle = 1763 / 2;
    assert!(
        matches!(actions.first(), Some(Action::Travel(TravelAction::Travel(ONE, Position(to)))) if to.abs_diff(middle) < 4),
        "{actions:?}"
    );
}

/// Applies the actions that the timeline pushed.
fn apply(harness: &mut Harness<'static, Bench>) {
    let bench = harness.state_mut();
    for action in std::mem::take(&mut bench.actions) {
        let window = bench.desk.windows.active_mut();
        let ground =
            MoveContext::at(&bench.desk.session.index, window.position).expect("a position");
        match action {
            Action::Travel(TravelAction::Travel(_, to)) => window.travel(to, &ground),
            Action::Travel(TravelAction::History(direction)) => {
                assert!(window.history(direction, &ground))
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_drag_along_the_timeline_is_one_visit() {
    let mut state = TimelineState::default();
    let mut harness = Bench::new(100, move |ui, cx, out| {
        timeline_ui(ui, cx, None, &mut state, out)
    });
    let button = |pressed| egui::Event::PointerButton {
        pos: egui::pos2(300.0, 60.0),
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    harness.hover_at(egui::pos2(300.0, 60.0));
    harness.run();
    harness.event(button(true));
    harness.step();
    apply(&mut harness);
    for x in [320.0, 350.0, 400.0, 450.0] {
        harness.event(egui::Event::PointerMoved(egui::pos2(x, 60.0)));
        harness.step();
        apply(&mut harness);
    }
    harness.event(button(false));
    harness.run();
    let window = harness.state().desk.windows.active();
    assert!(
        window.position > Position(1100) && window.position < Position(1400),
        "{:?}",
        window.position
    );
    assert_eq!(window.back, [Position(0), Position(100)]);
}
