//! What is damaged where a question ended with an error, whatever was asked.

use super::names::NameError;
use crate::expression::ExpressionError;
use crate::session::Damage;

/// What an error tells of, also where it was met while a name or an address was worked out.
pub fn damage_in(error: &anyhow::Error) -> Option<Damage> {
    let expression = error.downcast_ref().or_else(|| match error.downcast_ref() {
        Some(NameError::Expression { error, .. }) => Some(error),
        _ => None,
    });
    match (
        error.downcast_ref(),
        expression.and_then(ExpressionError::behind),
    ) {
        (Some(NameError::Trace(behind)), _) | (_, Some(behind)) => Damage::of(behind),
        _ => Damage::of(error.as_ref()),
    }
}
