//! Lines of a slice as a list.

use std::collections::HashSet;
use std::sync::Arc;

use stepback_index::Cancel;

use crate::action::{SavedSliceQuery, SliceView};
use crate::analysis::slice::{FoldHandle, ReadingLine};
use crate::model::slice::{Slice, SliceLines};
use crate::worker::{Slot, Worker};

/// The displayed lines of a slice. A worker makes them when the slice, the view or the open lines
/// change.
#[derive(Debug, Default)]
pub struct SliceList {
    /// Lines whose open state differs from the default, for the slice of `of`.
    toggled: Arc<HashSet<FoldHandle>>,
    of: Option<SavedSliceQuery>,
    made: Slot<SliceLinesKey, Arc<SliceLines>>,
}

/// Inputs from which the lines are made.
#[derive(Clone)]
struct SliceLinesKey {
    slice: Arc<Slice>,
    view: SliceView,
    toggled: Arc<HashSet<FoldHandle>>,
}

impl PartialEq for SliceLinesKey {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slice, &other.slice)
            && self.view == other.view
            && self.toggled == other.toggled
    }
}

impl SliceList {
    /// Returns the lines; the previous ones while new ones are made, and none if those answer
    /// another query.
    pub fn poll(
        &mut self,
        slice: &Arc<Slice>,
        view: SliceView,
        worker: &Worker,
    ) -> Option<Arc<SliceLines>> {
        if self.of.as_ref() != Some(&slice.question) {
            self.toggled = Arc::default();
            self.of = Some(slice.question.clone());
        }
        let wanted = SliceLinesKey {
            slice: Arc::clone(slice),
            view,
            toggled: Arc::clone(&self.toggled),
        };
        let answer = self.made.poll(&wanted, worker, |wanted| {
            let SliceLinesKey {
                slice,
                view,
                toggled,
            } = wanted.clone();
            move |_: &Cancel| Ok(Arc::new(SliceLines::new(slice, view, &toggled)))
        });
        answer
            .any()
            .filter(|made| is_about_the_same(&made.slice.question, &slice.question))
            .cloned()
    }

    /// Opens or closes a line. Returns false if it has nothing to open.
    pub fn flip(&mut self, line: &ReadingLine) -> bool {
        let Some(handle) = line.handle() else {
            return false;
        };
        let toggled = Arc::make_mut(&mut self.toggled);
        if !toggled.remove(&handle) {
            toggled.insert(handle);
        }
        true
    }
}

/// Returns true if two queries differ at most in the edges that they follow. Then the rows of one
/// stay until those of the other are made.
fn is_about_the_same(one: &SavedSliceQuery, other: &SavedSliceQuery) -> bool {
    SavedSliceQuery {
        edges: other.edges,
        ..one.clone()
    } == *other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::SliceState;
    use crate::session::test_session::overflow;
    use stepback_index::answer::EdgeKinds;

    #[test]
    fn lines_of_another_question_are_not_known() {
        let (session, worker) = (overflow(), Worker::synchronous());
        let question = SavedSliceQuery {
            cell: "x2".to_owned(),
            at: 1763,
            ..SavedSliceQuery::default()
        };
        let (mut state, mut list) = (SliceState::default(), SliceList::default());
        state.begin(question.clone(), &session, &worker);
        let slice = Arc::clone(state.slice().expect("a slice"));
        assert!(list.poll(&slice, SliceView::Chain, &worker).is_some());
        // The rows also stay while other edges are followed.
        let edges = EdgeKinds {
            flags: true,
            ..EdgeKinds::default()
        };
        assert!(is_about_the_same(
            &question,
            &SavedSliceQuery {
                edges,
                ..question.clone()
            }
        ));
        assert!(!is_about_the_same(
            &question,
            &SavedSliceQuery {
                cell: "x0".to_owned(),
                ..question.clone()
            }
        ));
    }
}
