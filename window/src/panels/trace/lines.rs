//! Source lines of the rows in view.

use std::collections::HashMap;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::Address;

use crate::panels::PanelContext;
use stepback_debugger::image::SourceLine;
use stepback_debugger::worker::{Answer, Slot};

/// Maximum number of cached lines. The cache is cleared beyond it; the lines in view are soon
/// fetched again.
const LIMIT: usize = 1 << 14;

/// A queried line; none if the address has no line.
type KnownSourceLine = Option<Arc<SourceLine>>;

/// Cache of source lines by address, filled as rows come into view.
#[derive(Debug, Default)]
pub struct SourceLineCache {
    known: HashMap<Address, KnownSourceLine>,
    asked: Slot<Vec<Address>, Vec<(Address, KnownSourceLine)>>,
}

impl SourceLineCache {
    /// Queries the lines of addresses that are not cached yet.
    pub fn fetch(&mut self, addresses: impl Iterator<Item = Address>, cx: &PanelContext<'_>) {
        if let Some((_, lines)) = self.asked.peek() {
            let fresh = lines
                .iter()
                .filter(|(address, _)| !self.known.contains_key(address));
            let fresh: Vec<(Address, KnownSourceLine)> = fresh.cloned().collect();
            self.known.extend(fresh);
        }
        let mut missing: Vec<Address> = addresses
            .filter(|address| !self.known.contains_key(address))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() || !cx.desk.session.images.are_lines_ready() {
            return;
        }
        if self.known.len() > LIMIT {
            self.known.clear();
        }
        let answer = self.asked.poll(&missing, &cx.desk.worker, |missing| {
            let (missing, session) = (missing.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| {
                let line = |address: Address| {
                    cancel.check()?;
                    Ok((address, session.images.source_at(address)))
                };
                missing.into_iter().map(line).collect()
            }
        });
        if let Answer::Fresh(lines) = answer {
            self.known.extend(lines.iter().cloned());
        }
    }

    /// Returns the cached line of an address.
    pub fn line(&self, address: Address) -> Option<&Arc<SourceLine>> {
        self.known.get(&address)?.as_ref()
    }
}
