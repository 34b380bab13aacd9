//! An index whose sections are swapped, or have wrong lengths, with valid checksums: an error or
//! some answer, but no panic and no memory beyond the bound set by the file.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stepback_index::answer::{AccessKinds, CallId, Cell, Direction, ThreadId};
use stepback_index::build::{Build, BuildOptions, BuildProgress, Fingerprint};
use stepback_index::query::{
    DifferenceBetween, ExternalChanges, FindText, MemoryAt, NearestAccess, NearestVisit,
    NextAccessedBlock, PositionOfLine, PositionOfTime, RegistersAt, Steps,
};
use stepback_index::read::StepCounter;
use stepback_index::{Cancel, Index, Query};
use stepback_machine::{Address, Registers};
use stepback_parsers::{Line, Position, Source, Step, Tarmac, TarmacOptions};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

/// An allocator that counts the memory in use.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does all of it.
#[expect(unsafe_code, reason = "only an allocator sees what is asked for")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let in_use = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(in_use, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// A piece of the file, identified by its place in the directory.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// A section of the segment whose table of sections is at this place.
    Section { table: usize, number: usize },
    /// Offset, length and checksum are at this place.
    Extent { place: usize },
}

const SECTIONS: usize = 8;

/// The parsed pieces of an index file.
struct File {
    bytes: Vec<u8>,
    directory: Range<usize>,
    pieces: Vec<Piece>,
}

fn number(bytes: &[u8], place: usize) -> u64 {
    u64::from_le_bytes(bytes[place..place + 8].try_into().unwrap())
}

fn set(bytes: &mut [u8], place: usize, number: u64) {
    bytes[place..place + 8].copy_from_slice(&number.to_le_bytes());
}

impl File {
    /// Parses the file. Pieces are found by their checksums.
    fn new(bytes: Vec<u8>) -> Self {
        let start = number(&bytes, 16) as usize;
        let directory = start..start + number(&bytes, 24) as usize;
        let is_piece = |from: u64, to: u64, checksum: u64| {
            from < to
                && to <= start as u64
                && xxh3_64(&bytes[from as usize..to as usize]) == checksum
        };
        let (mut pieces, mut place) = (Vec::new(), directory.start);
        while place + 24 <= directory.end {
            let at = |offset: usize| number(&bytes, (place + 8 * offset).min(directory.end - 8));
            let is_table =
                |section: usize| at(section) <= at(section + 1) && at(section + 1) <= start as u64;
            if (0..SECTIONS).all(is_table) && is_piece(at(0), at(1), at(SECTIONS + 1)) {
                pieces.extend((0..SECTIONS).map(|number| Piece::Section {
                    table: place,
                    number,
                }));
                place += 8 * (2 * SECTIONS + 1);
            } else if at(0)
                .checked_add(at(1))
                .is_some_and(|end| is_piece(at(0), end, at(2)))
            {
                pieces.push(Piece::Extent { place });
                place += 24;
            } else {
                place += 1;
            }
        }
        Self {
            bytes,
            directory,
            pieces,
        }
    }

    fn content(&self, piece: Piece) -> &[u8] {
        let at = |place| number(&self.bytes, place) as usize;
        match piece {
            Piece::Section { table, number } => {
                &self.bytes[at(table + 8 * number)..at(table + 8 * number + 8)]
            }
            Piece::Extent { place } => &self.bytes[at(place)..at(place) + at(place + 8)],
        }
    }

    /// Builds the file with other contents of some pieces, and valid checksums.
    fn with(&self, changed: &[(usize, Vec<u8>)]) -> Vec<u8> {
        let mut bytes = self.bytes[..self.directory.start].to_vec();
        let mut directory = self.bytes[self.directory.clone()].to_vec();
        let local = |place: usize| place - self.directory.start;
        let content_of = |wanted: usize| {
            let new = changed.iter().find(|(number, _)| *number == wanted);
            new.map_or_else(
                || self.content(self.pieces[wanted]).to_vec(),
                |(_, content)| content.clone(),
            )
        };
        for (changed, _) in changed {
            match self.pieces[*changed] {
                Piece::Extent { place } => {
                    let content = content_of(*changed);
                    for (offset, number) in
                        [bytes.len() as u64, content.len() as u64, xxh3_64(&content)]
                            .into_iter()
                            .enumerate()
                    {
                        set(&mut directory, local(place) + 8 * offset, number);
                    }
                    bytes.extend(content);
                }
                // All sections of a segment are adjacent.
                Piece::Section { table, number } => {
                    for section in 0..SECTIONS {
                        let content = content_of(changed - number + section);
                        set(
                            &mut directory,
                            local(table) + 8 * section,
                            bytes.len() as u64,
                        );
                        set(
                            &mut directory,
                            local(table) + 8 * (SECTIONS + 1 + section),
                            xxh3_64(&content),
                        );
                        bytes.extend(content);
                    }
                    set(
                        &mut directory,
                        local(table) + 8 * SECTIONS,
                        bytes.len() as u64,
                    );
                }
            }
        }
        let (start, checksum) = (bytes.len() as u64, xxh3_64(&directory));
        let length = directory.len() as u64;
        bytes.extend(directory);
        let file = bytes.len() as u64;
        for (place, number) in [(16, start), (24, length), (32, checksum), (40, file)] {
            set(&mut bytes, place, number);
        }
        let checksum = xxh3_64(&bytes[..48]);
        set(&mut bytes, 48, checksum);
        bytes
    }
}

struct Saved {
    folder: TempDir,
    source: Arc<dyn Source>,
    fingerprint: Fingerprint,
}

impl Saved {
    fn new(text: Vec<u8>) -> (Self, File) {
        let source: Arc<dyn Source> =
            Arc::new(Tarmac::open(Box::new(text), TarmacOptions::default()).unwrap());
        let fingerprint = Fingerprint::of(source.as_ref(), 0).unwrap();
        let saved = Self {
            folder: TempDir::new().unwrap(),
            source,
            fingerprint,
        };
        let options = BuildOptions {
            segment_bytes: 20 << 10,
            threads: 1,
        };
        let (progress, cancel) = (BuildProgress::default(), Cancel::default());
        Build::new(
            &saved.source,
            &saved.fingerprint,
            &options,
            &progress,
            &cancel,
        )
        .to_file(&saved.path())
        .unwrap();
        let file = File::new(std::fs::read(saved.path()).unwrap());
        (saved, file)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.sbi")
    }

    /// Opens a file and runs all queries. Returns the peak of additional memory, and true if the
    /// file opened.
    fn ask(&self, bytes: &[u8]) -> (usize, bool) {
        // Creates a new file each time: a mapped file must not change.
        std::fs::remove_file(self.path()).unwrap();
        std::fs::write(self.path(), bytes).unwrap();
        let before = IN_USE.load(Ordering::Relaxed);
        MOST.store(before, Ordering::Relaxed);
        let opened = Index::open(Arc::clone(&self.source), &self.path(), &self.fingerprint);
        opened.iter().for_each(questions);
        (
            MOST.load(Ordering::Relaxed).saturating_sub(before),
            opened.is_ok(),
        )
    }
}

fn ask<Q: Query>(index: &Index, question: Q) {
    // Any answer or error is accepted.
    drop(question.run(index, &Cancel::default()));
}

fn questions(index: &Index) {
    let end = index.end();
    let view = Registers::view("sp", index.instruction_set(ThreadId(0))).unwrap();
    let address = Address(0x8000);
    for at in [0, end.0 / 3, end.0].map(Position) {
        ask(
            index,
            RegistersAt {
                position: at,
                thread: None,
            },
        );
        ask(
            index,
            MemoryAt {
                position: at,
                address,
                len_bytes: 512,
            },
        );
        for cell in [
            Cell::Memory {
                address,
                len_bytes: 8,
            },
            Cell::Register {
                thread: ThreadId(0),
                view,
            },
        ] {
            ask(index, NearestAccess::last(cell, AccessKinds::All, at));
            ask(index, NearestAccess::next(cell, AccessKinds::Writes, at));
        }
        ask(index, NearestVisit::next(Address(0x8000), at));
        ask(index, NearestVisit::last(Address(0x8004), at));
        ask(
            index,
            Steps {
                first: Step(at.0),
                count: 20,
            },
        );
        ask(index, PositionOfLine(Line(at.0)));
        ask(index, PositionOfTime(at.0));
        drop(StepCounter::new(index, ThreadId(0)).count_before(at));
        ask(
            index,
            ExternalChanges {
                range: None,
                thread: None,
                at,
                direction: Direction::Back,
                skip: 0,
                limit: 5,
            },
        );
        let calls = index.calls();
        let id = calls.innermost_at(ThreadId(0), at).unwrap_or(CallId(0));
        drop((
            calls.get(id),
            calls.path_at(ThreadId(0), at),
            calls.children(id).take(9).count(),
        ));
    }
    ask(
        index,
        FindText {
            what: "no such text".parse().unwrap(),
            thread: None,
            from: Position(0),
            limit: 2,
        },
    );
    ask(
        index,
        DifferenceBetween {
            from: Position(end.0 / 3),
            to: end,
            thread: None,
        },
    );
    ask(index, NextAccessedBlock { from: Address(0) });
}

fn fixture(name: &str, lines: usize) -> Vec<u8> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures"));
    let text = std::fs::read(folder.join(name)).unwrap();
    text.split_inclusive(|byte| *byte == b'\n')
        .take(lines)
        .flatten()
        .copied()
        .collect()
}

/// A single test, since parallel tests would be counted too.
#[test]
fn sections_that_are_swapped_or_lie_cost_no_more_memory_than_the_file_bounds() {
    for name in ["recurse.tiny.tarmac", "amp.head.tarmac"] {
        let (saved, file) = Saved::new(fixture(name, 700));
        assert!(
            file.pieces.len() > 2 * SECTIONS,
            "{name}: {:?}",
            file.pieces
        );
        let (honest, is_open) = saved.ask(&file.with(&[]));
        assert!(is_open, "what is only written anew is as good as before");
        // Memory is reserved for actual data, regardless of a stated length.
        let bound = 8 * honest + 64 * file.bytes.len() + (8 << 20);
        let (mut opened, mut all) = (0, 0);
        let mut check = |what: &str, bytes: &[u8]| {
            let (most, is_open) = saved.ask(bytes);
            (opened, all) = (opened + usize::from(is_open), all + 1);
            assert!(
                most <= bound,
                "{name}, {what}: {most} bytes of at most {bound}, {honest} without damage"
            );
        };
        // The pieces of two segments, and all global ones.
        let is_looked_at = |(number, piece): &(usize, &Piece)| {
            *number < 2 * SECTIONS || matches!(piece, Piece::Extent { .. })
        };
        let pieces: Vec<usize> = file
            .pieces
            .iter()
            .enumerate()
            .filter(is_looked_at)
            .map(|(number, _)| number)
            .collect();
        let content = |number: usize| file.content(file.pieces[number]).to_vec();
        for (place, one) in pieces.iter().copied().enumerate() {
            for other in pieces.iter().copied().skip(place + 1) {
                let swapped = file.with(&[(one, content(other)), (other, content(one))]);
                check(
                    &format!(
                        "{:?} and {:?} swapped",
                        file.pieces[one], file.pieces[other]
                    ),
                    &swapped,
                );
            }
            let length = content(one).len();
            let ends = [
                0,
                1,
                2,
                4,
                8,
                12,
                16,
                24,
                length / 3,
                length / 2,
                length.saturating_sub(9),
            ];
            for (start, size) in ends.into_iter().flat_map(|start| [(start, 4), (start, 8)]) {
                for value in [0xff, 0x7f, 0] {
                    let mut lying = content(one);
                    lying
                        .iter_mut()
                        .skip(start)
                        .take(size)
                        .for_each(|byte| *byte = value);
                    check(
                        &format!("{:?} with {value:#x} at {start}", file.pieces[one]),
                        &file.with(&[(one, lying)]),
                    );
                }
            }
        }
        assert!(
            opened > all / 2,
            "{name}: of {all} files only {opened} were asked"
        );
    }
}
