//! Where the numbers of each record type stand, by the names of the format's header file (version 2.13).

use crate::rst::fields::{
    bus_trace, cpu, dma, file_marker, header, hwinfo, instr, left_delimiter, memval64, memval128,
    null, patch, pavadiff, physaddr, preg, process, regval, rfs_bt, rfs_cw, rfs_section, snoop,
    status, strdesc, thread, tlb, trace_info, trace_info_3, trap, trap_exit, trapping, tsb_access,
};
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RecordField};

/// What there is to know of the records of a type.
#[derive(Clone, Copy, Debug)]
pub struct RecordLayout {
    /// The type's name, as the format's header file has it.
    pub name: &'static str,
    /// What is in it, in order.
    pub fields: &'static [RecordField],
    /// Which processor it is of; none when it does not say.
    pub cpu: Option<CpuFields>,
}

/// The number of a processor, in one part or two.
#[derive(Clone, Copy, Debug)]
pub struct CpuFields {
    pub(super) low: RecordField,
    pub(super) high: Option<RecordField>,
}

/// The subtype of the trace information that holds numbers of processors and dates: its number is not published.
const TRACE_INFO_3: u64 = 3;

/// The layout of a record's type; none for types that are not known.
pub fn layout_of(record: &RawRecord) -> Option<RecordLayout> {
    Some(match record.kind() {
        kind::HEADER => header::LAYOUT,
        kind::INSTRUCTION => instr::LAYOUT,
        kind::TRACE_INFO if record.get(trace_info::RTYPE2) == TRACE_INFO_3 => trace_info_3::LAYOUT,
        kind::TRACE_INFO => trace_info::LAYOUT,
        kind::TLB => tlb::LAYOUT,
        kind::THREAD => thread::LAYOUT,
        kind::TRAP => trap::LAYOUT,
        kind::TRAP_EXIT => trap_exit::LAYOUT,
        kind::REGISTERS => regval::LAYOUT,
        kind::CPU => cpu::LAYOUT,
        kind::PROCESS => process::LAYOUT,
        kind::DMA => dma::LAYOUT,
        kind::TEXT => strdesc::LAYOUT,
        kind::LEFT_DELIMITER => left_delimiter::LAYOUT,
        kind::RIGHT_DELIMITER => RecordLayout {
            name: "RIGHTDELIM",
            ..left_delimiter::LAYOUT
        },
        kind::PREG => preg::LAYOUT,
        kind::PHYSICAL_ADDRESS => physaddr::LAYOUT,
        kind::DIFFERENCE => pavadiff::LAYOUT,
        kind::NULL => null::LAYOUT,
        kind::TEXT_PART => RecordLayout {
            name: "STRCONT",
            ..strdesc::LAYOUT
        },
        kind::FILE_MARKER => file_marker::LAYOUT,
        kind::STATUS => status::LAYOUT,
        kind::PATCH => patch::LAYOUT,
        kind::HARDWARE => hwinfo::LAYOUT,
        kind::MEMORY if record.flag(memval128::ISMEMVAL128) => memval128::LAYOUT,
        kind::MEMORY => memval64::LAYOUT,
        kind::BUS => bus_trace::LAYOUT,
        kind::SNOOP => snoop::LAYOUT,
        kind::TSB_ACCESS => tsb_access::LAYOUT,
        kind::RFS_SECTION => rfs_section::LAYOUT,
        kind::RFS_CACHE => rfs_cw::LAYOUT,
        kind::RFS_BRANCH => rfs_bt::LAYOUT,
        kind::TRAPPING => trapping::LAYOUT,
        _ => return None,
    })
}

impl CpuFields {
    /// The number, below 1024. Before version 2.12 the upper part was something else.
    #[inline]
    pub fn get(&self, record: &RawRecord) -> u16 {
        let low = record.get(self.low);
        let high = self.high.filter(|_| record.form().version.has_wide_cpu());
        (low | high.map_or(0, |high| record.get(high) << self.low.width())) as u16 // ten bits
    }
}
