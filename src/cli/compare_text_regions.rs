//! The lines of `stepback compare` about regions without partners and the costs of functions.

use std::collections::BTreeMap;

use anyhow::Result;
use stepback_compare::{Region, RegionDetails, RegionKind, ThreadComparison, TraceSide};

use crate::cli::compare_text::CompareText;
use crate::cli::compare_words::{
    compare_function, differing, function_text, interval, side_word, unexamined_text,
};
use crate::cli::text::{counted, grouped, printable};

/// Number of regions that are shown.
const REGIONS: usize = 4;
/// Number of functions that are named.
const FUNCTIONS: usize = 4;

impl CompareText<'_> {
    /// Counts matched steps and lists the first regions without partners.
    pub fn regions(&mut self, threads: &ThreadComparison) -> Result<()> {
        let others: Vec<_> = threads
            .regions()
            .filter(|(region, _)| region.kind != RegionKind::Same)
            .collect();
        let matched = counted(threads.alignment.matched(), "step");
        let later: u64 = threads
            .details
            .iter()
            .filter_map(|details| details.values.as_ref())
            .map(|values| values.differing)
            .sum();
        let differing = match later {
            0 => "with the same values".to_owned(),
            later => format!("{} of them with different values", grouped(later)),
        };
        let regions = match others.len() as u64 {
            0 => String::new(),
            count => format!("; {} without partners:", counted(count, "region")),
        };
        self.lines
            .push(format!("{matched} match, {differing}{regions}"));
        let shown = if others.len() > REGIONS {
            REGIONS - 1
        } else {
            REGIONS
        };
        for (region, details) in others.iter().take(shown) {
            let line = self.region(threads, region, details)?;
            self.lines.push(line);
        }
        if others.len() > shown {
            self.lines.push(format!(
                "  {} more (--json lists all)",
                grouped((others.len() - shown) as u64)
            ));
        }
        let unexamined = unexamined_text(threads);
        self.lines
            .extend(unexamined.map(|text| format!("  {text}")));
        self.functions(threads, &others)
    }

    fn region(
        &self,
        threads: &ThreadComparison,
        region: &Region,
        details: &RegionDetails,
    ) -> Result<String> {
        let mut parts = Vec::new();
        for (side, numbers) in [(TraceSide::A, &region.a), (TraceSide::B, &region.b)] {
            let [from, to] = interval(&mut self.traces.steps(threads, side), numbers)?;
            let steps = counted(numbers.end - numbers.start, "step");
            let word = side_word(side);
            parts.push(match numbers.is_empty() {
                true => format!("{word} {}: none", grouped(from)),
                false => format!("{word} {} to {}: {steps}", grouped(from), grouped(to)),
            });
        }
        let mut line = format!("  {}", parts.join(", "));
        if region.kind == RegionKind::NotAligned {
            line.push_str(", not aligned (too long and too different)");
        }
        if let Some(after) = &details.after {
            match (after.cells.len() as u64, after.left, after.is_complete) {
                (0, _, true) => line.push_str("; nothing differs after it"),
                (0, _, false) => {}
                (count, 0, _) => {
                    line.push_str(&format!("; {} after it, healed later", differing(count)))
                }
                (count, ..) => line.push_str(&format!("; {} after it", differing(count))),
            }
        }
        if details.is_forgiven {
            line.push_str(" (forgiven)");
        }
        Ok(line)
    }

    /// Names the functions in which the regions begin, most regions first.
    fn functions(
        &mut self,
        threads: &ThreadComparison,
        regions: &[(&Region, &RegionDetails)],
    ) -> Result<()> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (region, _) in regions {
            if let Some(function) = compare_function(self.traces, threads, region)? {
                let name = function.name.unwrap_or(function.address);
                *counts.entry(printable(&name)).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut names: Vec<String> = counts
            .iter()
            .take(FUNCTIONS)
            .map(|(name, count)| match count {
                1 => name.clone(),
                count => format!("{name} ({})", grouped(*count)),
            })
            .collect();
        if counts.len() > FUNCTIONS {
            names.push(format!(
                "{} more",
                grouped((counts.len() - FUNCTIONS) as u64)
            ));
        }
        if !names.is_empty() {
            self.lines.push(format!("in calls of {}", names.join(", ")));
        }
        Ok(())
    }

    /// Names the functions that are called more or less often in b.
    pub fn costs(&mut self) {
        let functions = self.traces.functions.iter();
        let functions: Vec<_> = functions.filter(|found| found.has_other_calls()).collect();
        let mut names: Vec<String> = functions
            .iter()
            .take(FUNCTIONS)
            .map(|found| {
                let name = function_text(found, self.traces);
                let [a, b] = [found.in_a, found.in_b].map(|cost| grouped(cost.calls));
                format!("{name} ({a} in a, {b} in b)")
            })
            .collect();
        if let more @ 1.. = functions.len().saturating_sub(FUNCTIONS) {
            names.push(format!("{} more", grouped(more as u64)));
        }
        if !names.is_empty() {
            let names = names.join(", ");
            self.lines
                .push(format!("called more or less often: {names}"));
        }
    }
}
