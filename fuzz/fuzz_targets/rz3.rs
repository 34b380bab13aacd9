//! Arbitrary bytes as a file packed by rstzip 3: no panic, bounded memory, and equal records each
//! time. The records of a truncated file are the first ones of the whole.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::TraceFile;
use stepback_parsers::rst::write_plain;

/// Unpacks a file with these contents after its head.
fn unpack(bytes: &[u8]) -> Vec<u8> {
    let file = TraceFile {
        name: "packed".to_owned(),
        data: Arc::new([HEAD, bytes].concat()),
    };
    let mut records = Vec::new();
    write_plain(vec![file], &mut records, &mut |_| {}).expect("memory can be read and written");
    assert!(records.len().is_multiple_of(24));
    records
}

/// The head of a file of the newest version.
const HEAD: &[u8] = b"RZ3 5948486328$\0\x03\x14\0\0\0\0\0\0";

fuzz_target!(|bytes: &[u8]| {
    let records = unpack(bytes);
    assert_eq!(records, unpack(bytes));
    let shorter = unpack(&bytes[..bytes.len() / 2]);
    assert!(records.starts_with(&shorter));
});
