//! Counts of records in traces.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use stepback_parsers::MarkerKind;
use stepback_parsers::drmemtrace::{Counter, Counts};

use super::{read, traces};

/// Parses the figures of the stock tool by name without `total`: overall and for each thread.
fn expected(text: &str) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut sections: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines().skip(1) {
        if let Some(head) = line.strip_suffix(" counts:") {
            section = head.to_owned();
        } else if let Some((count, name)) = line.trim().split_once(' ') {
            let name = name.trim().trim_start_matches("total ").to_owned();
            sections
                .entry(section.clone())
                .or_default()
                .insert(name, count.parse().unwrap());
        }
    }
    sections
}

/// Returns our figures under the same names.
fn figures(counts: &Counts) -> BTreeMap<&'static str, u64> {
    let markers = |kinds: &[MarkerKind]| counts.markers_of(kinds);
    let all: u64 = counts.markers.values().sum();
    let scheduling = markers(&[MarkerKind::TIMESTAMP, MarkerKind::CPU]);
    let transfers = markers(&[MarkerKind::KERNEL_EVENT, MarkerKind::KERNEL_TRANSFER]);
    let listed = [
        ("idle markers", markers(&[MarkerKind::CORE_IDLE])),
        ("wait markers", markers(&[MarkerKind(32)])),
        (
            "hardware transfer markers",
            markers(&[MarkerKind::HARDWARE_EVENT, MarkerKind::HARDWARE_RETURN]),
        ),
        ("function id markers", markers(&[MarkerKind::FUNCTION])),
        (
            "function return address markers",
            markers(&[MarkerKind::RETURN_ADDRESS]),
        ),
        (
            "function argument markers",
            markers(&[MarkerKind::ARGUMENT]),
        ),
        (
            "function return value markers",
            markers(&[MarkerKind::RETURN_VALUE]),
        ),
        (
            "physical address + virtual address marker pairs",
            markers(&[MarkerKind::PHYSICAL_ADDRESS]),
        ),
        (
            "physical address unavailable markers",
            markers(&[MarkerKind::PHYSICAL_ADDRESS_NOT_AVAILABLE]),
        ),
        (
            "system call number markers",
            markers(&[MarkerKind::SYSTEM_CALL]),
        ),
        (
            "blocking system call markers",
            markers(&[MarkerKind::MAYBE_BLOCKING]),
        ),
        (
            "skipped memref markers",
            markers(&[MarkerKind::SKIPPED_ACCESS]),
        ),
    ];
    let paired = markers(&[MarkerKind::VIRTUAL_ADDRESS]);
    let other =
        all - scheduling - transfers - paired - listed.iter().map(|(_, count)| count).sum::<u64>();
    let mut figures = BTreeMap::from(listed);
    figures.extend([
        ("(fetched) instructions", counts.instructions),
        ("unique (fetched) instructions", counts.unique_instructions),
        (
            "userspace instructions",
            counts.instructions - counts.kernel_instructions,
        ),
        ("kernel instructions", counts.kernel_instructions),
        ("non-fetched instructions", counts.nofetch),
        (
            "non-fetched userspace instructions",
            counts.nofetch - counts.kernel_nofetch,
        ),
        ("non-fetched kernel instructions", counts.kernel_nofetch),
        ("prefetches", counts.prefetches),
        ("data loads", counts.loads),
        ("data stores", counts.stores),
        ("icache flushes", counts.instruction_flushes),
        ("dcache flushes", counts.data_flushes),
        ("timestamp + cpuid markers", scheduling),
        ("kernel transfer markers", transfers),
        ("other markers", other),
        ("encodings", counts.encodings),
    ]);
    figures
}

#[track_caller]
fn check_counts(path: &Path, answer: &Path) {
    let mut counter = Counter::default();
    read(path, &mut counter);
    let expected = expected(&fs::read_to_string(answer).unwrap());
    let mut found = BTreeMap::from([("Total".to_owned(), figures(&counter.total()))]);
    found.extend(
        counter
            .threads()
            .map(|(identity, counts)| (format!("Thread {}", identity.tid), figures(counts))),
    );
    assert_eq!(found.len(), expected.len(), "{}", path.display());
    for (section, figures) in &expected {
        for (name, count) in figures {
            let threads = (name == "threads").then(|| counter.threads().count() as u64);
            let ours = threads.or_else(|| found[section].get(name.as_str()).copied());
            assert_eq!(ours, Some(*count), "{}: {section}: {name}", path.display());
        }
    }
}

#[test]
fn real_traces_have_the_counts_that_the_stock_tool_prints() {
    let Some(folder) = traces() else { return };
    for name in ["tiny", "crash", "threads4", "sortsha30m"] {
        check_counts(
            &folder.join(name).join("trace"),
            &folder.join(name).join("expected/basic_counts.txt"),
        );
    }
    for container in ["tiny_gzip", "tiny_lz4", "tiny_none"] {
        check_counts(
            &folder.join(container).join("trace"),
            &folder.join("tiny/expected/basic_counts.txt"),
        );
    }
    let samples = folder.join("dynamorio-samples");
    for (name, path) in [
        ("s_allasm", "drmemtrace.allasm_x86_64.trace.zip"),
        ("s_simple_app", "drmemtrace.simple_app.trace.zip"),
        ("s_threadsig", "drmemtrace.threadsig.x64.tracedir"),
        ("s_func_trace", "offline-func-trace/trace"),
    ] {
        check_counts(
            &samples.join(path),
            &samples.join("expected").join(name).join("basic_counts.txt"),
        );
    }
}
