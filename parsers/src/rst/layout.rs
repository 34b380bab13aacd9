//! The layout of each record type, with the names of the format's header file (version 2.13).

use crate::rst::fields::{
    bus_trace, cpu, dma, file_marker, header, hwinfo, instr, left_delimiter, memval64, memval128,
    null, patch, pavadiff, physaddr, preg, process, regval, rfs_bt, rfs_cw, rfs_section, snoop,
    status, strdesc, thread, tlb, trace_info, trace_info_3, trap, trap_exit, trapping, tsb_access,
};
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RecordField};

/// The layout of a record type.
#[derive(Clone, Copy, Debug)]
pub struct RecordLayout {
    /// Name of the type in the format's header file.
    pub name: &'static str,
    /// The fields in order.
    pub fields: &'static [RecordField],
    /// Position of the processor number; none if records of the type have none.
    pub cpu: Option<CpuFields>,
}

/// The processor number, in one part or two.
#[derive(Clone, Copy, Debug)]
pub struct CpuFields {
    pub(super) low: RecordField,
    pub(super) high: Option<RecordField>,
}

/// Subtype of TRACEINFO with processor numbers and dates. Its number is not published.
const TRACE_INFO_3: u64 = 3;

/// Returns the layout of a record's type, or none for unknown types.
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
    /// Returns the processor number, below 1024. Before version 2.12 the upper part had another
    /// meaning and is ignored.
    #[inline]
    pub fn get(&self, record: &RawRecord) -> u16 {
        let low = record.get(self.low);
        let high = self.high.filter(|_| record.form().version.has_wide_cpu());
        (low | high.map_or(0, |high| record.get(high) << self.low.width())) as u16 // ten bits
    }
}
