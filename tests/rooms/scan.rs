//! What one source file says: its modules, what they define and import, every path they name, and what the rules ask about.
//!
//! Nothing of the parser is kept, so that files can be read side by side.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Pat, Type};

use crate::cfg::is_in_the_product;
use crate::rules::formats::is_a_word_of_a_format;
use crate::rules::instruction_sets::PREDICATES;
use crate::signature::{Owner, Problem, problems};
use crate::tokens::paths_in_tokens;

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
    /// An identifier with the name of a format in it.
    FormatWord(String),
}

/// Reads a file; the error is the parser's.
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

/// The files that by the style guide hold `//!`, `mod` and `use` alone.
pub fn holds_modules_only(path: &str) -> bool {
    path.ends_with("/mod.rs") || path.ends_with("/lib.rs")
}

pub fn line_of(span: Span) -> usize {
    span.start().line
}

fn line_of_path(path: &syn::Path) -> usize {
    path.segments.first().map_or(1, |segment| line_of(segment.ident.span()))
}

/// The names of a path, a leading `::` as an empty first one.
pub fn names_of(path: &syn::Path) -> Vec<String> {
    let root = path.leading_colon.as_ref().map(|_| String::new());
    root.into_iter().chain(path.segments.iter().map(|segment| segment.ident.to_string())).collect()
}

#[derive(Default)]
struct Scanner {
    scan: FileScan,
    module: usize,
    function_depth: usize,
    /// How the pattern that is being visited compares.
    comparing: Option<&'static str>,
}

impl Scanner {
    fn fact(&mut self, line: usize, kind: FactKind) {
        self.scan.facts.push(Fact { module: self.module, line, kind });
    }

    fn module_mut(&mut self) -> &mut ModuleScan {
        &mut self.scan.modules[self.module]
    }

    fn note_path(&mut self, path: Vec<String>, line: usize) {
        self.module_mut().paths.entry(path).or_insert(line);
    }

    fn note_code(&mut self, item: &Item) {
        let (line, what) = match item {
            Item::Use(_) | Item::ExternCrate(_) => return,
            Item::Mod(item) if item.content.is_none() => return,
            Item::Mod(item) => (line_of(item.mod_token.span), format!("the body of mod {}", item.ident)),
            Item::Impl(item) => (line_of(item.impl_token.span), "an impl".to_owned()),
            _ => name_in(item).map_or((1, "code".to_owned()), |name| (line_of(name.span()), name.to_string())),
        };
        self.fact(line, FactKind::Code(what));
    }

    fn note_item(&mut self, item: &Item) {
        let Some(name) = name_in(item).map(|name| name.to_string()) else { return };
        let variants = match item {
            Item::Enum(item) => item.variants.iter().map(|variant| variant.ident.to_string()).collect(),
            _ => Vec::new(),
        };
        if self.function_depth == 0 {
            self.module_mut().items.push(ItemScan { name, variants });
        }
    }

    fn note_use(&mut self, item: &syn::ItemUse) {
        let reach = match item.vis {
            syn::Visibility::Inherited => Reach::Private,
            _ => Reach::Reexported,
        };
        let root = item.leading_colon.as_ref().map(|_| String::new()).into_iter().collect();
        self.note_use_tree(&item.tree, root, reach);
    }

    fn note_use_tree(&mut self, tree: &syn::UseTree, mut prefix: Vec<String>, reach: Reach) {
        let (path, binding, span) = match tree {
            syn::UseTree::Path(tree) => {
                prefix.push(tree.ident.to_string());
                return self.note_use_tree(&tree.tree, prefix, reach);
            }
            syn::UseTree::Group(tree) => {
                return tree.items.iter().for_each(|tree| self.note_use_tree(tree, prefix.clone(), reach));
            }
            syn::UseTree::Glob(tree) => (prefix, Binding::Glob, tree.star_token.spans[0]),
            syn::UseTree::Name(tree) => {
                let path = with_last(prefix, &tree.ident);
                let binding = path.last().cloned().map_or(Binding::Unnamed, Binding::Named);
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
        self.module_mut().uses.push(UseScan { path, binding, line, reach });
    }

    fn inside_module(&mut self, item: &syn::ItemMod) {
        let name = item.ident.to_string();
        let Some((_, items)) = &item.content else {
            let path = item.attrs.iter().find_map(path_attribute);
            return self.module_mut().files.push(FileModule { name, path });
        };
        let outside = self.module;
        self.module = self.scan.modules.len();
        self.scan.modules.push(ModuleScan { parent: Some(outside), name, ..Default::default() });
        items.iter().for_each(|item| self.visit_item(item));
        self.module = outside;
    }

    fn note_signature(&mut self, signature: &syn::Signature, owner: &Owner) {
        for (line, problem) in problems(signature) {
            let function = signature.ident.to_string();
            self.fact(line, FactKind::Signature { function, owner: owner.clone(), problem });
        }
    }

    /// Visits a pattern whose match compares.
    fn compare_pattern(&mut self, pattern: &Pat, how: &'static str) {
        let before = self.comparing.replace(how);
        self.visit_pat(pattern);
        self.comparing = before;
    }

    /// Notes the constants that an operand of a comparison is made of: what a call gets as an argument is none.
    fn compare_expression(&mut self, expression: &Expr, how: &'static str) {
        match expression {
            Expr::Path(path) if path.qself.is_none() => self.compared(&path.path, how),
            Expr::Paren(inner) => self.compare_expression(&inner.expr, how),
            Expr::Group(inner) => self.compare_expression(&inner.expr, how),
            Expr::Reference(inner) => self.compare_expression(&inner.expr, how),
            Expr::Unary(inner) => self.compare_expression(&inner.expr, how),
            Expr::Tuple(inner) => inner.elems.iter().for_each(|element| self.compare_expression(element, how)),
            Expr::Array(inner) => inner.elems.iter().for_each(|element| self.compare_expression(element, how)),
            Expr::Call(call) if is_constructor(&call.func) => {
                call.args.iter().for_each(|argument| self.compare_expression(argument, how));
            }
            _ => {}
        }
    }

    fn compared(&mut self, path: &syn::Path, how: &'static str) {
        let line = line_of_path(path);
        self.fact(line, FactKind::Compared { path: names_of(path), how });
    }

    fn visit_matches(&mut self, tokens: proc_macro2::TokenStream) -> syn::Result<()> {
        use syn::parse::{ParseStream, Parser as _};
        let parts = |input: ParseStream<'_>| {
            let subject: Expr = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard: Option<Expr> = match input.parse::<Option<syn::Token![if]>>()? {
                Some(_) => Some(input.parse()?),
                None => None,
            };
            input.parse::<Option<syn::Token![,]>>()?;
            Ok((subject, pattern, guard))
        };
        let (subject, pattern, guard) = parts.parse2(tokens)?;
        self.visit_expr(&subject);
        self.compare_pattern(&pattern, "matches!");
        guard.iter().for_each(|guard| self.visit_expr(guard));
        Ok(())
    }

    fn visit_arguments(&mut self, name: &str, tokens: proc_macro2::TokenStream) -> syn::Result<()> {
        use syn::parse::Parser as _;
        use syn::punctuated::Punctuated;
        let arguments = Punctuated::<Expr, syn::Token![,]>::parse_terminated.parse2(tokens)?;
        let compares = ["assert_eq", "assert_ne", "debug_assert_eq", "debug_assert_ne"].contains(&name);
        for argument in &arguments {
            if compares {
                self.compare_expression(argument, "assert_eq!");
            }
            self.visit_expr(argument);
        }
        Ok(())
    }

    fn visit_statements(&mut self, tokens: proc_macro2::TokenStream) -> syn::Result<()> {
        use syn::parse::Parser as _;
        let statements = syn::Block::parse_within.parse2(tokens)?;
        self.function_depth += 1;
        statements.iter().for_each(|statement| self.visit_stmt(statement));
        self.function_depth -= 1;
        Ok(())
    }
}

impl<'ast> Visit<'ast> for Scanner {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
        let name = ident.to_string();
        if is_a_word_of_a_format(&name) {
            self.fact(line_of(ident.span()), FactKind::FormatWord(name));
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_in_the_product(attributes_of(item)) {
            return;
        }
        self.note_item(item);
        match item {
            Item::Mod(item) => self.inside_module(item),
            Item::Use(item) => self.note_use(item),
            _ => {}
        }
        if !matches!(item, Item::Mod(_)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.note_signature(&item.sig, &Owner::Own);
        self.function_depth += 1;
        visit::visit_item_fn(self, item);
        self.function_depth -= 1;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let owner = match &item.trait_ {
            Some((_, path, _)) => Owner::ImplOf(names_of(path)),
            None => Owner::Own,
        };
        if let (None, Type::Path(path)) = (&item.trait_, &*item.self_ty) {
            let line = line_of(item.impl_token.span);
            self.fact(line, FactKind::InherentImpl(names_of(&path.path)));
        }
        for function in &item.items {
            if let syn::ImplItem::Fn(function) = function
                && is_in_the_product(&function.attrs)
            {
                self.note_signature(&function.sig, &owner);
            }
        }
        self.function_depth += 1;
        visit::visit_item_impl(self, item);
        self.function_depth -= 1;
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attributes = match item {
            syn::ImplItem::Const(item) => &item.attrs,
            syn::ImplItem::Fn(item) => &item.attrs,
            syn::ImplItem::Type(item) => &item.attrs,
            syn::ImplItem::Macro(item) => &item.attrs,
            _ => return,
        };
        if is_in_the_product(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if is_in_the_product(&item.attrs) {
            self.note_signature(&item.sig, &Owner::Own);
            self.function_depth += 1;
            visit::visit_trait_item_fn(self, item);
            self.function_depth -= 1;
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if is_in_the_product(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if is_in_the_product(&field.attrs) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if is_in_the_product(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let line = line_of_path(path);
        self.note_path(names_of(path), line);
        if let Some(how) = self.comparing {
            self.compared(path, how);
        }
        visit::visit_path(self, path);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = pattern.ident.to_string();
        if let Some(how) = self.comparing
            && name.starts_with(char::is_uppercase)
        {
            self.fact(line_of(pattern.ident.span()), FactKind::Compared { path: vec![name], how });
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        match &path.qself {
            // `<T>::name`: only the type is a path of its own.
            Some(qself) if qself.position == 0 => self.visit_type(&qself.ty),
            _ => visit::visit_expr_path(self, path),
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if !is_in_the_product(&arm.attrs) {
            return;
        }
        self.compare_pattern(&arm.pat, "match");
        if let Some((_, guard)) = &arm.guard {
            self.visit_expr(guard);
        }
        self.visit_expr(&arm.body);
    }

    fn visit_expr_let(&mut self, expression: &'ast syn::ExprLet) {
        self.compare_pattern(&expression.pat, "if let");
        self.visit_expr(&expression.expr);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if !is_in_the_product(&local.attrs) {
            return;
        }
        match &local.init {
            Some(init) if init.diverge.is_some() => self.compare_pattern(&local.pat, "let else"),
            _ => self.visit_pat(&local.pat),
        }
        if let Some(init) = &local.init {
            visit::visit_local_init(self, init);
        }
    }

    fn visit_expr_binary(&mut self, expression: &'ast syn::ExprBinary) {
        let how = match expression.op {
            syn::BinOp::Eq(_) => Some("=="),
            syn::BinOp::Ne(_) => Some("!="),
            _ => None,
        };
        if let Some(how) = how {
            self.compare_expression(&expression.left, how);
            self.compare_expression(&expression.right, how);
        }
        visit::visit_expr_binary(self, expression);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        if PREDICATES.contains(&name.as_str()) {
            self.fact(line_of(call.method.span()), FactKind::Predicate(name.clone()));
        }
        if ["contains", "eq", "ne"].contains(&name.as_str()) {
            self.compare_expression(&call.receiver, "contains");
            call.args.iter().for_each(|argument| self.compare_expression(argument, "contains"));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let name = names_of(&invocation.path).pop().unwrap_or_default();
        let tokens = || invocation.tokens.clone();
        self.visit_path(&invocation.path);
        let read = match name.as_str() {
            "matches" => self.visit_matches(tokens()),
            _ => self.visit_arguments(&name, tokens()).or_else(|_| self.visit_statements(tokens())),
        };
        if read.is_err() {
            let line = line_of_path(&invocation.path);
            paths_in_tokens(tokens()).into_iter().for_each(|path| self.note_path(path, line));
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

/// `Some(..)`, `Key::Set(..)`: a call of what begins with a capital letter.
fn is_constructor(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    path.path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}

fn path_attribute(attribute: &Attribute) -> Option<String> {
    let syn::Meta::NameValue(meta) = &attribute.meta else { return None };
    match &meta.value {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) if meta.path.is_ident("path") => Some(path.value()),
        _ => None,
    }
}

fn name_in(item: &Item) -> Option<&proc_macro2::Ident> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name)
}

fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
