//! Conditions on the number of executions of a breakpoint's code, counted from the start of the
//! trace, so that they mean the same in both directions.

use anyhow::{Context as _, Result, ensure};

/// Comparison of a number of executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    /// Every N-th execution.
    Multiple,
}

/// A condition on the number of executions: `5`, `>= 5`, `% 5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HitCondition {
    comparison: Comparison,
    number: u64,
}

impl HitCondition {
    /// Parses a condition. A plain number means that execution.
    ///
    /// # Errors
    /// The text is no condition.
    pub fn parse(text: &str) -> Result<Self> {
        let operators = [
            (">=", Comparison::GreaterOrEqual),
            ("<=", Comparison::LessOrEqual),
            ("==", Comparison::Equal),
            ("=", Comparison::Equal),
            (">", Comparison::Greater),
            ("<", Comparison::Less),
            ("%", Comparison::Multiple),
        ];
        let text = text.trim();
        let found = operators
            .iter()
            .find_map(|(word, comparison)| Some((*comparison, text.strip_prefix(word)?)));
        let (comparison, number) = found.unwrap_or((Comparison::Equal, text));
        let number = number.trim().parse().ok();
        let number: u64 = number.with_context(|| {
            format!("a hit condition is a number of executions, such as 5, >= 5 or % 5: {text:?}")
        })?;
        ensure!(
            comparison != Comparison::Multiple || number > 0,
            "no execution is a multiple of 0"
        );
        Ok(Self { comparison, number })
    }

    /// Returns true for an execution by its number from 1.
    pub fn holds(self, execution: u64) -> bool {
        match self.comparison {
            Comparison::Equal => execution == self.number,
            Comparison::Less => execution < self.number,
            Comparison::LessOrEqual => execution <= self.number,
            Comparison::Greater => execution > self.number,
            Comparison::GreaterOrEqual => execution >= self.number,
            Comparison::Multiple => execution.is_multiple_of(self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_choose_executions() {
        for (text, expected) in [
            ("3", vec![3]),
            ("== 3", vec![3]),
            ("=3", vec![3]),
            ("< 3", vec![1, 2]),
            ("<= 3", vec![1, 2, 3]),
            ("> 3", vec![4, 5, 6]),
            (" >=5 ", vec![5, 6]),
            ("% 2", vec![2, 4, 6]),
        ] {
            let condition = HitCondition::parse(text).unwrap();
            let chosen: Vec<u64> = (1..7).filter(|number| condition.holds(*number)).collect();
            assert_eq!(chosen, expected, "{text}");
        }
        for text in ["", "x", "3.5", "-1", "% 0", "> ", "3 4"] {
            assert!(HitCondition::parse(text).is_err(), "{text}");
        }
    }
}
