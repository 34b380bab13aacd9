//! Whole traces of a small program.

use super::program::CODE;
use super::writer::{TraceRecipe, TraceTruth, TraceWriter, file_type, kind, marker};
use super::{Architecture, Container, Records};

/// A kind of trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// One thread, in some version and architecture.
    Plain(u64, Architecture),
    /// Three threads that take turns.
    Threads,
    /// Two tracing windows in one file.
    Windows,
    /// Filtered by a cache up to a marker, complete from there on.
    Filtered,
    /// Records the kernel's instructions in a system call.
    Kernel,
    /// A signal within a restartable sequence, which is aborted.
    Rseq,
    /// Two cores that run three threads and idle.
    CoreSharded,
    /// Synthetic instructions.
    Regdeps,
}

/// A file of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The expected result of reading it.
    pub truth: TraceTruth,
}

/// A start time, in microseconds since 1601.
const START: u64 = 13_400_000_000_000_000;

impl Sample {
    /// All kinds except the plain ones.
    pub const SPECIAL: [Self; 7] = [
        Self::Threads,
        Self::Windows,
        Self::Filtered,
        Self::Kernel,
        Self::Rseq,
        Self::CoreSharded,
        Self::Regdeps,
    ];

    /// Returns the files of a trace, with chunks of 20 instructions if the container has chunks.
    pub fn files(self, container: Container) -> Vec<SampleFile> {
        let is_chunked = matches!(container, Container::Zip | Container::ZipStored);
        let recipe = TraceRecipe {
            chunk_instructions: if is_chunked { 20 } else { 0 },
            ..TraceRecipe::default()
        };
        let files = self.records(recipe);
        let file = |(name, records): (String, Records)| SampleFile {
            name: format!("drmemtrace.{name}.{}", container.suffix()),
            bytes: records.pack(container),
            truth: records.truth,
        };
        files.into_iter().map(file).collect()
    }

    fn records(self, recipe: TraceRecipe) -> Vec<(String, Records)> {
        let thread = |records| vec![("app.100.0001".to_owned(), records)];
        match self {
            Self::Plain(version, architecture) => {
                // Version 1 had neither chunks nor the chunk-size marker.
                let chunk_instructions = if version > 1 {
                    recipe.chunk_instructions
                } else {
                    0
                };
                let mut writer = TraceWriter::new(TraceRecipe {
                    version,
                    architecture,
                    chunk_instructions,
                    ..recipe
                });
                writer.time(start(architecture), 0);
                writer.run(5);
                thread(writer.finish())
            }
            Self::Threads => (0..3).map(|number| one_of_three(recipe, number)).collect(),
            Self::Windows => thread(windows(recipe)),
            Self::Filtered => thread(filtered(recipe)),
            Self::Kernel => thread(kernel(recipe)),
            Self::Rseq => thread(rseq(recipe)),
            Self::CoreSharded => core_sharded(recipe),
            Self::Regdeps => thread(regdeps(recipe)),
        }
    }
}

/// Returns the start time. Narrow records hold the low half of a time.
fn start(architecture: Architecture) -> u64 {
    if architecture.is_narrow() {
        START & 0x7fff_ffff
    } else {
        START
    }
}

fn one_of_three(recipe: TraceRecipe, number: u64) -> (String, Records) {
    let tid = 100 + number;
    let mut writer = TraceWriter::new(TraceRecipe { tid, ..recipe });
    writer.time(START + 7 * number, number);
    writer.run(3);
    (format!("app.{tid}.0001"), writer.finish())
}

fn windows(recipe: TraceRecipe) -> Records {
    let mut writer = TraceWriter::new(recipe);
    for window in 0..2 {
        writer.time(START + 1000 * window, 0);
        writer.marker(marker::WINDOW, window);
        writer.run(2);
    }
    writer.finish()
}

fn filtered(recipe: TraceRecipe) -> Records {
    let warmup =
        file_type::FILTERED_WARMUP | file_type::INSTRUCTIONS_FILTERED | file_type::DATA_FILTERED;
    let mut writer = TraceWriter::new(TraceRecipe {
        file_type: recipe.file_type | warmup,
        ..recipe
    });
    writer.time(START, 0);
    for number in 0..5 {
        // The instruction of the access was filtered out.
        writer.record(kind::INSTRUCTION, 0, CODE + 4 * number);
        writer.read(0x60_0000 + 64 * number, 8);
    }
    writer.marker(marker::FILTER_ENDPOINT, 0);
    writer.run(2);
    writer.finish()
}

fn kernel(recipe: TraceRecipe) -> Records {
    let mut writer = TraceWriter::new(TraceRecipe {
        file_type: recipe.file_type | file_type::KERNEL,
        ..recipe
    });
    writer.time(START, 0);
    writer.instruction(CODE, &[0x0f, 0x05]);
    writer.time(START + 5, 0);
    writer.marker(marker::SYSTEM_CALL, 39);
    writer.marker(marker::SYSTEM_CALL_START, 39);
    // `push rax`
    writer.instruction(0xffff_ffff_8100_0000, &[0x50]);
    writer.write(0xffff_8880_0000_1000, 8);
    writer.branch(
        kind::INDIRECT_JUMP,
        0xffff_ffff_8100_0001,
        &[0x48, 0x0f, 0x07],
        Some(CODE + 2),
    );
    writer.marker(marker::SYSTEM_CALL_END, 39);
    writer.time(START + 9, 0);
    writer.instruction(CODE + 2, &[0x90]);
    writer.finish()
}

fn rseq(recipe: TraceRecipe) -> Records {
    let mut writer = TraceWriter::new(recipe);
    writer.time(START, 0);
    writer.marker(marker::RSEQ_ENTRY, CODE + 8);
    writer.instruction(CODE, &[0x90]);
    writer.instruction(CODE + 1, &[0x90]);
    // A signal interrupts it: the sequence is aborted, then the handler runs.
    writer.marker(marker::RSEQ_ABORT, CODE + 2);
    writer.marker(marker::KERNEL_EVENT, CODE + 2);
    writer.marker(marker::KERNEL_EVENT, CODE + 0x80);
    writer.marker(marker::SIGNAL, 10);
    writer.time(START + 5, 0);
    writer.instruction(CODE + 0x200, &[0x0f, 0x05]);
    writer.time(START + 6, 0);
    writer.marker(marker::SYSTEM_CALL, 15);
    writer.marker(marker::KERNEL_TRANSFER, CODE + 0x202);
    writer.time(START + 7, 0);
    writer.instruction(CODE + 0x80, &[0x90]);
    writer.finish()
}

/// Thread 100 runs on both cores, 101 on the first, 102 on the second, which first idles.
fn core_sharded(recipe: TraceRecipe) -> Vec<(String, Records)> {
    let recipe = TraceRecipe {
        file_type: recipe.file_type | file_type::CORE_SHARDED,
        ..recipe
    };
    let mut first = TraceWriter::new(recipe);
    first.time(START, 0);
    first.run(1);
    first.thread(101, 100);
    first.header(101, 100);
    first.time(START + 100, 0);
    first.run(1);
    first.exit();
    first.marker(marker::CORE_IDLE, 0);
    first.record(kind::FOOTER, 0, 0);
    let mut second = TraceWriter::new(TraceRecipe {
        tid: u64::MAX,
        pid: u64::MAX,
        ..recipe
    });
    second.time(u64::MAX, u64::MAX);
    (0..4).for_each(|_| second.marker(marker::CORE_IDLE, 0));
    second.thread(102, 100);
    second.header(102, 100);
    second.time(START + 50, 1);
    second.run(1);
    second.exit();
    second.thread(100, 100);
    second.time(START + 200, 1);
    second.run(1);
    vec![
        ("core.000000".to_owned(), first.stop()),
        ("core.000001".to_owned(), second.finish()),
    ]
}

/// Encodings may differ in length from the instructions they stand for.
fn regdeps(recipe: TraceRecipe) -> Records {
    let mut writer = TraceWriter::new(TraceRecipe {
        file_type: recipe.file_type | file_type::REGDEPS,
        ..recipe
    });
    writer.time(START, 0);
    for number in 0..4 {
        // A load from `rv4` to `rv7`.
        writer.record(kind::ENCODING, 8, 0x0006_0906_0000_0811);
        writer.fetch(kind::INSTRUCTION, CODE + 3 * number, 3);
        writer.read(0x60_0000, 8);
    }
    writer.finish()
}
