//! Where the numbers of each record type stand, by the names of the format's header file (version 2.13).

use crate::rst::fields::{
    bus_trace, cpu, dma, file_marker, header, hwinfo, instr, left_delimiter, memval64, memval128, null, patch,
    pavadiff, physaddr, preg, process, regval, rfs_bt, rfs_cw, rfs_section, snoop, status, strdesc, thread, tlb,
    trace_info, trace_info_3, trap, trap_exit, trapping, tsb_access,
};
use crate::rst::raw_record::{Field, RawRecord};

/// What there is to know of the records of a type.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The type's name, as the format's header file has it.
    pub name: &'static str,
    /// What is in it, in order.
    pub fields: &'static [Field],
    /// Which processor it is of; none when it does not say.
    pub cpu: Option<CpuFields>,
}

/// The number of a processor, in one part or two.
#[derive(Clone, Copy, Debug)]
pub struct CpuFields {
    pub(super) low: Field,
    pub(super) high: Option<Field>,
}

/// The subtype of the trace information that holds numbers of processors and dates: its number is not published.
const TRACE_INFO_3: u64 = 3;

/// The layout of a record's type; none for types that are not known.
pub fn layout_of(record: &RawRecord) -> Option<Layout> {
    Some(match record.kind() {
        2 => header::LAYOUT,
        3 => instr::LAYOUT,
        4 if record.get(trace_info::RTYPE2) == TRACE_INFO_3 => trace_info_3::LAYOUT,
        4 => trace_info::LAYOUT,
        5 => tlb::LAYOUT,
        6 => thread::LAYOUT,
        7 => trap::LAYOUT,
        8 => trap_exit::LAYOUT,
        9 => regval::LAYOUT,
        11 => cpu::LAYOUT,
        12 => process::LAYOUT,
        13 => dma::LAYOUT,
        14 => strdesc::LAYOUT,
        15 => left_delimiter::LAYOUT,
        16 => Layout { name: "RIGHTDELIM", ..left_delimiter::LAYOUT },
        17 => preg::LAYOUT,
        18 => physaddr::LAYOUT,
        19 => pavadiff::LAYOUT,
        20 => null::LAYOUT,
        21 => Layout { name: "STRCONT", ..strdesc::LAYOUT },
        22 => file_marker::LAYOUT,
        23 => status::LAYOUT,
        24 => patch::LAYOUT,
        25 => hwinfo::LAYOUT,
        26 if record.flag(memval128::ISMEMVAL128) => memval128::LAYOUT,
        26 => memval64::LAYOUT,
        27 => bus_trace::LAYOUT,
        28 => snoop::LAYOUT,
        29 => tsb_access::LAYOUT,
        30 => rfs_section::LAYOUT,
        31 => rfs_cw::LAYOUT,
        32 => rfs_bt::LAYOUT,
        34 => trapping::LAYOUT,
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
