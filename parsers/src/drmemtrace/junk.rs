//! Records that make no sense.

/// Counts the senseless records of a file: the first is told at once, the others at the end, together.
#[derive(Debug, Default)]
pub(super) struct InvalidRecords {
    count: u64,
    last: u64,
}

impl InvalidRecords {
    /// Takes note of one at an offset; true for the first.
    pub fn is_first(&mut self, offset: u64) -> bool {
        self.count += 1;
        self.last = offset;
        self.count == 1
    }

    /// What there is to tell at the end, and where the last one lies.
    pub fn rest(&self) -> Option<(u64, String)> {
        let more = self.count.checked_sub(1).filter(|more| *more > 0)?;
        Some((
            self.last,
            format!("{more} more records up to here make no sense: they are left out"),
        ))
    }
}
