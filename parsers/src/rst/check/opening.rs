//! Checks the beginning of a trace (clause 2 of the specification).

use crate::finding::Severity;
use crate::rst::check::out::FindingSink;
use crate::rst::check::rules;
use crate::rst::fields::{header, strdesc, trace_info, trace_info_3};
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, RstVersion, TRACE_INFO_3};
use crate::rst::records::{Preg, RegisterKind, RegisterValues};
use crate::rst::stream::FilePart;

/// Maximum number of bytes that are kept of a text.
const TEXT_LIMIT: usize = 1 << 12;
/// Subtype of TRACEINFO that names the maker of the trace.
const LEVELS: u64 = 2;

/// Facts recorded at the beginning of the trace, until now.
#[derive(Debug, Default)]
pub struct OpeningCheck {
    has_begun: bool,
    /// A sample with a different beginning: "RFS v…".
    is_sample: bool,
    /// The first record is not a header, so the records after it may come at any position.
    is_headless: bool,
    has_mmu: bool,
    has_processor: bool,
    has_windows: bool,
    has_tlbs: bool,
    /// The highest processor number that the trace states.
    max_cpu: Option<u16>,
    text: Vec<u8>,
}

/// Facts recorded about a processor before its first instruction.
#[derive(Debug, Default)]
pub struct CpuOpeningCheck {
    /// The processor has executed an instruction.
    pub has_begun: bool,
    /// A PAVADIFF was recorded.
    pub has_translation: bool,
    level: Option<u8>,
    /// TT, TPC and TNPC were recorded.
    stated: [bool; 3],
}

impl CpuOpeningCheck {
    pub fn preg(&mut self, preg: &Preg) {
        self.level = self.level.or(Some(preg.level));
    }

    pub fn registers(&mut self, values: &RegisterValues) {
        if self.has_begun {
            return;
        }
        for slot in values
            .slots
            .iter()
            .filter(|slot| slot.kind == RegisterKind::Privileged)
        {
            match slot.id {
                3 | 88..=95 => self.stated[0] = true,
                0 | 64..=71 => self.stated[1] = true,
                1 | 72..=79 => self.stated[2] = true,
                _ => {}
            }
        }
    }
}

impl OpeningCheck {
    /// Checks a record other than an instruction.
    pub fn record(&mut self, part: FilePart, record: &RawRecord, out: &mut FindingSink) {
        self.place(part, record, out);
        match record.kind() {
            kind::HEADER if out.place == 1 => check_header(record, out),
            kind::TEXT | kind::TEXT_PART if !self.has_begun => self.text(record, out),
            kind::TLB | kind::RFS_CACHE => self.has_tlbs = true,
            kind::TRACE_INFO if record.get(trace_info::RTYPE2) == TRACE_INFO_3 => {
                self.check_dates(record, out)
            }
            _ => {}
        }
    }

    /// Checks the record types required at the first positions.
    fn place(&mut self, part: FilePart, record: &RawRecord, out: &mut FindingSink) {
        let is_info = record.kind() == kind::TRACE_INFO;
        let is_levels = is_info && record.get(trace_info::RTYPE2) == LEVELS;
        let version = record.form().version;
        let is_other = self.is_sample || self.is_headless;
        match out.place {
            1 if record.kind() == kind::TEXT
                && record.text(strdesc::STRING).starts_with(b"RFS v") =>
            {
                self.is_sample = true
            }
            1 if record.kind() != kind::HEADER => {
                self.is_headless = true;
                out.found(&rules::H01, || {
                    format!("the first record has type {}, not 2", record.kind())
                });
            }
            2 if !is_levels && !is_other && !version.is_before(1, 10) => {
                let severity = if version.is_before(2, 6) {
                    Severity::Warning
                } else {
                    Severity::Error
                };
                out.found_as(&rules::H05, severity, || {
                    "the second record does not state which tool made the trace".to_owned()
                });
            }
            3 if (!is_info || is_levels) && !is_other && !version.is_before(2, 6) => {
                out.found(&rules::H06, || {
                    "the third record does not state processors and dates".to_owned()
                });
            }
            2.. if record.kind() == kind::HEADER && part == FilePart::Head => {
                let words = "a file that continues the trace begins with another header";
                out.found_as(&rules::H02, Severity::Warning, || words.to_owned());
            }
            2.. if record.kind() == kind::HEADER => {
                out.found(&rules::H02, || "another header record".to_owned());
            }
            _ => {}
        }
    }

    fn text(&mut self, record: &RawRecord, out: &mut FindingSink) {
        let room = TEXT_LIMIT.saturating_sub(self.text.len());
        self.text
            .extend(record.text(strdesc::STRING).iter().take(room));
        if record.kind() == kind::TEXT_PART {
            return;
        }
        let text = String::from_utf8_lossy(&std::mem::take(&mut self.text)).into_owned();
        let text = text.trim();
        self.has_processor |= text
            .strip_prefix("cputype=")
            .is_some_and(|name| !name.is_empty());
        if text.starts_with("mmutype=") {
            self.has_mmu = true;
            if !is_mmu(text) {
                out.found_in_system(&rules::I01, || {
                    format!("the type of the MMU is not told as specified: {text:?}")
                });
            }
        }
        if let Some(count) = text.strip_prefix("nwins=") {
            self.has_windows = true;
            if !count
                .trim()
                .parse()
                .is_ok_and(|count: u8| (3..=32).contains(&count))
            {
                out.found_in_system(&rules::I03, || {
                    format!("the number of register windows is not told: {text:?}")
                });
            }
        }
    }

    fn check_dates(&mut self, record: &RawRecord, out: &mut FindingSink) {
        let max_cpu = record.get(trace_info_3::MAX_CPU_ID);
        let cpus = record.get(trace_info_3::TOTAL_NUM_CPUS);
        let created = record.get(trace_info_3::DATE_CREATED);
        let modified = record.get(trace_info_3::DATE_MODIFIED);
        if cpus > max_cpu + 1 {
            out.found(&rules::H07, || {
                format!("{cpus} processors, of which the highest has number {max_cpu}")
            });
        }
        if modified < created {
            out.found(&rules::H07, || {
                format!("modified ({modified}) before it was created ({created})")
            });
        }
        self.max_cpu = Some(max_cpu as u16); // eight bits
    }

    /// Checks an instruction. Only the first ones of the trace and of each processor matter.
    pub fn instruction(&mut self, number: u16, cpu: &mut CpuOpeningCheck, out: &mut FindingSink) {
        if cpu.has_begun {
            return;
        }
        if out.place == 1 {
            self.is_headless = true;
            out.found(&rules::H01, || {
                "the first record is an instruction".to_owned()
            });
        }
        if !std::mem::replace(&mut self.has_begun, true) && !self.is_sample {
            self.check(out);
        }
        cpu.has_begun = true;
        if let Some(max) = self.max_cpu.filter(|max| *max < number) {
            out.found(&rules::H07, || {
                format!("an instruction of cpu{number}, though {max} is recorded as the highest")
            });
        }
        if !self.is_sample {
            check_state(number, cpu, out);
        }
    }

    /// Checks that the required records come before the first instruction of the trace.
    fn check(&self, out: &mut FindingSink) {
        let stated = [
            (
                self.has_mmu,
                &rules::I01,
                "no text \"mmutype=\" before the first instruction",
            ),
            (
                self.has_processor,
                &rules::I02,
                "no text \"cputype=\" before the first instruction",
            ),
            (
                self.has_windows,
                &rules::I03,
                "no text \"nwins=\" before the first instruction",
            ),
            (
                self.has_tlbs,
                &rules::I05,
                "no contents of the TLBs before the first instruction",
            ),
        ];
        for (_, rule, message) in stated.into_iter().filter(|(is_stated, ..)| !is_stated) {
            out.found_in_system(rule, || message.to_owned());
        }
    }
}

fn check_header(record: &RawRecord, out: &mut FindingSink) {
    let text = record.text(header::HEADER_STR);
    let version = RstVersion::of_header(record);
    // The text was standardised in version 1.8.
    if !text.starts_with(b"RST Header") && !version.is_before(1, 8) {
        let text = String::from_utf8_lossy(&text).into_owned();
        out.found(&rules::H03, || format!("the header's text is {text:?}"));
    }
    let byte = record.get(header::PERCENT);
    if byte != u64::from(b'%') {
        out.found(&rules::H04, || {
            format!("byte 3 of the header is {byte:#04x}, not '%'")
        });
    }
}

fn check_state(number: u16, cpu: &CpuOpeningCheck, out: &mut FindingSink) {
    match cpu.level {
        None => {
            out.found_in_system(&rules::I04, || format!("no PREG before the first instruction of cpu{number}"));
        }
        Some(level) if level > 0 && cpu.stated != [true; 3] => out.found_in_system(&rules::I04, || {
            format!("cpu{number} begins at trap level {level}, and not all of TT, TPC and TNPC are recorded")
        }),
        Some(_) => {}
    }
    if !cpu.has_translation {
        out.found_in_system(&rules::I06, || {
            format!("no PAVADIFF before the first instruction of cpu{number}")
        });
    }
}

/// Returns true for `mmutype=T iTLB=n(/n)*, dTLB=n(/n)*` and `mmutype=T uTLB=n(/n)*`.
fn is_mmu(text: &str) -> bool {
    let is_sizes = |sizes: &str| {
        sizes.split('/').all(|size| {
            !size.trim().is_empty() && size.trim().bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let Some((name, tlbs)) = text
        .strip_prefix("mmutype=")
        .and_then(|rest| rest.split_once(' '))
    else {
        return false;
    };
    let parts: Vec<_> = tlbs.split(',').map(str::trim).collect();
    let is_named = |part: &str, name: &str| part.strip_prefix(name).is_some_and(is_sizes);
    !name.is_empty()
        && match parts[..] {
            [unified] => is_named(unified, "uTLB="),
            [instructions, data] => is_named(instructions, "iTLB=") && is_named(data, "dTLB="),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_mmus_have_a_form() {
        assert!(is_mmu("mmutype=cheetahplus iTLB=16/128, dTLB=16/512/512"));
        assert!(
            is_mmu("mmutype=spitfire iTLB=2048, dTLB=2048") && is_mmu("mmutype=niagara uTLB=64")
        );
        assert!(
            !is_mmu("mmutype=spitfire")
                && !is_mmu("mmutype=spitfire iTLB=64")
                && !is_mmu("mmutype= uTLB=a/2")
        );
    }
}
