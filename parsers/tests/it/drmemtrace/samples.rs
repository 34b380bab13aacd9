//! Generated traces of every container, version and kind.

use stepback_generator::drmemtrace::{
    Architecture, Container, Sample, SampleFile, TraceRecipe, TraceTruth, TraceWriter, kind, marker,
};

use super::listing::Listing;

/// Returns the counts of a trace, to compare with the written ones.
pub fn found(listing: &Listing) -> TraceTruth {
    let total = listing.counter.total();
    TraceTruth {
        records: listing.lines.len() as u64,
        instructions: total.instructions,
        nofetch: total.nofetch,
        loads: (total.loads, total.bytes_read),
        stores: (total.stores, total.bytes_written),
        markers: total.markers.values().sum(),
    }
}

/// Sums the truth of all files of a trace.
pub fn written(files: &[SampleFile]) -> TraceTruth {
    files.iter().fold(TraceTruth::default(), |sum, file| {
        let TraceTruth {
            records,
            instructions,
            nofetch,
            loads,
            stores,
            markers,
        } = file.truth;
        TraceTruth {
            records: sum.records + records,
            instructions: sum.instructions + instructions,
            nofetch: sum.nofetch + nofetch,
            loads: (sum.loads.0 + loads.0, sum.loads.1 + loads.1),
            stores: (sum.stores.0 + stores.0, sum.stores.1 + stores.1),
            markers: sum.markers + markers,
        }
    })
}

/// Returns the records of a trace, which are equal for every container except for chunk records.
#[track_caller]
fn check(sample: Sample) -> Vec<String> {
    let mut first = None;
    for container in Container::ALL {
        let files = sample.files(container);
        let listing = Listing::of(&files);
        assert_eq!(listing.messages(), "", "{sample:?} {container:?}");
        assert_eq!(found(&listing), written(&files), "{sample:?} {container:?}");
        let lines = listing
            .lines
            .into_iter()
            .filter(|line| !line.contains(" chunk_"))
            .map(without_encoding)
            .collect();
        assert_eq!(
            first.get_or_insert_with(|| Vec::clone(&lines)),
            &lines,
            "{sample:?} {container:?}"
        );
    }
    first.unwrap()
}

/// Removes the encoding, which each chunk repeats.
fn without_encoding(line: String) -> String {
    let mut words: Vec<&str> = line.split(' ').collect();
    let is_encoding = |word: &&str| word.chars().all(|digit| digit.is_ascii_hexdigit());
    if words.get(3).is_some_and(|word| word.contains('+')) && words.get(4).is_some_and(is_encoding)
    {
        words.remove(4);
    }
    words.join(" ")
}

#[test]
fn every_container_version_and_architecture_is_read() {
    for version in 1..=7 {
        for architecture in Architecture::ALL {
            let lines = check(Sample::Plain(version, architecture));
            assert!(lines.len() > 60, "{version} {architecture:?}");
        }
    }
}

#[test]
fn an_instruction_has_its_encoding_and_its_accesses() {
    let listing = Listing::of(&Sample::Plain(7, Architecture::X86_64).files(Container::Plain));
    let expected = "100 version 7\n100 filetype e40\n100 cache_line_size 40\n100 chunk_instr_count 0\n\
                    100 page_size 1000\n100 timestamp 2f9b3a9ffd8000\n100 cpu_id 0\n\
                    100 X86_64 10 401000+1 55\n100 store 7fffef80+8\n100 X86_64 10 401001+3 4889e5\n";
    assert_eq!(listing.lines[..10].join("\n") + "\n", expected);
    let text = listing.lines.join("\n");
    for line in [
        "100 X86_64 49 40100b+2",
        "100 X86_64 14 40100d+5 e8ee000000",
        "100 X86_64 16 401103+1 c3 to 401012",
        "100 X86_64 29 401012+2\n100 store 602001+1",
        "100 X86_64 10 401014+12 48c784248000000001000000",
    ] {
        assert!(text.contains(line), "{line}");
    }
}

#[test]
fn old_versions_lack_what_came_later() {
    let text = |version| check(Sample::Plain(version, Architecture::X86_64)).join("\n");
    assert!(!text(1).contains("version"));
    assert!(text(2).starts_with("100 version 2"));
    assert!(text(4).contains("X86_64 13 40100b+2") && !text(4).contains(" to "));
    assert!(text(5).contains("X86_64 48 40100b+2"));
}

#[test]
fn threads_take_turns_by_their_times() {
    let lines = check(Sample::Threads);
    let times: Vec<u64> = lines
        .iter()
        .filter_map(|line| u64::from_str_radix(line.split_once(" timestamp ")?.1, 16).ok())
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    assert!(times.len() > 15);
    // Records before the first time of a thread are ordered by that time.
    let first = |tid: &str| lines.iter().position(|line| line.starts_with(tid)).unwrap();
    let next = |tid: &str| {
        lines[..first(tid)]
            .iter()
            .filter(|line| line.contains(" timestamp "))
            .count()
    };
    assert_eq!((first("100 "), next("101 "), next("102 ")), (0, 2, 5));
}

#[test]
fn special_traces_are_read() {
    for sample in Sample::SPECIAL {
        check(sample);
    }
    let filtered = check(Sample::Filtered).join("\n");
    assert!(filtered.contains("100 load 600040+8 by 401004\n100 load 600080+8 by 401008\n"));
    assert!(check(Sample::Regdeps).contains(&"100 Regdeps 10 401003+3".to_owned()));
    let kernel = Listing::of(&Sample::Kernel.files(Container::Plain))
        .counter
        .total();
    assert_eq!((kernel.kernel_instructions, kernel.instructions), (2, 4));
}

#[test]
fn cores_run_several_threads_and_idle_belongs_to_none() {
    let mut runs: Vec<(String, u64)> = Vec::new();
    for line in check(Sample::CoreSharded) {
        let tid = line.split(' ').next().unwrap();
        match runs.last_mut() {
            Some((last, count)) if last == tid => *count += 1,
            _ => runs.push((tid.to_owned(), 1)),
        }
    }
    let expected = ["100", "101", "idle", "102", "101", "idle", "100"]
        .map(str::to_owned)
        .to_vec();
    assert_eq!(
        runs.into_iter().map(|(tid, _)| tid).collect::<Vec<_>>(),
        expected
    );
}

/// Returns the lines of some records that follow a header.
fn lines_of(recipe: TraceRecipe, write: impl FnOnce(&mut TraceWriter)) -> Vec<String> {
    let mut writer = TraceWriter::new(recipe);
    let opening = writer.recipe().version.min(2) as usize * 5 - 5;
    write(&mut writer);
    writer.exit();
    let records = writer.stop();
    let bytes = records.pack(Container::Plain);
    let listing = Listing::of(&[SampleFile {
        name: "a.trace".to_owned(),
        bytes,
        truth: records.truth,
    }]);
    listing.lines[opening..listing.lines.len() - 1].to_vec()
}

#[test]
fn events_of_the_kernel_have_no_address_in_old_versions() {
    for (version, expected) in [(1, "0"), (2, "0"), (3, "1234")] {
        let recipe = TraceRecipe {
            version,
            ..TraceRecipe::default()
        };
        let lines = lines_of(recipe, |writer| writer.marker(marker::KERNEL_EVENT, 0x1234));
        assert_eq!(lines, [format!("100 kernel_event {expected}")]);
    }
}

#[test]
fn the_markers_of_a_header_inside_a_file_are_those_of_the_thread_that_the_records_before_them_named()
 {
    let lines = lines_of(TraceRecipe::default(), |writer| writer.header(101, 100));
    let expected = [
        "100 version 7",
        "100 filetype e40",
        "101 cache_line_size 40",
        "101 chunk_instr_count 0",
    ];
    assert_eq!(lines[..4], expected);
    assert_eq!((lines.len(), &*lines[4]), (5, "101 page_size 1000"));
    let listing = Listing::of(&Sample::CoreSharded.files(Container::Plain));
    let encoded = listing
        .lines
        .iter()
        .filter(|line| line.split(' ').nth(4).is_some_and(|word| word != "to"))
        .count();
    assert_eq!(listing.counter.total().encodings, encoded as u64);
}

#[test]
fn an_unknown_time_is_unknown_whatever_its_length() {
    for architecture in [Architecture::X86_32, Architecture::X86_64] {
        let recipe = TraceRecipe {
            architecture,
            ..TraceRecipe::default()
        };
        let lines = lines_of(recipe, |writer| {
            writer.record(kind::MARKER, marker::TIMESTAMP, u64::MAX);
            writer.record(kind::MARKER, marker::CPU, u64::MAX);
        });
        assert_eq!(
            lines,
            [
                "100 timestamp ffffffffffffffff",
                "100 cpu_id ffffffffffffffff"
            ]
        );
    }
}

#[test]
fn a_core_that_idles_long_before_its_first_time_waits_for_it() {
    let file = |name: &str, writer: TraceWriter| {
        let records = writer.stop();
        SampleFile {
            name: name.to_owned(),
            bytes: records.pack(Container::Zip),
            truth: records.truth,
        }
    };
    let mut busy = TraceWriter::new(TraceRecipe::default());
    busy.time(1000, 0);
    busy.instruction(0x40_1000, &[0x90]);
    busy.exit();
    let mut idle = TraceWriter::new(TraceRecipe {
        tid: u64::MAX,
        pid: u64::MAX,
        ..TraceRecipe::default()
    });
    idle.time(u64::MAX, u64::MAX);
    // More than is unpacked at once.
    (0..455_000).for_each(|_| idle.marker(marker::CORE_IDLE, 0));
    idle.thread(101, 100);
    idle.time(2000, 1);
    idle.instruction(0x40_1000, &[0x90]);
    idle.exit();
    let listing = Listing::of(&[
        file("core.0.trace.zip", idle),
        file("core.1.trace.zip", busy),
    ]);
    let place = |text: &str| {
        listing
            .lines
            .iter()
            .position(|line| line.ends_with(text))
            .unwrap()
    };
    assert!(
        place("100 timestamp 3e8") < place("idle core_idle 0"),
        "{:?}",
        &listing.lines[..20]
    );
    assert!(place("idle core_idle 0") < place("101 timestamp 7d0"));
}

#[test]
fn prefetches_and_flushes_have_their_length() {
    let lines = lines_of(TraceRecipe::default(), |writer| {
        writer.instruction(0x40_1000, &[0x90]);
        writer.record(3, 1, 0x5000);
        writer.record(6, 1, 0x5040);
        writer.record(20, 64, 0x6000);
        writer.record(18, 0, 0x7000);
        writer.record(19, 0, 0x7100);
    });
    let expected = [
        "100 pref_r_l1 5000+1",
        "100 pref_nta 5040+1",
        "100 dflush 6000+40",
        "100 iflush 7000+100",
    ];
    let expected = expected.map(|line| line.replace("+40", "+64").replace("+100", "+256"));
    assert_eq!(lines[lines.len() - 4..], expected);
}
