//! Walks through a file and records its facts.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit as _;
use syn::{Attribute, Expr, Item};

use crate::rooms::scan::file_scan::{
    Binding, Fact, FactKind, FileModule, FileScan, ItemScan, ModuleScan, Reach, UseScan,
};
use crate::rooms::scan::items::{line_of, name_in};
use crate::rooms::scan::signature::{Owner, problems};

/// Reads a file. The error is the parser's.
pub fn scan(path: &str, text: &str) -> Result<FileScan, String> {
    let file = syn::parse_file(text).map_err(|error| {
        let place = error.span().start();
        format!("{path}:{}: {error}", place.line)
    })?;
    let mut scanner = Scanner::default();
    scanner.scan.modules.push(ModuleScan::default());
    if holds_modules_only(path) {
        file.items.iter().for_each(|item| scanner.note_code(item));
    }
    scanner.visit_file(&file);
    Ok(scanner.scan)
}

/// Returns the items with fixed names that a macro of this file creates, as if they were written at
/// its definition.
fn made_by(tokens: TokenStream) -> Vec<String> {
    const KEYWORDS: [&str; 8] = [
        "enum", "struct", "trait", "fn", "type", "const", "static", "mod",
    ];
    let (mut made, mut is_named_next) = (Vec::new(), false);
    for token in tokens {
        match &token {
            TokenTree::Ident(name) if is_named_next => made.push(name.to_string()),
            TokenTree::Group(group) => made.extend(made_by(group.stream())),
            _ => {}
        }
        is_named_next =
            matches!(&token, TokenTree::Ident(word) if KEYWORDS.iter().any(|known| word == known));
    }
    made
}

/// Returns true for files that may contain only `//!`, `mod` and `use` by the style guide.
pub fn holds_modules_only(path: &str) -> bool {
    path.ends_with("/mod.rs") || path.ends_with("/lib.rs")
}

#[derive(Default)]
pub(super) struct Scanner {
    pub(super) scan: FileScan,
    pub(super) module: usize,
    pub(super) function_depth: usize,
    /// Kind of comparison of the visited pattern.
    pub(super) comparing: Option<&'static str>,
    /// True inside a type that is decoded from a file.
    pub(super) is_decoded: bool,
}

impl Scanner {
    pub(super) fn fact(&mut self, line: usize, kind: FactKind) {
        self.scan.facts.push(Fact {
            module: self.module,
            line,
            kind,
        });
    }

    pub(super) fn module_mut(&mut self) -> &mut ModuleScan {
        &mut self.scan.modules[self.module]
    }

    pub(super) fn note_path(&mut self, path: Vec<String>, line: usize) {
        self.module_mut().paths.entry(path).or_insert(line);
    }

    pub(super) fn note_code(&mut self, item: &Item) {
        let (line, what) = match item {
            Item::Use(_) | Item::ExternCrate(_) => return,
            Item::Mod(item) if item.content.is_none() => return,
            Item::Mod(item) => (
                line_of(item.mod_token.span),
                format!("the body of mod {}", item.ident),
            ),
            Item::Impl(item) => (line_of(item.impl_token.span), "an impl".to_owned()),
            _ => name_in(item).map_or((1, "code".to_owned()), |name| {
                (line_of(name.span()), name.to_string())
            }),
        };
        self.fact(line, FactKind::Code(what));
    }

    pub(super) fn note_item(&mut self, item: &Item) {
        // A call of a macro names what it makes if it repeats the keyword: `layouts! { mod cpu … }`.
        if let Item::Macro(call) = item
            && call.ident.is_none()
            && self.function_depth == 0
        {
            self.note_made(call.mac.tokens.clone());
        }
        let Some(name) = name_in(item).map(|name| name.to_string()) else {
            return;
        };
        let variants = match item {
            Item::Enum(item) => item
                .variants
                .iter()
                .map(|variant| variant.ident.to_string())
                .collect(),
            _ => Vec::new(),
        };
        if self.function_depth > 0 {
            return;
        }
        if let Item::Macro(item) = item {
            self.note_made(item.mac.tokens.clone());
        }
        self.module_mut().items.push(ItemScan { name, variants });
    }

    fn note_made(&mut self, tokens: TokenStream) {
        let made = made_by(tokens).into_iter().map(|name| ItemScan {
            name,
            variants: Vec::new(),
        });
        self.module_mut().items.extend(made);
    }

    pub(super) fn note_use(&mut self, item: &syn::ItemUse) {
        let reach = match item.vis {
            syn::Visibility::Inherited => Reach::Private,
            _ => Reach::Reexported,
        };
        let root = item
            .leading_colon
            .as_ref()
            .map(|_| String::new())
            .into_iter()
            .collect();
        self.note_use_tree(&item.tree, root, reach);
    }

    pub(super) fn note_use_tree(
        &mut self,
        tree: &syn::UseTree,
        mut prefix: Vec<String>,
        reach: Reach,
    ) {
        let (path, binding, span) = match tree {
            syn::UseTree::Path(tree) => {
                prefix.push(tree.ident.to_string());
                return self.note_use_tree(&tree.tree, prefix, reach);
            }
            syn::UseTree::Group(tree) => {
                return tree
                    .items
                    .iter()
                    .for_each(|tree| self.note_use_tree(tree, prefix.clone(), reach));
            }
            syn::UseTree::Glob(tree) => (prefix, Binding::Glob, tree.star_token.spans[0]),
            syn::UseTree::Name(tree) => {
                let path = with_last(prefix, &tree.ident);
                let binding = path
                    .last()
                    .cloned()
                    .map_or(Binding::Unnamed, Binding::Named);
                (path, binding, tree.ident.span())
            }
            syn::UseTree::Rename(tree) => {
                let binding = match tree.rename.to_string().as_str() {
                    "_" => Binding::Unnamed,
                    name => Binding::Named(name.to_owned()),
                };
                (with_last(prefix, &tree.ident), binding, tree.ident.span())
            }
        };
        let line = line_of(span);
        self.module_mut().uses.push(UseScan {
            path,
            binding,
            line,
            reach,
        });
    }

    pub(super) fn inside_module(&mut self, item: &syn::ItemMod) {
        let name = item.ident.to_string();
        let Some((_, items)) = &item.content else {
            let path = item.attrs.iter().find_map(path_attribute);
            return self.module_mut().files.push(FileModule { name, path });
        };
        let outside = self.module;
        self.module = self.scan.modules.len();
        self.scan.modules.push(ModuleScan {
            parent: Some(outside),
            name,
            ..Default::default()
        });
        items.iter().for_each(|item| self.visit_item(item));
        self.module = outside;
    }

    pub(super) fn note_signature(&mut self, signature: &syn::Signature, owner: &Owner) {
        for (line, problem) in problems(signature) {
            let function = signature.ident.to_string();
            self.fact(
                line,
                FactKind::Signature {
                    function,
                    owner: owner.clone(),
                    problem,
                },
            );
        }
    }
}

fn with_last(mut prefix: Vec<String>, last: &proc_macro2::Ident) -> Vec<String> {
    // `use a::{self}` names `a`.
    if last != "self" || prefix.is_empty() {
        prefix.push(last.to_string());
    }
    prefix
}

fn path_attribute(attribute: &Attribute) -> Option<String> {
    let syn::Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    match &meta.value {
        Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(path),
            ..
        }) if meta.path.is_ident("path") => Some(path.value()),
        _ => None,
    }
}
