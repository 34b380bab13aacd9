//! Damaged files: records before the damage survive, and the damage is only reported.

use stepback_parsers::rst::RecordReader;

use super::{content, file, fixture, plain};

/// Checks every truncation of a file, and a flipped bit in every byte.
#[track_caller]
fn check(name: &str) {
    let bytes = content(&fixture(name));
    let (whole, problems) = plain(name, bytes.clone());
    assert_eq!(problems, []);
    for length in 0..bytes.len() {
        let (records, _) = plain(name, bytes[..length].to_vec());
        assert!(
            whole.starts_with(&records) || length < 24,
            "{name} cut off at {length}"
        );
    }
    for place in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1 << (place % 8);
        let (records, _) = plain(name, bytes);
        assert!(
            records.len() <= 4 * whole.len(),
            "{name} with a wrong byte at {place}"
        );
    }
}

#[test]
fn packed_records_may_be_damaged_anywhere() {
    check("alltypes.rz3.gz");
    check("cti.rz3.gz");
    check("cti.rz2.gz");
}

#[test]
fn what_packs_them_may_be_cut_off_anywhere() {
    for name in ["cti.rz2.gz", "cti.rz3.gz"] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        let whole = plain(name, bytes.clone()).0;
        for length in 30..bytes.len() {
            let (records, problems) = plain(name, bytes[..length].to_vec());
            assert!(whole.starts_with(&records), "{name} cut off at {length}");
            // Data after the last record is not needed.
            let is_stated = problems.len() == 1 && problems[0].kind.to_string().contains("cut off");
            assert!(
                is_stated || records == whole && problems.is_empty(),
                "{name} cut off at {length}: {problems:?}"
            );
        }
    }
}

#[test]
fn a_cut_off_section_is_read_up_to_where_something_is_missing() {
    let bytes = content(&fixture("hello.rz3.gz"));
    let (whole, _) = plain("hello", bytes.clone());
    let (records, problems) = plain("hello", bytes[..bytes.len() - 8].to_vec());
    assert!(
        whole.starts_with(&records) && records.len() > 24,
        "{}",
        records.len()
    );
    let expected = format!(
        "\"hello\", after record {}, byte {} of the unpacked data: the file is cut off",
        records.len() / 24,
        bytes.len() - 8
    );
    assert!(
        problems[0].kind.to_string().starts_with(&expected),
        "{problems:?}"
    );
}

#[test]
fn the_files_after_a_damaged_one_are_read() {
    let bytes = content(&fixture("cti.rz3.gz"));
    let (records, problems) = plain("cti", bytes.clone());
    assert_eq!(problems, []);
    let files = vec![file("a", bytes[..100].to_vec()), file("b", bytes)];
    let mut reader = RecordReader::new(files);
    let (mut all, mut stated) = (0, Vec::new());
    while let Some(batch) = reader.next_batch().unwrap() {
        all += batch.bytes.len();
        stated.extend(batch.problems.to_vec());
    }
    assert_eq!((all, stated.len()), (records.len(), 1));
}

#[test]
fn sections_that_lie_about_their_size_take_no_memory() {
    let mut bytes = content(&fixture("cti.rz3.gz"));
    bytes[56..60].copy_from_slice(&0x7fff_ffff_u32.to_be_bytes());
    let stated = plain("cti", bytes).1;
    assert!(
        stated[0]
            .kind
            .to_string()
            .contains("array 0 has 2147483647 elements"),
        "{stated:?}"
    );
}
