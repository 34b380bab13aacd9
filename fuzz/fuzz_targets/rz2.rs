//! Arbitrary bytes as a file packed by rstzip 2: no panic, bounded memory, and equal records each
//! time. The records of a truncated file are the first ones of the whole.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::TraceFile;
use stepback_parsers::rst::write_plain;

/// Unpacks a file with these contents after its head.
fn unpack(bytes: &[u8]) -> Vec<u8> {
    let Some((cpus, bytes)) = bytes.split_first() else {
        return Vec::new();
    };
    let file = TraceFile {
        name: "packed".to_owned(),
        data: Arc::new([head(*cpus), bytes.to_vec()].concat()),
    };
    let mut records = Vec::new();
    write_plain(vec![file], &mut records, &mut |_| {}).expect("memory can be read and written");
    assert!(records.len().is_multiple_of(24));
    records
}

/// Returns the head of a file; the lowest bit of a byte selects one processor or several.
fn head(cpus: u8) -> Vec<u8> {
    let mut head = format!(
        "RZ2 -- Rstzip2 compressed RST file.\nRstzip2 version: 2.01.\nNumcpus={}.\n",
        cpus & 1
    )
    .into_bytes();
    head.resize(512, 0);
    head
}

fuzz_target!(|bytes: &[u8]| {
    let records = unpack(bytes);
    assert_eq!(records, unpack(bytes));
    let shorter = unpack(&bytes[..bytes.len() / 2]);
    assert!(records.starts_with(&shorter));
});
