//! The sections of an index file: their sizes, contents, and the questions that they answer.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_index::answer::{IndexSection, SectionSize};

use crate::cli::report::Report;
use crate::cli::text::grouped;

/// A section of the index file.
#[derive(Serialize, JsonSchema)]
pub struct SectionJson {
    section: &'static str,
    /// Size in the file. The sizes of all sections add up to that of the file.
    bytes: u64,
    /// Bytes for each step of the trace. None without steps.
    bytes_per_step: Option<f64>,
    /// Share of the file, from 0 to 1.
    share: f64,
    /// Content of the section.
    contents: &'static str,
    /// Questions that it answers.
    serves: &'static str,
}

impl SectionJson {
    /// Describes all sections of a report's index, in file order.
    pub fn all(report: &Report<'_>) -> Vec<Self> {
        let index = &report.session.index;
        let info = index.info();
        let row = |SectionSize { section, bytes }| {
            let [section, contents, serves] = words(section);
            Self {
                section,
                bytes,
                bytes_per_step: (info.steps > 0).then(|| bytes as f64 / info.steps as f64),
                share: bytes as f64 / info.index_bytes.max(1) as f64,
                contents,
                serves,
            }
        };
        index.section_sizes().into_iter().map(row).collect()
    }
}

/// Prints a line for each section, and their sum.
///
/// # Errors
/// The report could not be written.
pub fn print_sections(sections: &[SectionJson], report: &mut Report<'_>) -> Result<()> {
    let (size, per_step) = ("bytes", "a step");
    report.text(&format!(
        "\n{:<18}{size:>16}{per_step:>8}   share\n",
        "section"
    ))?;
    let mut line = |name: &str, bytes: u64, per_step: Option<f64>, share: f64, words: &str| {
        let per_step = per_step.map_or_else(|| "-".to_owned(), |bytes| format!("{bytes:.2}"));
        let (bytes, share) = (grouped(bytes), 100.0 * share);
        let line = format!("{name:<18}{bytes:>16}{per_step:>8}{share:>6.1} %  {words}");
        report.text(&format!("{}\n", line.trim_end()))
    };
    for section in sections {
        let words = format!("{}; {}", section.contents, section.serves);
        line(
            section.section,
            section.bytes,
            section.bytes_per_step,
            section.share,
            &words,
        )?;
    }
    let sum = |of: fn(&SectionJson) -> f64| sections.iter().map(of).sum();
    let bytes = sections.iter().map(|section| section.bytes).sum();
    let per_step = sections
        .iter()
        .map(|section| section.bytes_per_step)
        .sum::<Option<f64>>();
    line(
        "whole file",
        bytes,
        per_step,
        sum(|section| section.share),
        "",
    )
}

/// Returns the name of a section, its content, and the questions that it answers.
fn words(section: IndexSection) -> [&'static str; 3] {
    match section {
        IndexSection::Header => [
            "header",
            "version of the file, and the place of the directory",
            "opening the index",
        ],
        IndexSection::HeaderChecksum => [
            "header checksum",
            "checksum of the header; those of the other sections are in the directory",
            "noticing damage",
        ],
        IndexSection::Offsets => [
            "step offsets",
            "place of each step in the trace",
            "reading any step again: list, at, every value",
        ],
        IndexSection::Lines => [
            "lines",
            "line number of every 128th step",
            "line numbers, and positions by line",
        ],
        IndexSection::Times => [
            "times",
            "time of each step",
            "positions by time, times of calls, timelines",
        ],
        IndexSection::Registers => [
            "registers",
            "steps that write each register; with several threads, the steps of each; markers",
            "register values at any position, last and next writes, why, steps by thread, system calls",
        ],
        IndexSection::Memory => [
            "memory",
            "steps that access each block of 64 bytes, and the bytes that they touch",
            "memory at any position, last and next accesses, why, heat",
        ],
        IndexSection::Addresses => [
            "addresses",
            "steps at each instruction address",
            "executions of an address, breakpoints, coverage",
        ],
        IndexSection::ExternalChanges => [
            "external changes",
            "steps with a read that contradicts the last known value",
            "external changes, and the provenance of values",
        ],
        IndexSection::Digests => [
            "digests",
            "hash of each run of about 1,000 steps of a thread",
            "skipping equal runs when traces are compared",
        ],
        IndexSection::MemoryMaps => [
            "memory map",
            "parts of the trace that access each block of memory",
            "skipping parts: accesses of memory in long traces",
        ],
        IndexSection::AddressMaps => [
            "address map",
            "parts of the trace that execute each address",
            "skipping parts: executions of an address in long traces",
        ],
        IndexSection::ResumePoint => [
            "resume point",
            "state of the build before the last part of the trace",
            "indexing only the new part of a trace that grew",
        ],
        IndexSection::Instructions => [
            "instructions",
            "each executed instruction once",
            "disassembly, comparison with images, coverage, search for instructions",
        ],
        IndexSection::Calls => [
            "calls",
            "each call with its caller, first and last step",
            "calltree, callinfo, profile, flamegraph, stacks, folding",
        ],
        IndexSection::HostWrites => [
            "host writes",
            "memory that the host wrote in semihosting calls",
            "memory after semihosting calls",
        ],
        IndexSection::UnresolvedCalls => [
            "unresolved calls",
            "semihosting calls that may have written anywhere",
            "marking memory as unknown after them",
        ],
        IndexSection::Directory => [
            "directory",
            "place and checksum of each section; threads, registers, warnings",
            "opening the index, info, threads",
        ],
        IndexSection::Unused => [
            "unused",
            "an earlier directory that the last one replaced",
            "nothing",
        ],
    }
}
