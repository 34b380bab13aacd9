//! Callers and callees of a function.

use std::cmp::Reverse;

use stepback_parsers::Position;

use super::told::FunctionProfile;
use crate::action::CallMeasure;
use crate::analysis::call_profile::CallTotals;
use crate::model::table::ROWS;

/// Relation to a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallRelation {
    /// Functions that call it.
    Callers,
    /// Functions that it calls.
    Callees,
}

/// Caller or callee of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelatedFunctionRow {
    /// Index of the function in the profile.
    pub function: u32,
    /// Position at which the first of these calls is entered.
    pub first: Position,
    /// Totals of the calls between the two functions; the steps are those of the callee.
    pub totals: CallTotals,
}

/// Lists at most [`ROWS`] callers or callees of the function with index `place`, those whose calls
/// took most first. Cost: its links; for callers, a pass over all links.
pub fn near_rows(
    functions: &FunctionProfile,
    place: u32,
    side: CallRelation,
    measure: CallMeasure,
) -> Vec<RelatedFunctionRow> {
    let links = &functions.profile.links;
    let own = match side {
        // Links are sorted by caller.
        CallRelation::Callees => {
            let from = links.partition_point(|link| link.caller < place);
            let to = links.partition_point(|link| link.caller <= place);
            links.get(from..to).unwrap_or_default()
        }
        CallRelation::Callers => links,
    };
    let row = |function: u32, link: &crate::analysis::call_profile::CallEdge| RelatedFunctionRow {
        function,
        first: link.first,
        totals: link.totals,
    };
    let mut rows: Vec<RelatedFunctionRow> = match side {
        CallRelation::Callees => own.iter().map(|link| row(link.callee, link)).collect(),
        CallRelation::Callers => own
            .iter()
            .filter(|link| link.callee == place)
            .map(|link| row(link.caller, link))
            .collect(),
    };
    rows.sort_by_key(|row| {
        let taken = match measure {
            CallMeasure::Steps => row.totals.steps,
            CallMeasure::Time => row.totals.time,
        };
        Reverse((taken, row.totals.calls))
    });
    rows.truncate(ROWS);
    rows
}

#[cfg(test)]
mod tests {
    use stepback_index::Cancel;

    use super::*;
    use crate::analysis::call_profile::Progress;
    use crate::session::test_session::overflow_with_image;

    #[test]
    fn callers_and_callees_are_listed_with_their_calls() {
        let session = overflow_with_image();
        let told =
            FunctionProfile::of(&session, None, &Progress::default(), &Cancel::default()).unwrap();
        let place = |name: &str| {
            (0..)
                .zip(&told.names)
                .find(|(_, known)| &***known == name)
                .map(|(place, _)| place)
        };
        let names = |name: &str, side| -> Vec<(String, u64)> {
            let rows = near_rows(&told, place(name).expect(name), side, CallMeasure::Steps);
            rows.iter()
                .map(|row| (told.name(row.function).to_owned(), row.totals.calls))
                .collect()
        };
        assert_eq!(
            names("main", CallRelation::Callers),
            [("_start".to_owned(), 1)]
        );
        assert_eq!(names("_start", CallRelation::Callers), []);
        let callees = names("main", CallRelation::Callees);
        assert!(
            callees
                .iter()
                .any(|(name, calls)| name == "dispatch" && *calls > 0),
            "{callees:?}"
        );
        for (callee, calls) in callees {
            let callers = names(&callee, CallRelation::Callers);
            assert!(
                callers.contains(&("main".to_owned(), calls)),
                "{callee}: {callers:?}"
            );
        }
    }
}
