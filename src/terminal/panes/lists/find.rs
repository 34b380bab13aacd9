//! What a search found: a list that fills while the trace is walked.

use std::sync::Arc;

use super::list::{Listed, Marked};
use super::table::Source;
use crate::action::{Action, PanelKind};
use crate::messages::say;
use crate::model::found::{SearchEnd, nothing_words, summary};
use crate::model::table::{Table, TableRow};
use crate::terminal::pane::{Ask, Cx};

/// The hits of the search.
#[derive(Default)]
pub struct Find {
    /// With what is said of them.
    table: Arc<Table>,
    /// The hits that this was made of.
    of: Arc<Table>,
}

impl Source for Find {
    fn kind(&self) -> PanelKind {
        PanelKind::Find
    }

    fn title(&self) -> String {
        say!("table-find").to_owned()
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let find = &cx.desk.find;
        if let Some(error) = find.error() {
            return Err(Listed::Failed(error.to_owned()));
        }
        let Some(found) = find.found() else {
            let nothing = || (say!("table-nothing-is-looked-for").to_owned(), say!("list-how-to-find").to_owned());
            return Err(match find.is_under_way() {
                true => Listed::Loading(say!("find-searching").to_owned()),
                false => Listed::Nothing(nothing().0, nothing().1),
            });
        };
        let words = match found.count() {
            0 => nothing_words(found, &cx.desk.session),
            _ => summary(found, &cx.desk.session),
        };
        let words = if find.is_full() { say!("find-more-not-kept", summary = words) } else { words };
        if !Arc::ptr_eq(&self.of, &found.table) || self.table.summary != words {
            self.of = Arc::clone(&found.table);
            self.table = Arc::new(Table { summary: words, ..Table::clone(&found.table) });
        }
        Ok(Arc::clone(&self.table))
    }

    fn advice(&self) -> &'static str {
        say!("find-read-the-text-in-another")
    }

    fn more(&self, cx: &Cx<'_>) -> Option<String> {
        let is_stopped = cx.desk.find.found().is_some_and(|found| found.end == SearchEnd::Stopped);
        let words = if is_stopped { say!("find-go-on") } else { say!("find-more-hits") };
        cx.desk.find.can_have_more().then(|| format!("… {words}"))
    }

    fn list_more(&mut self, out: &mut Vec<Ask>) {
        out.push(Ask::Do(Action::FindMore));
    }

    /// The cursor stands at the hit of the position, or before the next one.
    fn marked(&self, table: &Table, cx: &Cx<'_>) -> Option<Marked> {
        let at = cx.desk.windows.active().position;
        let is_before = |row: &TableRow| row.position.is_some_and(|position| position < at);
        let place = table.rows.partition_point(is_before);
        let is_growing = cx.desk.find.is_under_way();
        let last = table.rows.len().checked_sub(1).filter(|last| place <= *last || !is_growing)?;
        Some(Marked { key: (cx.desk.find.number(), at.0), place: place.min(last) })
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::table::Tabled;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::{FindQuestion, Way};
    use crate::terminal::command::{Command, Toward};

    fn stage(text: &str) -> Stage<ListPane<Tabled<Find>>> {
        let mut stage = Stage::at(1250, ListPane::new(Tabled::new(Find::default())));
        stage.desk.begin_find(FindQuestion { text: text.to_owned(), ..FindQuestion::default() });
        stage.desk.find.advance(&stage.desk.session, &stage.desk.worker);
        stage
    }

    #[test]
    fn hits_are_listed_with_the_cursor_before_the_next_one() {
        assert_eq!(
            stage("0x80020010").draw(80, 8),
            r" 9 hits: value 0x80020010
    Step  Function  Instruction                   Match
     710  800000f8  add    x0, x3, x0             write x0 ← 80020010
     733  800007cc  mov    x22, x0                write x22 ← 80020010
     744  800007ec  str    x22, [x1, #8]          write [840200a8] ← 80020010
     750  8000039c  stp    x21, x22, [sp, #0x20]  write [8ffff608] ← 80020010
*  1,456  800004c0  ldp    x21, x22, [sp, #0x20]  read [8ffff608] = 80020010
   1,456  800004c0  ldp    x21, x22, [sp, #0x20]  write x22 ← 80020010"
        );
        assert_eq!(
            stage("nosuch").draw(80, 8),
            r#"  No hit: text "nosuch"
  Read the text in another way, look everywhere, or take something out of it."#
        );
    }

    #[test]
    fn where_nothing_was_looked_for_the_list_says_how_to() {
        let mut stage = Stage::at(0, ListPane::new(Tabled::new(Find::default())));
        assert_eq!(
            stage.draw(60, 8),
            r"  Nothing is looked for
  Press / and type a text, a /regular expression/, a number,
  an address, a function or bytes; ? looks backwards."
        );
        stage.drum();
    }

    #[test]
    fn return_travels_to_a_hit() {
        let keys = [Command::Move(Toward::Up), Command::Access(Way::Back)];
        assert_eq!(format!("{:?}", stage("ldr x1").press(&keys).asked), "[Do(Travel(WindowId(1), 731))]");
    }

    #[test]
    fn the_hits_survive_all_sizes() {
        stage("ldr").drum();
    }
}
