//! Registers of RISC-V instructions, from the operands that GNU objdump 2.40 prints
//! (`-M no-aliases`), and from the manual for registers that it leaves out (The RISC-V Instruction
//! Set Manual, volume I): `vl` and `vtype`, the other registers of a group, and destinations that
//! keep elements.

use std::collections::BTreeSet;

use crate::instruction::{Address, decode};
use crate::registers::Registers;
use crate::set::InstructionSet;
use crate::tests::text::encoding;
use crate::view::RegisterView;

/// Checks entries of the form `hexadecimal bytes reads>writes`, separated by semicolons. Parts of
/// registers count as the whole.
#[track_caller]
fn check_words(set: InstructionSet, entries: &str) {
    for entry in entries.split(';').map(str::trim) {
        let (digits, registers) = entry.split_once(' ').unwrap();
        let (reads, writes) = registers.split_once('>').unwrap();
        let instruction = decode(encoding(digits), Address(0x1000), set);
        let text = &instruction.text;
        assert!(instruction.is_decoded(), "{digits}");
        let used = instruction.registers.as_ref().unwrap();
        assert_eq!(whole(&used.reads, set), named(reads, set), "{text}: reads");
        assert_eq!(
            whole(&used.writes, set),
            named(writes, set),
            "{text}: writes"
        );
    }
}

fn whole(views: &[RegisterView], set: InstructionSet) -> BTreeSet<u16> {
    let known = views
        .iter()
        .filter(|view| Registers::name(**view, set) != Some("zero"));
    known.map(|view| view.register.0).collect()
}

fn named(names: &str, set: InstructionSet) -> BTreeSet<u16> {
    let names = names.split(',').filter(|name| !name.is_empty());
    names
        .map(|name| Registers::view(name, set).unwrap().register.0)
        .collect()
}

#[test]
fn registers_of_64_bit_words() {
    check_words(
        InstructionSet::Riscv64,
        "
        338b1b00 ra,s7>s6; bb800109 a6,gp>ra; 93875fba t6>a5; 1b8f8e8b t4>t5; bb8e6d00 s11,t1>t4;
        33833933 s3>t1; 33891f37 a7,t6>s2; 13140630 a2>s0; 2f3c8605 a2,s8>s8; afa7f105 gp,t6>a5;
        afa0b206 a1,t0>ra; 2fb9cd60 a2,s11>s2; 2fba6662 a3,t1>s4; 2faf2c66 s9,sp>t5;
        2f27b2a4 a1,tp>a4; 2fbface0 a0,s9>t5; 2f3af4e4 a5,s0>s4; af3d7d84 s10,t2>s11;
        2f21f882 a5,a6>sp; af3b90c7 s9>s7; af3b230e sp,t1>s7; 2f2c040c s0>s8; b3fa3b00 gp,s7>s5;
        937ff60c a2>t6; 337e1641 a2,a7>t3; 97f55a50 >a1; b3927848 a7,t2>t0; 1391d048 ra>sp;
        63838d7c s0,s11>; 33501848 a6,ra>; 93d90649 a3>s3; 63545639 a2,s5>; 63f41850 a7,ra>;
        b310d368 a3,t1>ra; 1399ec69 s9>s2; e3c7bf4e a1,t6>; e3696f16 t1,t5>; e39106a0 a3>;
        935c7568 a0>s9; 331f0829 a6>t5; 9398d32b t2>a7; b29d a2,s11>s11; 2d00 >; 6171 sp>sp;
        e810 sp>a0; 2935 a0>a0; b99c a4,s1>s1; 618c s0>s0; 7599 a0>a0; 09d5 a0>; e1f9 a1>; 0290 >;
        e03d a1>fs0; 0a2b sp>fs6; 30bf a4,fa2>; 62a3 fs8,sp>; 61a4 >; 0296 a2>ra; 0284 s0>;
        4071 a0>s0; da65 sp>a1; 5941 >sp; c567 >a5; 984f a5>a4; a25b sp>s7; 3680 a3>;
        518d a0,a2>a0; dce0 a5,s1>; f2ff sp,t3>; 960e t4>t4; 5986 a2>a2; 5983 a4>a4; 198d a0,a4>a0;
        959c a3,s1>s1; b8d8 a4,s1>; 5eca s7,sp>; b18f a2,a5>a5; 0f201800 a6>; 0f202400 s0>;
        0f200200 tp>; 0f204a00 s4>; b319c00a a2>s3; 333f850b a0,s8>t5; b3acac0a a0,s9>s9;
        939d0b60 s7>s11; 1b910460 s1>sp; 13912c60 s9>sp; 9b952160 gp>a1; 139b1d60 s11>s6;
        9b111f60 t5>gp; b34a3f02 gp,t5>s5; 33dae802 a4,a7>s4; bbdca502 a0,a1>s9; 3b4a8803 a6,s8>s4;
        73001000 >; 73000000 >a0; d34bd002 fa3,ft0>fs7; d3cca704 fa0,fa5>fs9;
        d309e501 fa0,ft10>fs3; d3990ae2 fs5>s3; d31f09e4 fs2>t6; d3120ae0 fs4>t0; d3012542 fa0>ft3;
        53f622d2 t0>fa2; 53a53fd2 t6>fa0; 53830142 ft3>ft6; 53231444 fs0>ft6; d3c628d4 a7>fa3;
        53113fd4 t5>ft2; 53150a44 fs4>fa0; 53ae02d4 t0>ft8; d3c91bd4 s7>fs3; d31220c2 ft0>t0;
        d31d26c4 fa2>s11; d32128c0 fa6>gp; d33739c2 fs2>a5; d30f3dc4 fs10>t6; d34d3ac0 fs4>s11;
        53761240 ft4>fa2; 531723d0 t1>fa4; 53ba33d0 t2>fs4; d38a0ad0 s5>fs5; d34d1cd0 s8>fs11;
        d3020fc2 ft10>t0; 53ac06c4 fa3>s8; 532300c0 ft0>t1; 53c112c2 ft5>sp; d30f1dc4 fs10>t6;
        d3fa10c0 ft1>s5; d312501b fs5,ft0>ft5; 5388d11c fa3,ft3>fa6; 53b30219 fa6,ft5>ft6;
        532eaba2 fa0,fs6>t3; 532810a4 ft0,ft1>a6; d3255ea0 ft5,ft8>a1; 87bf6cef s9>ft11;
        5385d0a3 ft1,ft9>a0; 530e75a4 fa0,ft7>t3; d38a98a1 fa7,fs9>s5; 871a529a tp>fs5;
        d392d3a3 ft7,ft9>t0; 5390c5a4 fa1,fa2>; 539bbba1 fs11,fs7>s6; 87ab25c0 a1>fs7;
        c302057a fa0,fa5,ft0>ft5; 4316a0dd fs10,fs11,ft0>fa2; c3f0e729 fa5,ft10,ft5>ft1;
        d396d22b ft5,ft9>fa3; 539aaf2c fa0,ft11>fs4; d313b629 fa2,fs11>ft7; 530c7c2a fs8,ft7>fs8;
        d30c382d fa6,fs3>fs9; 5381f228 fa5,ft5>ft2; 47a216a3 fa3,fa7,fs4>ft4;
        c73ee5e4 fa0,fa4,ft8>ft9; 4782d211 ft2,ft5,ft9>ft4; 53ca9e12 fs1,ft9>fs4; d3b57314 ft7>fa1;
        d3415e11 fs5,ft8>ft3; 538b06f2 a3>fs6; d30c07f4 a4>fs9; 530907f0 a4>fs2; d30b09e2 fs2>s7;
        d38a0ce4 fs9>s5; d30b02e0 ft4>s7; cf4641b3 fs4,fs6,ft2>fa3; 4f8a881c fa7,fs0,ft3>fs4;
        cf437ee0 ft7,ft8>ft7; cbfa401a ft1,ft3,ft4>fs5; 4b759a3c fs1,fs4,ft7>fa0;
        4bb20e98 fs3,ft0,ft9>ft4; a73b8744 a4,fs0>; 530d4b23 fs4,fs6>fs10; 53044024 ft0,ft4>fs0;
        d3012a20 fs4,ft2>ft3; d31c6623 fa2,fs6>fs9; d3967f25 fs7,ft11>fa3; 539d4221 fs4,ft5>fs10;
        d3251622 fa2,ft1>fa1; d3228e24 fs0,ft8>ft5; d320c320 fa2,ft6>ft1; 2790d075 ft9,ra>;
        5316045a fs0>fa2; d3a1075c fa5>ft3; 53a70758 fa5>fa4; 5372b90a fa1,fs2>ft4;
        d300c40d fs0,ft8>ft1; d39bbc09 fs11,fs9>fs7; 27a8023c ft0,t0>; 73809363 s9,t2>;
        73007b23 s6,s7>; 73007666 a2,t2>; 73805b27 s5,s7>; 73c90760 a5>s2; 73461b60 s6>a2;
        734a096c s2>s4; f3c20064 ra>t0; 73ca1664 a3>s4; f3cc0c68 s9>s9; 73c61a68 s5>a2;
        f34c3464 s0>s9; f3c13368 t2>gp; 73406563 a0,s6>; 73c0ee6f t4,t5>; 73c05266 t0>;
        7340bc6a a1,s8>; 6f7bdaeb >s6; e78ee336 t2>t4; 8305ae3e t3>a1; 834e3849 a6>t4;
        03bfd76e a5>t5; 0315b593 a0>a0; 83dfaa6b s5>t6; af3d0616 a2>s11; 2fb30f12 t6>t1;
        2fab0110 gp>s6; 2f2d0e14 t3>s10; 37e70067 >a4; 83ad5ab3 s5>s11; 03ed14dc s1>s10;
        33e0c20a a2,t0>; b37b180b a6,a7>s7; 3347310b s3,sp>a4; b35df80b a6,t6>s11;
        b38b3203 s3,t0>s7; 3394fb03 s7,t6>s0; 33a2d603 a3,t4>tp; 33ba7f03 s7,t6>s4;
        bb0d9503 a0,s9>s11; 33e17a00 s5,t2>sp; 93db7d28 s11>s7; 13e887c3 a5>a6; b3642741 a4,s2>s1;
        33c0f909 s3,t6>; 33f59409 s1,s9>a0; 3bce5e09 s5,t4>t3; b3666803 a6,s6>a3;
        b37e7202 t2,tp>t4; bb796903 s2,s6>s3; 3be44202 t0,tp>s0; 1351876b a4>sp;
        b31b8d60 s0,s10>s7; 3b9ad260 a3,t0>s4; 335c6460 s0,t1>s8; 13d7c062 ra>a4; 9b5acb61 s6>s5;
        bbd1db61 s7,t4>gp; 23885b8e s7,t0>; af344b18 s6,tp>s1; afbdb81c a1,a7>s11;
        2fbca91e a0,s3>s8; 2fba9e1a s1,t4>s4; afa50e19 a6,t4>a1; 2f21e11c a4,sp>sp;
        afa61c1e ra,s9>a3; 23b05717 a5,s5>; 13164360 t1>a2; 939e5c60 s9>t4; 73001018 >;
        7380f512 a1,a5>; 73000018 >; a39c7cc2 s9,t2>; 33a31821 a7>t1; 3b2c4e21 s4,t3>s8;
        33c10421 a6,s1>sp; 3bccfd21 s11,t6>s8; 33e7f620 a3,a5>a4; 3beeba21 s11,s5>t3;
        93943610 a3>s1; 139a6b10 s7>s4; 931e7d10 s10>t4; 7380ec16 a4,s9>; 33139300 s1,t1>t1;
        131b4c03 s8>s6; 1b98370b a5>a6; 9b149b01 s6>s1; 3b9a6d00 s11,t1>s4; 332ab101 s11,sp>s4;
        9326e4cf s0>a3; 13b7e010 ra>a4; b3bbc201 t0,t3>s7; 93139710 a4>t2; 33d80340 t2>a6;
        13da9242 t0>s4; 9b577640 a2>a5; 3b57e841 a6,t5>a4; 33da4200 t0,tp>s4; 13d30703 a5>t1;
        9b5e6f01 t5>t4; bb55c401 s0,t3>a1; b30e2941 s2>t4; bb88d941 s3,t4>a7; a3a919d1 a7,s3>;
        57aa4c27 v20,v25,vl,vtype,vxrm>v20; d762c324 t1,v0,v12,v5,vl,vtype,vxrm>v5;
        d728a121 v0,v17,v2,v26,vl,vtype,vxrm>v17; d76bc420 s0,v0,v12,v23,vl,vtype,vxrm>v23;
        57b1b340 v0,v11,vl,vtype>v2; d7091840 v0,v1,v16,vl,vtype>v19;
        5744d740 a4,v0,v13,vl,vtype>v8; d736d802 v13,vl,vtype>v13;
        d7058901 v0,v11,v18,v24,vl,vtype>v11; d747b203 tp,v27,vl,vtype>v15;
        573b3b27 v19,vl,vtype>v22; d704b227 v27,v4,vl,vtype>v9;
        574e8125 sp,v0,v24,v28,vl,vtype>v28; d7a9dc2d v0,v19,v25,v29,vl,vtype,vxrm>v19;
        57e8142c s1,v0,v1,v16,vl,vtype,vxrm>v16; d7afec2b v25,v30,vl,vtype,vxrm>v31;
        d7e52a29 s5,v0,v11,v18,vl,vtype,vxrm>v11; d72f2d5f v18,v26,vl,vtype>v31;
        d72bd840 v0,v13,vl,vtype>s7; d7208e85 v0,v1,v24,v28,vl,vtype>v1;
        d7657485 s0,v0,v11,v23,vl,vtype>v11; d72e2680 v0,v12,v2,v29,vl,vtype>v29;
        d7e00c82 s9,v0,vl,vtype>v1; d7dd5402 fs1,v5,vl,vtype>v27;
        571cb401 v0,v24,v27,v8,vl,vtype>v24; d71f584e v5,vl,vtype>v31; 5794e14a v14,vl,vtype>v8;
        d71fc148 v0,v12,v31,vl,vtype>v31; d79b7348 v0,v23,v7,vl,vtype>v23;
        d7198348 v0,v19,v8,vl,vtype>v19; d794c049 v0,v28,v9,vl,vtype>v9;
        d7191049 v0,v17,v19,vl,vtype>v19; 57539c83 fs8,v25,vl,vtype>v6;
        571eda80 v0,v13,v20,v28,vl,vtype>v28; d7a7e842 v14,vl,vtype>a5;
        57d0f2b3 ft5,v0,v31,vl,vtype>v0; d79cc6b0 v0,v12,v13,v25,vl,vtype>v25;
        57d123a0 ft7,v0,v2,vl,vtype>v2; 5714eca3 v24,v30,v8,vl,vtype>v8;
        5756821a ft4,v8,vl,vtype>v12; d71ef31a v15,v6,vl,vtype>v29;
        57d8905d ft1,v0,v25,vl,vtype>v16; 5751ea13 fs4,v30,vl,vtype>v2;
        5716bf12 v11,v30,vl,vtype>v12; d75ccfbb ft10,v25,v28,vl,vtype>v25;
        5713c2bb v28,v4,v6,vl,vtype>v6; d7df34ab fs1,v19,v31,vl,vtype>v31;
        571067aa v0,v14,v6,vl,vtype>v0; 57da6891 fa7,v0,v20,v22,vl,vtype>v20;
        d71ec090 v0,v12,v29,vl,vtype>v29; 57103042 v3,vl,vtype>ft0; 57500242 ft4,vl,vtype>v0;
        575f0f5e ft10,vl,vtype>v30; d7191a4b v17,vl,vtype>v19; 579d8949 v0,v24,v26,vl,vtype>v26;
        d713a949 v0,v26,v7,vl,vtype>v7; d7923a4b v19,vl,vtype>v5; d79d6b48 v0,v27,v6,vl,vtype>v27;
        57116b4b v22,vl,vtype>v2; 579bb848 v0,v11,v22,vl,vtype>v22; d7136849 v0,v22,v7,vl,vtype>v7;
        57d640b5 ft1,v0,v12,v20,vl,vtype>v12; d71e9ab7 v20,v25,v29,vl,vtype>v29;
        d75c83a4 ft6,v0,v25,v8,vl,vtype>v25; 571f81a5 v0,v2,v24,v30,vl,vtype>v30;
        57dd5bbf fs7,v21,v26,vl,vtype>v26; 571400bc v0,v8,vl,vtype>v8;
        57dad5ae fa1,v13,v20,vl,vtype>v20; 571f28ae v16,v2,v30,vl,vtype>v30;
        d7d42c87 fs9,v18,vl,vtype>v9; 579f724c v0,v30,v7,vl,vtype>v30;
        579c1d1f v17,v27,vl,vtype>v24; d7947f14 v0,v31,v7,vl,vtype>v9;
        571e8f0e v30,v8,vl,vtype>v28; d7954c05 v0,v20,v25,vl,vtype>v11;
        d714b24c v0,v11,v9,vl,vtype>v9; 57584a9c fs4,v0,v16,v4,vl,vtype>v16;
        57585a21 fs4,v0,v16,v21,vl,vtype>v16; d790d521 v0,v1,v11,v29,vl,vtype>v1;
        d75ca026 ft0,v10,vl,vtype>v25; 579b8a24 v0,v21,v22,v8,vl,vtype>v22;
        57de2929 fs3,v0,v18,v28,vl,vtype>v28; d71ef82b v16,v31,vl,vtype>v29;
        d75cbb3c fs6,v0,v11,v25,vl,vtype>v25; d753bc39 fs8,v0,v27,v7,vl,vtype>v7;
        d71ce04e v14,vl,vtype>v25; d7589909 fs2,v0,v17,v25,vl,vtype>v17;
        d71a780a v16,v7,vl,vtype>v21; 575e99c0 fs2,v0,v28,v9,vl,vtype>v28;
        571ba1c2 v10,v2,vl,vtype>v22; 5753e0d0 ft0,v0,v14,v6,vl,vtype>v6;
        d79a93d0 v0,v21,v7,v9,vl,vtype>v21; d710a648 v0,v1,v10,vl,vtype>v1;
        d79a854a v8,vl,vtype>v21; 571e7549 v0,v23,v28,vl,vtype>v28; 5795574b v21,vl,vtype>v10;
        d711f74a v15,vl,vtype>v3; d799144a v1,vl,vtype>v19; 5713a44a v10,vl,vtype>v6;
        575a97f2 fa4,v20,v9,vl,vtype>v20; d71f9bf3 v22,v25,v31,vl,vtype>v31;
        d7537cfb fs8,v23,v7,vl,vtype>v7; d7127ff8 v0,v30,v5,v7,vl,vtype>v5;
        575bcfe0 ft10,v0,v12,v22,vl,vtype>v22; d7959fe3 v25,v31,vl,vtype>v11;
        575619f7 fs2,v12,v17,vl,vtype>v12; 571061f7 v0,v2,v22,vl,vtype>v0;
        57d96dff fs11,v18,v22,vl,vtype>v18; d71f26fe v12,v2,v31,vl,vtype>v31;
        d793c5cd v0,v11,v28,vl,vtype>v7; d71325c6 v10,v2,vl,vtype>v7;
        575c54cb fs0,v21,vl,vtype>v24; d79746ca v13,v4,vl,vtype>v15; 57d050db ft1,v21,vl,vtype>v0;
        571370d9 v0,v23,v6,vl,vtype>v6; 57a00850 v0,vl,vtype>v0; d7258850 v0,v11,v8,vl,vtype>v11;
        87d08002 ra>v1; 87da8222 t0>v21,v22; 87098d22 s10>v19,v20; 87fe8e62 t4>v29,v30,v31;
        878d8462 s1>v27,v28,v29,v30; 875a81e2 sp>v21,v22,v23,v24,v25,v26,v27,v28;
        877a80e2 >v21,v22,v23,v24,v25,v26,v27,v28; 078689e2 s3>v12,v13,v14,v15,v16,v17,v18,v19;
        07680b03 s6,vl,vtype>v16,vl; 0701b102 sp,vl,vtype>v2; 877b680d a6,v0,v22,v23,vl,vtype>v23;
        8756a04e v10,vl,vtype>v13,v14,v15; 87ee8dae s11,v8,vl,vtype>v29,v30,v31;
        078a6cad s9,v0,v20,v21,v22,v23,v24,v25,vl,vtype>v20,v21,v22,v23,v24,v25;
        87090943 s2,vl,vtype>v19,v20,v21,vl; 87d10963 s3,vl,vtype>v3,v4,v5,v6,vl;
        87fa0162 gp,vl,vtype>v21,v22,v23,v24; 0775ca28 a2,s4,v0,v10,v11,vl,vtype>v10,v11;
        87d93288 gp,t0,v0,v19,v20,v21,v22,v23,vl,vtype>v19,v20,v21,v22,v23;
        070a86c8 a2,s0,v0,v20,v21,v22,v23,v24,v25,v26,vl,vtype>v20,v21,v22,v23,v24,v25,v26;
        07dea007 ra,v26,vl,vtype>v28; 0758dc26 s8,v13,vl,vtype>v16,v17;
        07eb6f65 t6,v0,v22,v23,v24,v25,vl,vtype>v22,v23,v24,v25;
        07f28cc4 s9,v0,v10,v4,v5,v6,v7,v8,v9,vl,vtype>v10,v4,v5,v6,v7,v8,v9;
        57a7bab4 v0,v11,v14,v21,vl,vtype>v14; 57683bb6 s6,v16,v3,vl,vtype>v16;
        57365447 v21,vl,vtype>v12; d730b744 v0,v11,vl,vtype>v1; d70bd546 v10,v13,vl,vtype>v23;
        d78e3d45 v0,v19,v27,vl,vtype>v29; d7446f47 t5,v22,vl,vtype>v9;
        57415345 t1,v0,v21,vl,vtype>v2; d7a9d1a7 v19,v29,v3,vl,vtype>v19;
        57e8c5a7 a1,v16,v28,vl,vtype>v16; 572f8d66 v26,v8,vl,vtype>v30; d7a23162 v3,vl,vtype>v5;
        d783311f v19,v3,vl,vtype>v7; 574f9a1e s4,v9,vl,vtype>v30; 5780481a v17,v4,vl,vtype>v0;
        d7cf4719 a5,v0,v20,v31,vl,vtype>v31; 57b29d5c v0,v9,vl,vtype>v4;
        d789345c v0,v3,v9,vl,vtype>v19; d7ce365d a3,v0,v19,vl,vtype>v29;
        5750fe60 ft8,v0,v15,vl,vtype>v0; d71a1a62 v1,v20,vl,vtype>v21;
        57d4ac7d fs9,v0,v26,v8,vl,vtype>v8; 575a4976 fs2,v4,vl,vtype>v20;
        d755e866 fa6,v14,vl,vtype>v11; d7112d67 v18,v26,vl,vtype>v3; d7d0b66f fa3,v27,vl,vtype>v1;
        d7976b6f v22,v23,vl,vtype>v15; 57d7bc70 fs9,v0,v11,v14,vl,vtype>v14;
        d71a9472 v8,v9,vl,vtype>v21; d785f816 v15,v17,vl,vtype>v11; d7c55917 s3,v21,vl,vtype>v11;
        578c6f10 v0,v24,v31,v6,vl,vtype>v24; 57c47112 gp,v7,vl,vtype>v8; 5720ce77 v28,vl,vtype>v0;
        d72feb7a v14,v22,vl,vtype>v31; 57a1416b v20,v3,vl,vtype>v2; d722b672 v11,v12,vl,vtype>v5;
        578eb14e v11,v3,vl,vtype>v28; d7845c4d v0,v21,v25,vl,vtype>v9; d7c98c4e s9,v8,vl,vtype>v19;
        d7cfae4c t4,v0,v10,vl,vtype>v31; d7a2d052 v13,vl,vtype>v5; 57b7ab62 v10,vl,vtype>v14;
        d78c5e62 v29,v5,vl,vtype>v25; d7455962 s2,v5,vl,vtype>v11; d7bdce7e v12,vl,vtype>v27;
        d742cd7c s10,v0,v12,v5,vl,vtype>v5; 57ba697b v22,vl,vtype>v20;
        57485e78 t3,v0,v16,v5,vl,vtype>v16; d7a2e150 v0,v14,v5,vl,vtype>v5;
        d7331c75 v0,v17,v7,vl,vtype>v7; d7022977 v18,vl,vtype>v5;
        574ea275 tp,v0,v26,v28,vl,vtype>v28; 57b9bf70 v0,v11,v18,vl,vtype>v18;
        5706fe73 v28,v31,vl,vtype>v12; d7468a73 s4,v24,vl,vtype>v13; 57872c6e v2,v25,vl,vtype>v14;
        d7ca306d ra,v0,v19,v21,vl,vtype>v21; 5709ac6b v24,v26,vl,vtype>v18;
        57c54c6b s9,v20,vl,vtype>v10; 57383265 v0,v16,v19,vl,vtype>v16;
        57098564 v0,v10,v18,v8,vl,vtype>v18; d7429e67 t3,v25,vl,vtype>v5; 57230152 v0,vl,vtype>v6;
        57a01d94 v0,v1,v27,vl,vtype>v0; d7eea695 a3,v0,v26,v29,vl,vtype>v29;
        57a1589e v17,v5,vl,vtype>v2; 5763029c tp,v0,v6,vl,vtype>v6;
        d72c8199 v0,v2,v24,v25,vl,vtype>v25; 576c9199 sp,v0,v24,v25,vl,vtype>v24;
        d7ab8d91 v0,v23,v24,v27,vl,vtype>v23; d7ebca93 s5,v28,vl,vtype>v23;
        d7ed0e42 t4,vl,vtype>v27; d73a015e vl,vtype>v21; 57060f5e v30,vl,vtype>v12;
        574e0b5e s6,vl,vtype>v28; d7213042 v3,vl,vtype>gp; d73ba09e v10>v23;
        57bdd09f v29,v30>v26,v27; 57b8619f v22,v23,v24,v25>v16,v17,v18,v19;
        57b0b39e v11,v12,v13,v14,v15,v16,v17,v18>v0,v1,v2,v3,v4,v5,v6,v7;
        5726457e v10,v4,vl,vtype>v12; 57a4586f v17,v21,vl,vtype>v8;
        57b762be v6,vl,vtype,vxrm,vxsat>v14,vxsat; d78d7abf v21,v23,vl,vtype,vxrm,vxsat>v27,vxsat;
        57461dbe s10,v1,vl,vtype,vxrm,vxsat>v12,vxsat; d73748ba v4,vl,vtype,vxrm,vxsat>v15,vxsat;
        d7858bb9 v0,v11,v23,v24,vl,vtype,vxrm,vxsat>v11,vxsat;
        5748d4b8 s0,v0,v13,v16,vl,vtype,vxrm,vxsat>v16,vxsat; 57a571bc v0,v10,v3,v7,vl,vtype>v10;
        d76804bc s0,v0,v17,vl,vtype>v17; d72a99ad v0,v18,v21,v25,vl,vtype>v21;
        576113ae t1,v1,v2,vl,vtype>v2; 57b5e4b6 v14,vl,vtype>v10;
        5783e0b4 v0,v1,v14,v6,vl,vtype>v6; d7cc3eb4 t4,v0,v25,v3,vl,vtype>v25;
        d73885b0 v0,v17,v8,vl,vtype>v17; 578bd6b0 v0,v13,v22,vl,vtype>v22;
        d7c191b0 gp,v0,v3,v9,vl,vtype>v3; d7332b2a v2,vl,vtype>v7; d783a22a v10,v5,vl,vtype>v7;
        57470529 a0,v0,v14,v16,vl,vtype>v14; d7a59705 v0,v15,v25,vl,vtype>v11;
        57a9df1d v0,v29,v31,vl,vtype>v18; d7a63b1b v19,v23,vl,vtype>v13;
        5725d914 v0,v13,v18,vl,vtype>v10; d7abb710 v0,v11,v15,vl,vtype>v23;
        d7abda08 v0,v13,v21,vl,vtype>v23; d7a67902 v19,v7,vl,vtype>v13;
        572a8d0f v24,v26,vl,vtype>v20; d727248d v0,v15,v18,v8,vl,vtype>v15;
        d7ec9d8e s11,v9,vl,vtype>v25; d7ab8b89 v0,v23,v24,vl,vtype>v23;
        d76a898b s2,v24,vl,vtype>v21; 57b0e832 v14,vl,vtype>v0;
        d70e3930 v0,v18,v29,v3,vl,vtype>v29; d749f930 s2,v0,v15,v19,vl,vtype>v19;
        d7842438 v0,v2,v9,vl,vtype>v9; d7bfb10c v0,v11,v31,vl,vtype>v31;
        574d620e tp,v6,vl,vtype>v26; a7878702 a5,v15>; a78f8022 ra,v31>;
        278b8a62 s5,v22,v23,v24,v25>; 270b8be2 s6,v22,v23,v24,v25,v26,v27,v28,v29>;
        d7bc4987 v20,vl,vtype,vxsat>v25,vxsat; 57089e84 v0,v16,v28,v9,vl,vtype,vxsat>v16,vxsat;
        d74c7184 sp,v0,v25,v7,vl,vtype,vxsat>v25,vxsat; d7b4ef81 v0,v30,v9,vl,vtype,vxsat>v9,vxsat;
        d7831e81 v0,v17,v29,v7,vl,vtype,vxsat>v7,vxsat; 57c38082 ra,v8,vl,vtype,vxsat>v6,vxsat;
        d7867f48 v0,v31,v7,vl,vtype>v13; 57c2cc49 s9,v0,v28,vl,vtype>v4; d7f894d4 >a7,vl,vtype;
        d7725081 s5>t0,vl,vtype; 57f4894e s3>s0,vl,vtype; 57af934a v9,vl,vtype>v30;
        57a2e248 v0,v14,v4,vl,vtype>v4; 57aca14b v26,vl,vtype>v24;
        d7efef3c t6,v0,v14,v31,vl,vtype>v31; 576f8a3a s4,v8,vl,vtype>v30;
        573f4f3d v0,v20,v30,vl,vtype>v30; 5745153e a0,v1,vl,vtype>v10; 5733f73b v31,v6,vl,vtype>v6;
        5748893a s2,v16,v8,vl,vtype>v16; 57b8e994 v0,v14,v16,vl,vtype>v16;
        d7062395 v0,v13,v18,v6,vl,vtype>v13; d7c13b94 s7,v0,v3,vl,vtype>v3;
        a704bb02 s6,v9,vl,vtype>; d78d019d v0,v16,v27,v3,vl,vtype,vxrm,vxsat>v27,vxsat;
        574ee89e a6,v14,vl,vtype,vxrm,vxsat>v28,vxsat;
        27d66b6d s7,v0,v12,v13,v14,v15,v22,vl,vtype>; a7f04b6f s7,v1,v2,v20,v3,v4,vl,vtype>;
        a7e130ae ra,v3,v4,v5,v6,v7,v8,vl,vtype>; 27ff95ae a1,v30,v31,v9,vl,vtype>;
        a76ef0cf v29,v30,v31,vl,vtype>; 57bca2a4 v0,v10,v24,vl,vtype>v24;
        d70227a6 v14,v2,vl,vtype>v5; d742faa5 s4,v0,v31,v5,vl,vtype>v5; d7b98ca2 v8,vl,vtype>v19;
        578171a2 v3,v7,vl,vtype>v2; d74785a2 a0,v8,vl,vtype>v15;
        a75d0c62 s8,v27,v28,v29,v30,vl,vtype>; d73d8fae v8,vl,vtype,vxrm>v27;
        d78d47ad v0,v15,v20,v27,vl,vtype,vxrm>v27; 57c291ae gp,v9,vl,vtype,vxrm>v4;
        57bb03a9 v0,v16,v22,vl,vtype,vxrm>v22; d70ad8ab v16,v29,vl,vtype,vxrm>v21;
        d743d5a8 a0,v0,v13,v7,vl,vtype,vxrm>v7; a7577269 s7,tp,v0,v15,v16,v17,v18,vl,vtype>;
        a706ce6b t3,v13,v14,v15,v16,vl,vtype>;
        a7d8b8e8 a1,a7,v0,v17,v18,v19,v20,v21,v22,v23,v24,vl,vtype>;
        d787268c v0,v13,v15,v2,vl,vtype,vxsat>v15,vxsat;
        d742a98c s2,v0,v10,v5,vl,vtype,vxsat>v5,vxsat;
        d7878688 v0,v13,v15,v8,vl,vtype,vxsat>v15,vxsat; 57ce748b s1,v23,vl,vtype,vxsat>v28,vxsat;
        57878109 v0,v14,v24,v3,vl,vtype>v14; 57cb4408 s1,v0,v22,v4,vl,vtype>v22;
        2758ee04 t3,v0,v14,v16,vl,vtype>; 278e7f45 t6,v0,v23,v28,v29,v30,vl,vtype>;
        278580e6 ra,v10,v11,v12,v13,v14,v15,v16,v17,v8,vl,vtype>; d7a110c6 v1,vl,vtype>v3;
        d76d9ec6 t3,v9,vl,vtype>v27; 572814d7 v17,v8,vl,vtype>v16; 57624ed6 t3,v4,vl,vtype>v4;
        d7afdfc2 v13,v31,vl,vtype>v31; 57ef6ec2 t4,v6,vl,vtype>v30;
        d72f23d1 v0,v18,v31,v6,vl,vtype>v31; d763ffd2 t5,v15,vl,vtype>v7;
        d72d60f7 v0,v22,v27,vl,vtype>v27; 5762ecf7 s8,v30,v4,vl,vtype>v4;
        57a5a2fd v0,v10,v26,v5,vl,vtype>v10; d76b64fd s0,v0,v22,v23,vl,vtype>v23;
        d72fcaf0 v0,v12,v20,v31,vl,vtype>v31; 57e5c3f0 t2,v0,v10,v12,vl,vtype>v10;
        57ec3efa t4,v24,v3,vl,vtype>v24; 57a12aef v18,v21,vl,vtype>v2;
        57ec5cec s9,v0,v24,v5,vl,vtype>v24; 5725a4eb v26,v8,vl,vtype>v10;
        576e9be9 s6,v0,v25,v28,vl,vtype>v28; d72f77e0 v0,v14,v31,v7,vl,vtype>v31;
        576cfee0 t3,v0,v15,v24,vl,vtype>v24; d780ffc7 v31,vl,vtype>v1;
        d70e69c1 v0,v18,v22,vl,vtype>v29; d72217ce v1,v14,vl,vtype>v5; d7e093cf t2,v25,vl,vtype>v1;
        d7a3dfdc v0,v13,v31,v7,vl,vtype>v7; d76c9bdc s6,v0,v25,v9,vl,vtype>v25;
        57a022c9 v0,v18,v5,vl,vtype>v0; 57eb50ca ra,v5,vl,vtype>v22; 57a014da v1,v9,vl,vtype>v0;
        57ebc5da a1,v12,vl,vtype>v22; 57bc622c v0,v24,v6,vl,vtype>v24;
        d78e0c2d v0,v16,v25,v29,vl,vtype>v29; 57c4db2f s7,v29,vl,vtype>v8;
        d72fe349 v0,v30,v31,vl,vtype>v31; d7251249 v0,v11,v17,vl,vtype>v11;
        d722214a v2,vl,vtype>v5; 73005010 >; 7300d000 >; 7300d001 >; b3496041 s6>s3;
        33493b00 gp,s6>s2; 13cf07ad a5>t5; 33aabe28 a1,t4>s4; b3480929 a6,s2>a7",
    );
}

#[test]
fn registers_of_32_bit_words() {
    check_words(
        InstructionSet::Riscv32,
        "
        338b9301 s9,t2>s6; 138a05c8 a1>s4; 33088c67 s8>a6; af271e04 ra,t3>a5; afa15064 ra,t0>gp;
        afa48267 s8,t0>s1; af22e5a5 a0,t5>t0; 2f2fc6a7 a2,t3>t5; 2f2cfce5 s8,t6>s8;
        afa42e84 sp,t4>s1; af2ebd83 s10,s11>t4; 2f2d7808 a6,t2>s10; b3731c01 a7,s8>t2;
        93fc2307 t2>s9; b3741740 a4,ra>s1; 1749d53b >s2; b395c649 a3,t3>a1; e30df370 a5,t1>;
        33578449 s0,s8>a4; 93522148 sp>t0; e3dd39e4 gp,s3>; 637b7343 s7,t1>; 33105a69 s4,s5>;
        63c42903 s2,s3>; 63ed8223 s8,t0>; 6392a3c4 a0,t2>; 93d57368 t2>a1; b3961129 a7,gp>a3;
        93934a28 s5>t2; b698 a3,a7>a7; 6d00 >; 6d71 sp>sp; 1012 sp>a2; 718d a0,a2>a0; 199b a4>a4;
        f9c1 a1>; 09e2 a2>; 0290 >; f431 a1>fa3; fa35 sp>fa1; 906b a5>fa2; c87b a5>fa0;
        1e6c sp>fs8; ea66 sp>fa3; aca4 fa1,s1>; eea2 fs11,sp>; 44f1 a0,fs1>; 6cf7 a4,fa1>;
        22f7 fs0,sp>; 6ee7 fs11,sp>; d1a9 >; 6521 >ra; 753f >ra; 0295 a0>ra; 828a s5>; 5d4a >s4;
        bd7f >t6; 444e a2>s1; 6249 sp>s2; 6280 s8>; 598f a4>a4; f20d s11>s11; 6d85 a0>a0;
        8983 a5>a5; 198c a4,s0>s0; ecd7 a1,a5>; 02cd sp>; 258d a0,s1>a0; 0f201d00 s10>;
        0fa02600 a3>; 0fa00700 a5>; 0f204100 sp>; 331f9d0a s1,s10>t5; 3337ba0a a1,s4>a4;
        33296c0b s6,s8>s2; 93960960 s3>a3; 139b2260 t0>s6; 139e1f60 t6>t3; 334e8e02 s0,t3>t3;
        335f6303 s6,t1>t5; 73001000 >; 73000000 >a0; d3051303 fa7,ft6>fa1; d392da05 fs5,ft9>ft5;
        d3f58901 fs3,fs8>fa1; d31d0be2 fs6>s11; 53970de4 fs11>a4; d39909e0 fs3>s3; 538203d2 t2>ft4;
        d32c1544 fa0>fs9; 53a20744 fa5>ft4; d3bc04d4 s1>fs9; d31c12d4 tp>fs9; d3f51e40 ft9>fa1;
        d3a40bd0 s7>fs1; 53851ad0 s5>fa0; d3f908c2 fa7>s3; 533500c4 ft0>a0; d3200bc0 fs6>ra;
        d3c917c2 fa5>s3; 53b41ec4 ft9>s0; d3871fc0 ft11>a5; d3308c1b fs8>ft1;
        539dec1d fs9,ft10>fs10; d347e619 fa2,ft10>fa5; d32081a3 fs8,ft2>ra; 532e7ca4 fs8,ft7>t3;
        532338a1 fa6,fs3>t1; 07b4708f ra>fs0; 538b8da3 fs11,fs8>s6; 538d5ba4 fs7,ft5>s10;
        53823ea0 ft3,ft9>tp; 07962e82 t4>fa2; d39cf1a2 fa5,ft3>s9; d31c52a5 fs5,ft4>s9;
        d31342a1 fs4,ft4>t2; 8725523c tp>fa1; 43a623fb fs2,ft11,ft7>fa2; c337d0d4 fa3,fs10,ft0>fa5;
        43f90d70 fa4,fs11,ft0>fs2; d313bc2b fs11,fs8>ft7; 5311422d fs4,ft4>ft2;
        5319ba28 fa1,fs4>fs2; 53001e2a ft1,ft8>ft0; 538e7d2c fs11,ft7>ft8; d38dc029 ft1,ft8>fs11;
        c771817b fa5,fs8,ft2>ft3; c7c533dd fs11,fs3,ft7>fa1; c7f3c800 fa2,fa7,ft0>ft7;
        532fea13 fs4,ft10>ft10; 539f6414 fs1,ft6>ft10; 5395d211 ft5,ft9>fa0; 53080cf4 s8>fa6;
        53880cf0 s9>fa6; 530a09e4 fs2>s4; d38c02e0 ft5>s9; cfa74322 ft4,ft7>fa5;
        cf9ff45d fa1,fs1,ft11>ft11; 4fa91870 fa4,fa7,ft1>fs2; 4b4354ba fs0,fs7,ft5>ft6;
        cbcb2774 fa4,fa5,ft2>fs7; 4bc53309 fs3,ft1,ft7>fa0; a73b6909 fs6,s2>; d3884a22 fs5,ft4>fa7;
        538a7624 fa3,ft7>fs4; 53893820 fa7,ft3>fs2; d39a1b22 fs7,ft1>fs5; d310ec24 fa4,fs8>ft1;
        d39e3720 fa5,ft3>ft9; d3a4c823 fa7,ft8>fs1; 53adfa25 fs5,ft11>fs10; d3a5cd20 fa2,fs11>fa1;
        a71e7257 fs7,tp>; d320015a ft2>ft1; d3b4075c fa5>fs1; 53970258 ft5>fa4;
        d32e8a0b fs4,fs8>ft9; d34b040c fs0,ft0>fs7; d31ec708 fa2,fa4>ft9; 2729a0f9 fs10>;
        7300d163 sp,t4>; 73808822 a7,s0>; 7300a667 a2,s10>; 73005226 t0,tp>; 73c10160 gp>sp;
        73cf1660 a3>t5; f3470a64 s4>a5; 734c1464 s0>s8; f3c60b68 s7>a3; 73cd3064 ra>s10;
        f3c23468 s1>t0; 73c05663 a3,s5>; 73c05b67 s5,s7>; 73c0056a a1>; 6fc83916 >a6;
        67864b13 s7>a2; 03016989 s2>sp; 83471fb4 t5>a5; 03917ecc t4>sp; 0356b2e2 tp>a2;
        afa80010 ra>a7; 2f2a0016 >s4; 375b1bb2 >s6; 03a79c46 s9>a4; 3364020a tp>s0;
        b373f70b a4,t6>t2; 33c7a20a a0,t0>a4; b35eb50a a0,a1>t4; b389b202 a1,t0>s3;
        33135b02 s6,t0>t1; b3a2ba03 s11,s5>t0; b3321003 a7>t0; 336de901 s2,t5>s10; 935b7f28 t5>s7;
        93e0b608 a3>ra; 33ef6141 gp,s6>t5; 33caff08 a5,t6>s4; b3f9c509 a1,t3>s3;
        33e3ae03 s10,t4>t1; 337fec02 a4,s8>t5; 93598969 s2>s3; b3928860 a7,s0>t0; 33530560 a0>t1;
        238b3e61 s3,t4>; afa44718 a5,tp>s1; afac731c t2>s9; af26481b a6,s4>a3; 93114060 >gp;
        939a5c60 s9>s5; 73001018 >; 7380e513 a1,t5>; 73000018 >; 23143149 s3,sp>;
        b3ab9520 a1,s1>s7; 33442d20 s10,sp>s0; b36a5120 sp,t0>s5; 13133c10 s8>t1;
        3389da5d s5,t4>s2; b30c0a5e s4>s9; 7300b017 s11>; 331e1500 a0,ra>t3; 139dea01 s5>s10;
        33a6cd01 s11,t3>a2; 93a2766d a3>t0; 93b2da8f s5>t0; b3bca101 gp,s10>s9; 330c8931 s2,s8>s8;
        b3806bb4 s7,t1>ra; b3da2140 gp,sp>s5; 13d77a43 s5>a4; 33583f01 s3,t5>a6; 13550702 a4>a0;
        33829241 s9,t0>tp; a3a93f07 s3,t6>; 93d8f408 s1>a7; 73005010 >; 7300d000 >; 7300d001 >;
        b3c92b40 s7,sp>s3; 33c56c01 s6,s9>a0; 13412823 a6>sp; 33adbf28 a1,t6>s10;
        334a5629 a2,s5>s4; 9318f708 a4>a7",
    );
}
