//! Lines of Tenet and unidbg, with the values that their format page states.

use crate::text_log::tests::recorder::check_all;

#[test]
fn thumb_instructions_of_four_bytes_are_known_by_their_text() {
    check_all(
        "[15:11:48 070][lib.so 0x1000] [2de9f041] 0x40001000: \"push.w {r4, r5, r6, r7, r8, lr}\" sp=0x100 => sp=0xe8\n\
         [15:11:48 071][lib.so 0x1004] [0120] 0x40001004: \"movs r0, #1\" => r0=0x1\n\
         [15:11:48 072][lib.so 0x1008] [0100a0e3] 0x40001008: \"mov r0, #1\" => r0=0x1\n",
        &[
            "cpu0 step 40001000 T32 4 \"push.w {r4, r5, r6, r7, r8, lr}\"",
            "cpu0 r31=000000e8",
            "cpu0 step 40001004 T32 2 \"movs r0, #1\"",
            "cpu0 r0=00000001",
            "cpu0 step 40001008 A32 4 \"mov r0, #1\"",
            "cpu0 r0=00000001",
        ],
    );
}

#[test]
fn registers_that_a_line_leaves_out_are_unknown() {
    // The next instruction is elsewhere, so the line shows no written registers.
    check_all(
        "[15:11:48 070][lib.so 0x1000] [f007c1a8] 0x40001000: \"ldp x16, x1, [sp], #0x10\" sp=0x100\n\
         [15:11:48 070][lib.so 0x2000] [00000094] 0x40002000: \"bl #0x40002000\"\n\
         [15:11:48 071][lib.so 0x2000] [1f0000eb] 0x40002000: \"cmp x0, x0\" x0=0x1 => nzcv: N=0, Z=1, C=1, V=0\n",
        &[
            "cpu0 step 40001000 A64 4 \"ldp x16, x1, [sp], #0x10\"",
            "cpu0 r1=?",
            "cpu0 r16=?",
            "cpu0 r31=?",
            "cpu0 step 40002000 A64 4 \"bl #0x40002000\"",
            "cpu0 r30=0000000040002004",
            "cpu0 step 40002000 A64 4 \"cmp x0, x0\"",
            "cpu0 r34=60",
        ],
    );
}
