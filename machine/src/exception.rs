//! Frames that processors push on exception entry and pop on return.

pub use crate::exception_frame::{
    ExceptionFlow, ExceptionFrame, FrameAccess, FrameEvent, FrameLayout,
};
