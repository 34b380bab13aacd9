//! rstzip 2 of several processors, for which no sample exists: written here from its description.

use super::plain;

const HEADER: [u8; 24] = *b"\x02\x02\x0d%RST Header v2.13\0\0\0\0";

fn status(command: u8) -> Vec<u8> {
    let mut record = vec![0; 24];
    record[0] = 23;
    record[3] = command;
    record
}

/// Returns a chunk of two instructions, the second of which is an access.
fn chunk(pc: u64, ea: u64) -> Vec<u8> {
    let words = [0x0100_0000_u32, 0xc227_a7fb]
        .map(u32::to_be_bytes)
        .concat();
    [
        &[162, 0, 2][..],
        &pc.to_be_bytes(),
        &words,
        &[0, 0x40],
        &ea.to_be_bytes(),
    ]
    .concat()
}

/// Repeats the chunk, with the access at this distance from the previous one.
fn chunk_again(pc: u64, distance: i8) -> Vec<u8> {
    [
        &[163, 0, 2][..],
        &pc.to_be_bytes(),
        &[0, 0x40],
        &distance.to_be_bytes(),
    ]
    .concat()
}

fn block(bytes: &[u8]) -> Vec<u8> {
    [
        &u32::try_from(bytes.len()).unwrap().to_be_bytes()[..],
        bytes,
    ]
    .concat()
}

fn trace() -> Vec<u8> {
    let mut head =
        b"RZ2 -- Rstzip2 compressed RST file.\nRstzip2 version: 2.01.\nNumcpus=0.\n".to_vec();
    head.resize(512, 0);
    let first = [
        &HEADER[..],
        &chunk(0x1000, 0x8000),
        &status(1),
        &chunk_again(0x1000, -8),
        &[161],
    ]
    .concat();
    let second = [chunk(0x2000, 0x9000), chunk_again(0x2000, 16), vec![161]].concat();
    let turns = [0, 2, 3, 1, 0, 2, 3, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2];
    let last = block(&[0, 0, 0, 0, 0, 0, 0, 0]);
    [
        head,
        block(&turns),
        block(&[first, second].concat()),
        last,
        block(&[]),
        vec![0; 48],
    ]
    .concat()
}

/// Formats the processor number, instruction address and access address; other records by their
/// type.
fn stated(records: &[u8]) -> Vec<String> {
    let instruction = |record: &[u8]| {
        let number = |at: usize| u64::from_be_bytes(record[at..at + 8].try_into().unwrap());
        format!("{} {:x} {:x}", record[2] >> 2, number(8), number(16))
    };
    records
        .chunks(24)
        .map(|record| {
            if record[0] == 3 {
                instruction(record)
            } else {
                format!("type {}", record[0])
            }
        })
        .collect()
}

#[test]
fn processors_take_turns() {
    let (records, problems) = plain("several.rz2", trace());
    assert_eq!(problems, []);
    let expected = [
        "type 2",
        "0 1000 0",
        "3 2000 0",
        "0 1004 8000",
        "type 23",
        "3 2004 9000",
        "3 2000 0",
        "3 2004 9010",
        "0 1000 0",
        "0 1004 7ff8",
    ];
    assert_eq!(stated(&records), expected);
}

#[test]
fn registers_that_may_have_condition_codes_after_the_cut_are_left_out() {
    let mut head = b"RZ2 -- Rstzip2 compressed RST file.\nNumcpus=1.\n".to_vec();
    head.resize(512, 0);
    // %g3 is 7, and the condition codes are 0x44.
    let bytes = [
        head,
        block(&[&HEADER[..], &[173, 3, 187, 172, 0x44, 161]].concat()),
        block(&[161]),
    ]
    .concat();
    let (whole, problems) = plain("one.rz2", bytes.clone());
    assert_eq!(
        (problems, &whole[24..30]),
        (Vec::new(), &[9, 0x80, 1, 6, 3, 0x44][..])
    );
    for cut in 1..5 {
        let length = bytes.len() - 5 - cut;
        let (records, problems) = plain("one.rz2", bytes[..length].to_vec());
        let count = if cut == 1 { 2 } else { 1 };
        assert_eq!((records.len() / 24, problems.len()), (count, 1), "{cut}");
        assert!(whole.starts_with(&records));
    }
}

#[test]
fn a_turn_too_many_is_reported() {
    let mut bytes = trace();
    bytes[512 + 4 + 17] = 3;
    let (records, problems) = plain("several.rz2", bytes);
    assert_eq!(records.len(), 10 * 24);
    assert!(
        problems[0].kind.to_string().contains("after record 10, ")
            && problems[0].kind.to_string().contains("contradicts itself")
    );
}

#[test]
fn files_of_several_processors_may_be_cut_off_anywhere() {
    let bytes = trace();
    let (whole, _) = plain("several.rz2", bytes.clone());
    for length in 512..bytes.len() - 60 {
        let (records, problems) = plain("several.rz2", bytes[..length].to_vec());
        assert!(
            whole.starts_with(&records) && problems.len() == 1,
            "cut off at {length}: {problems:?}"
        );
    }
}
