//! Sizes of the sections of an index file.

use crate::answers::index_info::{IndexSection, SectionSize};
use crate::index::Index;
use crate::store::contents::KeyMaps;
use crate::store::data::{Extent, HEADER_LEN};
use crate::store::layout::directory_extent;
use crate::store::segment::meta::Section;

/// Length of the checksum at the end of the header.
const CHECKSUM_LEN: u64 = 8;

impl Index {
    /// Returns the size of each kind of section in file order, also of empty ones. The sizes add up
    /// to the size of the file. O(segments).
    pub fn section_sizes(&self) -> Vec<SectionSize> {
        let contents = &self.contents;
        let of_maps = |extent: fn(&KeyMaps) -> Extent| {
            let lengths = contents.key_maps.iter().map(|maps| extent(maps).len);
            lengths.fold(0, u64::saturating_add)
        };
        let directory = directory_extent(&self.data).map_or(0, |directory| directory.len);
        let first = [
            (IndexSection::Header, HEADER_LEN as u64 - CHECKSUM_LEN),
            (IndexSection::HeaderChecksum, CHECKSUM_LEN),
        ];
        let of_segments = Section::ALL.map(|section| (kind_of(section), self.bytes_of(section)));
        let rest = [
            (IndexSection::MemoryMaps, of_maps(|maps| maps.granules)),
            (IndexSection::AddressMaps, of_maps(|maps| maps.pcs)),
            (IndexSection::ResumePoint, contents.resume.len),
            (IndexSection::Instructions, contents.codes.codes.len),
            (IndexSection::Calls, contents.calls.len),
            (IndexSection::HostWrites, contents.host_regions.len),
            (IndexSection::UnresolvedCalls, contents.open_calls.len),
            (IndexSection::Directory, directory),
        ];
        let used: Vec<_> = first.into_iter().chain(of_segments).chain(rest).collect();
        let unused = used
            .iter()
            .fold(self.data.len() as u64, |left, (_, bytes)| {
                left.saturating_sub(*bytes)
            });
        let all = used.into_iter().chain([(IndexSection::Unused, unused)]);
        all.map(|(section, bytes)| SectionSize { section, bytes })
            .collect()
    }

    /// Returns the size of a section in all segments together.
    fn bytes_of(&self, section: Section) -> u64 {
        let number = section as usize;
        let segments = self.contents.segments.iter();
        let lengths = segments.map(|meta| {
            let [start, end] = [number, number + 1].map(|place| meta.sections[place]);
            end.saturating_sub(start)
        });
        lengths.fold(0, u64::saturating_add)
    }
}

fn kind_of(section: Section) -> IndexSection {
    match section {
        Section::Offsets => IndexSection::Offsets,
        Section::Lines => IndexSection::Lines,
        Section::Times => IndexSection::Times,
        Section::Registers => IndexSection::Registers,
        Section::Granules => IndexSection::Memory,
        Section::Pcs => IndexSection::Addresses,
        Section::Externals => IndexSection::ExternalChanges,
        Section::Digests => IndexSection::Digests,
    }
}
