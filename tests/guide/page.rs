//! The parts of a page in Markdown: command blocks, links and headings.

use std::fs;
use std::path::PathBuf;

/// Stands for any lines of an output.
const ELLIPSIS: &str = "...";

pub struct Page {
    pub path: PathBuf,
    text: String,
}

impl Page {
    pub fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        Self { path, text }
    }

    /// Returns the page with other outputs: `output` maps a command and its shown output to the
    /// output to show.
    pub fn with_outputs(&self, mut output: impl FnMut(&str, &str) -> String) -> String {
        let mut changed = String::new();
        let mut lines = self.text.lines().peekable();
        let mut is_console = false;
        while let Some(line) = lines.next() {
            changed.push_str(line);
            changed.push('\n');
            if line.starts_with("```") {
                is_console = line == "```console";
            }
            let Some(command) = line.strip_prefix("$ ").filter(|_| is_console) else {
                continue;
            };
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                let next = lines.next().expect("the rest of a command");
                changed.push_str(next);
                changed.push('\n');
                command.push('\n');
                command.push_str(next);
            }
            let mut shown = String::new();
            while let Some(line) =
                lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("```"))
            {
                shown.push_str(line);
                shown.push('\n');
            }
            changed.push_str(&output(&command, &shown));
            if !changed.ends_with('\n') {
                changed.push('\n');
            }
        }
        changed
    }

    /// Returns the lines of blocks of other languages that start the program.
    pub fn unchecked_commands(&self) -> Vec<&str> {
        let mut is_console = false;
        let mut is_block = false;
        let is_unchecked = |line: &&str| {
            if line.starts_with("```") {
                is_block = !is_block;
                is_console = *line == "```console";
            }
            is_block && !is_console && line.starts_with("stepback ")
        };
        self.text.lines().filter(is_unchecked).collect()
    }

    /// Returns the targets of links that stay in the repository.
    pub fn links(&self) -> Vec<String> {
        let targets = self.text.split("](").skip(1);
        let targets = targets.filter_map(|rest| rest.split_once(')'));
        let is_inside = |link: &&str| !link.contains("://") && !link.starts_with("mailto:");
        let targets = targets.map(|(link, _)| link).filter(is_inside);
        targets.map(str::to_owned).collect()
    }

    /// Returns the anchors of the headings, as forges and mdBook name them.
    pub fn headings(&self) -> Vec<String> {
        let mut is_block = false;
        let heading = |line: &str| {
            if line.starts_with("```") {
                is_block = !is_block;
            }
            let heading = line.strip_prefix('#').filter(|_| !is_block)?;
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let is_kept = |letter: &char| letter.is_alphanumeric() || "-_ ".contains(*letter);
            Some(
                heading
                    .chars()
                    .filter(is_kept)
                    .collect::<String>()
                    .replace(' ', "-"),
            )
        };
        self.text.lines().filter_map(heading).collect()
    }
}

/// Returns true if an output is the one shown. [`ELLIPSIS`] in a line of its own matches any lines.
pub fn is_like(shown: &str, printed: &str) -> bool {
    let shown: Vec<_> = shown.lines().collect();
    let mut rest: Vec<_> = printed.lines().collect();
    let mut parts = shown.split(|line| *line == ELLIPSIS);
    let first = parts.next().unwrap_or_default();
    if !rest.starts_with(first) {
        return false;
    }
    rest.drain(..first.len());
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let found = (0..=rest.len()).find(|start| rest[*start..].starts_with(part));
        let Some(start) = found else { return false };
        rest.drain(..start + part.len());
    }
    rest.ends_with(last)
}

#[test]
fn an_ellipsis_matches_any_lines() {
    assert!(is_like("a\n...\nd\n", "a\nb\nc\nd\n"));
    assert!(is_like("a\n...\n", "a\n"));
    assert!(is_like("...\nb\n...\n", "a\nb\nc\n"));
    assert!(!is_like("a\n...\nc\n", "a\nb\n"));
    assert!(!is_like("a\n", "a\nb\n"));
}

#[test]
fn outputs_are_replaced_below_their_commands() {
    let page = Page {
        path: PathBuf::new(),
        text: "x\n```console\n$ one\nold\n$ two \\\n  more\n```\n$ y\n".to_owned(),
    };
    let changed = page.with_outputs(|command, shown| format!("{command:?}, {shown:?}"));
    let expected = "x\n```console\n$ one\n\"one\", \"old\\n\"\n$ two \\\n  more\n\
        \"two \\\\\\n  more\", \"\"\n```\n$ y\n";
    assert_eq!(changed, expected);
}
