//! Processors, processes, buses.

use crate::rst::fields::{bus_trace, cpu, hwinfo, process, snoop, thread};
use crate::rst::raw_record::RawRecord;

/// CPU: the time on a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTime {
    /// Which processor.
    pub cpu: u16,
    /// When.
    pub timestamp: u64,
}

/// THREAD: another thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadSwitch {
    /// The context of its instructions.
    pub context: u16,
    /// Its number, or what is in `%g7`.
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

/// HWINFO: what is known of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HardwareInfo {
    /// Of a simulated machine.
    pub is_simulated: bool,
    /// 2 what made the trace, 6 the simulated machine, 7 the one that it ran on.
    pub category: u8,
    /// What about it.
    pub info_type: u8,
    /// Which of several entries.
    pub entry: u16,
    /// Of so many.
    pub entries: u16,
    /// What it is.
    pub values: [u64; 2],
}

/// BUSTRACE: a transaction on the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusTransaction {
    /// A modified line is displaced.
    pub is_dirty_victim: bool,
    /// Others have the line.
    pub is_shared: bool,
    /// Another owns the line.
    pub is_owned: bool,
    /// Memory is not to answer.
    pub is_memory_cancelled: bool,
    /// The kind of bus.
    pub bus: u8,
    /// The kind of transaction.
    pub kind: u8,
    /// Who asked.
    pub agent: u16,
    /// The time is the distance from the transaction before, and signed.
    pub is_time_difference: bool,
    /// The time is in nanoseconds, otherwise in hundreds of them.
    pub is_time_in_nanos: bool,
    /// When, twenty bits.
    pub timestamp: u32,
    /// As the bus has it.
    pub specific: u64,
    /// The physical address.
    pub address: u64,
}

/// SNOOP: a device asks the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snoop {
    /// 1 to own, 2 to share.
    pub request: u8,
    /// Which device.
    pub device: u16,
    /// Bytes.
    pub size_bytes: u32,
    /// The physical address.
    pub address: u64,
    /// 1 for a processor.
    pub device_type: u16,
}

impl CpuTime {
    /// Reads a record of type 11.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: record.get(cpu::CPU_NUMBER) as u16,
            timestamp: record.get(cpu::TIMESTAMP),
        }
    }
}

impl ThreadSwitch {
    /// Reads a record of type 6.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            context: record.get(thread::ICONTEXT) as u16,
            tid: record.get(thread::TID),
        }
    }
}

impl ProcessSwitch {
    /// Reads a record of type 12.
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
    /// Reads a record of type 25.
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
    /// Reads a record of type 27.
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
    /// Reads a record of type 28.
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
