//! Groups of table rows: a head row represents each group and can be opened.

use super::table::{Table, TableArrangement, TableRow};

/// Group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableGroup {
    /// Key that identifies the group, stable while more rows are found.
    pub key: u64,
    /// Index of the head row.
    pub head: usize,
    /// Number of rows after the head that belong to the group; 0 while it is closed.
    pub rows: usize,
    /// True if its rows are listed.
    pub is_open: bool,
}

impl Table {
    /// Returns true if the table has groups. The rows are then not in the order of time.
    pub fn is_grouped(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Returns the group whose head is a row. O(log n).
    pub fn group_at(&self, place: usize) -> Option<&TableGroup> {
        self.groups.get(
            self.groups
                .binary_search_by_key(&place, |group| group.head)
                .ok()?,
        )
    }

    /// Returns the group that contains a row, as its head or below it. O(log n).
    pub fn group_around(&self, place: usize) -> Option<&TableGroup> {
        let after = self.groups.partition_point(|group| group.head <= place);
        self.groups
            .get(after.checked_sub(1)?)
            .filter(|group| place <= group.head + group.rows)
    }

    /// Returns the groups that a view shows, in its order, with their rows if they are open. Cost:
    /// all rows.
    pub(super) fn seen_groups(&self, view: &TableArrangement) -> Self {
        let found: Vec<(&TableGroup, &TableRow, Vec<&TableRow>)> = self
            .groups
            .iter()
            .filter_map(|group| self.found(group, view))
            .collect();
        let heads: Vec<&TableRow> = found.iter().map(|(_, head, _)| *head).collect();
        let (mut rows, mut groups) = (Vec::new(), Vec::new());
        for place in view.order(&heads) {
            let Some((group, head, own)) = found.get(place) else {
                continue;
            };
            let is_open = view.open.contains(&group.key);
            let own: &[&TableRow] = if is_open { own } else { &[] };
            groups.push(TableGroup {
                key: group.key,
                head: rows.len(),
                rows: own.len(),
                is_open,
            });
            rows.push((*head).clone());
            rows.extend(
                view.order(own)
                    .into_iter()
                    .filter_map(|place| Some((*own.get(place)?).clone())),
            );
        }
        Self {
            rows,
            groups,
            summary: self.summary.clone(),
            columns: self.columns.clone(),
            spare: self.spare.clone(),
        }
    }

    /// Filters a group: keeps all of it if the head matches, otherwise the rows that match. Returns
    /// its head and its other rows.
    fn found<'a>(
        &'a self,
        group: &'a TableGroup,
        view: &TableArrangement,
    ) -> Option<(&'a TableGroup, &'a TableRow, Vec<&'a TableRow>)> {
        let head = self.rows.get(group.head)?;
        let own = self
            .rows
            .get(group.head + 1..=group.head + group.rows)
            .unwrap_or_default();
        let is_wanted = view.filter();
        let own: Vec<&TableRow> = match is_wanted(head) {
            true => own.iter().collect(),
            false => own.iter().filter(|row| is_wanted(row)).collect(),
        };
        (is_wanted(head) || !own.is_empty()).then_some((group, head, own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TextRole;
    use crate::model::table::TableCell;

    fn row(name: &str, count: u64) -> TableRow {
        let cells = vec![
            TableCell::new(TextRole::Symbol, name),
            TableCell::number(count),
        ];
        TableRow {
            name: name.to_owned(),
            cells,
            ..TableRow::default()
        }
    }

    fn table() -> Table {
        let rows = vec![
            row("many", 20),
            row("one", 1),
            row("two", 3),
            row("few", 2),
            row("three", 2),
        ];
        let group = |key, head, rows| TableGroup {
            key,
            head,
            rows,
            is_open: true,
        };
        Table {
            groups: vec![group(7, 0, 2), group(9, 3, 1)],
            ..Table::new(String::new(), &["Name", "Count"], rows)
        }
    }

    #[track_caller]
    fn check(view: &TableArrangement, expected: &[&str]) {
        let seen = table().seen(view);
        let name = |(place, row): (usize, &TableRow)| match seen.group_at(place) {
            Some(group) if group.is_open => format!("- {}", row.name),
            Some(_) => format!("+ {}", row.name),
            None => row.name.clone(),
        };
        assert_eq!(
            seen.rows.iter().enumerate().map(name).collect::<Vec<_>>(),
            expected
        );
    }

    #[test]
    fn groups_are_closed_until_they_are_opened() {
        check(&TableArrangement::default(), &["+ many", "+ few"]);
        check(
            &TableArrangement {
                open: [7].into(),
                ..TableArrangement::default()
            },
            &["- many", "one", "two", "+ few"],
        );
    }

    #[test]
    fn groups_are_put_in_order_with_their_rows() {
        let falling = TableArrangement {
            column: Some(1),
            is_falling: true,
            open: [7, 9].into(),
            ..TableArrangement::default()
        };
        check(&falling, &["- many", "two", "one", "- few", "three"]);
        check(
            &TableArrangement {
                is_falling: false,
                ..falling
            },
            &["- few", "three", "- many", "one", "two"],
        );
    }

    #[test]
    fn a_filter_keeps_whole_groups_or_the_rows_that_are_meant() {
        let view = |filter: &str| TableArrangement {
            filter: filter.to_owned(),
            open: [7, 9].into(),
            ..TableArrangement::default()
        };
        check(&view("MANY"), &["- many", "one", "two"]);
        check(&view("three"), &["- few", "three"]);
        check(&view("nothing"), &[]);
    }

    #[test]
    fn a_row_knows_the_group_around_it() {
        let seen = table().seen(&TableArrangement {
            open: [7].into(),
            ..TableArrangement::default()
        });
        let around: Vec<Option<u64>> = (0..5)
            .map(|place| seen.group_around(place).map(|group| group.key))
            .collect();
        assert_eq!(around, [Some(7), Some(7), Some(7), Some(9), None]);
    }
}
