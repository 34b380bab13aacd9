//! The rules: requirements of the specification of RST traces on records and their order (0.1.1,
//! 2004-05-07; clause numbers as there).

use crate::finding::Rule;
use crate::finding::Severity::{Error, Info, Warning};

/// Defines a rule for each line: its name, severity and clause, and a violation with its likely
/// meaning.
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
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    H01 Error "clause 2a"
        "the first record is not a header"
        "the beginning of the trace is missing, or it is not an RST trace";
    H02 Error "clause 2a"
        "a header record comes after the first record"
        "several complete traces were concatenated";
    H03 Error "clause 2a"
        "the text of the header does not begin with \"RST Header\""
        "the file was written by another program, or is damaged";
    H04 Warning "clause 2a"
        "the header has no % before its text"
        "the file was written by another program, or is damaged";
    H05 Error "clause 2b"
        "the second record does not state which tool made the trace (TRACEINFO)"
        "a tool that filtered the trace dropped it, or the tool is older than version 2.06";
    H06 Warning "clause 2c"
        "the third record does not state processors and dates (TRACEINFO)"
        "the tool is older than this requirement, which is new in the specification";
    H07 Warning "clause 2c"
        "what the trace says about its processors and dates is wrong"
        "the trace was filtered or merged, and its head was not updated";
    G01 Warning "clause 1a"
        "reserved bits are not 0"
        "the writer did not clear its records, or the bytes are damaged; packed, the trace is larger";
    E03 Error "clause 3e"
        "a record's type does not exist in the version of the header"
        "the header states an older version than the writer's, or the bytes are damaged";
    S01 Error "clause 3a"
        "a part of a text is followed by neither the next part nor its end"
        "records of a text were dropped, or processors were merged record by record";
    S02 Error "clause 7"
        "the end of a text is not followed by a zero"
        "the text is cut off, or its last part was written as a part in between";
    I01 Error "clause 2d"
        "no text before the first instruction states the MMU's type"
        "a simulator of whole systems left it out: how addresses are translated is not known";
    I02 Warning "clause 2e"
        "no text before the first instruction states the processor's type"
        "the tool is older than this requirement, which is new in the specification";
    I03 Error "clause 2f"
        "no text before the first instruction states the number of register windows"
        "readers assume eight windows, and show wrong registers if there are others";
    I04 Error "clause 2f"
        "a processor's state is not recorded before its first instruction (PREG, and TT, TPC, TNPC in a trap)"
        "the trace was cut out of a longer one without what its beginning needs";
    I05 Error "clause 2g"
        "the contents of the TLBs are not recorded before the first instruction"
        "the trace was cut out of a longer one: its physical addresses are unknown at the start";
    I06 Error "clause 2h"
        "no PAVADIFF comes before the first instruction of a processor"
        "physical addresses are unknown up to the first PAVADIFF";
    A01 Error "clause 3b"
        "an annulled instruction has no address, or has an effective address"
        "the writer left the address of another instruction in the record";
    A02 Error "clause 7a"
        "a branch that is neither annulled nor trapped does not say where control goes"
        "the targets of jumps through registers are unknown";
    A03 Warning "clause 7a"
        "an instruction other than a load, a store or a control transfer has an effective address"
        "the writer did not clear it";
    A04 Warning "clause 7a"
        "an instruction that is neither a control transfer nor trapped is marked as taken"
        "the writer did not clear the mark";
    A05 Error "clause 7a"
        "a load or store that is neither annulled nor trapped has no address"
        "the memory that it accesses is unknown";
    A06 Warning "clause 7a"
        "an instruction that misses in the data MMU has an effective address"
        "the writer gives an address that was never translated";
    A07 Error "clause 7a"
        "a branch does not go where its encoding and its mark as taken lead"
        "the mark of a taken branch, the address or the instruction is wrong";
    A08 Warning "clause 3g"
        "with 32-bit addresses (PSTATE.AM), an address is 2^32 or higher"
        "the writer did not mask the address, or the recorded state is wrong";
    A09 Error "clause 3b"
        "the instruction that a branch annuls is not in the trace, or not marked"
        "the writer leaves annulled instructions out, or does not mark them: they look executed";
    P01 Warning "clause 7a"
        "a processor does not continue where its last instruction leads"
        "records are missing, a trap or a context switch is not recorded, or a target is wrong";
    V01 Error "clause 3c"
        "a translation that changes with the page is not recorded right before the instruction"
        "records were dropped or inserted in between: physical addresses before the next PAVADIFF are wrong";
    V02 Error "clause 3c"
        "the PAVADIFF before an instruction without effective address has a translation of data"
        "the writer left the translation of another instruction in it";
    V03 Warning "clause 3c"
        "the difference of physical and virtual addresses is not a multiple of a page"
        "the record is damaged, or is not a translation of pages";
    V04 Error "clause 3c"
        "no PAVADIFF with the translation of data follows a change of the data context"
        "physical addresses of data may be those of another process";
    T01 Error "clause 4d"
        "the first instruction after a TRAP is not marked as trapped"
        "records are missing between the two, or the trap belongs to another processor";
    T02 Error "clause 4d"
        "a synchronous trap is not followed by its instruction, or another trap by its handler"
        "records are missing between the two, or the trap's kind is wrong";
    T03 Warning "clause 4a"
        "an instruction without a TRAP before it is marked as trapped"
        "the TRAP was dropped: the handler's frame is missing in the calls";
    T04 Warning "clause 4d"
        "a TRAP has the wrong trap level, occurs twice, or names an unknown system call"
        "instructions between two traps are missing, or trap levels were not tracked";
    T05 Error "clause 4f"
        "no PREG with the level and type of the trap comes before done or retry"
        "the state after the trap is not recorded, or the record belongs to another trap";
    T06 Info "clause 4f"
        "the registers of the trap level are not recorded after done or retry"
        "recommended: the values of TL, TT, TPC and TNPC after the trap are not recorded";
    T07 Info "clause 3f"
        "no TRAPEXIT follows done or retry"
        "recommended, not required: tools that look for it miss the end of the trap";
    T08 Warning "clause 4b"
        "a write of %tl makes a TRAP or a TRAPEXIT"
        "the writer mistakes a change of the trap level for a trap";
    R01 Warning "clause 7c"
        "%g0 is not 0"
        "the number of the register is wrong, or the bytes are damaged";
    R02 Warning "clause 7c"
        "the kind of a register is not one of 1 to 9"
        "the writer did not fill the record in, or the bytes are damaged";
    M01 Error "clause 7"
        "a value of memory does not have 1 to 8 bytes"
        "the bytes are damaged";
    M02 Error "clause 7"
        "a continued value of memory does not follow one of the same processor"
        "the record that it continues was dropped: the place of the value is unknown";
    D01 Error "clause 7"
        "delimiters do not come in pairs, or do not nest"
        "one of a pair was dropped, or the trace ends in between";
    F01 Warning "clause 7"
        "the file ends inside a record"
        "the file is cut off, or something was appended to it";
    C01 Warning "clause 7a"
        "before version 2.12, a processor has a number of 64 or higher"
        "the header states an older version than the writer's, or the bytes are damaged";
}
