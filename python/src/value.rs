//! Values as Python numbers.

use pyo3::types::{PyAnyMethods as _, PyBytes, PyInt};
use pyo3::{Bound, IntoPyObject as _, PyAny, PyResult, Python};
use stepback_index::answer::Value;

/// Returns a value as a number of any width; none if a part of it is unknown.
pub fn number<'py>(value: &Value, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if value.0.is_empty() {
        return Ok(None);
    }
    if let Some(number) = value.to_u64() {
        return Ok(Some(number.into_pyobject(py)?.into_any()));
    }
    let Some(bytes) = value.0.iter().copied().collect::<Option<Vec<u8>>>() else {
        return Ok(None);
    };
    let bytes = PyBytes::new(py, &bytes);
    py.get_type::<PyInt>()
        .call_method1("from_bytes", (bytes, "little"))
        .map(Some)
}

/// Formats a value in its full width, `??` for an unknown byte. None if no byte of it is known.
pub fn hex(value: &Value) -> Option<String> {
    (!value.is_unknown()).then(|| format!("0x{}", value.hex()))
}
