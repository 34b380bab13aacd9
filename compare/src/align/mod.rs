//! The alignment of two threads: which steps of one correspond to which of the other.
//!
//! Equal prefixes and suffixes are found by comparing digests of runs of steps ([`equal_runs`]), and
//! addresses where these differ. A gap between them that is small
//! enough gets the longest common subsequence of its addresses ([`lcs`]). In a larger one the
//! search first looks where both leave the innermost common call ([`calls`]), then for runs of
//! addresses that are unique on both sides ([`patience`]), and continues from there.
//!
//! Patience diff and longest common subsequences were chosen by experiment over comparison in
//! lockstep, lookahead, and the structure of calls by itself: each of these misses steps where an
//! iteration or an interrupt is inserted.

mod calls;
pub(crate) mod equal_runs;
pub(crate) mod lcs;
pub(crate) mod patience;
pub(crate) mod run;
pub(crate) mod side;
