//! Records about the trace itself.

use crate::rst::fields::{
    file_marker, header, left_delimiter, patch, status, strdesc, trace_info, trace_info_3,
};
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RstVersion};

/// RSTHEADER: the first record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RstHeader {
    /// Version of the format.
    pub version: RstVersion,
    /// Mark before the text: `%`.
    pub mark: u8,
    /// Text, normally `RST Header v2.13`.
    pub text: Vec<u8>,
}

/// TRACEINFO: origin and time of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceInfo {
    /// Subtype: 2, or an unknown number.
    pub subtype: u8,
    /// Number of programs that made or changed the trace.
    pub level: u16,
    /// Value defined by these programs.
    pub value: u32,
    /// Seconds since 1970.
    pub time: u64,
}

/// TRACEINFO with processor numbers and dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceDates {
    /// Highest processor number.
    pub max_cpu: u8,
    /// Number of processors.
    pub cpus: u8,
    /// Version of the specification: major, minor, and a third number.
    pub specification: [u8; 3],
    /// Time of creation in seconds since 1970.
    pub created: u64,
    /// Time of the last change in seconds since 1970.
    pub modified: u64,
}

/// STRDESC and STRCONT: a text, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRecord {
    /// True if the text continues in the next record.
    pub is_continued: bool,
    /// The text, without trailing zeros.
    pub text: Vec<u8>,
}

/// LEFTDELIM and RIGHTDELIM: enclose records that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter {
    /// True for the opening delimiter.
    pub is_left: bool,
    /// Identifier, shared by both delimiters.
    pub id: u8,
    /// Enclosed content: 257 a text, 258 a register dump.
    pub what: u16,
    /// Number of enclosed bytes.
    pub length_bytes: u32,
}

/// FILEMARKER: a position in another trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileMarker {
    /// Number of the processor.
    pub cpu: u16,
    /// True if records are counted anew from here; false for a marker.
    pub is_count_reset: bool,
    /// Number of the program, among those that made the trace, that wrote the marker.
    pub level: u8,
    /// Type of the record that it stands for.
    pub record_type: u8,
    /// Number of records read until here.
    pub input_count: u64,
    /// Number of records written until here.
    pub output_count: u64,
}

/// STATUS: an event in the program that makes the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// 2 end of the file, 3 error, 4 a command.
    pub status: u8,
    /// Program that a command is for.
    pub analyzer: u8,
    /// Number of the command.
    pub command: u8,
}

/// PATCH: beginning or end of inserted records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// True for the beginning.
    pub is_begin: bool,
    /// Number of records to go back.
    pub rewound_records: u8,
    /// Identifier, shared by beginning and end.
    pub id: u8,
    /// Length of the patch.
    pub length: u16,
    /// Description of the patch.
    pub description: Vec<u8>,
}

impl RstHeader {
    /// Decodes a record of type 2.
    pub fn of(record: &RawRecord) -> Self {
        let version = RstVersion {
            major: record.get(header::MAJOR_VER) as u8,
            minor: record.get(header::MINOR_VER) as u8,
        };
        Self {
            version,
            mark: record.get(header::PERCENT) as u8,
            text: record.text(header::HEADER_STR),
        }
    }
}

impl TraceInfo {
    /// Decodes a record of type 4.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            subtype: record.get(trace_info::RTYPE2) as u8,
            level: record.get(trace_info::LEVEL) as u16,
            value: record.get(trace_info::VAL32) as u32,
            time: record.get(trace_info::TIME64),
        }
    }
}

impl TraceDates {
    /// Decodes a record of type 4 with the subtype that has dates.
    pub fn of(record: &RawRecord) -> Self {
        let specification = [
            trace_info_3::MAJOR,
            trace_info_3::MINOR,
            trace_info_3::SUB_MINOR,
        ];
        Self {
            max_cpu: record.get(trace_info_3::MAX_CPU_ID) as u8,
            cpus: record.get(trace_info_3::TOTAL_NUM_CPUS) as u8,
            specification: specification.map(|field| record.get(field) as u8),
            created: record.get(trace_info_3::DATE_CREATED),
            modified: record.get(trace_info_3::DATE_MODIFIED),
        }
    }
}

impl TextRecord {
    /// Decodes a record of type 14 or 21.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_continued: record.kind() == kind::TEXT_PART,
            text: record.text(strdesc::STRING),
        }
    }
}

impl Delimiter {
    /// Decodes a record of type 15 or 16.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_left: record.kind() == kind::LEFT_DELIMITER,
            id: record.get(left_delimiter::ID) as u8,
            what: record.get(left_delimiter::WHAT) as u16,
            length_bytes: record.get(left_delimiter::LENGTH) as u32,
        }
    }
}

impl FileMarker {
    /// Decodes a record of type 22.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            cpu: file_marker::CPU.get(record),
            is_count_reset: record.flag(file_marker::REC_NUM),
            level: record.get(file_marker::LEVEL) as u8,
            record_type: record.get(file_marker::REC_TYPE) as u8,
            input_count: record.get(file_marker::INCOUNT),
            output_count: record.get(file_marker::OUTCOUNT),
        }
    }
}

impl Status {
    /// Decodes a record of type 23.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            status: record.get(status::STATUS) as u8,
            analyzer: record.get(status::ANALYZER) as u8,
            command: record.get(status::COMMAND) as u8,
        }
    }
}

impl Patch {
    /// Decodes a record of type 24.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_begin: record.flag(patch::IS_BEGIN),
            rewound_records: record.get(patch::REWINDRECS) as u8,
            id: record.get(patch::ID) as u8,
            length: record.get(patch::LENGTH) as u16,
            description: record.text(patch::DESCR),
        }
    }
}
