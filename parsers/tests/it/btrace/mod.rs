//! Recordings of branches: small ones from `fixtures/btrace` always, the longer ones where the variable `STEPBACK_TRACES`
//! points (a folder with `btrace/` in it).

mod corrupted;
mod damage;
mod explained;
mod findings;
mod forms;
mod generated;
mod golden;
mod support;
mod threads;
