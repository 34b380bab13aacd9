//! Descriptions of stops at data breakpoints.

use stepback_debugger::analysis::memory_change::MemoryChange;
use stepback_debugger::analysis::run_control::{AccessStop, StopAtStores, WatchedRange};
use stepback_debugger::model::text::{bytes_text, short_hex};
use stepback_index::answer::Value;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use super::program::TracedProgram;

/// Maximum length of a range that is shown as one number.
const NUMBER_BYTES: usize = 8;

/// Maximum number of shown bytes of a longer range.
const SHOWN_BYTES: usize = 16;

impl TracedProgram {
    /// Describes an access that stops the program; a change with the values before and after it.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn access_text(&self, access: &AccessStop, cancel: &Cancel) -> Result<String, QueryError> {
        let WatchedRange {
            range,
            thread,
            stores,
            ..
        } = access.watched;
        let step = access.step.0;
        let change = match stores {
            StopAtStores::All => None,
            StopAtStores::Changes => {
                MemoryChange::read(self.index(), range, access.shown_at, thread, cancel)?
            }
        };
        let Some((change, changed)) = change.and_then(|change| {
            let changed = change.changed.clone()?;
            Some((change, changed))
        }) else {
            return Ok(format!("Step {step} accesses {}", access.address));
        };
        if change.before.len() <= NUMBER_BYTES {
            let [old, new] = [change.before, change.after].map(|bytes| self.number_text(bytes));
            let address = range.address;
            return Ok(format!("Step {step} changes {address} from {old} to {new}"));
        }
        let address = Address(range.address.0.wrapping_add(changed.start as u64));
        let shown = changed.start..changed.end.min(changed.start + SHOWN_BYTES);
        let rest = if shown == changed { "" } else { " …" };
        let text = |bytes: &[Option<u8>]| {
            let bytes = bytes.get(shown.clone()).unwrap_or_default();
            format!("{}{rest}", bytes_text(bytes))
        };
        let (old, new) = (text(&change.before), text(&change.after));
        Ok(format!(
            "Step {step} changes the bytes at {address} from {old} to {new}"
        ))
    }

    /// Formats bytes as a number in hex.
    fn number_text(&self, mut bytes: Vec<Option<u8>>) -> String {
        if self.index().info().is_big_endian {
            bytes.reverse();
        }
        match short_hex(&Value(bytes)) {
            Some(hex) => format!("0x{hex}"),
            None => "an unknown value".to_owned(),
        }
    }
}
