//! Finds damaged files in the errors of any query.

use super::names::NameError;
use crate::expression::ExpressionError;
use crate::session::Damage;

/// Returns the damage that an error reports, including one met while a name or an address was
/// evaluated.
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
