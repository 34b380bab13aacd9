//! Content of one source file: its modules, definitions, imports and paths, and the facts for the
//! rules.
//!
//! It keeps no syntax tree, so files can be read in parallel.

use std::collections::BTreeMap;

use crate::rooms::scan::signature::{Owner, Problem};

/// One file. Module 0 is the file itself; the others are inline modules.
#[derive(Default)]
pub struct FileScan {
    pub modules: Vec<ModuleScan>,
    pub facts: Vec<Fact>,
}

/// One module as written.
#[derive(Default)]
pub struct ModuleScan {
    /// The enclosing module in the same file.
    pub parent: Option<usize>,
    pub name: String,
    pub items: Vec<ItemScan>,
    pub uses: Vec<UseScan>,
    /// Modules that it declares in separate files.
    pub files: Vec<FileModule>,
    /// Every path in its code, with the first line.
    pub paths: BTreeMap<Vec<String>, usize>,
}

pub struct ItemScan {
    pub name: String,
    /// Variants of an enum, which a glob of the enum brings into scope.
    pub variants: Vec<String>,
}

pub struct UseScan {
    pub path: Vec<String>,
    pub binding: Binding,
    pub line: usize,
    pub reach: Reach,
}

#[derive(PartialEq, Eq)]
pub enum Binding {
    Named(String),
    Glob,
    /// `as _`: imported only for its methods.
    Unnamed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Private,
    Reexported,
}

pub struct FileModule {
    pub name: String,
    /// Value of a `#[path]` attribute.
    pub path: Option<String>,
}

/// A fact that a rule may forbid.
pub struct Fact {
    pub module: usize,
    pub line: usize,
    pub kind: FactKind,
}

pub enum FactKind {
    /// A comparison with the item that the path names.
    Compared {
        path: Vec<String>,
        how: &'static str,
    },
    /// A call of something like `is_arm()`.
    Predicate(String),
    Signature {
        function: String,
        owner: Owner,
        problem: Problem,
    },
    /// `impl Type { .. }`
    InherentImpl(Vec<String>),
    /// An item of `mod.rs` or `lib.rs` that is neither `mod` nor `use`.
    Code(String),
    /// A field of a decoded type has an owned text, for which memory is reserved before its bytes
    /// are read.
    TrustedText(String),
    /// An identifier that contains the name of a format.
    FormatWord(String),
}
