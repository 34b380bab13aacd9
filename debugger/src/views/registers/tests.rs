use stepback_machine::RegisterGroup;
use stepback_machine::display::{LaneFormat, LaneKind};
use stepback_parsers::Position;

use super::super::view::CursorDirection;
use super::*;
use crate::action::{
    Access, Action, AppAction, CellName, Direction, Follow, RegisterFormat, TravelAction,
    ViewAction,
};
use crate::desk::{Desk, desk_over};
use crate::model::registers::RegisterCell;
use crate::session::test_session::overflow;

/// Rows of a number of cells.
struct Cells(usize, Option<LaneFormat>);

impl GridLayout for Cells {
    type Row = ();

    const STOPS_AT_TITLES: bool = true;

    fn lanes(&self, _: &RegisterCell) -> Option<LaneFormat> {
        self.1
    }

    fn measure(&self, _: &RegisterBlock<'_>) {}

    fn count(&self, (): &()) -> usize {
        self.0
    }

    fn x(&self, (): &(), place: usize) -> u16 {
        place as u16
    }
}

fn grid(view: &mut RegistersView, desk: &Desk, cells: &Cells) -> RegisterGrid<()> {
    let board = view.poll(desk).unwrap();
    view.grid(&board.core.iter().collect::<Vec<_>>(), &board, cells)
}

fn desk_at(position: u64) -> Desk {
    desk_over(overflow(), position)
}

#[test]
fn the_cursor_moves_through_columns_and_titles() {
    let (desk, mut view) = (desk_at(1250), RegistersView::default());
    let grid = grid(&mut view, &desk, &Cells(3, None));
    let mut after = |toward| {
        view.go(toward, 8, &grid);
        view.cursor().unwrap_or_default().to_owned()
    };
    // Eleven rows for x0 to x30 and sp.
    assert_eq!(
        [
            CursorDirection::Right,
            CursorDirection::Right,
            CursorDirection::Down,
            CursorDirection::Left
        ]
        .map(&mut after),
        ["x0", "x11", "x12", "x1"]
    );
    assert_eq!(
        [
            CursorDirection::PageDown,
            CursorDirection::Right,
            CursorDirection::Right
        ]
        .map(&mut after),
        ["x9", "x20", "sp"]
    );
    assert_eq!(
        [
            CursorDirection::Down,
            CursorDirection::Down,
            CursorDirection::Up,
            CursorDirection::PageUp
        ]
        .map(&mut after),
        ["x21", "Vector registers", "x10", "x2"]
    );
    assert_eq!(
        [
            CursorDirection::PageUp,
            CursorDirection::PageUp,
            CursorDirection::First
        ]
        .map(&mut after),
        ["x0"; 3]
    );
    assert_eq!(after(CursorDirection::Last), "System registers");
    assert_eq!(view.take_reveal(&grid), Some(12));
    assert_eq!(view.take_reveal(&grid), None);
}

#[test]
fn lanes_lie_below_each_other() {
    let (desk, mut view) = (desk_at(1250), RegistersView::default());
    view.take(&Action::View(ViewAction::ShowRegisters(
        RegisterGroup::Vector,
    )));
    let grid = grid(
        &mut view,
        &desk,
        &Cells(2, Some(LaneFormat::new(LaneKind::Hex, 4))),
    );
    let names = |row: &GridRow<()>| {
        row.spots
            .iter()
            .map(|spot| spot.name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rows: Vec<String> = grid.rows.iter().take(3).map(names).collect();
    assert_eq!(
        rows,
        [
            "v0 v0.s[0] v0.s[1]",
            "v0.s[2] v0.s[3]",
            "v1 v1.s[0] v1.s[1]"
        ]
    );
    view.set_cursor(Some("v0.s[0]".to_owned()));
    view.go(CursorDirection::Down, 1, &grid);
    assert_eq!(view.cursor(), Some("v0.s[2]"));
}

#[test]
fn a_selected_register_opens_the_title_above_it() {
    let (desk, mut view) = (desk_at(1250), RegistersView::default());
    view.select("v3 of cpu0");
    let grid = grid(&mut view, &desk, &Cells(1, None));
    assert!(view.is_open("Vector registers") && view.take_reveal(&grid).is_some());
    view.act(
        "Vector registers",
        RegisterGesture::LastWrite,
        &desk,
        &mut Vec::new(),
    );
    assert!(!view.is_open("Vector registers"));
}

#[test]
fn gestures_are_of_the_moment_and_the_thread_that_are_shown() {
    let (desk, mut view) = (
        desk_at(1250),
        RegistersView::new(Follow::Pinned(900.into())),
    );
    let done = |view: &mut RegistersView, gesture| {
        let mut out = Vec::new();
        view.poll(&desk).unwrap();
        view.act("x2", gesture, &desk, &mut out);
        out
    };
    let write = |name: &str| {
        Action::Travel(TravelAction::GoToAccess(
            CellName::Register(name.to_owned()),
            Access::Write,
            Direction::Forward,
        ))
    };
    let start = Action::travel(desk.windows.active, Position(900));
    assert_eq!(
        done(&mut view, RegisterGesture::NextWrite),
        [start.clone(), write("x2")]
    );
    let copied = done(&mut view, RegisterGesture::CopyText);
    assert!(
        matches!(&copied[..], [Action::App(AppAction::Copy(text))] if text.starts_with("x2 = 0x")),
        "{copied:?}"
    );
    let thread = desk.session.index.threads()[0].name.clone();
    view.thread = Some(thread.clone());
    assert_eq!(
        done(&mut view, RegisterGesture::NextWrite),
        [start, write(&format!("x2 of {thread}"))]
    );
}

#[test]
fn a_format_belongs_to_its_group() {
    let (desk, mut view) = (desk_at(1250), RegistersView::default());
    let named = |view: &mut RegistersView| {
        let group = view.poll(&desk).unwrap().group;
        let reading = view.reading(group);
        reading
            .lanes
            .map_or_else(|| format!("{:?}", reading.shown_as.format), LaneFormat::key)
    };
    view.take(&Action::View(ViewAction::FormatRegisters(
        RegisterFormat::Signed,
    )));
    assert_eq!(named(&mut view), "Signed");
    view.next_format();
    assert_eq!(named(&mut view), "Float");
    view.next_group();
    let first = named(&mut view);
    view.next_format();
    assert_ne!(named(&mut view), first);
    view.group = RegisterGroup::Core;
    assert_eq!(named(&mut view), "Float");
}
