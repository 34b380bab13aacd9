use crate::instruction::{Address, Encoding, decode};
use crate::registers::Registers;
use crate::set::InstructionSet;
use crate::tests::text::check;
use crate::view::RegisterView;

#[test]
fn forms_of_sparc() {
    check(
        InstructionSet::Sparc64,
        "
        9204401a ; i2 l1 | o1 |  | o1=(l1+i2)
        92046010 ; l1 | o1 |  | o1=(l1+0x10)
        92247fff ; l1 | o1 |  | o1=(l1-0xffffffffffffffff)
        900c600f ; l1 | o0 |  | o0=(l1&0xf)
        902c401a ; i2 l1 | o0 |  | o0=(l1&(i2^0xffffffffffffffff))
        92102005 ; | o1 |  | o1=0x5
        92100011 ; l1 | o1 |  | o1=l1
        9a100000 ; | o5 |  | o5=0x0
        9c03bf40 ; sp | sp |  | sp=(sp-0xc0)
        80a26005 ; o1 | ccr
        80900009 ; o1 | ccr
        9244401a ; ccr i2 l1 | o1
        924c401a ; i2 l1 | o1 |  | o1=(l1*i2)
        9254401a ; i2 l1 | o1 y |  | o1=(z32(l1)*z32(i2)) y=((z32(l1)*z32(i2))>>0x20)
        926c401a ; i2 l1 | o1
        9274401a ; i2 l1 y | o1
        932c6003 ; l1 | o1 |  | o1=(l1<<0x3)
        932c7020 ; l1 | o1 |  | o1=(l1<<0x20)
        93346003 ; l1 | o1 |  | o1=(z32(l1)>>0x3)
        933c6000 ; l1 | o1 |  | o1=s32(l1)
        933c401a ; i2 l1 | o1 |  | o1=(s32(l1)>>>(i2&0x1f))
        93643009 ; |
        936467f5 ; ccr o1 | o1
        937c4405 ; g5 l1 o1 | o1
        937c4605 ; ? | ? | ? | ?
        13000400 ; | o1 |  | o1=0x100000
        01000000 ; |
        40000004 ; | o7 |  | o7=0x1000
        9fc44000 ; l1 | o7 |  | o7=0x1000
        81c7e008 ; i7 |
        81c3e008 ; o7 |
        02400004 ; ccr |
        30680004 ; |
        03400004 ; 35:1:1 |
        02c24004 ; o1 |
        12c24005 ; g5 o1 |
        ",
    );
}

#[test]
fn windows_change_with_what_goes_from_one_to_the_next() {
    check(
        InstructionSet::Sparc64,
        "
        9de3bf50 ; canrestore cansave cwp sp | canrestore cansave cwp w+1.o6 |  | canrestore=(canrestore+0x1) cansave=(cansave-0x1) w+1.o6=(sp-0xb0)
        ade3a008 ; canrestore cansave cwp sp | canrestore cansave cwp w+1.l6 |  | canrestore=(canrestore+0x1) cansave=(cansave-0x1) w+1.l6=(sp+0x8)
        b1e3a008 ; canrestore cansave cwp sp | canrestore cansave cwp o0 |  | canrestore=(canrestore+0x1) cansave=(cansave-0x1) o0=(sp+0x8)
        81e80000 ; canrestore cansave cwp | canrestore cansave cwp |  | canrestore=(canrestore-0x1) cansave=(cansave+0x1)
        91e80010 ; canrestore cansave cwp l0 | canrestore cansave cwp i0 |  | canrestore=(canrestore-0x1) cansave=(cansave+0x1) i0=l0
        a1e80018 ; canrestore cansave cwp i0 | canrestore cansave cwp w-1.l0 |  | canrestore=(canrestore-0x1) cansave=(cansave+0x1) w-1.l0=i0
        81cfe008 ; canrestore cansave cwp i7 | canrestore cansave cwp
        81880000 ; canrestore cansave otherwin | canrestore cansave otherwin
        83880000 ; canrestore cansave otherwin | canrestore cansave cleanwin otherwin
        87880000 ; canrestore | canrestore otherwin |  | canrestore=0x0 otherwin=canrestore
        89880000 ; otherwin | canrestore otherwin |  | canrestore=otherwin otherwin=0x0
        8b880000 ; | canrestore cansave otherwin
        81580000 ; |
        ",
    );
}

/// The SPARC Architecture Manual, Version 9, A.47: SAVED increments CANSAVE, RESTORED increments
/// CANRESTORE. If OTHERWIN is 0 the other of the two decrements, else OTHERWIN does.
#[test]
fn a_window_that_was_spilled_or_filled_is_counted() {
    check_counts(0x8188_0000, [1, 4, 0], [2, 3, 0]);
    check_counts(0x8188_0000, [1, 4, 3], [2, 4, 2]);
    check_counts(0x8188_0000, [1, 4, 1], [2, 4, 0]);
    check_counts(0x8388_0000, [3, 1, 0], [2, 2, 0]);
    check_counts(0x8388_0000, [3, 1, 2], [3, 2, 1]);
}

/// Checks CANSAVE, CANRESTORE and OTHERWIN before and after.
#[track_caller]
fn check_counts(word: u32, before: [u64; 3], after: [u64; 3]) {
    let set = InstructionSet::Sparc64;
    let views =
        ["cansave", "canrestore", "otherwin"].map(|name| Registers::view(name, set).unwrap());
    let instruction = decode(Encoding::new(&word.to_be_bytes()).unwrap(), Address(0), set);
    let held = |view: RegisterView| {
        views
            .iter()
            .position(|known| *known == view)
            .map(|place| before[place])
    };
    let found = views.map(|view| {
        let effect = instruction
            .meaning
            .writes
            .iter()
            .find(|effect| effect.view == view);
        effect.and_then(|effect| effect.value.value(&held, &|_| None))
    });
    assert_eq!(found, after.map(Some), "{}", instruction.text);
}

#[test]
fn loads_and_stores_of_sparc() {
    check(
        InstructionSet::Sparc64,
        "
        d2046010 ; l1 | o1 | r4[l1+0x10] | o1=m0
        d204401a ; i2 l1 | o1 | r4[l1+i2*1] | o1=m0
        d24c6010 ; l1 | o1 | r1[l1+0x10] | o1=s8(m0)
        d2546010 ; l1 | o1 | r2[l1+0x10] | o1=s16(m0)
        d2446010 ; l1 | o1 | r4[l1+0x10] | o1=s32(m0)
        d25c7ff0 ; l1 | o1 | r8[l1+-0x10] | o1=m0
        d41c6010 ; l1 | o2 o3 | r4[l1+0x10] r4[l1+0x14] | o2=m0 o3=m1
        d2246010 ; 9:0:4 l1 |  | w4[l1+0x10]=9:0:4
        d22c6010 ; 9:0:1 l1 |  | w1[l1+0x10]=9:0:1
        d2746010 ; l1 o1 |  | w8[l1+0x10]=o1
        c0246010 ; l1 |  | w4[l1+0x10]=0x0
        d43c6010 ; 10:0:4 11:0:4 l1 |  | w4[l1+0x10]=10:0:4 w4[l1+0x14]=11:0:4
        d26c6000 ; l1 | o1 | r1[l1] w1[l1]=0xff | o1=m0
        d27c6000 ; 9:0:4 l1 | o1 | r4[l1] w4[l1]=9:0:4 | o1=m0
        d3e4501a ; i2 l1 o1 | o1 | r4[l1] w4[l1] | o1=m0
        d3f4501a ; i2 l1 o1 | o1 | r8[l1] w8[l1] | o1=m0
        d2dc501a ; i2 l1 | o1 | r8[l1+i2*1] | o1=m0
        d2dc511a ; i2 l1 | o1 | r8[l1+i2*1]
        d2dc441a ; i2 l1 | o1 |
        d2dc6008 ; l1 | o1 | ?
        d49c445a ; i2 l1 | o2 o3 | r8[l1+i2*1] r8[l1+i2*1+0x8] | o2=m0 o3=m1
        d3046010 ; l1 | f9 | r4[l1+0x10] | f9=m0
        d11c6010 ; l1 | d8 | r8[l1+0x10] | d8=m0
        d31c6010 ; l1 | d40 | r8[l1+0x10] | d40=m0
        d13c6010 ; d8 l1 |  | w8[l1+0x10]=d8
        d1146010 ; l1 | d10 d8 | r8[l1+0x10] r8[l1+0x18] | d10=m1 d8=m0
        c30c6008 ; l1 | fsr | r8[l1+0x8] | fsr=m0
        d36c6010 ; l1 |
        c19c5e00 ; l1 | d0 d10 d12 d14 d2 d4 d6 d8 | r8[l1] r8[l1+0x8] r8[l1+0x10] r8[l1+0x18] r8[l1+0x20] r8[l1+0x28] r8[l1+0x30] r8[l1+0x38]
        ",
    );
}

#[test]
fn floating_point_and_state_of_sparc() {
    check(
        InstructionSet::Sparc64,
        "
        8ba24826 ; f6 f9 | f5
        8da20846 ; d6 d8 | d6
        8ba00026 ; f6 | f5 |  | f5=f6
        8ba000a6 ; f6 | f5 |  | f5=(f6^0x80000000)
        83aa4a26 ; 35:4:1 f6 f9 | 35:0:1 35:4:1
        8baa4026 ; 35:1:1 f5 f6 | f5
        8bb24c00 ; | d36 |  | d36=0x0
        93b24306 ; g6 o1 | gsr o1 |  | o1=((o1+g6)&0xfffffffffffffff8)
        93b24906 ; d40 d6 gsr | d40
        93b22206 ; d6 | o1 |  | o1=d6
        93b02226 ; f6 | o1 |  | o1=f6
        93400000 ; y | o1 |  | o1=y
        93414000 ; | o1 |  | o1=0x1000
        93500000 ; tpc | o1
        93524000 ; cwp | o1 |  | o1=cwp
        81844000 ; l1 | y |  | y=l1
        87802080 ; | asi |  | asi=0x80
        93902003 ; | cwp |  | cwp=0x3
        91d0206d ; | ccr o0 o1
        81f00000 ; | asi ccr cwp gl hpstate pstate tl
        8143e00f ; |
        81b02826 ; ? | ? | ? | ?
        81b028e6 ; d0 d6 | d0
        00000000 ; |
        ffffffff ; ? | ? | ? | ?
        ",
    );
}
