//! Memory panes as text: values and their signs, the cursor, locks, comparison and search.

use stepback_debugger::action::WindowId;
use stepback_debugger::action::{
    Access, Action, CellName, Direction, Follow, MemoryChange, MemoryText, TravelAction, ViewAction,
};
use stepback_debugger::session::test_session::tarmac;
use stepback_parsers::Position;

use super::super::bench::CellPaneBench;
use super::MemoryPane;
use crate::CharacterSet;
use crate::pane::{
    CursorDirection, MouseInputKind, Pane as _, PaneAction, PaneCommand, PromptPurpose,
};

fn bench(position: u64) -> CellPaneBench<MemoryPane> {
    let mut bench = CellPaneBench::at(position, MemoryPane::default());
    bench.rows = 6;
    bench
}

fn at(position: u64, address: &str) -> CellPaneBench<MemoryPane> {
    let mut bench = bench(position);
    bench.take(&Action::View(ViewAction::ShowMemory(address.to_owned())));
    bench.draw();
    bench
}

fn cursor(bench: &mut CellPaneBench<MemoryPane>) -> String {
    match bench.with(|pane, cx, _| pane.selection(cx)) {
        Some(CellName::Memory(address, _)) => address,
        other => panic!("{other:?}"),
    }
}

fn write(address: &str, len_bytes: u64, direction: Direction) -> Action {
    Action::Travel(TravelAction::GoToAccess(
        CellName::Memory(address.to_owned(), len_bytes),
        Access::Write,
        direction,
    ))
}

#[test]
fn at_first_the_stack_is_shown_and_unknown_bytes_are_no_zeros() {
    let expected = "\
Memory  sp →
8ffff5e0  20 f6 ff 8f 00 00 00 00  f8 07 00 80 00 00 00 00   ...............
8ffff5f0  00 00 00 00 00 00 00 00  00 00 02 84 00 00 00 00  ................
8ffff600  00 00 00 00 00 00 00 00  10 00 02 80 00 00 00 00  ................
8ffff610  a0 00 02 84 00 00 00 00  ?? ?? ?? ?? ?? ?? ?? ??  ........
8ffff620  60 f6 ff 8f 00 00 00 00  dc 09 00 80 00 00 00 00  `...............
8ffff630  03 00 00 00 00 00 00 00  c8 f6 ff 8f 00 00 00 00  ................
8ffff5e0 20 = 32 ' ' written by step 747 in 80000390 before 00
";
    assert_eq!(bench(1249).screen(), expected);
}

#[test]
fn what_the_last_move_changed_and_what_is_inferred_have_signs() {
    let mut bench = at(1249, "0x80020000");
    bench.go(1249, 1300);
    let expected = "\
80020000  e5 af 8d e5 88 a1 e5 98  bf e5 9e 86 e5 8c a1 e5  ................
80020010 *a9*bd 00 80 00 00 00 00  00 00 00 00 00 00 00 00  ................
80020020  00 00 00 00 00 00 00 00  ?? ?? ?? ?? ?? ?? ?? ??  ........
80020030  ?? ?? ?? ?? ?? ?? ?? ??  ?? ?? ?? ?? ?? ?? ?? ??
80020040 - 8401ffff  63 MiB never accessed
84020000  25 75 35 62 63 64 25 75  35 32 32 31 25 75 35 36  %u5bcd%u5221%u56
";
    bench.signs = CharacterSet::Ascii;
    assert_eq!(bench.draw(), expected);
    let mut start = at(0, "80000a80");
    assert!(
        start.draw().starts_with("80000a80 ~63~6c~6f~73"),
        "{}",
        start.draw()
    );
    assert!(
        start.status().contains("63 = 99 'c' inferred"),
        "{}",
        start.status()
    );
}

#[test]
fn brackets_go_to_changed_bytes_however_far_away() {
    let mut bench = at(1249, "sp");
    bench.go(1249, 1300);
    let mut after = |direction| {
        bench.press(&[PaneCommand::ChangedByte(direction)]);
        (
            cursor(&mut bench),
            bench.status().starts_with("No changed byte"),
        )
    };
    let (far, near) = ("0000000080020011".to_owned(), "0000000080020010".to_owned());
    let stays = after(Direction::Forward);
    assert!(stays.1, "{stays:?}");
    assert_eq!(
        after(Direction::Back).0.trim_start_matches("0x"),
        far.trim_start_matches('0')
    );
    assert_eq!(
        after(Direction::Back).0.trim_start_matches("0x"),
        near.trim_start_matches('0')
    );
    assert!(after(Direction::Back).1);
    assert!(
        bench.draw().contains("80020010 *a9*bd 00"),
        "{}",
        bench.draw()
    );
    assert_eq!(bench.title(), "Memory  80020010");
}

#[test]
fn numbers_ask_for_the_last_write_of_aligned_bytes() {
    let mut bench = at(1249, "8ffff5e3");
    let keys = [1, 2, 4, 8].map(PaneCommand::LastWrite);
    bench.press(&keys);
    bench.press(&[
        PaneCommand::Access(Direction::Back),
        PaneCommand::Access(Direction::Forward),
    ]);
    let places: Vec<(String, u64, Direction)> = bench
        .actions()
        .into_iter()
        .map(|action| match action {
            Action::Travel(TravelAction::GoToAccess(
                CellName::Memory(address, len_bytes),
                Access::Write,
                direction,
            )) => (address, len_bytes, direction),
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [("e3", 1), ("e2", 2), ("e0", 4), ("e0", 8), ("e3", 1)];
    for ((address, len_bytes, direction), (end, length)) in places.iter().zip(expected) {
        assert!(
            address.ends_with(end) && *len_bytes == length && *direction == Direction::Back,
            "{address} {len_bytes}"
        );
    }
    assert_eq!(places.last().map(|place| place.2), Some(Direction::Forward));
}

#[test]
fn a_locked_pane_asks_from_its_own_moment() {
    let mut bench = at(1300, "8ffff5e0");
    bench.press(&[PaneCommand::Arrange]);
    bench.go(0, 0);
    assert_eq!(bench.title(), "Memory  8ffff5e0  locked to position 1,300");
    assert!(
        bench.draw().starts_with("8ffff5e0  20 f6"),
        "{}",
        bench.draw()
    );
    bench.press(&[PaneCommand::LastWrite(4)]);
    let place = cursor(&mut bench);
    assert_eq!(
        bench.actions(),
        [
            Action::travel(WindowId(1), Position(1300)),
            write(&place, 4, Direction::Back)
        ]
    );
    bench.press(&[PaneCommand::Arrange]);
    assert!(
        bench.draw().starts_with("8ffff5e0 *?? ?? ") || bench.draw().starts_with("8ffff5e0  ??"),
        "{}",
        bench.draw()
    );
    bench.answer(PromptPurpose::LockAtLine, "20");
    assert!(
        bench.title().ends_with("locked to line:20, position 0"),
        "{}",
        bench.title()
    );
}

#[test]
fn memory_is_compared_with_what_it_is_at_a_line() {
    let mut bench = at(1249, "8ffff5e0");
    bench.take(&Action::View(ViewAction::MemoryGroup(4)));
    bench.answer(PromptPurpose::CompareWithLine, "20");
    assert_eq!(bench.title(), "Memory  8ffff5e0  against line:20 (0)");
    assert!(
        bench
            .draw()
            .starts_with("8ffff5e0 *8ffff620*00000000 *800007f8*00000000 "),
        "{}",
        bench.draw()
    );
    assert!(
        bench
            .status()
            .starts_with("8ffff5e0 20 = 32 ' ' (:4 2415916576) there ??"),
        "{}",
        bench.status()
    );
    bench.answer(PromptPurpose::CompareWithLine, "0");
    assert!(
        bench.status().contains("lines are numbered from 1"),
        "{}",
        bench.status()
    );
    bench.answer(PromptPurpose::CompareWithLine, "");
    assert_eq!(bench.title(), "Memory  8ffff5e0");
    assert!(!bench.draw().contains('*'), "{}", bench.draw());
    bench.take(&Action::View(ViewAction::Memory(
        MemoryChange::ToggleCompare,
    )));
    assert_eq!(bench.title(), "Memory  8ffff5e0  against 1,249");
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::Compare(
        Some(Follow::Window(WindowId(7))),
    ))));
    bench.draw();
    assert_eq!(bench.title(), "Memory  8ffff5e0");
}

#[test]
fn the_cursor_walks_through_all_memory_and_stops_at_its_ends() {
    let mut bench = at(1249, "8ffff5e0");
    let after = |bench: &mut CellPaneBench<MemoryPane>, toward| {
        bench.press(&[PaneCommand::Move(toward)]);
        bench
            .status()
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(after(&mut bench, CursorDirection::Right), "8ffff5e1");
    assert_eq!(after(&mut bench, CursorDirection::Left), "8ffff5e0");
    assert_eq!(after(&mut bench, CursorDirection::Left), "8ffff5df");
    assert!(bench.draw().starts_with("8ffff5d0 "), "{}", bench.draw());
    assert_eq!(after(&mut bench, CursorDirection::Down), "8ffff5ef");
    assert_eq!(after(&mut bench, CursorDirection::PageDown), "8ffff64f");
    assert!(
        bench
            .draw()
            .lines()
            .last()
            .is_some_and(|row| row.starts_with("8ffff640 ")),
        "{}",
        bench.draw()
    );
    assert_eq!(after(&mut bench, CursorDirection::First), "00000000");
    assert!(
        bench
            .draw()
            .starts_with("00000000 – 7fffffff  2 GiB never accessed\n80000000 "),
        "{}",
        bench.draw()
    );
    assert_eq!(after(&mut bench, CursorDirection::Up), "00000000");
    assert_eq!(after(&mut bench, CursorDirection::Down), "80000000");
    assert_eq!(after(&mut bench, CursorDirection::Up), "7fffffff");
    assert_eq!(after(&mut bench, CursorDirection::Last), "ffffffffffffffff");
    assert!(
        bench
            .draw()
            .trim_end()
            .ends_with("8ffff840 – ffffffffffffffff  15 EiB never accessed"),
        "{}",
        bench.draw()
    );
    assert_eq!(after(&mut bench, CursorDirection::Down), "ffffffffffffffff");
    assert_eq!(after(&mut bench, CursorDirection::Up), "8ffff83f");
}

#[test]
fn a_32_bit_machine_ends_at_4_gib() {
    let (session, _place) =
        tarmac("0 clk IT (0) 00010000 e3a00001 A svc_s : MOV r0,#1\n0 clk MW4 ffff0010 00000001\n");
    let mut bench = CellPaneBench::over(session, 1, MemoryPane::default());
    bench.press(&[PaneCommand::Move(CursorDirection::Last)]);
    assert!(
        bench.status().starts_with("ffffffff "),
        "{}",
        bench.status()
    );
    assert!(
        bench
            .draw()
            .trim_end()
            .lines()
            .last()
            .is_some_and(|row| row.contains("– ffffffff ")),
        "{}",
        bench.draw()
    );
}

#[test]
fn the_expression_follows_or_holds() {
    let mut bench = bench(1249);
    assert_eq!(bench.title(), "Memory  sp →");
    bench.go(1249, 0);
    assert!(bench.draw().starts_with("8ffff6c0"), "{}", bench.draw());
    bench.press(&[PaneCommand::FollowAddress]);
    bench.go(0, 1249);
    assert!(bench.draw().starts_with("8ffff6c0"), "{}", bench.draw());
    bench.press(&[PaneCommand::FollowAddress]);
    assert!(bench.draw().starts_with("8ffff5e0"), "{}", bench.draw());
    bench.press(&[PaneCommand::Ask(PromptPurpose::Address)]);
    assert_eq!(
        bench.requested,
        [PaneAction::Prompt(PromptPurpose::Address, "sp".to_owned())]
    );
    bench.answer(PromptPurpose::Address, "sp + 0x20");
    assert!(bench.draw().starts_with("8ffff600"), "{}", bench.draw());
    bench.answer(PromptPurpose::Address, "sp + nonsense");
    assert!(
        bench
            .draw()
            .starts_with("column 6: no register or symbol is named \"nonsense\""),
        "{}",
        bench.draw()
    );
    bench.with(|pane, _, _| pane.leave_trace());
    assert!(
        bench.screen().starts_with("Memory  sp →\n8ffff5e0"),
        "{}",
        bench.screen()
    );
}

#[test]
fn rows_are_shown_as_was_chosen() {
    let mut bench = at(1249, "8ffff5e0");
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::Width(
        Some(8),
    ))));
    assert!(
        bench
            .draw()
            .starts_with("8ffff5e0  20 f6 ff 8f 00 00 00 00   ......."),
        "{}",
        bench.draw()
    );
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::Text(
        MemoryText::Utf8,
    ))));
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::Floats)));
    assert!(bench.draw().starts_with("8ffff5e0  "), "{}", bench.draw());
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::Floats)));
    bench.take(&Action::View(ViewAction::MemoryGroup(8)));
    assert!(
        bench.draw().starts_with("8ffff5e0  000000008ffff620 "),
        "{}",
        bench.draw()
    );
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::Width(None))));
    bench.columns = 160;
    assert!(bench.draw().contains("\n8ffff600  "), "{}", bench.draw());
    assert!(!bench.take(&Action::View(ViewAction::MemoryGroup(3))));
}

#[test]
fn bytes_are_looked_for() {
    let mut bench = at(1300, "0x80000000");
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::FindAgain(
        Direction::Forward,
    ))));
    assert!(
        bench.status().starts_with("No search yet"),
        "{}",
        bench.status()
    );
    bench.answer(PromptPurpose::FindInMemory, "%u5bcd");
    assert!(
        bench.draw().lines().any(|row| row.contains("%u5bcd")),
        "{}",
        bench.screen()
    );
    assert!(
        bench.status().contains(" 25 = 37 '%'"),
        "{}",
        bench.status()
    );
    bench.take(&Action::View(ViewAction::Memory(MemoryChange::FindAgain(
        Direction::Back,
    ))));
    assert!(
        bench.status().starts_with("Not found below"),
        "{}",
        bench.status()
    );
    bench.answer(PromptPurpose::FindInMemory, " ");
    assert!(
        bench.status().starts_with("nothing to search for"),
        "{}",
        bench.status()
    );
}

#[test]
fn the_mouse_picks_bytes_and_characters_and_the_wheel_scrolls() {
    let mut bench = at(1249, "8ffff5e0");
    let mut at = |x, y| {
        bench.touch(x, y, MouseInputKind::Click);
        bench
            .status()
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(at(10, 1), "8ffff5f0");
    assert_eq!(at(13, 1), "8ffff5f1");
    assert_eq!(at(75, 0), "8ffff5ef");
    assert_eq!(at(0, 0), "8ffff5ef");
    bench.touch(0, 0, MouseInputKind::Wheel(3));
    assert!(bench.draw().starts_with("8ffff610 "), "{}", bench.draw());
    bench.touch(0, 0, MouseInputKind::Wheel(-4));
    assert!(bench.draw().starts_with("8ffff5d0 "), "{}", bench.draw());
    bench.touch(10, 1, MouseInputKind::DoubleClick);
    assert_eq!(bench.actions().len(), 1);
}

#[test]
fn no_size_is_too_small() {
    for group in [1, 8] {
        let mut bench = at(1249, "sp");
        bench.take(&Action::View(ViewAction::MemoryGroup(group)));
        bench.drum();
    }
}
