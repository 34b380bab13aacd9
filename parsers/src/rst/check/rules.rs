//! The rules: requirements of the specification of RST traces on records and their order (0.1.1,
//! 2004-05-07; clause numbers as there).

use crate::finding::Rule;
use crate::finding::Severity::{Error, Info, Warning};

/// Defines a rule for each line: its name, severity and clause, its requirement, and the likely
/// meaning of a violation.
macro_rules! rules {
    ($($name:ident $severity:ident $clause:literal $title:literal $meaning:literal;)*) => {
        $(pub static $name: Rule = Rule {
            id: concat!("R-", stringify!($name)),
            severity: $severity,
            clause: $clause,
            title: $title,
            meaning: $meaning,
        };)*

        /// All rules, in the order of the record types that they are about.
        #[cfg(test)]
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    H01 Error "clause 2a"
        "the first record is the header"
        "the file does not begin where the trace does, or is not an RST trace";
    H02 Error "clause 2a"
        "no header record comes after the first record"
        "several complete traces were concatenated";
    H03 Error "clause 2a"
        "the text of the header begins \"RST Header\""
        "the file was written by another program, or is damaged";
    H04 Warning "clause 2a"
        "the header has a % before its text"
        "the file was written by another program, or is damaged";
    H05 Error "clause 2b"
        "the second record states which tool made the trace (TRACEINFO)"
        "a tool that filtered the trace dropped it, or the tool is older than version 2.06";
    H06 Warning "clause 2c"
        "the third record states processors and dates (TRACEINFO)"
        "the tool is older than this requirement, which is new in the specification";
    H07 Warning "clause 2c"
        "what the trace says about its processors and dates is true"
        "the trace was filtered or merged, and its head was not updated";
    G01 Warning "clause 1a"
        "reserved bits are 0"
        "the writer did not clear its records, or the bytes are damaged; packed, the trace is larger";
    E03 Error "clause 3e"
        "each record's type exists in the version of the header"
        "the header states an older version than the writer's, or the bytes are damaged";
    S01 Error "clause 3a"
        "a part of a text is followed by the next part or by its end"
        "records of a text were dropped, or processors were merged record by record";
    S02 Error "clause 7"
        "the end of a text is followed by a zero"
        "the text is cut off, or its last part was written as a part in between";
    I01 Error "clause 2d"
        "a text states the MMU's type before the first instruction"
        "a simulator of whole systems left it out: how addresses are translated is not known";
    I02 Warning "clause 2e"
        "a text states the processor's type before the first instruction"
        "the tool is older than this requirement, which is new in the specification";
    I03 Error "clause 2f"
        "a text states the number of register windows before the first instruction"
        "readers assume eight windows, and show wrong registers if there are others";
    I04 Error "clause 2f"
        "before its first instruction, a processor's state is recorded (PREG, and TT, TPC, TNPC in a trap)"
        "the trace was cut out of a longer one without what its beginning needs";
    I05 Error "clause 2g"
        "the contents of the TLBs are recorded before the first instruction"
        "the trace was cut out of a longer one: its physical addresses are unknown at the start";
    I06 Error "clause 2h"
        "a PAVADIFF comes before the first instruction of each processor"
        "physical addresses are not known until the first one comes";
    A01 Error "clause 3b"
        "an annulled instruction has an address and no effective address"
        "the writer left the address of another instruction in the record";
    A02 Error "clause 7a"
        "a branch that is neither annulled nor trapped says where control goes"
        "the targets of jumps through registers are unknown";
    A03 Warning "clause 7a"
        "only loads, stores and control transfers have an effective address"
        "the writer did not clear it";
    A04 Warning "clause 7a"
        "only control transfers and trapped instructions are marked as taken"
        "the writer did not clear the mark";
    A05 Error "clause 7a"
        "a load or store that is neither annulled nor trapped has its address"
        "the memory that it accesses is unknown";
    A06 Warning "clause 7a"
        "an instruction that misses in the data MMU has no effective address"
        "the writer gives an address that was never translated";
    A07 Error "clause 7a"
        "a branch goes to the target of its encoding when it is taken, else past its delay slot"
        "the mark of a taken branch, the address or the instruction is wrong";
    A08 Warning "clause 3g"
        "with 32-bit addresses (PSTATE.AM), addresses are below 2^32"
        "the writer did not mask the address, or the recorded state is wrong";
    A09 Error "clause 3b"
        "the instruction that a branch annuls is in the trace, and marked"
        "the writer leaves annulled instructions out, or does not mark them: they look executed";
    P01 Warning "clause 7a"
        "a processor continues where its last instruction leads"
        "records are missing, a trap or a switch of threads is not recorded, or a target is wrong";
    V01 Error "clause 3c"
        "a translation that changes with the page is recorded right before the instruction"
        "records were dropped or put in between: physical addresses before the next PAVADIFF are wrong";
    V02 Error "clause 3c"
        "the PAVADIFF before an instruction without effective address has none for data"
        "the writer left the translation of another instruction in it";
    V03 Warning "clause 3c"
        "the difference of physical and virtual addresses is a multiple of a page"
        "the record is damaged, or is not a translation of pages";
    V04 Error "clause 3c"
        "a PAVADIFF with the translation of data follows a change of the data context"
        "physical addresses of data may be those of another process";
    T01 Error "clause 4d"
        "the first instruction after a TRAP is marked as trapped"
        "records are missing between the two, or the trap belongs to another processor";
    T02 Error "clause 4d"
        "a synchronous trap is followed by its instruction, any other by its handler"
        "records are missing between the two, or the trap's kind is wrong";
    T03 Warning "clause 4a"
        "only instructions with a TRAP before them are marked as trapped"
        "the TRAP was dropped: the handler's frame is missing in the calls";
    T04 Warning "clause 4d"
        "a TRAP states the trap level, comes once, and has a system call only where it is one"
        "instructions between two traps are missing, or levels were not followed";
    T05 Error "clause 4f"
        "a PREG with the level and type of the trap comes before done and retry"
        "the state after the trap is not recorded, or the record belongs to another trap";
    T06 Info "clause 4f"
        "the registers of the trap level are recorded after done and retry"
        "recommended: the values of TL, TT, TPC and TNPC after the trap are not recorded";
    T07 Info "clause 3f"
        "a TRAPEXIT follows done and retry"
        "recommended, not required: tools that look for it miss the end of the trap";
    T08 Warning "clause 4b"
        "a write of %tl makes no TRAP and no TRAPEXIT"
        "the writer takes a change of the trap level for a trap";
    R01 Warning "clause 7c"
        "%g0 is 0"
        "the number of the register is wrong, or the bytes are damaged";
    R02 Warning "clause 7c"
        "the kind of a register is one of 1 to 9"
        "the writer did not fill the record in, or the bytes are damaged";
    M01 Error "clause 7"
        "a value of memory has 1 to 8 bytes"
        "the bytes are damaged";
    M02 Error "clause 7"
        "a continued value of memory follows one of the same processor"
        "the record that it continues was dropped: the place of the value is unknown";
    D01 Error "clause 7"
        "delimiters come in pairs and nest"
        "one of a pair was dropped, or the trace ends in between";
    F01 Warning "clause 7"
        "the file ends with a whole record"
        "the file is cut off, or something was appended to it";
    C01 Warning "clause 7a"
        "before version 2.12 processors have numbers below 64"
        "the header states an older version than the writer's, or the bytes are damaged";
}
