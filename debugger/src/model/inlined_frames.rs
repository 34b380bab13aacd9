//! Functions at an instruction: those that are inlined there, and the one of the frame
//! ([`functions_at`]).

use std::sync::Arc;

use stepback_machine::Address;

use crate::image::{Images, SourceLine};

/// A function at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeFunction {
    pub name: Option<Arc<str>>,
    /// Line of the instruction, or of the inlined call.
    pub line: Option<CodeLine>,
}

/// A source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    pub file: Arc<str>,
    pub line: u32,
    /// Column; none for an inlined call.
    pub column: Option<u32>,
}

/// Returns the functions at an instruction, the innermost inlined one first and the one of the frame
/// last. Empty without debug information.
pub fn functions_at(images: &Images, address: Address) -> Vec<CodeFunction> {
    let Some(found) = images.variables_at(address) else {
        return Vec::new();
    };
    let line = images.source_at(address);
    let line_of = |function: usize| {
        let line = line.as_ref()?;
        match function.checked_sub(1) {
            None => Some(CodeLine::of(line)),
            Some(inner) => line.inlined_at.get(inner).map(|site| CodeLine {
                file: Arc::clone(&site.file),
                line: site.line,
                column: None,
            }),
        }
    };
    // Those of the line information have namespaces and types.
    let full_name = |function: usize| {
        let line = line.as_ref()?;
        match function.checked_sub(1) {
            None => line.function.clone(),
            Some(inner) => line.inlined_at.get(inner)?.function.clone(),
        }
    };
    let functions = found.functions().iter().enumerate();
    functions
        .map(|(function, name)| CodeFunction {
            name: full_name(function).or_else(|| name.clone()),
            line: line_of(function),
        })
        .collect()
}

impl CodeLine {
    /// Returns the line of an instruction.
    pub fn at(images: &Images, address: Address) -> Option<Self> {
        images.source_at(address).map(|line| Self::of(&line))
    }

    fn of(line: &SourceLine) -> Self {
        Self {
            file: Arc::clone(&line.file),
            line: line.line,
            column: line.column,
        }
    }

    /// Formats the line as `overflow.c:42`.
    pub fn short(&self) -> String {
        let name = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        format!("{name}:{}", self.line)
    }
}
