//! Arbitrary bytes as an STF trace: no panic, and every part of the trace yields the events of the
//! whole.
//!
//! The first byte selects the form: records after the beginning of a header, a zstf file, or a zstf
//! file of two chunks with these records and an index.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::check::Findings;
use stepback_parsers::files::CacheFileOptions;
use stepback_parsers::stf::Stf;
use stepback_parsers::{
    EventSink, Flow, MemoryAccess, ParseScratch, RegisterWrite, Source as _, StepEvent, TraceFile,
};

/// Identifier, version 1.5 and the address 0x1000.
const HEAD: &[u8] = b"\x01STF\x02\x01\0\0\0\x05\0\0\0\x09\0\x10\0\0\0\0\0\0";
/// Length in bytes of the parts that are compared with the whole.
const PART_BYTES: u64 = 5 * 16;

#[derive(Default)]
struct Steps(Vec<(u64, bool)>, u64, u64);

impl EventSink for Steps {
    fn begin_step(&mut self, step: &StepEvent<'_>) {
        self.0.push((step.pc.0, step.is_executed));
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        assert!(write.bytes.is_none_or(|bytes| bytes.len() == usize::from(write.view.size_bytes)));
        self.1 += 1;
    }

    fn access(&mut self, access: &MemoryAccess) {
        assert!(access.address.0.checked_add(u64::from(access.size_bytes).saturating_sub(1)).is_some());
        self.2 += 1;
    }
}

fn read(bytes: &[u8]) {
    let file = TraceFile {
        name: "a".to_owned(),
        data: Arc::new(bytes.to_vec()),
    };
    let Ok(trace) = Stf::open(file, CacheFileOptions::default()) else {
        return;
    };
    trace
        .store()
        .wait_for(u64::MAX)
        .expect("the store can be written");
    trace.grow().expect("the store can be read");
    let mut scratch = ParseScratch::default();
    let mut whole = Steps::default();
    trace
        .parse(0..trace.length(), &mut scratch, &mut whole)
        .expect("the store can be read");
    let mut parts = Steps::default();
    for start in (0..trace.length()).step_by(PART_BYTES as usize) {
        let end = (start + PART_BYTES).min(trace.length());
        trace
            .parse(start..end, &mut scratch, &mut parts)
            .expect("the store can be read");
    }
    assert_eq!((whole.0, whole.1, whole.2), (parts.0, parts.1, parts.2));
    trace
        .made_lines(0..trace.length().min(1 << 16), &mut |_| ())
        .expect("the store can be read");
    trace
        .check_records(&mut Findings::new(8), &mut |_| Flow::Continue)
        .expect("memory can be read");
}

/// Stores bytes as a zstd frame with one raw block (RFC 8878, 3.1.1). Blocks hold 128 KiB.
fn frame(bytes: &[u8]) -> Vec<u8> {
    let bytes = &bytes[..bytes.len().min(128 << 10)];
    let size = bytes.len() as u32;
    let mut out = b"\x28\xb5\x2f\xfd\xa0".to_vec();
    out.extend(size.to_le_bytes());
    out.extend(&(size << 3 | 1).to_le_bytes()[..3]);
    out.extend(bytes);
    out
}

/// Makes a zstf file with each half of the records as a chunk.
fn chunked(records: &[u8]) -> Vec<u8> {
    let (first, second) = records.split_at(records.len() / 2);
    let mut out = b"ZSTF".to_vec();
    out.extend(2u64.to_le_bytes());
    out.extend([0; 8]);
    let mut index = 2u64.to_le_bytes().to_vec();
    for (pc, part) in [(0u64, first), (0x2000, second)] {
        for number in [out.len() as u64, pc, part.len() as u64] {
            index.extend(number.to_le_bytes());
        }
        out.extend(frame(part));
    }
    let place = (out.len() as u64).to_le_bytes();
    out.splice(12..20, place);
    out.extend(index);
    out
}

fuzz_target!(|bytes: &[u8]| {
    let Some((form, bytes)) = bytes.split_first() else {
        return;
    };
    match form % 3 {
        0 => read(&[HEAD, bytes].concat()),
        1 => read(&[b"ZSTF", bytes].concat()),
        _ => read(&chunked(&[HEAD, bytes].concat())),
    }
});
