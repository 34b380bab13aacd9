//! Branch recordings: small ones from `fixtures/btrace`, and longer ones from the folder `btrace/`
//! in `STEPBACK_TRACES`.

mod corrupted;
mod damage;
mod explained;
mod findings;
mod forms;
mod generated;
mod golden;
mod support;
mod threads;
