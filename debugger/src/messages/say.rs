//! The macro that looks up a text.

/// Returns a text in the language of the thread: `&'static str`, or `String` if values are filled
/// in.
#[macro_export]
macro_rules! say {
    ($id:literal) => {
        $crate::messages::spoken($id)
    };
    ($id:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::messages::spoken_with($id, &[$((stringify!($name), $crate::messages::MessageValue::from($value))),+])
    };
}

pub use say;
