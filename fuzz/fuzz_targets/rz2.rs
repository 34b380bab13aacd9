//! Any bytes as what rstzip 2 packed: no panic, no more memory than is allowed, and the same records each time,
//! of which a shorter file has fewer.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use stepback_parsers::TraceFile;
use stepback_parsers::rst::write_plain;

/// The records of what is packed in some bytes.
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

/// The head of a file; a byte says whether it is of one processor.
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
