//! Runs of numbered registers.

/// A run of registers with consecutive numbers, such as `x0` … `x30`, or one register without a
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterRun {
    /// Prefix of the names.
    pub prefix: &'static str,
    /// Number of registers; none if the prefix is the full name.
    pub count: Option<u16>,
}

impl RegisterRun {
    /// Creates a run numbered from 0.
    pub const fn of(prefix: &'static str, count: u16) -> Self {
        Self {
            prefix,
            count: Some(count),
        }
    }

    /// Creates a single register without a number.
    pub const fn one(name: &'static str) -> Self {
        Self {
            prefix: name,
            count: None,
        }
    }

    /// Returns the names of the registers.
    pub fn names(&self) -> impl Iterator<Item = String> + use<> {
        let Self { prefix, count } = *self;
        (0..count.unwrap_or(1)).map(move |number| match count {
            Some(_) => format!("{prefix}{number}"),
            None => prefix.to_owned(),
        })
    }
}

/// Returns the names of several runs.
pub(crate) fn names_of(runs: &[RegisterRun]) -> Vec<String> {
    runs.iter().flat_map(RegisterRun::names).collect()
}
