//! Facts to record for each kind of syntax.

use syn::visit::Visit;
use syn::{Attribute, Item, Type, visit};

use crate::rooms::rules::formats::is_a_word_of_a_format;
use crate::rooms::rules::instruction_sets::PREDICATES;
use crate::rooms::scan::cfg::is_in_the_product;
use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::scan::items::{
    attributes_of, line_of, line_of_path, line_of_text, names_of, says,
};
use crate::rooms::scan::scanner::Scanner;
use crate::rooms::scan::signature::Owner;
use crate::rooms::scan::tokens::paths_in_tokens;

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
            let is_decoded = std::mem::replace(
                &mut self.is_decoded,
                says(attributes_of(item), "derive", "Deserialize"),
            );
            visit::visit_item(self, item);
            self.is_decoded = is_decoded;
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
            if self.is_decoded
                && let Some(line) = line_of_text(&field.ty)
                && !says(&field.attrs, "serde", "deserialize_with")
            {
                let name = field
                    .ident
                    .as_ref()
                    .map_or_else(|| "its field".to_owned(), ToString::to_string);
                self.fact(line, FactKind::TrustedText(name));
            }
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
            self.fact(
                line_of(pattern.ident.span()),
                FactKind::Compared {
                    path: vec![name],
                    how,
                },
            );
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        match &path.qself {
            // `<T>::name`: only the type is a separate path.
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
            self.fact(
                line_of(call.method.span()),
                FactKind::Predicate(name.clone()),
            );
        }
        if ["contains", "eq", "ne"].contains(&name.as_str()) {
            self.compare_expression(&call.receiver, "contains");
            call.args
                .iter()
                .for_each(|argument| self.compare_expression(argument, "contains"));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        let name = names_of(&invocation.path).pop().unwrap_or_default();
        let tokens = || invocation.tokens.clone();
        self.visit_path(&invocation.path);
        let read = match name.as_str() {
            "matches" => self.visit_matches(tokens()),
            _ => self
                .visit_arguments(&name, tokens())
                .or_else(|_| self.visit_statements(tokens())),
        };
        if read.is_err() {
            let line = line_of_path(&invocation.path);
            paths_in_tokens(tokens())
                .into_iter()
                .for_each(|path| self.note_path(path, line));
        }
    }
}
