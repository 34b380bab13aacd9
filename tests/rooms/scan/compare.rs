//! Comparisons of values with constants, also within macros.

use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::visit::Visit as _;
use syn::{Expr, Pat};

use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::scan::items::{line_of_path, names_of};
use crate::rooms::scan::scanner::Scanner;

impl Scanner {
    /// Visits a pattern whose match is a comparison.
    pub(super) fn compare_pattern(&mut self, pattern: &Pat, how: &'static str) {
        let before = self.comparing.replace(how);
        self.visit_pat(pattern);
        self.comparing = before;
    }

    /// Records the constants in an operand of a comparison. Arguments of a call do not count.
    pub(super) fn compare_expression(&mut self, expression: &Expr, how: &'static str) {
        match expression {
            Expr::Path(path) if path.qself.is_none() => self.compared(&path.path, how),
            Expr::Paren(inner) => self.compare_expression(&inner.expr, how),
            Expr::Group(inner) => self.compare_expression(&inner.expr, how),
            Expr::Reference(inner) => self.compare_expression(&inner.expr, how),
            Expr::Unary(inner) => self.compare_expression(&inner.expr, how),
            Expr::Tuple(inner) => inner
                .elems
                .iter()
                .for_each(|element| self.compare_expression(element, how)),
            Expr::Array(inner) => inner
                .elems
                .iter()
                .for_each(|element| self.compare_expression(element, how)),
            Expr::Call(call) if is_constructor(&call.func) => {
                call.args
                    .iter()
                    .for_each(|argument| self.compare_expression(argument, how));
            }
            _ => {}
        }
    }

    pub(super) fn compared(&mut self, path: &syn::Path, how: &'static str) {
        let line = line_of_path(path);
        self.fact(
            line,
            FactKind::Compared {
                path: names_of(path),
                how,
            },
        );
    }

    pub(super) fn visit_matches(&mut self, tokens: proc_macro2::TokenStream) -> syn::Result<()> {
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

    pub(super) fn visit_arguments(
        &mut self,
        name: &str,
        tokens: proc_macro2::TokenStream,
    ) -> syn::Result<()> {
        let arguments = Punctuated::<Expr, syn::Token![,]>::parse_terminated.parse2(tokens)?;
        let compares = [
            "assert_eq",
            "assert_ne",
            "debug_assert_eq",
            "debug_assert_ne",
        ]
        .contains(&name);
        for argument in &arguments {
            if compares {
                self.compare_expression(argument, "assert_eq!");
            }
            self.visit_expr(argument);
        }
        Ok(())
    }

    pub(super) fn visit_statements(&mut self, tokens: proc_macro2::TokenStream) -> syn::Result<()> {
        let statements = syn::Block::parse_within.parse2(tokens)?;
        self.function_depth += 1;
        statements
            .iter()
            .for_each(|statement| self.visit_stmt(statement));
        self.function_depth -= 1;
        Ok(())
    }
}

/// Returns true for `Some(..)`, `Key::Set(..)`: a call of a name that begins with a capital letter.
fn is_constructor(function: &Expr) -> bool {
    let Expr::Path(path) = function else {
        return false;
    };
    path.path
        .segments
        .last()
        .is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}
