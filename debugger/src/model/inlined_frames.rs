//! Functions at an instruction: those that are inlined there, and the one of the frame
//! ([`functions_at`]).

use std::sync::Arc;

use stepback_machine::Address;

use crate::analysis::step_frame::begun_at;
use crate::image::{FunctionQuery, Images};

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
    let origin = images.origin_at(address);
    let line_of = |function: usize| {
        let origin = origin.as_ref()?;
        match function.checked_sub(1) {
            None => CodeLine::at(images, address),
            Some(inner) => origin.inlined_at().get(inner).map(|site| CodeLine {
                file: Arc::clone(&site.file),
                line: site.line,
                column: None,
            }),
        }
    };
    let stated_name = |function: usize| {
        let origin = origin.as_ref()?;
        match function.checked_sub(1) {
            None => origin.function().cloned(),
            Some(inner) => origin.inlined_at().get(inner)?.function.clone(),
        }
    };
    let functions = found.functions().iter().enumerate();
    functions
        .map(|(function, name)| CodeFunction {
            name: fuller(stated_name(function), name.clone()),
            line: line_of(function),
        })
        .collect()
}

/// Returns the number of inlined functions that begin with an instruction inside the function that a
/// debugger means by a name: all that begin there if it means none of them. A breakpoint of the
/// function does not enter them.
pub fn begun_inside(images: &Images, address: Address, name: &str) -> usize {
    let Some(line) = images.shown_source_at(address) else {
        return 0;
    };
    let begun = begun_at(images, address, &line);
    let query = FunctionQuery::new(name);
    let functions = functions_at(images, address);
    let is_meant = |function: &CodeFunction| {
        let name = function.name.as_deref();
        name.is_some_and(|name| query.matches_plain(name))
    };
    let meant = functions.iter().take(begun).position(is_meant);
    meant.unwrap_or(begun)
}

/// Chooses between the name of the line information, which has namespaces and types if it was
/// mangled, and that of the function's entry, which has them otherwise.
fn fuller(stated: Option<Arc<str>>, entry: Option<Arc<str>>) -> Option<Arc<str>> {
    let (Some(short), Some(scoped)) = (&stated, &entry) else {
        return stated.or(entry);
    };
    let scope = scoped.strip_suffix(&**short);
    match scope.is_some_and(|scope| scope.ends_with("::")) {
        true => entry,
        false => stated,
    }
}

impl CodeLine {
    /// Returns the line that a debugger shows for an instruction.
    pub fn at(images: &Images, address: Address) -> Option<Self> {
        let line = images.shown_source_at(address)?;
        Some(Self {
            file: Arc::clone(&line.file),
            line: line.line,
            column: line.column,
        })
    }

    /// Formats the line as `overflow.c:42`.
    pub fn short(&self) -> String {
        let name = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        format!("{name}:{}", self.line)
    }
}
