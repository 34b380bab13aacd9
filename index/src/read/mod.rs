//! Small readers over an open index, from which the questions are put together.

pub(crate) mod banks;
pub(crate) mod byte_values;
pub(crate) mod encodings;
pub(crate) mod external_slots;
pub(crate) mod functions;
pub(crate) mod operands;
pub(crate) mod overtaken;
pub(crate) mod program;
pub(crate) mod register_reader;
pub(crate) mod slots;
pub(crate) mod touches;
