//! Records of processors, processes and buses.

use crate::rst::fields::{bus_trace, cpu, hwinfo, process, snoop, thread};
use crate::rst::raw_record::RawRecord;

/// CPU: the time on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTime {
    /// Number of the processor.
    pub cpu: u16,
    /// The time.
    pub timestamp: u64,
}

/// THREAD: another thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadSwitch {
    /// Context of its instructions.
    pub context: u16,
    /// Number of the thread, or the contents of `%g7`.
    pub tid: u64,
}

/// PROCESS: another process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessSwitch {
    /// The process before.
    pub old_pid: u32,
    /// The process from here on.
    pub new_pid: u32,
    /// The context before.
    pub old_context: u32,
    /// The context from here on.
    pub new_context: u32,
}

/// HWINFO: a fact about the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardwareInfo {
    /// True for a simulated machine.
    pub is_simulated: bool,
    /// 2 for the source of the trace, 6 for the simulated machine, 7 for the host machine.
    pub category: u8,
    /// Kind of information, depending on the category.
    pub info_type: u8,
    /// Number of the entry, if there are several.
    pub entry: u16,
    /// Number of entries.
    pub entries: u16,
    /// Values, depending on the kind of information.
    pub values: [u64; 2],
}

/// BUSTRACE: a transaction on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusTransaction {
    /// True if a modified line is displaced.
    pub is_dirty_victim: bool,
    /// True if others have the line.
    pub is_shared: bool,
    /// True if another owns the line.
    pub is_owned: bool,
    /// True if memory must not respond.
    pub is_memory_cancelled: bool,
    /// Type of the bus.
    pub bus: u8,
    /// Type of the transaction.
    pub kind: u8,
    /// Agent that requests the transaction.
    pub agent: u16,
    /// True if the time is the signed distance from the transaction before.
    pub is_time_difference: bool,
    /// True if the time is in nanoseconds, false if in units of 100 ns.
    pub is_time_in_nanos: bool,
    /// Time, twenty bits.
    pub timestamp: u32,
    /// Bus-specific data.
    pub specific: u64,
    /// Physical address.
    pub address: u64,
}

/// SNOOP: a device queries the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snoop {
    /// 1 to own, 2 to share.
    pub request: u8,
    /// Number of the device.
    pub device: u16,
    /// Number of bytes.
    pub size_bytes: u32,
    /// Physical address.
    pub address: u64,
    /// 1 for a processor.
    pub device_type: u16,
}

impl CpuTime {
    /// Decodes a record of type 11.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: record.get(cpu::CPU_NUMBER) as u16,
            timestamp: record.get(cpu::TIMESTAMP),
        }
    }
}

impl ThreadSwitch {
    /// Decodes a record of type 6.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            context: record.get(thread::ICONTEXT) as u16,
            tid: record.get(thread::TID),
        }
    }
}

impl ProcessSwitch {
    /// Decodes a record of type 12.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            old_pid: record.get(process::OLDPID) as u32,
            new_pid: record.get(process::NEWPID) as u32,
            old_context: record.get(process::OLDCONTEXT) as u32,
            new_context: record.get(process::NEWCONTEXT) as u32,
        }
    }
}

impl HardwareInfo {
    /// Decodes a record of type 25.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_simulated: record.flag(hwinfo::SIM),
            category: record.get(hwinfo::CATEGORY) as u8,
            info_type: record.get(hwinfo::INFOTYPE) as u8,
            entry: record.get(hwinfo::ENTINDEX) as u16,
            entries: record.get(hwinfo::NUMENT) as u16,
            values: [record.get(hwinfo::VAL), record.get(hwinfo::VAL2)],
        }
    }
}

impl BusTransaction {
    /// Decodes a record of type 27.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_dirty_victim: record.flag(bus_trace::DIRTYVICTIM),
            is_shared: record.flag(bus_trace::SHARED),
            is_owned: record.flag(bus_trace::OWNED),
            is_memory_cancelled: record.flag(bus_trace::MEMCANCEL),
            bus: record.get(bus_trace::BT_TYPE) as u8,
            kind: record.get(bus_trace::TX_TYPE) as u8,
            agent: record.get(bus_trace::AGENTID) as u16,
            is_time_difference: record.flag(bus_trace::TDIFF),
            is_time_in_nanos: record.flag(bus_trace::NS_SCALE),
            timestamp: record.get(bus_trace::TIMESTAMP) as u32,
            specific: record.get(bus_trace::BTIMPL64),
            address: record.get(bus_trace::ADDR_PA),
        }
    }
}

impl Snoop {
    /// Decodes a record of type 28.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            request: record.get(snoop::SNOOPREQ) as u8,
            device: record.get(snoop::DEVICE_ID) as u16,
            size_bytes: record.get(snoop::SIZE) as u32,
            address: record.get(snoop::ADDR_PA),
            device_type: record.get(snoop::DEVICE_TYPE) as u16,
        }
    }
}
