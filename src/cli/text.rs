//! Formatting for text output: counts, sizes, step lines and accesses, and the names of functions
//! ([`FunctionNames`]). Control characters in text from the trace are replaced, so that a terminal
//! does not obey them.

use clap::Args;
use stepback_debugger::analysis::sites::{Site, SitePlace};
use stepback_debugger::analysis::slice::{LineKind, ReadingLine};
use stepback_debugger::image::Images;
use stepback_debugger::model::markers::MarkerWords;
use stepback_debugger::model::slice::LineWords;
use stepback_debugger::model::step_rows::{more_words, step_remarks};
use stepback_index::Index;
use stepback_index::answer::{Access, Effect, StepRecord};
use stepback_machine::Address;

use crate::cli::json::value_hex;

pub use stepback_debugger::model::text::thousands as grouped;

/// Formats `1 step`, `2 steps`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// Formats `203.5 MB`, in powers of ten as file managers do.
pub fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut size = bytes as f64 / 1000.0;
    let mut units = UNITS.into_iter();
    let mut unit = units.next().unwrap_or_default();
    // 999.95 would be rounded to 1000.0.
    while size >= 999.95
        && let Some(larger) = units.next()
    {
        size /= 1000.0;
        unit = larger;
    }
    format!("{size:.1} {unit}")
}

/// Formats a step on one line: number, thread if there are several, address, disassembly, effects.
pub fn step_line(record: &StepRecord, index: &Index) -> String {
    let number_width = index.step_count().to_string().len();
    let thread = match index.threads() {
        [_] => String::new(),
        _ => format!("{}  ", index.thread_name(record.thread)),
    };
    let address_width = if index
        .instruction_sets()
        .iter()
        .all(|set| set.word_bytes() == 8)
    {
        18
    } else {
        10
    };
    let skipped = step_remarks(record)
        .map(|remark| format!("({remark}) "))
        .collect::<String>();
    let head = format!(
        "{:>number_width$}  {thread}{:#0address_width$x}  {skipped}{}",
        record.step.0,
        record.pc.0,
        printable(&record.text)
    );
    let set = index.source().traits().instruction_set;
    let mut words = MarkerWords {
        set,
        functions: None,
        system_call: None,
    };
    let mut text_of = |effect: &Effect| {
        if let Effect::Marker(marker) = effect {
            words.pass(*marker);
        }
        effect_text(effect, words, index)
    };
    let effects: Vec<String> = record.effects.iter().map(&mut text_of).collect();
    match effects.is_empty() {
        true => head,
        false => format!("{head:<72}  {}", effects.join("  ")),
    }
}

/// Formats a line of an explained value: step, text, value and notes.
pub fn slice_line(line: &ReadingLine, words: &LineWords, index: &Index) -> String {
    let width = grouped(index.step_count()).len();
    let step = words.step.map(|step| grouped(step.0)).unwrap_or_default();
    let indent = "  ".repeat(usize::from(line.depth).min(MOST_INDENTS));
    let text = format!("{step:>width$}  {indent}{}", printable(&words.text));
    let mut notes = words.notes.clone();
    notes.extend(Some(words.reason()).filter(|reason| !reason.is_empty()));
    let notes = printable(&notes.join("; "));
    let whole = match line.kind {
        LineKind::Call { .. } | LineKind::End(_) | LineKind::LoopIterations(_) => text,
        _ => format!("{text:<64}  {:<20}  {notes}", printable(&words.value)),
    };
    whole.trim_end().to_owned()
}

/// Maximum indentation of nested calls.
const MOST_INDENTS: usize = 12;

/// Formats the suffix of a step line for a requested source line.
pub fn line_text(source: Option<Option<String>>) -> String {
    match source {
        Some(Some(source)) => format!("  {}", printable(&source)),
        Some(None) => "  no source line".to_owned(),
        None => String::new(),
    }
}

fn effect_text(effect: &Effect, words: MarkerWords<'_>, index: &Index) -> String {
    match effect {
        Effect::Register { name, value, .. } => {
            format!(
                "{name}={}",
                value_hex(value).unwrap_or_else(|| "unknown".to_owned())
            )
        }
        Effect::Access(access) => access_text(access),
        Effect::Exception(words) | Effect::Note(words) => format!("[{}]", printable(words)),
        Effect::Marker(marker) => format!("[{}]", words.text(*marker)),
        Effect::More(count) => format!("[{}]", more_words(*count, index)),
    }
}

/// Formats `write 0x80020010:4 = 0x00000001`.
pub fn access_text(access: &Access) -> String {
    let value = value_hex(&access.value).unwrap_or_else(|| "unknown".to_owned());
    let external = if access.is_external {
        " (external change)"
    } else {
        ""
    };
    let host = access
        .host_operation
        .map(|host| format!(" (the host, {})", host.name()))
        .unwrap_or_default();
    let decoded = if access.is_decoded { " (decoded)" } else { "" };
    format!(
        "{} {} = {value}{external}{host}{decoded}",
        access.kind.word(),
        access.target
    )
}

/// Formats a moment as Arm's Tarmac tools do: `t:9 l:175 pc:0x8020`. Without lines, the number of
/// the instruction takes their place: `i:8 pc:0x8020`.
pub fn site_text(site: Site) -> String {
    let time = site.time.map(|time| format!("t:{time} "));
    let place = match site.place {
        SitePlace::Text { line, .. } => format!("l:{line}"),
        SitePlace::Step(step) => format!("i:{}", step.after().0),
    };
    format!("{}{place} pc:{:#x}", time.unwrap_or_default(), site.pc)
}

/// Replaces control characters in text from the trace, so that a terminal does not obey them.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| {
            if letter.is_control() && letter != '\t' {
                '\u{fffd}'
            } else {
                letter
            }
        })
        .collect()
}

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct NameOptions {
    /// Demangle the names of functions.
    #[arg(long)]
    pub demangle: bool,
    /// Leave out the offset of a call from the function's start.
    #[arg(long)]
    pub no_offsets: bool,
}

/// Formats the names of functions for text reports.
#[derive(Clone, Copy)]
pub struct FunctionNames<'a> {
    images: &'a Images,
    options: NameOptions,
}

impl<'a> FunctionNames<'a> {
    /// Creates a formatter that uses the symbols of the images.
    pub fn new(images: &'a Images, options: NameOptions) -> Self {
        Self { images, options }
    }

    /// Returns `main`, or `main + 0x8` for an address after its start. None if no function is
    /// there.
    pub fn name(&self, address: Address) -> Option<String> {
        let found = match self.options.demangle {
            true => self.images.code_at(address),
            false => self.images.reported_at(address),
        }?;
        let name = printable(if self.options.demangle {
            found.name
        } else {
            found.symbol.raw_name()
        });
        Some(if found.offset == 0 || self.options.no_offsets {
            name
        } else {
            format!("{name} + {:#x}", found.offset)
        })
    }

    /// Returns the name, or the address if there is none.
    pub fn name_or_address(&self, function: Address) -> String {
        self.name(function)
            .unwrap_or_else(|| format!("{:#x}", function.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let texts = [0, 999, 1000, 1_600_000, u64::MAX].map(grouped);
        assert_eq!(
            texts,
            [
                "0",
                "999",
                "1,000",
                "1,600,000",
                "18,446,744,073,709,551,615"
            ]
        );
    }

    #[test]
    fn a_size_has_one_decimal_and_the_unit_that_fits() {
        let texts = [0, 999, 1000, 203_511_234, 999_999, 2_080_000_000].map(size_text);
        assert_eq!(
            texts,
            ["0 B", "999 B", "1.0 kB", "203.5 MB", "1.0 MB", "2.1 GB"]
        );
    }

    #[test]
    fn a_terminal_obeys_nothing_that_the_trace_says() {
        assert_eq!(printable("a\u{1b}[2Jb\tc"), "a\u{fffd}[2Jb\tc");
    }
}
