//! Packed texts are read like plain ones, regardless of damage to them and to their copies.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::unpacker::PackedHead;
use super::*;
use crate::kept::places::{CacheFileOptions, CacheFilePlace};
use crate::packed::codec::BLOCK;
use crate::read_at::ReadAt;

const KINDS: [PackedKind; 3] = [PackedKind::Gzip, PackedKind::Zstd, PackedKind::Xz];

/// Generates text that resembles a trace.
fn text(length: usize) -> Vec<u8> {
    let line = |number: u64| {
        let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        format!(
            "{number} clk IT ({number}) {:08x} d503201f O EL1h_n : NOP\n{number} clk R X{} {hash:016x}\n",
            number * 4,
            hash % 31
        )
    };
    (0..)
        .flat_map(|number| line(number).into_bytes())
        .take(length)
        .collect()
}

fn pack(text: &[u8], kind: PackedKind) -> Vec<u8> {
    match kind {
        PackedKind::Gzip => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        PackedKind::Zstd => {
            let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        PackedKind::Merged => text.to_vec(),
        PackedKind::Xz => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
    }
}

fn options(copy: Option<&Path>) -> CacheFileOptions {
    let place = |path: &Path| CacheFilePlace {
        path: path.to_owned(),
        is_directory_ours: false,
    };
    CacheFileOptions {
        identity: [1, 2, 3],
        kept: copy.map(place).into_iter().collect(),
        is_copy_kept: true,
        scratch: Vec::new(),
    }
}

fn opened(packed: &[u8], copy: Option<&Path>) -> PackedText {
    let packed = packed.to_vec();
    let kind = PackedKind::of(&packed)
        .unwrap()
        .expect("a kind that we read");
    PackedText::open(Arc::new(packed), kind, options(copy)).unwrap()
}

fn settled(packed: &[u8], copy: Option<&Path>) -> PackedText {
    let text = opened(packed, copy);
    text.settle(|| false).unwrap();
    text
}

fn all_of(text: &PackedText) -> Vec<u8> {
    let mut all = vec![0; usize::try_from(text.length().unwrap()).unwrap()];
    let count = text.read_at(0, &mut all).unwrap();
    assert_eq!(count, all.len());
    all
}

#[track_caller]
fn check(packed: &[u8], expected: &[u8]) {
    let text = settled(packed, None);
    assert!(text.is_settled());
    assert!(all_of(&text) == expected);
    assert_eq!(text.damage(), None);
}

/// Reads pieces all over the text, in a pseudo-random order.
#[track_caller]
fn check_pieces(text: &PackedText, expected: &[u8], seed: usize) {
    let mut place = seed;
    for round in 0..300 {
        place = place
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let offset = (place >> 16) % (expected.len() + 100);
        let mut piece = vec![0; [1, 100, BLOCK, 3 * BLOCK + 5, 70_000][round % 5]];
        let count = text.read_at(offset as u64, &mut piece).unwrap();
        let end = (offset + piece.len()).min(expected.len());
        assert!(
            piece[..count] == expected[offset.min(end)..end],
            "{count} bytes at {offset}"
        );
    }
}

#[test]
fn every_kind_is_read_like_plain_text() {
    for length in [
        0,
        1,
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        100_000,
        (2 << 20) - 1,
        2 << 20,
        (2 << 20) + 1,
        5_000_000,
    ] {
        let text = text(length);
        for kind in KINDS {
            check(&pack(&text, kind), &text);
        }
    }
}

#[test]
fn several_threads_read_while_it_is_unpacked() {
    let text = text(20_000_000);
    for kind in KINDS {
        let packed = opened(&pack(&text, kind), None);
        std::thread::scope(|scope| {
            for seed in 0..4 {
                let (packed, text) = (packed.clone(), &text);
                scope.spawn(move || check_pieces(&packed, text, seed));
            }
        });
        assert!(all_of(&packed) == text);
    }
}

#[test]
fn a_file_of_several_parts_is_one_text() {
    let text = text(300_000);
    let (one, two) = text.split_at(123_456);
    for kind in KINDS {
        check(
            &[pack(one, kind), pack(&[], kind), pack(two, kind)].concat(),
            &text,
        );
    }
    for kind in [PackedKind::Gzip, PackedKind::Xz] {
        check(
            &[
                pack(one, kind),
                vec![0; 512],
                pack(two, kind),
                vec![0; 200_000],
            ]
            .concat(),
            &text,
        );
    }
    let skipped = b"\x51\x2a\x4d\x18\x05\0\0\0hello".to_vec();
    let [one, two] = [one, two].map(|part| pack(part, PackedKind::Zstd));
    check(
        &[&skipped[..], &one, &skipped, &two, &skipped].concat(),
        &text,
    );
}

#[test]
fn what_is_cut_off_is_read_up_to_there() {
    let text = text(400_000);
    for kind in KINDS {
        let packed = pack(&text, kind);
        for cut in [packed.len() / 2, packed.len() - 9, packed.len() - 1, 7] {
            let unpacked = settled(&packed[..cut], None);
            let part = all_of(&unpacked);
            assert!(
                text.starts_with(&part) && part.len() + 150_000 > text.len() * cut / packed.len(),
                "{kind:?} {cut}"
            );
            let damage = unpacked.damage().expect("damage");
            assert_eq!(
                (damage.kind, damage.offset),
                (DamageKind::CutOff, cut as u64),
                "{kind:?}"
            );
        }
    }
}

#[test]
fn what_is_damaged_is_read_up_to_there() {
    let text = text(1_000_000);
    for kind in KINDS {
        let mut packed = pack(&text, kind);
        let place = packed.len() / 2;
        packed[place..place + 40].fill(0xa5);
        let unpacked = settled(&packed, None);
        let damage = unpacked.damage().expect("damage");
        assert!(matches!(damage.kind, DamageKind::Corrupt(_)), "{damage:?}");
        assert!(all_of(&unpacked).len() < text.len() && !all_of(&unpacked).is_empty());
        assert!(
            damage
                .to_string()
                .starts_with(&format!("the {} data is damaged at byte ", kind.name())),
            "{damage}"
        );
    }
}

#[test]
fn what_follows_is_told_and_left_out() {
    let text = text(50_000);
    for kind in KINDS {
        let packed = pack(&text, kind);
        let unpacked = settled(&[&packed[..], b"and more"].concat(), None);
        assert!(all_of(&unpacked) == text);
        let damage = unpacked.damage().expect("damage");
        assert_eq!(
            (damage.kind, damage.offset),
            (DamageKind::Junk, packed.len() as u64)
        );
    }
}

#[test]
fn a_window_beyond_a_gibibyte_is_refused() {
    // A frame without flags, a window of 2 GiB and an empty last block.
    let zstd = b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0".to_vec();
    let unpacked = settled(&zstd, None);
    let damage = unpacked.damage().expect("damage");
    assert_eq!(damage.kind, DamageKind::Window, "{damage}");
    assert!(damage.to_string().ends_with("unpack it first (zstd -d)"));
    // Only the header matters: the dictionary size of its block is 1.5 GiB, and the checksum of the
    // header is corrected.
    let mut xz = pack(b"x", PackedKind::Xz);
    let place = xz
        .windows(3)
        .position(|window| window[..2] == [0x21, 1])
        .unwrap()
        + 2;
    xz[place] = 39;
    let end = 12 + (usize::from(xz[12]) + 1) * 4 - 4;
    let sum = crc32fast::hash(&xz[12..end]);
    xz[end..end + 4].copy_from_slice(&sum.to_le_bytes());
    let damage = settled(&xz, None).damage().expect("damage");
    assert_eq!(damage.kind, DamageKind::Window, "{damage}");
}

#[test]
fn the_head_is_read_without_a_copy() {
    for kind in KINDS {
        let text = text(10_000);
        let packed = pack(&text, kind);
        let head = head_of(Arc::new(packed.clone()), kind, 5000).unwrap();
        assert_eq!(
            head,
            PackedHead {
                text: text[..5000].to_vec(),
                damage: None
            }
        );
        let head = head_of(Arc::new(packed[..packed.len() - 1].to_vec()), kind, 20_000).unwrap();
        assert!(head.damage.is_some() && text.starts_with(&head.text));
    }
}

/// Records if the packed input was read.
struct WatchedInput {
    packed: Vec<u8>,
    is_read: Arc<AtomicBool>,
}

impl ReadAt for WatchedInput {
    fn length(&self) -> std::io::Result<u64> {
        self.packed.length()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.is_read.store(true, Ordering::Relaxed);
        self.packed.read_at(offset, buffer)
    }
}

fn reopened(packed: &[u8], options: CacheFileOptions) -> (PackedText, bool) {
    let is_read = Arc::new(AtomicBool::new(false));
    let watched = WatchedInput {
        packed: packed.to_vec(),
        is_read: is_read.clone(),
    };
    let text = PackedText::open(Arc::new(watched), PackedKind::Zstd, options).unwrap();
    text.settle(|| false).unwrap();
    (text, is_read.load(Ordering::Relaxed))
}

fn sandbox() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("a.sbi.text");
    (folder, copy)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_finished_copy_is_used_again_and_another_one_is_not() {
    let (folder, copy) = sandbox();
    let text = text(5_000_000);
    let packed = [pack(&text, PackedKind::Zstd), b"junk".to_vec()].concat();
    let first = settled(&packed, Some(&copy));
    let damage = first.damage();
    drop(first);
    assert_eq!(names(folder.path()), ["a.sbi.text"]);
    assert!(copy.metadata().unwrap().len() < text.len() as u64 * 3 / 10);
    let (again, is_read) = reopened(&packed, options(Some(&copy)));
    assert!(!is_read && all_of(&again) == text);
    assert!(damage.is_some() && again.damage() == damage);
    check_pieces(&again, &text, 5);
    let (again, is_read) = reopened(
        &packed,
        CacheFileOptions {
            identity: [1, 2, 4],
            ..options(Some(&copy))
        },
    );
    assert!(is_read && all_of(&again) == text);
}

#[test]
fn flipped_bytes_of_a_copy_are_noticed_and_it_is_made_anew() {
    let (_folder, copy) = sandbox();
    let text = text(3_000_000);
    let packed = pack(&text, PackedKind::Zstd);
    drop(settled(&packed, Some(&copy)));
    let good = std::fs::read(&copy).unwrap();
    for round in 0..24 {
        let mut bytes = good.clone();
        let place = (round * 7_919_777) % bytes.len();
        match round % 3 {
            0 => bytes[place] ^= 1 << (round % 8),
            1 => bytes[place..]
                .iter_mut()
                .take(200)
                .for_each(|byte| *byte = 0),
            _ => bytes.truncate(place),
        }
        std::fs::write(&copy, bytes).unwrap();
        let again = opened(&packed, Some(&copy));
        std::thread::scope(|scope| {
            for seed in 0..2 {
                let (again, text) = (again.clone(), &text);
                scope.spawn(move || check_pieces(&again, text, seed));
            }
        });
        assert!(all_of(&again) == text, "{round}");
        drop(again);
        // The whole text was available before the copy was finished; this one waits for the end.
        drop(settled(&packed, Some(&copy)));
        let (again, is_read) = reopened(&packed, options(Some(&copy)));
        // A flip in an unused part does not matter; all others must be gone by now.
        assert!(all_of(&again) == text && !is_read, "{round}");
    }
}

#[test]
fn readers_of_a_damaged_copy_wait_for_the_new_one() {
    const READERS: usize = 8;
    let (_folder, copy) = sandbox();
    let text = text(8_000_000);
    let packed = pack(&text, PackedKind::Zstd);
    drop(settled(&packed, Some(&copy)));
    let mut damaged = std::fs::read(&copy).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 1_000].fill(0);
    std::fs::write(&copy, &damaged).unwrap();
    let again = opened(&packed, Some(&copy));
    let start = std::sync::Barrier::new(READERS);
    // One reader soon reaches the damage, while the others are in the middle of a long read.
    std::thread::scope(|scope| {
        for reader in 0..READERS {
            let (again, text, start) = (&again, &text, &start);
            scope.spawn(move || {
                let offset = reader * (text.len() / 2) / READERS;
                let mut rest = vec![0; text.len() - offset];
                start.wait();
                again.read_at(offset as u64, &mut rest).unwrap();
                assert!(rest == text[offset..]);
            });
        }
    });
}

#[test]
fn what_a_killed_program_left_is_no_copy() {
    let (folder, copy) = sandbox();
    let text = text(3_000_000);
    let packed = pack(&text, PackedKind::Zstd);
    drop(settled(&packed, Some(&copy)));
    let good = std::fs::read(&copy).unwrap();
    std::fs::remove_file(&copy).unwrap();
    for (name, content) in [
        ("a.sbi.text.partial", &good[..]),
        ("a.sbi.text.partial", &good[..1000]),
        ("a.sbi.text", &[0; 5000]),
        ("a.sbi.text", &[]),
        ("a.sbi.text", &good[..good.len() - 1]),
    ] {
        std::fs::write(folder.path().join(name), content).unwrap();
        let (again, is_read) = reopened(&packed, options(Some(&copy)));
        assert!(is_read && all_of(&again) == text, "{name}");
        drop(again);
        assert_eq!(names(folder.path()), ["a.sbi.text"]);
        assert_eq!(std::fs::read(&copy).unwrap().len(), good.len());
        std::fs::remove_file(&copy).unwrap();
    }
}

#[test]
fn a_text_that_is_dropped_leaves_nothing_after() {
    let (folder, copy) = sandbox();
    let packed = pack(&text(60_000_000), PackedKind::Zstd);
    let text = opened(&packed, Some(&copy));
    let began = Instant::now();
    while names(folder.path()).is_empty() && began.elapsed() < Duration::from_secs(20) {
        std::thread::yield_now();
    }
    drop(text);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn two_at_once_do_not_fight() {
    let (folder, copy) = sandbox();
    let text = text(8_000_000);
    let packed = pack(&text, PackedKind::Zstd);
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let (packed, text, copy) = (&packed, &text, &copy);
            scope.spawn(move || {
                let unpacked = opened(packed, Some(copy));
                check_pieces(&unpacked, text, seed);
                unpacked.settle(|| false).unwrap();
                assert!(all_of(&unpacked) == *text);
            });
        }
    });
    assert_eq!(names(folder.path()), ["a.sbi.text"]);
}

#[test]
fn a_writer_that_does_not_come_to_an_end_is_not_waited_for() {
    let (folder, copy) = sandbox();
    let text = text(100_000);
    let other = crate::kept::places::PartialFile::begin(&copy).unwrap();
    let unpacked = settled(&pack(&text, PackedKind::Zstd), Some(&copy));
    assert!(all_of(&unpacked) == text);
    drop(unpacked);
    assert_eq!(names(folder.path()), ["a.sbi.text.partial"]);
    drop(other);
}

#[test]
fn without_a_place_the_copy_is_gone_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("none").join("a.sbi.text");
    let text = text(3_000_000);
    let packed = pack(&text, PackedKind::Xz);
    let unpacked = settled(&packed, Some(&copy));
    assert!(all_of(&unpacked) == text);
    assert!(
        unpacked
            .notice()
            .expect("a notice")
            .contains("cannot be written")
    );
    let ours = CacheFilePlace {
        path: copy.clone(),
        is_directory_ours: true,
    };
    let options = CacheFileOptions {
        kept: vec![ours],
        is_copy_kept: true,
        ..CacheFileOptions::default()
    };
    let unpacked =
        PackedText::open(Arc::new(packed.clone()), PackedKind::Xz, options.clone()).unwrap();
    unpacked.settle(|| false).unwrap();
    drop(unpacked);
    assert!(copy.is_file());
    std::fs::remove_file(&copy).unwrap();
    let options = CacheFileOptions {
        is_copy_kept: false,
        ..options
    };
    let unpacked = PackedText::open(Arc::new(packed), PackedKind::Xz, options).unwrap();
    unpacked.settle(|| false).unwrap();
    assert!(all_of(&unpacked) == text && unpacked.notice().is_none());
    drop(unpacked);
    assert!(!copy.exists());
}

#[test]
fn a_file_of_somebody_else_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("notes.text");
    std::fs::write(&copy, "precious").unwrap();
    let text = text(10_000);
    let unpacked = settled(&pack(&text, PackedKind::Gzip), Some(&copy));
    assert!(all_of(&unpacked) == text && unpacked.notice().is_some());
    drop(unpacked);
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), "precious");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_not_the_end_of_the_text() {
    let (_folder, copy) = sandbox();
    // A link in place of the partial file is refused, so the copy is created by hand.
    let text = text(10_000);
    let shared = Arc::new(shared::SharedPackedText::new(
        Arc::new(pack(&text, PackedKind::Zstd)),
        PackedKind::Zstd,
        options(None),
    ));
    let full = std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/full")
        .unwrap();
    let copy_of = shared::SeekableCopy::new(crate::kept::places::ByteStore::File(full));
    let error = fill::fill_into(&shared, 0, Arc::new(copy_of)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("could not be stored (No space left"),
        "{error}"
    );
    assert!(!copy.exists());
}

#[test]
fn an_input_that_fails_is_an_error_and_not_the_end_of_the_text() {
    struct Failing(Vec<u8>);
    impl ReadAt for Failing {
        fn length(&self) -> std::io::Result<u64> {
            self.0.length()
        }
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
            if offset > 100_000 {
                Err(std::io::Error::other("a bad sector"))
            } else {
                self.0.read_at(offset, buffer)
            }
        }
    }
    for kind in KINDS {
        let packed = Failing(pack(&text(6_000_000), kind));
        assert!(packed.0.len() > 300_000, "{kind:?}");
        let text = PackedText::open(Arc::new(packed), kind, CacheFileOptions::default()).unwrap();
        let error = text.settle(|| false).unwrap_err();
        assert!(error.to_string().contains("a bad sector"), "{error}");
        assert!(text.length().is_err() && text.is_settled());
    }
}

#[test]
fn random_bytes_after_a_magic_are_no_trouble() {
    let mut state = 99u64;
    for round in 0..2000 {
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        let kind = KINDS[round % 3];
        let mut packed = pack(&text(2000), kind);
        for _ in 0..1 + round % 5 {
            let place = usize::from(noise()) * packed.len() / 256;
            packed[place] = noise();
        }
        let mut unpacked = Vec::new();
        let mut unpacker = TextUnpacker::new(Box::new(std::io::Cursor::new(packed)), kind);
        unpacker
            .by_ref()
            .take(10_000_000)
            .read_to_end(&mut unpacked)
            .unwrap();
    }
}
