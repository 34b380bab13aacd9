//! Traces packed by rstzip, compared with their originals.

use std::fs;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use stepback_parsers::TraceFile;
use stepback_parsers::rst::RecordReader;
use xxhash_rust::xxh3::Xxh3Default;

use super::{content, fixture, plain, traces};

/// Compares a packed trace with the plain one.
#[track_caller]
fn check(packed: &Path, original: &[u8]) {
    let (found, problems) = plain("packed", fs::read(packed).unwrap());
    assert_eq!(problems, [], "{}", packed.display());
    assert_eq!(found.len(), original.len(), "{}", packed.display());
    for (number, (found, original)) in found.chunks(24).zip(original.chunks(24)).enumerate() {
        assert_eq!(
            found,
            original,
            "{}: record {}",
            packed.display(),
            number + 1
        );
    }
}

/// Applies the losses of version 2 to register records: most follow their instruction, and one byte
/// has no meaning.
fn as_version_2_leaves_it(mut original: Vec<u8>, packed: &[u8]) -> Vec<u8> {
    for (original, packed) in original
        .chunks_mut(24)
        .zip(packed.chunks(24))
        .filter(|(record, _)| record[0] == 9)
    {
        original[1] |= packed[1] & 0x80;
        original[7] = packed[7];
    }
    original
}

#[track_caller]
fn check_version_2(packed: &Path, original: Vec<u8>) {
    let (found, _) = plain("packed", fs::read(packed).unwrap());
    check(packed, &as_version_2_leaves_it(original, &found));
}

#[test]
fn version_3_gives_the_bytes_that_it_packed() {
    for (packed, original) in [
        ("cti.rz3.gz", "cti.rst"),
        ("hello.rz3.gz", "hello.rst.zst"),
        ("small.rz3.gz", "small.rst"),
        ("small_nv.rz3.gz", "small_nv.rst.xz"),
    ] {
        check(&fixture(packed), &content(&fixture(original)));
    }
}

/// The packer's losses equal the output of rstzip's unpacker, except for snap branches (record 43).
/// For these the unpacker returns a quarter of the address, and loses its position after the first.
#[test]
fn version_3_forgets_what_it_does_not_pack() {
    let mut expected = content(&fixture("alltypes.rz3-roundtrip.rst"));
    let branch = 42 * 24..43 * 24;
    expected[branch.clone()].copy_from_slice(&content(&fixture("alltypes.rst"))[branch]);
    check(&fixture("alltypes.rz3.gz"), &expected);
}

#[test]
fn version_2_gives_the_bytes_that_it_packed_but_for_those_that_it_forgets() {
    for (packed, original) in [
        ("cti.rz2.gz", "cti.rst"),
        ("small.rz2.gz", "small.rst"),
        ("small_nv.rz2.gz", "small_nv.rst.xz"),
    ] {
        check_version_2(&fixture(packed), content(&fixture(original)));
    }
}

#[test]
fn real_traces_are_unpacked_to_the_byte() {
    let Some(folder) = traces() else { return };
    let original = content(&folder.join("medium.rst.zst"));
    check(&folder.join("medium.rz3.gz"), &original);
    check_version_2(&folder.join("medium.rz2.gz"), original);
    let original = content(&folder.join("medium_nv.rst.zst"));
    check(&folder.join("medium_nv.rz3.gz"), &original);
    check(&folder.join("medium_nv.rz2.gz"), &original);
}

#[test]
fn real_traces_of_millions_of_records_are_unpacked_to_the_byte() {
    let Some(folder) = traces() else { return };
    let data = Arc::new(File::open(folder.join("large.rz3.gz")).unwrap());
    let mut reader = RecordReader::new(vec![TraceFile {
        name: "large.rz3.gz".to_owned(),
        data,
    }]);
    let (mut hash, mut bytes) = (Xxh3Default::new(), 0);
    while let Some(batch) = reader.next_batch().unwrap() {
        assert_eq!(batch.problems, []);
        hash.update(batch.bytes);
        bytes += batch.bytes.len();
    }
    // The hash of the original, whose SHA-256 is stored next to the trace.
    assert_eq!(
        (bytes, hash.digest()),
        (19_000_000 * 24, 0xff43_5ecb_2592_a519)
    );
}
