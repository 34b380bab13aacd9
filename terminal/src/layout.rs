//! Pane layout: a pure function of the screen size and of the requested rows.
//!
//! Panes are stacked, each under a bar with its title. Step lists take the rows that the others
//! leave. On a wide screen there are two columns, with step lists (and source) at the left.

use ratatui::layout::Rect;
use stepback_debugger::action::PanelId;
use stepback_debugger::action::WindowId;

/// Minimum screen width for two columns of panes, in cells.
const TWO_COLUMNS: u16 = 150;
/// Minimum width of a step list next to another one, in cells.
const LIST_COLUMNS: u16 = 72;
/// Rows reserved for a step list, with its bar, as long as other panes have rows to spare.
const LIST_ROWS: u16 = 6;
/// Minimum rows of a visible pane: its bar and one more.
const LEAST: u16 = 2;
/// Rows of the focused pane, with its bar, that it keeps while others are left out instead.
const FOCUSED_ROWS: u16 = 6;

/// A pane to be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaneSpec {
    pub id: PanelId,
    /// Trace window whose steps the pane lists.
    pub window: Option<WindowId>,
    /// True if the pane goes to the column of step lists.
    pub is_code: bool,
    /// Requested rows, without the bar.
    pub rows: u16,
}

/// Screen area of a pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaneArea {
    pub id: PanelId,
    /// The row of the title.
    pub bar: Rect,
    /// The area below the bar.
    pub area: Rect,
}

/// Screen areas of all visible panes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaneAreas {
    list: Vec<PaneArea>,
}

impl PaneAreas {
    pub fn list(&self) -> &[PaneArea] {
        &self.list
    }

    /// Returns the pane at a cell of the screen, including its bar.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<PanelId> {
        let spot = (x, y).into();
        self.list
            .iter()
            .find(|place| place.bar.contains(spot) || place.area.contains(spot))
            .map(|place| place.id)
    }

    /// Returns the pane whose draggable bar is at a cell. The top bar of a column is not draggable.
    pub fn border_at(&self, x: u16, y: u16) -> Option<PanelId> {
        let at = self
            .list
            .iter()
            .find(|place| place.bar.contains((x, y).into()))?;
        let is_below = self
            .list
            .iter()
            .any(|other| other.area.bottom() == at.bar.y && other.bar.x == at.bar.x);
        is_below.then_some(at.id)
    }

    /// Returns the row below a pane.
    pub fn end_of(&self, id: PanelId) -> Option<u16> {
        self.of(id).map(|place| place.area.bottom())
    }

    /// Returns the number of rows of a pane.
    pub fn rows_of(&self, id: PanelId) -> Option<u16> {
        self.of(id).map(|place| place.area.height)
    }

    fn of(&self, id: PanelId) -> Option<&PaneArea> {
        self.list.iter().find(|place| place.id == id)
    }
}

/// Returns true if the area has two columns of panes.
pub fn is_wide(area: Rect) -> bool {
    area.width >= TWO_COLUMNS
}

/// Lays out the panes. If the room is too small, panes far from the focused one are left out.
pub fn arrange(area: Rect, wanted: &[PaneSpec], focus: PanelId) -> PaneAreas {
    let is_left = |pane: &&PaneSpec| pane.window.is_some() || pane.is_code;
    let (left, right): (Vec<PaneSpec>, Vec<PaneSpec>) = (
        wanted.iter().filter(is_left).copied().collect(),
        wanted
            .iter()
            .filter(|pane| !is_left(pane))
            .copied()
            .collect(),
    );
    let mut list = Vec::new();
    if is_wide(area) && !left.is_empty() && !right.is_empty() {
        let wide = area.width * 11 / 20;
        // An empty column separates both, so that texts do not run together.
        column(
            Rect {
                width: wide - 1,
                ..area
            },
            &left,
            focus,
            &mut list,
        );
        column(
            Rect {
                x: area.x + wide,
                width: area.width - wide,
                ..area
            },
            &right,
            focus,
            &mut list,
        );
    } else {
        column(area, &[left, right].concat(), focus, &mut list);
    }
    PaneAreas { list }
}

/// Stacks panes in a column. Step lists are put side by side if they fit.
fn column(area: Rect, panes: &[PaneSpec], focus: PanelId, out: &mut Vec<PaneArea>) {
    let (lists, others): (Vec<PaneSpec>, Vec<PaneSpec>) =
        panes.iter().partition(|pane| pane.window.is_some());
    let is_beside = lists.len() > 1
        && area.width / u16::try_from(lists.len()).unwrap_or(u16::MAX) >= LIST_COLUMNS;
    let bands = if is_beside {
        1
    } else {
        u16::try_from(lists.len()).unwrap_or(u16::MAX)
    };
    let kept = if bands == 0 {
        0
    } else {
        bands.saturating_mul(LIST_ROWS).min(area.height)
    };
    let heights = heights_of(&others, area.height - kept, focus);
    let taken: u16 = heights.iter().map(|(_, rows)| *rows).sum();
    let mut rest = Rect {
        height: area.height - taken.min(area.height),
        ..area
    };
    if is_beside {
        beside(rest, &lists, out);
    } else {
        stacked(rest, &lists, focus, out);
    }
    rest.y = if lists.is_empty() {
        area.y
    } else {
        rest.bottom()
    };
    for (place, (pane, rows)) in heights.iter().enumerate() {
        // Without step lists the last pane takes the remaining rows.
        let is_last = lists.is_empty() && place + 1 == heights.len();
        let height = if is_last {
            area.bottom().saturating_sub(rest.y)
        } else {
            *rows
        };
        put(
            Rect {
                y: rest.y,
                height,
                ..area
            },
            pane.id,
            out,
        );
        rest.y += height;
    }
}

/// Distributes `room` rows among panes, bars included. Each pane gets its requested rows. If these
/// are too many, panes far from the focused one are left out until each of the others has its
/// least, and the largest panes shrink.
fn heights_of(panes: &[PaneSpec], room: u16, focus: PanelId) -> Vec<(PaneSpec, u16)> {
    let wanted = |pane: &PaneSpec| pane.rows.saturating_add(1).max(LEAST);
    let least = |pane: &PaneSpec| match pane.id == focus {
        true => wanted(pane).min(FOCUSED_ROWS.min(room)),
        false => LEAST,
    };
    let mut kept: Vec<PaneSpec> = panes.to_vec();
    while u32::from(room) < kept.iter().map(|pane| u32::from(least(pane))).sum() {
        let held = kept.iter().position(|pane| pane.id == focus).unwrap_or(0);
        // Removes the pane at the end farther from the focus.
        let gone = if held * 2 < kept.len() {
            kept.len() - 1
        } else {
            0
        };
        if kept.is_empty() {
            break;
        }
        kept.remove(gone);
    }
    let mut heights: Vec<u16> = kept.iter().map(wanted).collect();
    loop {
        let sum: u32 = heights.iter().map(|rows| u32::from(*rows)).sum();
        let Some(surplus) = sum
            .checked_sub(u32::from(room))
            .filter(|surplus| *surplus > 0)
        else {
            break;
        };
        let shrinking = heights.iter_mut().zip(kept.iter().map(least));
        let Some((largest, least)) = shrinking.filter(|(rows, least)| **rows > *least).max() else {
            break;
        };
        // Shrinks in large steps, in case one pane requests nearly all rows.
        let give = u16::try_from(surplus / 2)
            .unwrap_or(u16::MAX)
            .clamp(1, *largest - least);
        *largest -= give;
    }
    kept.into_iter().zip(heights).collect()
}

/// Places step lists side by side.
fn beside(area: Rect, lists: &[PaneSpec], out: &mut Vec<PaneArea>) {
    let count = u16::try_from(lists.len()).unwrap_or(u16::MAX).max(1);
    let wide = area.width / count;
    for (place, list) in (0..count).zip(lists) {
        let is_last = place + 1 == count;
        let width = if is_last {
            area.width - wide * place
        } else {
            wide.saturating_sub(1)
        };
        put(
            Rect {
                x: area.x + wide * place,
                width,
                ..area
            },
            list.id,
            out,
        );
    }
}

/// Stacks step lists with equal heights. If some do not fit, the focused one stays.
fn stacked(area: Rect, lists: &[PaneSpec], focus: PanelId, out: &mut Vec<PaneArea>) {
    let most = usize::from(area.height / LEAST).max(1);
    let first = lists
        .iter()
        .position(|list| list.id == focus)
        .unwrap_or(0)
        .min(lists.len().saturating_sub(most));
    let shown = lists.get(first..).unwrap_or_default();
    let count = u16::try_from(shown.len().min(most)).unwrap_or(1).max(1);
    let tall = area.height / count;
    for (place, list) in (0..count).zip(shown) {
        let is_last = place + 1 == count;
        let height = if is_last {
            area.height - tall * place
        } else {
            tall
        };
        put(
            Rect {
                y: area.y + tall * place,
                height,
                ..area
            },
            list.id,
            out,
        );
    }
}

fn put(area: Rect, id: PanelId, out: &mut Vec<PaneArea>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let bar = Rect { height: 1, ..area };
    out.push(PaneArea {
        id,
        bar,
        area: Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        },
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(id: u64) -> PaneSpec {
        PaneSpec {
            id: PanelId(id),
            window: Some(WindowId(1)),
            is_code: false,
            rows: 0,
        }
    }

    fn pane(id: u64, rows: u16) -> PaneSpec {
        PaneSpec {
            id: PanelId(id),
            window: None,
            is_code: false,
            rows,
        }
    }

    fn shown(size: (u16, u16), wanted: &[PaneSpec]) -> Vec<(u64, u16, u16, u16)> {
        let places = arrange(
            Rect::new(0, 0, size.0, size.1),
            wanted,
            wanted.last().map_or(PanelId(0), |last| last.id),
        );
        places
            .list()
            .iter()
            .map(|place| (place.id.0, place.bar.x, place.bar.y, place.area.height))
            .collect()
    }

    #[test]
    fn the_list_of_steps_takes_what_others_leave() {
        assert_eq!(
            shown((80, 23), &[list(1), pane(2, 6)]),
            [(1, 0, 0, 15), (2, 0, 16, 6)]
        );
        assert_eq!(
            shown((80, 23), &[list(1), pane(2, 40)]),
            [(1, 0, 0, 5), (2, 0, 6, 16)]
        );
        assert_eq!(shown((80, 23), &[list(1)]), [(1, 0, 0, 22)]);
        assert_eq!(shown((80, 23), &[pane(2, 6)]), [(2, 0, 0, 22)]);
    }

    #[test]
    fn the_focused_pane_keeps_its_rows_while_others_are_left_out() {
        let panes: Vec<PaneSpec> = (2..10).map(|id| pane(id, 9)).collect();
        let places = shown((80, 23), &[&[list(1)], &panes[..]].concat());
        let (id, _, _, rows) = *places.last().unwrap();
        assert!(id == 9 && rows >= 5, "{places:?}");
        // A pane that needs less gets no more.
        let places = shown((80, 23), &[&panes[..], &[pane(20, 2)]].concat());
        assert_eq!(places.last().map(|place| place.0), Some(20));
    }

    #[test]
    fn wide_screens_have_two_columns() {
        assert_eq!(
            shown((200, 50), &[list(1), pane(2, 6), pane(3, 9)]),
            [(1, 0, 0, 49), (2, 110, 0, 6), (3, 110, 7, 42)]
        );
    }

    #[test]
    fn two_lists_are_next_to_each_other_where_they_fit() {
        assert_eq!(
            shown((149, 30), &[list(1), list(2)]),
            [(1, 0, 0, 29), (2, 74, 0, 29)]
        );
        assert_eq!(
            shown((80, 30), &[list(1), list(2)]),
            [(1, 0, 0, 14), (2, 0, 15, 14)]
        );
    }

    #[test]
    fn every_place_is_on_the_screen_and_none_covers_another() {
        let panes: Vec<PaneSpec> = (0..9)
            .map(|id| {
                if id % 3 == 0 {
                    list(id)
                } else {
                    pane(id, u16::MAX >> id)
                }
            })
            .collect();
        for wide in [1, 5, 20, 79, 149, 150, 300] {
            for tall in 0..40 {
                for focus in 0..9 {
                    let area = Rect::new(0, 0, wide, tall);
                    let places = arrange(area, &panes, PanelId(focus));
                    let mut taken = std::collections::HashSet::new();
                    for place in places.list() {
                        for spot in place.bar.positions().chain(place.area.positions()) {
                            assert!(area.contains(spot), "{place:?} in {area:?}");
                            assert!(
                                taken.insert((spot.x, spot.y)),
                                "{place:?} covers another in {area:?}"
                            );
                        }
                    }
                }
            }
        }
    }
}
