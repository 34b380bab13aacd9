use stepback_machine::Address;
use stepback_parsers::Position;

use super::{ByteAction, MemoryLayout, MemoryMove, MemoryView};
use crate::action::WindowId;
use crate::action::{
    Access, Action, CellName, Direction, Follow, MemoryChange, TravelAction, ViewAction,
};
use crate::desk::{Desk, desk_over};
use crate::session::test_session::overflow;

const LAYOUT: MemoryLayout = MemoryLayout {
    row_bytes: 16,
    rows: 6,
    page: 6,
    spare: 16,
    lead: 2,
    near: 0,
};

/// A view on a desk, as a front end drives it.
struct Driver {
    desk: Desk,
    view: MemoryView,
}

impl Driver {
    fn at(position: u64, address: &str) -> Self {
        let mut driver = Self {
            desk: desk_over(overflow(), position),
            view: MemoryView::at_stack(Follow::Active),
        };
        driver.view.show(address, &driver.desk);
        driver.draw();
        driver
    }

    fn draw(&mut self) {
        self.view.poll(0, &self.desk);
        self.view.poll_meaning(&self.desk);
        self.view.poll_rows(LAYOUT, &self.desk);
    }

    fn change(&mut self, change: &MemoryChange) {
        self.view.change(change, &self.desk);
        self.draw();
    }

    /// Returns the first address in sight and the address under the cursor.
    fn place(&self) -> (u64, Option<u64>) {
        let top = self.view.rows().first().expect("a row").first();
        (top.0, self.view.cursor().map(|cursor| cursor.0))
    }
}

#[test]
fn settings_of_earlier_versions_are_read_and_all_settings_are_kept() {
    let old = "(follow:Active,address:\"sp\",is_following:true,held:None,group:4)";
    let view: MemoryView = ron::from_str(old).expect("settings");
    assert_eq!(
        (
            view.address(),
            view.is_following(),
            view.group(),
            view.width()
        ),
        ("sp", true, 4, None)
    );
    let text = "(follow:Window((2)),address:\"x0\",is_following:false,held:Some(16),group:8,width:Some(32),\
                is_float:true,text:Utf8,compared:Some(Pinned(7)))";
    let view: MemoryView = ron::from_str(text).expect("settings");
    assert_eq!(ron::to_string(&view).as_deref(), Ok(text));
    assert_eq!(view.compared(), Some(Follow::Pinned(7.into())));
}

#[test]
fn a_held_address_is_named_by_its_expression_only_where_that_means_it() {
    let mut driver = Driver::at(1250, "x19");
    let shown = driver.place();
    assert_eq!(driver.view.address_text(), "x19");
    driver.desk.windows.active_mut().position = Position(1763);
    driver.draw();
    assert_eq!(
        (driver.place(), driver.view.address_text()),
        (shown, "8002000f".to_owned())
    );
    driver.view.toggle_following();
    driver.draw();
    assert_eq!(
        (driver.place().1, driver.view.address_text()),
        (Some(0x8402_00a0), "x19".to_owned())
    );
}

#[test]
fn a_search_holds_what_it_finds_and_says_when_it_finds_nothing() {
    let mut driver = Driver::at(1250, "0x80000000");
    driver.change(&MemoryChange::Find("%u5bcd".to_owned(), Direction::Forward));
    assert_eq!(driver.place().1, Some(0x8402_0000));
    assert_eq!(
        (driver.view.message(), driver.view.address_text().as_str()),
        (None, "84020000")
    );
    driver.change(&MemoryChange::FindAgain(Direction::Back));
    assert_eq!(driver.place().1, Some(0x8402_0000));
    assert!(driver.view.message().is_some() && !driver.view.is_searching());
}

#[test]
fn a_cursor_that_leaves_the_view_scrolls_it_by_as_little_as_possible() {
    let mut driver = Driver::at(1250, "0x84020000");
    let mut after = |by, count: usize| {
        for _ in 0..count {
            driver.view.move_cursor(by);
            driver.draw();
        }
        driver.place()
    };
    // Memory that no step accesses is one row.
    assert_eq!(
        after(MemoryMove::Rows(1), 5),
        (0x8402_0000, Some(0x8402_0080))
    );
    assert_eq!(
        after(MemoryMove::Rows(1), 1),
        (0x8402_0010, Some(0x8402_0090))
    );
    assert_eq!(
        after(MemoryMove::Rows(-1), 6),
        (0x8402_0000, Some(0x8402_000f))
    );
    assert_eq!(
        after(MemoryMove::Rows(-1), 2),
        (0x8002_0030, Some(0x8002_003f))
    );
    assert_eq!(after(MemoryMove::Last, 1).1, Some(u64::MAX));
}

#[test]
fn a_question_about_bytes_starts_from_the_moment_shown_and_keeps_them_in_sight() {
    let mut driver = Driver::at(1250, "sp");
    driver.view.bind(Follow::Pinned(900.into()));
    driver.view.toggle_following();
    driver.draw();
    let mut out = Vec::new();
    let write = ByteAction::GoToAccess(4, Access::Write, Direction::Back);
    driver
        .view
        .act(Address(0x8002_0013), write, &driver.desk, &mut out);
    let cell = CellName::Memory("0x80020010".to_owned(), 4);
    let access = Action::Travel(TravelAction::GoToAccess(
        cell,
        Access::Write,
        Direction::Back,
    ));
    assert_eq!(out, [Action::travel(WindowId(1), Position(900)), access]);
    assert!(!driver.view.is_following());
}

#[test]
fn a_pointer_leads_where_it_points_if_all_its_bytes_are_known() {
    let mut driver = Driver::at(1249, "0x8ffff5e0");
    let mut out = Vec::new();
    for address in [0x8fff_f5e3, 0x8fff_f618] {
        driver.view.act(
            Address(address),
            ByteAction::FollowPointer,
            &driver.desk,
            &mut out,
        );
    }
    assert_eq!(
        out,
        [Action::View(ViewAction::ShowMemory(
            "0x8ffff620".to_owned()
        ))]
    );
}
