//! The comparison of two open traces ([`compare_traces`]).

use std::sync::atomic::AtomicU64;

use anyhow::{Result, bail};
use stepback_compare::{CompareOptions, Comparison, Tolerances, foreign_sets};
use stepback_index::Cancel;

use crate::analysis::heap::allocators;
use crate::session::Session;

/// Compares two traces. `progress` counts the matched steps whose values were compared.
///
/// # Errors
/// The traces are those of different processors, one cannot be read, or `cancel` was set.
pub fn compare_traces(
    a: &Session,
    b: &Session,
    tolerances: Tolerances,
    progress: &AtomicU64,
    cancel: &Cancel,
) -> Result<Comparison> {
    if let Some([one, other]) = foreign_sets(&a.index, &b.index) {
        let [one, other] = [one, other].map(|set| set.names().title);
        let [a, b] = [a, b].map(|session| session.path.display().to_string());
        bail!("they are traces of different processors: {a} of {one}, {b} of {other}");
    }
    let options = CompareOptions {
        tolerances,
        allocators: allocators(&a.images),
        progress: Some(progress),
    };
    Ok(Comparison::run(&a.index, &b.index, options, cancel)?)
}
