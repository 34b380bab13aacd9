//! What a trace says of itself.

use crate::rst::fields::{
    file_marker, header, left_delimiter, patch, status, strdesc, trace_info, trace_info_3,
};
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RstVersion};

/// RSTHEADER: the first record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RstHeader {
    /// The format's version.
    pub version: RstVersion,
    /// `%`.
    pub mark: u8,
    /// `RST Header v2.13`.
    pub text: Vec<u8>,
}

/// TRACEINFO: who made the trace, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceInfo {
    /// 2, or a number that is not known.
    pub subtype: u8,
    /// How many programs made or changed it.
    pub level: u16,
    /// Whatever they say.
    pub value: u32,
    /// Seconds since 1970.
    pub time: u64,
}

/// TRACEINFO with numbers of processors and dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceDates {
    /// The highest number of a processor.
    pub max_cpu: u8,
    /// How many processors.
    pub cpus: u8,
    /// The version of the specification: major, minor, and a third number.
    pub specification: [u8; 3],
    /// Seconds since 1970.
    pub created: u64,
    /// Seconds since 1970.
    pub modified: u64,
}

/// STRDESC and STRCONT: a text, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRecord {
    /// More of it follows in the next record.
    pub is_continued: bool,
    /// Without the zeros behind it.
    pub text: Vec<u8>,
}

/// LEFTDELIM and RIGHTDELIM: the records between two of these belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delimiter {
    /// The first of the two.
    pub is_left: bool,
    /// The same in both.
    pub id: u8,
    /// What is between: 257 a text, 258 a dump of registers.
    pub what: u16,
    /// Bytes between.
    pub length_bytes: u32,
}

/// FILEMARKER: a place in another trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileMarker {
    /// Of which processor.
    pub cpu: u16,
    /// Records are counted anew from here, otherwise it is a mark.
    pub is_count_reset: bool,
    /// Which of the programs that made the trace wrote it.
    pub level: u8,
    /// The type of the record that it stands for.
    pub record_type: u8,
    /// Records read so far.
    pub input_count: u64,
    /// Records written so far.
    pub output_count: u64,
}

/// STATUS: an event in the program that makes the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// 2 end of the file, 3 error, 4 a command.
    pub status: u8,
    /// Which program a command is for.
    pub analyzer: u8,
    /// Which command.
    pub command: u8,
}

/// PATCH: the records from here on are inserted, or no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// It begins, otherwise it ends.
    pub is_begin: bool,
    /// Records to go back.
    pub rewound_records: u8,
    /// The same in both.
    pub id: u8,
    /// How long it is.
    pub length: u16,
    /// What it is.
    pub description: Vec<u8>,
}

impl RstHeader {
    /// Reads a record of type 2.
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
    /// Reads a record of type 4.
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
    /// Reads a record of type 4 with the subtype that bears dates.
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
    /// Reads a record of type 14 or 21.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            is_continued: record.kind() == kind::TEXT_PART,
            text: record.text(strdesc::STRING),
        }
    }
}

impl Delimiter {
    /// Reads a record of type 15 or 16.
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
    /// Reads a record of type 22.
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
    /// Reads a record of type 23.
    pub fn of(record: &RawRecord) -> Self {
        Self {
            status: record.get(status::STATUS) as u8,
            analyzer: record.get(status::ANALYZER) as u8,
            command: record.get(status::COMMAND) as u8,
        }
    }
}

impl Patch {
    /// Reads a record of type 24.
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
