//! Registers that share a name but for their numbers.

/// `x0` … `x30`, or one register without a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterRun {
    /// What their names begin with.
    pub prefix: &'static str,
    /// How many there are; none: the prefix is the whole name.
    pub count: Option<u16>,
}

impl RegisterRun {
    /// Numbered from 0.
    pub const fn of(prefix: &'static str, count: u16) -> Self {
        Self {
            prefix,
            count: Some(count),
        }
    }

    /// A register without a number.
    pub const fn one(name: &'static str) -> Self {
        Self {
            prefix: name,
            count: None,
        }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = String> + use<> {
        let Self { prefix, count } = *self;
        (0..count.unwrap_or(1)).map(move |number| match count {
            Some(_) => format!("{prefix}{number}"),
            None => prefix.to_owned(),
        })
    }
}

/// The names of several runs.
pub(crate) fn names_of(runs: &[RegisterRun]) -> Vec<String> {
    runs.iter().flat_map(RegisterRun::names).collect()
}
