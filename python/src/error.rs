//! Errors as Python exceptions.

use anyhow::Error as AnyError;
use pyo3::exceptions::{PyException, PyFileNotFoundError, PyIndexError, PyValueError};
use pyo3::{PyErr, create_exception};
use stepback_debugger::analysis::names::NameError;
use stepback_debugger::place::{is_misnamed, is_missing};
use stepback_debugger::session::{FileError, Session};
use stepback_index::QueryError;

create_exception!(
    stepback,
    Error,
    PyException,
    "A trace cannot be read, or a question has no answer in it."
);

/// Returns the exception for an error while a trace was opened, whose message names the file.
pub fn opening_error(error: &AnyError) -> PyErr {
    let message = format!("{error:#}");
    let file = error.downcast_ref::<FileError>();
    match file.is_some_and(|file| !file.path.exists()) {
        true => PyFileNotFoundError::new_err(message),
        false => Error::new_err(message),
    }
}

/// Returns the exception for an error of a query.
pub fn query_error(session: &Session, error: &AnyError) -> PyErr {
    let message = format!("{}: {error:#}", session.path.display());
    if is_missing(error) {
        return PyIndexError::new_err(message);
    }
    let is_misspelt = error.downcast_ref().is_some_and(NameError::is_misspelt)
        || is_misnamed(error)
        || matches!(error.downcast_ref(), Some(QueryError::NoThread(_)));
    match is_misspelt {
        true => PyValueError::new_err(message),
        false => Error::new_err(message),
    }
}
