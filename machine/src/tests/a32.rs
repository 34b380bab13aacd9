use crate::set::InstructionSet;
use crate::tests::text::check;

#[test]
fn forms_of_a32() {
    check(
        InstructionSet::A32,
        "
        04e02de5 ; lr sp | sp | w4[sp+-0x4]=lr | sp=z32((sp-0x4))
        f0412de9 ; lr r4 r5 r6 r7 r8 sp | sp | w4[sp+-0x18]=r4 w4[sp+-0x14]=r5 w4[sp+-0x10]=r6 w4[sp+-0xc]=r7 w4[sp+-0x8]=r8 w4[sp+-0x4]=lr | sp=z32((sp-0x18))
        f081bde8 ; sp | r4 r5 r6 r7 r8 sp | r4[sp] r4[sp+0x4] r4[sp+0x8] r4[sp+0xc] r4[sp+0x10] r4[sp+0x14] | r4=m0 r5=m1 r6=m2 r7=m3 r8=m4 sp=z32((sp+0x18))
        021081e0 ; r1 r2 | r1 |  | r1=z32((r1+r2))
        012051e2 ; r1 | psr r2 |  | r2=z32((r1-0x1))
        0c009fe5 ; | r0 | r4[0x1014] | r0=m0
        041093e7 ; r3 r4 | r1 | r4[r3+r4*1] | r1=m0
        041013e7 ; r3 r4 | r1 | r4[r3+r4*-1] | r1=m0
        042093e4 ; r3 | r2 r3 | r4[r3] | r2=m0 r3=z32((r3+0x4))
        042013e4 ; r3 | r2 r3 | r4[r3] | r2=m0 r3=z32((r3-0x4))
        030091e6 ; r1 r3 | r0 r1 | r4[r1] | r0=m0 r1=z32((r1+r3))
        031192e7 ; r2 r3 | r1 | r4[r2+r3*4] | r1=m0
        d020c1e1 ; r1 | r2 r3 | r4[r1] r4[r1+0x4] | r2=m0 r3=m1
        000a90ed ; r0 | s0 | r4[r0] | s0=m0
        108bbdec ; sp | d10 d11 d12 d13 d14 d15 d8 d9 sp | r8[sp] r8[sp+0x8] r8[sp+0x10] r8[sp+0x18] r8[sp+0x20] r8[sp+0x28] r8[sp+0x30] r8[sp+0x38] | d10=m2 d11=m3 d12=m4 d13=m5 d14=m6 d15=m7 d8=m0 d9=m1 sp=z32((sp+0x40))
        108b2ded ; d10 d11 d12 d13 d14 d15 d8 d9 sp | sp | w8[sp+-0x40]=d8 w8[sp+-0x38]=d9 w8[sp+-0x30]=d10 w8[sp+-0x28]=d11 w8[sp+-0x20]=d12 w8[sp+-0x18]=d13 w8[sp+-0x10]=d14 w8[sp+-0x8]=d15 | sp=z32((sp-0x40))
        100a10ee ; s0 | r0 |  | r0=s0
        10faf1ee ; fpscr | psr
        33ff2fe1 ; r3 | lr |  | lr=0x1004
        feffffeb ; | lr |  | lr=0x1004
        04108fe2 ; | r1 |  | r1=0x100c
        0f00a0e1 ; | r0 |  | r0=0x1008
        1110a0e1 ; r0 r1 | r1 |  | r1=z32((r1<<z8(r0)))
        0f0092e8 ; r2 | r0 r1 r2 r3 | r4[r2] r4[r2+0x4] r4[r2+0x8] r4[r2+0xc] | r0=m0 r1=m1 r2=m2 r3=m3
        7220ffe6 ; r2 | r2 |  | r2=z32(z16(r2))
        0000a0e3 ; | r0 |  | r0=0x0
        0000e0e3 ; | r0 |  | r0=0xffffffff
        041000e3 ; | r1 |  | r1=0x4
        041040e3 ; r1 | r1 |  | r1=z32((z16(r1)or0x40000))
        021020e0 ; r0 r2 | r1 |  | r1=z32((r0^r2))
        021081e1 ; r1 r2 | r1 |  | r1=z32((r1orr2))
        0210c1e1 ; r1 r2 | r1 |  | r1=z32((r1&(r2^0xffffffffffffffff)))
        001061e2 ; r1 | r1 |  | r1=z32((0x0-r1))
        0211a0e1 ; r2 | r1 |  | r1=z32(z32((r2<<0x2)))
        4211a0e1 ; r2 | r1 |  | r1=z32(z32((s32(r2)>>>0x2)))
        930201e0 ; r2 r3 | r1 |  | r1=z32((r3*r2))
        924321e0 ; r2 r3 r4 | r1 |  | r1=z32((r4+(r2*r3)))
        5120e0e7 ; r1 | r2 |  | r2=z32(z1(r1))
        0100a003 ; psr | r0 |  | if r0=0x1
        02108110 ; psr r1 r2 | r1 |  | if r1=z32((r1+r2))
        020051e1 ; r1 r2 | psr
        0000000a ; psr |  |  | if
        000000ef ; | r0
        0100d1e5 ; r1 | r0 | r1[r1+0x1] | r0=m0
        f200d1e1 ; r1 | r0 | r2[r1+0x2] | r0=z32(s16(m0))
        0100c1e5 ; r0 r1 |  | w1[r1+0x1]=z8(r0)
        b200c2e1 ; r0 r2 |  | w2[r2+0x2]=z16(r0)
        0400a1e5 ; r0 r1 | r1 | w4[r1+0x4]=r0 | r1=z32((r1+0x4))
        9f0f91e1 ; r1 | r0 | r4[r1] | r0=m0
        910f82e1 ; r1 r2 | r0 | w4[r2]
        0300a2e8 ; r0 r1 r2 | r2 | w4[r2]=r0 w4[r2+0x4]=r1 | r2=z32((r2+0x8))
        030032e9 ; r2 | r0 r1 r2 | r4[r2+-0x8] r4[r2+-0x4] | r0=m0 r1=m1 r2=z32((r2-0x8))
        1eff2fe1 ; lr |
        0210a1e0 ; psr r1 r2 | psr r1
        00000fe1 ; psr | r0
        020b81ed ; d0 r1 |  | w8[r1+0x8]=d0
        600ab0ee ; s1 | s0 |  | s0=s1
        200a30ee ; s0 s1 | s0
        7100bfe6 ; r1 | r0 |  | r0=z32(s16(r1))
        00f020e3 ; |
        600ab4ee ; s0 s1 | fpscr
        02f19fe7 ; r2 |  | r4[r2*4+0x1008]
        7760e5e6 ; r5 r7 | r6
        7760f5e6 ; r5 r7 | r6
        7760c5e6 ; r5 r7 | r6
        7760a5e6 ; r5 r7 | r6
        7760b5e6 ; r5 r7 | r6
        776085e6 ; r5 r7 | r6
        176085e6 ; r5 r7 | r6
        576085e6 ; r5 r7 | r6
        0f0721f4 ; r1 | d0 | r8[r1] | d0=m0
        ",
    );
}

/// SWP, SWPB (DDI 0406, A8.8.229), coprocessor transfers (A8.8.98, A8.8.107), and elements of
/// doublewords (A8.8.341).
#[test]
fn forms_that_the_lists_have_wrong_or_not() {
    check(
        InstructionSet::A32,
        "
        910002e1 ; r1 r2 | r0 | r4[r2] w4[r2]=r1 | r0=m0
        910042e1 ; r1 r2 | r0 | r1[r2] w1[r2]=z8(r1) | r0=m0
        91004201 ; psr r1 r2 | r0 | r1[r2] w1[r2]=z8(r1) | if r0=m0
        701f1dee ; | r1 |  |
        701f0dee ; r1 |  |  |
        0d1f52ec ; | r1 r2 |  |
        0d1f42ec ; r1 r2 |  |  |
        70ff1dee ; | psr |  |
        101bf2ee ; 41:4:1 | r1 |  | r1=41:4:1
        101b74ee ; 42:4:1 | r1 |  | r1=z32(s8(42:4:1))
        701b90ee ; 40:2:2 | r1 |  | r1=40:2:2
        301b30ee ; 40:4:2 | r1 |  | r1=z32(s16(40:4:2))
        101b32ee ; s5 | r1 |  | r1=s5
        100b22ee ; r0 s4 | d2 |  | s4=s4 s5=r0
        300b40ee ; 0:0:1 40:2:2 b0 s1 | d0 |  | 40:1:1=0:0:1 40:2:2=40:2:2 b0=b0 s1=s1
        028bbd0c ; psr sp | d8 sp | r8[sp] | if d8=m0 sp=z32((sp+0x8))
        0000001f ; psr | r0 |  | if
        ",
    );
}
