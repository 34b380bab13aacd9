//! A written index that still lacks the memory writes of the host.

use std::sync::Arc;

use crate::builder::catalogue::Catalogue;
use crate::builder::semihosting::call::HOST_CALLS_LEFT_OUT;
use crate::builder::semihosting::pass::HostWrites;
use crate::builder::writer::IndexWriter;
use crate::store::data::IndexData;
use crate::store::output::IndexOutput;
use crate::store::regions::open_calls::UnresolvedCalls;

/// A written index.
#[derive(Debug)]
pub struct AssembledIndex<O> {
    pub(super) writer: IndexWriter<O>,
    pub(super) catalogue: Catalogue,
    /// Slots of semihosting calls.
    pub(super) host_calls: Vec<u64>,
}

impl<O: IndexOutput> AssembledIndex<O> {
    /// Returns the slots of semihosting calls that may have let the host write into memory.
    pub fn host_calls(&self) -> &[u64] {
        &self.host_calls
    }

    /// Returns the written bytes.
    pub fn read_back(&mut self) -> std::io::Result<Arc<IndexData>> {
        self.writer.output.read_back()
    }

    /// Adds the host's writes. The directory is written again, after the first one.
    pub fn add_host_writes(&mut self, writes: HostWrites) -> std::io::Result<()> {
        let HostWrites {
            regions,
            open,
            explained,
            is_cut_short,
        } = writes;
        let contents = &mut self.catalogue.contents;
        contents.host_regions = self.writer.append(&regions.encode())?;
        contents.open_calls = self.writer.append(&open.encode())?;
        for (segment, (explained, reads)) in explained {
            let Some(meta) = contents.segments.get_mut(segment) else {
                continue;
            };
            meta.explained = explained;
            meta.externals = meta.externals.saturating_sub(reads);
            contents.externals = contents.externals.saturating_sub(reads);
        }
        if is_cut_short {
            self.catalogue.complain(0, HOST_CALLS_LEFT_OUT.to_owned());
        }
        self.writer.write_directory(&self.catalogue.contents)
    }

    /// Records the regions written by the host as unknown for all calls.
    pub fn leave_open(&mut self) -> std::io::Result<()> {
        let open = UnresolvedCalls::of(self.host_calls.clone());
        self.catalogue.contents.open_calls = self.writer.append(&open.encode())?;
        self.writer.write_directory(&self.catalogue.contents)
    }

    /// Returns the output and its length in bytes.
    pub fn into_output(self) -> (O, u64) {
        (self.writer.output, self.writer.len)
    }
}
