//! Invalid records.

/// Counts the invalid records of a file. The first is reported at once, the others together at the
/// end.
#[derive(Debug, Default)]
pub(super) struct InvalidRecords {
    count: u64,
    last: u64,
}

impl InvalidRecords {
    /// Notes an invalid record at an offset; returns true for the first.
    pub fn is_first(&mut self, offset: u64) -> bool {
        self.count += 1;
        self.last = offset;
        self.count == 1
    }

    /// Returns the report for the end of the file, and the offset of the last invalid record.
    pub fn rest(&self) -> Option<(u64, String)> {
        let more = self.count.checked_sub(1).filter(|more| *more > 0)?;
        Some((
            self.last,
            format!("{more} more records up to here make no sense: they are left out"),
        ))
    }
}
