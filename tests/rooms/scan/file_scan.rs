//! What one source file says: its modules, what they define and import, every path they name, and what the rules ask about.
//!
//! Nothing of the parser is kept, so that files can be read side by side.

use std::collections::BTreeMap;

use crate::rooms::scan::signature::{Owner, Problem};

/// One file. Module 0 is the file itself, the others stand inside it.
#[derive(Default)]
pub struct FileScan {
    pub modules: Vec<ModuleScan>,
    pub facts: Vec<Fact>,
}

/// One module as it is written.
#[derive(Default)]
pub struct ModuleScan {
    /// The module around it in the same file.
    pub parent: Option<usize>,
    pub name: String,
    pub items: Vec<ItemScan>,
    pub uses: Vec<UseScan>,
    /// Modules that it declares and that stand in files of their own.
    pub files: Vec<FileModule>,
    /// Every path that its code names, with the first line.
    pub paths: BTreeMap<Vec<String>, usize>,
}

pub struct ItemScan {
    pub name: String,
    /// Of an enum: a glob of the enum brings these into scope.
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
    /// `as _`: for its methods alone.
    Unnamed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Private,
    Reexported,
}

pub struct FileModule {
    pub name: String,
    /// What a `#[path]` says.
    pub path: Option<String>,
}

/// Something that a rule may forbid.
pub struct Fact {
    pub module: usize,
    pub line: usize,
    pub kind: FactKind,
}

pub enum FactKind {
    /// A value is compared with what the path names.
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
    /// A field of something that is decoded has an owned text that is given room before its bytes are looked for.
    TrustedText(String),
    /// An identifier with the name of a format in it.
    FormatWord(String),
}
