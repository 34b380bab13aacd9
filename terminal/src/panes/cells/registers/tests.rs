//! Register panes as text: values and their signs, lanes, the cursor, locks and filters.

use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Access, Action, CellName, Direction, Follow, Moment, RegisterFormat, TravelAction, ViewAction,
};
use stepback_debugger::session::test_session::tarmac;
use stepback_machine::RegisterGroup;
use stepback_machine::display::{LaneFormat, LaneKind};
use stepback_parsers::Position;

use super::super::bench::CellPaneBench;
use super::RegistersPane;
use crate::CharacterSet;
use crate::pane::{
    CursorDirection, MouseInputKind, Pane as _, PaneAction, PaneCommand, PromptPurpose,
};

fn bench(position: u64) -> CellPaneBench<RegistersPane> {
    CellPaneBench::at(position, RegistersPane::default())
}

fn cursor(bench: &mut CellPaneBench<RegistersPane>) -> String {
    match bench.with(|pane, cx, _| pane.selection(cx)) {
        Some(CellName::Register(name)) => name,
        other => panic!("{other:?}"),
    }
}

const CHANGED: &str = "\
Registers
x0 *0000000000000038     x12 0000000000000000     x24 0000000000000000
x1 *00000000ffffffe1     x13 0000000000000000     x25 0000000000000000
x2 *0000000000000008     x14 0000000000000000     x26 0000000000000000
x3  0000000000000075     x15 0000000000000000     x27 0000000000000001
x4  0000000000000000     x16 0000000000000000     x28 0000000000000000
x5  0000000000000000     x17 0000000000000000     x29 000000008ffff5e0
x6  0000000000000000     x18 0000000000000000     x30 000000008000043c
x7  0000000000000000     x19*0000000080020012     sp  000000008ffff5e0
x8  0000000000000000     x20 0000000084020024     pc  000000008000033c~
x9  0000000000000000     x21*0000000000000001     psr*Nzcv EL3h
x10 0000000000000000     x22 0000000080020000
x11 0000000000000000     x23*0000000000005900
x0 0x38 = 56 written by step 1,295
";

#[test]
fn what_the_last_move_changed_and_what_is_inferred_have_signs() {
    let mut bench = bench(0);
    bench.go(1249, 1300);
    assert_eq!(bench.screen(), CHANGED);
    assert_eq!(bench.with(|pane, _, _| pane.wished_rows()), 12);
    bench.signs = CharacterSet::Ascii;
    assert_eq!(bench.screen(), CHANGED);
}

#[test]
fn at_the_start_nothing_is_changed() {
    let screen = bench(0).screen();
    assert!(
        screen.starts_with("Registers\nx0  0000000000000000     x12 0000000000000000 "),
        "{screen}"
    );
    assert!(
        !screen.contains('*') && screen.contains("pc  0000000080000000~"),
        "{screen}"
    );
}

#[test]
fn unknown_bytes_are_never_zeros() {
    let (session, _place) = tarmac(
        "0 clk IT (0) 00010000 d2800020 O EL3h_s : MOV x0,#1\n0 clk R X0 0000000000000001\n",
    );
    let mut bench = CellPaneBench::over(session, 1, RegistersPane::default());
    let screen = bench.screen();
    assert!(screen.contains("x0 =0000000000000001 "), "{screen}");
    assert!(screen.contains("x1  ???????????????? "), "{screen}");
    bench.press(&[PaneCommand::Move(CursorDirection::Down)]);
    assert_eq!(bench.status(), "x1 unknown");
    bench.take(&Action::View(ViewAction::FormatRegisters(
        RegisterFormat::Signed,
    )));
    assert!(bench.draw().contains("x1  ? "), "{}", bench.draw());
}

#[test]
fn of_what_is_written_but_unknown_nothing_says_that_it_stayed_the_same() {
    let (session, _place) = tarmac(
        "0 clk IT (0) 00010000 d2800020 O EL3h_s : MOV x0,#1\n0 clk R X0 XXXXXXXX00000001\n0 clk R X1 XXXXXXXXXXXXXXXX\n0 clk R X2 0000000000000001\n",
    );
    let screen = CellPaneBench::over(session, 1, RegistersPane::default()).screen();
    assert!(screen.contains("x0  ????????00000001 "), "{screen}");
    assert!(screen.contains("x1  ???????????????? "), "{screen}");
    assert!(screen.contains("x2 =0000000000000001 "), "{screen}");
}

#[test]
fn numbers_of_floating_point_are_after_their_digits() {
    let mut bench = bench(1249);
    bench.take(&Action::View(ViewAction::ShowRegisters(
        RegisterGroup::Single,
    )));
    bench.rows = 2;
    let expected = "\
s0   00000000 0.0                s17  00000000 0.0
s1   00000000 0.0                s18  00000000 0.0
";
    assert_eq!(bench.draw(), expected);
    assert_eq!(bench.title(), "Single precision");
    bench.take(&Action::View(ViewAction::ShowRegisters(
        RegisterGroup::Double,
    )));
    assert_eq!(
        bench.draw(),
        "d0   0000000000000000 0.0\nd1   0000000000000000 0.0\n"
    );
    bench.press(&[PaneCommand::Move(CursorDirection::Last)]);
    assert!(
        bench.draw().contains("fpcr") || bench.draw().contains("d31"),
        "{}",
        bench.draw()
    );
}

#[test]
fn vectors_are_read_by_lanes() {
    let (session, _place) = tarmac(
        "0 clk IT (0) 00010000 d503201f O EL3h_s : NOP\n0 clk R V1 00000000000000000000000040400000\n",
    );
    let mut bench = CellPaneBench::over(session, 1, RegistersPane::default());
    bench.take(&Action::View(ViewAction::ShowRegisters(
        RegisterGroup::Vector,
    )));
    bench.take(&Action::View(ViewAction::ReadLanes(LaneFormat::new(
        LaneKind::Float,
        4,
    ))));
    (bench.columns, bench.rows) = (60, 4);
    let expected = "\
v0  unknown
v1               3.0               0.0
[2]              0.0               0.0
v2  unknown    v10 unknown    v18 unknown    v26 unknown
";
    assert_eq!(bench.draw(), expected);
    bench.columns = 80;
    bench.press(&[
        PaneCommand::Move(CursorDirection::Down),
        PaneCommand::Move(CursorDirection::Right),
    ]);
    assert_eq!(cursor(&mut bench), "v1.s[0]");
    assert_eq!(
        bench.status(),
        "v1.s[0] 0x40400000 = 1077936128 written by step 0"
    );
}

#[test]
fn arrows_move_the_cursor_and_the_pane_scrolls() {
    let mut bench = bench(1249);
    bench.rows = 3;
    let mut after = |toward| {
        bench.press(&[PaneCommand::Move(toward)]);
        (
            cursor(&mut bench),
            bench
                .draw()
                .lines()
                .next()
                .unwrap_or_default()
                .trim_end()
                .len(),
        )
    };
    assert_eq!(after(CursorDirection::Down).0, "x1");
    assert_eq!(after(CursorDirection::Right).0, "x13");
    assert_eq!(after(CursorDirection::Right).0, "x25");
    assert_eq!(after(CursorDirection::Right).0, "x25");
    assert_eq!(after(CursorDirection::PageDown).0, "x27");
    assert_eq!(after(CursorDirection::Up).0, "x26");
    assert_eq!(after(CursorDirection::Left).0, "x14");
    assert_eq!(after(CursorDirection::Right).0, "x26");
    assert_eq!(after(CursorDirection::First).0, "x0");
    assert!(bench.draw().starts_with("x0 "));
}

#[test]
fn return_asks_for_the_last_write_from_the_moment_that_is_shown() {
    let mut bench = bench(1300);
    bench.press(&[
        PaneCommand::Move(CursorDirection::Down),
        PaneCommand::Access(Direction::Back),
    ]);
    let write = |direction| {
        Action::Travel(TravelAction::GoToAccess(
            CellName::Register("x1".to_owned()),
            Access::Write,
            direction,
        ))
    };
    assert_eq!(bench.actions(), [write(Direction::Back)]);
    bench.press(&[PaneCommand::Arrange]);
    bench.go(0, 0);
    bench.press(&[PaneCommand::Access(Direction::Forward)]);
    assert_eq!(
        bench.actions(),
        [
            Action::travel(WindowId(1), Position(1300)),
            write(Direction::Forward)
        ]
    );
}

#[test]
fn a_locked_pane_stays_where_it_is() {
    let mut bench = bench(1300);
    bench.press(&[PaneCommand::Arrange]);
    bench.go(1300, 0);
    assert_eq!(bench.title(), "Registers  locked to position 1,300");
    assert!(
        bench.draw().starts_with("x0  0000000000000038"),
        "{}",
        bench.draw()
    );
    bench.press(&[PaneCommand::Arrange]);
    assert_eq!(bench.title(), "Registers");
    assert!(
        bench.draw().starts_with("x0 *0000000000000000"),
        "{}",
        bench.draw()
    );
}

#[test]
fn a_pane_is_locked_to_a_line_or_a_time() {
    let mut bench = bench(0);
    bench.press(&[PaneCommand::Ask(PromptPurpose::LockAtLine)]);
    assert_eq!(
        std::mem::take(&mut bench.requested),
        [PaneAction::Prompt(PromptPurpose::LockAtLine, String::new())]
    );
    bench.answer(PromptPurpose::LockAtLine, " 2000 ");
    assert!(
        bench
            .title()
            .starts_with("Registers  locked to line:2000, position "),
        "{}",
        bench.title()
    );
    assert!(matches!(
        bench.pane.follow(),
        Some(Follow::Pinned(Moment {
            position: Position(1..),
            ..
        }))
    ));
    bench.answer(PromptPurpose::LockAtLine, "line:9999999");
    assert!(!bench.status().contains("line:line"), "{}", bench.status());
    bench.answer(PromptPurpose::LockAtLine, "9999999");
    assert!(bench.status().contains("9999999"), "{}", bench.status());
    bench.answer(PromptPurpose::LockAtTime, "x");
    assert!(bench.status().contains("\"x\""), "{}", bench.status());
    assert!(bench.title().contains("line:2000"), "{}", bench.title());
    bench.answer(PromptPurpose::LockAtTime, "1000");
    assert!(bench.title().contains("time:1000"), "{}", bench.title());
    bench.with(|pane, _, _| pane.leave_trace());
    assert_eq!(bench.pane.follow(), Some(Follow::Active));
}

#[test]
fn what_a_value_points_to_is_told_on_demand() {
    let session = stepback_debugger::session::test_session::overflow_with_image();
    let mut bench = CellPaneBench::over(session, 1300, RegistersPane::default());
    bench.take(&Action::View(ViewAction::SelectCell(CellName::Register(
        "x30".to_owned(),
    ))));
    assert_eq!(
        bench.draw().lines().nth(6).map(|line| line.contains("x30")),
        Some(true)
    );
    let without = bench.status();
    bench.press(&[PaneCommand::Pick]);
    let with = bench.status();
    assert!(
        !without.contains('→') && with.contains(" → "),
        "{without}\n{with}"
    );
    bench.press(&[
        PaneCommand::Move(CursorDirection::First),
        PaneCommand::Move(CursorDirection::Down),
    ]);
    assert!(bench.status().contains("no symbol"), "{}", bench.status());
    bench.press(&[PaneCommand::Pick]);
    assert!(!bench.status().contains("no symbol"), "{}", bench.status());
}

#[test]
fn registers_are_filtered_by_name() {
    let mut bench = bench(0);
    assert!(bench.take(&Action::View(ViewAction::FilterRegisters("X2".to_owned()))));
    assert!(
        bench.draw().starts_with("x2  0000000000000000"),
        "{}",
        bench.draw()
    );
    assert_eq!(bench.title(), "Registers  \"X2\"");
    bench.answer(PromptPurpose::Filter, "nothing");
    assert_eq!(
        bench.draw().trim_end(),
        "No register of this group has \"nothing\" in its name"
    );
}

#[test]
fn halves_and_other_ways_to_write_values_are_chosen() {
    let mut bench = bench(1300);
    bench.take(&Action::View(ViewAction::HalveRegisters));
    assert!(
        bench.draw().starts_with("w0  00000038 "),
        "{}",
        bench.draw()
    );
    bench.take(&Action::View(ViewAction::FormatRegisters(
        RegisterFormat::Signed,
    )));
    assert!(bench.draw().contains("w1  -31 "), "{}", bench.draw());
}

#[test]
fn the_mouse_picks_and_the_wheel_scrolls() {
    let mut bench = bench(1300);
    bench.rows = 4;
    bench.touch(30, 2, MouseInputKind::Click);
    assert_eq!(cursor(&mut bench), "x14");
    bench.touch(0, 0, MouseInputKind::Wheel(3));
    assert!(bench.draw().starts_with("x3 "), "{}", bench.draw());
    bench.touch(0, 0, MouseInputKind::DoubleClick);
    let expected = Action::Travel(TravelAction::GoToAccess(
        CellName::Register("x3".to_owned()),
        Access::Write,
        Direction::Back,
    ));
    assert_eq!(bench.actions(), [expected]);
}

#[test]
fn further_registers_open_below_their_title() {
    let mut bench = bench(1249);
    bench.press(&[PaneCommand::Move(CursorDirection::Last)]);
    assert_eq!(bench.draw().lines().last(), Some("+ System registers 1"));
    assert_eq!(bench.with(|pane, cx, _| pane.selection(cx)), None);
    bench.press(&[
        PaneCommand::Access(Direction::Back),
        PaneCommand::Move(CursorDirection::Down),
    ]);
    assert_eq!(bench.draw().lines().last(), Some("sp_el3 000000008ffff5e0"));
    assert_eq!(cursor(&mut bench), "sp_el3");
    bench.press(&[
        PaneCommand::Move(CursorDirection::Up),
        PaneCommand::Access(Direction::Back),
    ]);
    assert_eq!(bench.draw().lines().last(), Some("+ System registers 1"));
}

#[test]
fn a_wide_pane_has_more_columns() {
    let mut bench = bench(0);
    (bench.columns, bench.rows) = (120, 20);
    assert_eq!(bench.draw().trim_end().lines().count(), 9);
}

#[test]
fn no_size_is_too_small() {
    for group in [
        RegisterGroup::Core,
        RegisterGroup::Double,
        RegisterGroup::Vector,
    ] {
        let mut bench = bench(1249);
        bench.take(&Action::View(ViewAction::ShowRegisters(group)));
        bench.drum();
    }
}
