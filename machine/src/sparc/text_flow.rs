//! Control flow of SPARC instruction text.

use crate::text_flow::{InstructionWords, TextFlow};

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, operands } = InstructionWords::of(text, &[]);
    let base = mnemonic.split(',').next().unwrap_or_default();
    Some(match base {
        "call" => TextFlow::Call,
        "ret" | "retl" | "return" | "done" | "retry" => TextFlow::Return,
        "jmp" if matches!(operands.as_str(), "%i7+8" | "%o7+8" | "%i7+0xc" | "%o7+0xc") => {
            TextFlow::Return
        }
        "jmp" => TextFlow::Branch,
        "jmpl" if operands.ends_with(",%g0") => TextFlow::Branch,
        "jmpl" => TextFlow::Call,
        "b" | "ba" | "fb" | "fba" => TextFlow::Branch,
        _ if is_conditional(base) => TextFlow::Conditional,
        _ => return None,
    })
}

fn is_conditional(base: &str) -> bool {
    let rest = |prefix: &str| base.strip_prefix(prefix);
    rest("b").is_some_and(|rest| INTEGER.contains(&rest))
        || rest("fb").is_some_and(|rest| FLOAT.contains(&rest))
        || rest("br").is_some_and(|rest| REGISTER.contains(&rest))
        || rest("cwb")
            .or(rest("cxb"))
            .is_some_and(|rest| INTEGER.contains(&rest))
}

/// Conditions, including the synonyms that assemblers accept.
const INTEGER: [&str; 18] = [
    "ne", "e", "g", "le", "ge", "l", "gu", "leu", "cc", "cs", "pos", "neg", "vc", "vs", "z", "nz",
    "geu", "lu",
];
const FLOAT: [&str; 16] = [
    "u", "g", "ug", "l", "ul", "lg", "ne", "e", "ue", "ge", "uge", "le", "ule", "o", "nz", "z",
];
const REGISTER: [&str; 6] = ["z", "lez", "lz", "nz", "gz", "gez"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Option<TextFlow>, texts: &[&str]) {
        for text in texts {
            for text in [(*text).to_owned(), text.to_ascii_uppercase()] {
                assert_eq!(text_flow(&text), expected, "{text}");
            }
        }
    }

    #[test]
    fn branches_of_sparc_are_known() {
        check(
            Some(TextFlow::Call),
            &["call 0x1000", "call %g1", "jmpl %l1, %o7"],
        );
        check(
            Some(TextFlow::Return),
            &[
                "ret",
                "retl",
                "return %i7 + 8",
                "jmp %o7 + 8",
                "done",
                "retry",
            ],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "b 0x80",
                "b,a %xcc, 0x80",
                "ba 8",
                "jmp %g1 + 8",
                "jmpl %l1, %g0",
                "fb 8",
            ],
        );
        let conditional = [
            "bl 0x80",
            "bleu,a,pn %icc, 8",
            "brz %o1, 8",
            "brlez,a %o1, 8",
            "fbl,a %fcc1, 8",
            "cwbne %o1, 3, 8",
        ];
        check(Some(TextFlow::Conditional), &conditional);
        check(
            None,
            &[
                "bn 0x80",
                "bmask %o0, %o1, %o2",
                "btst 1, %o0",
                "bshuffle %f0, %f2, %f4",
                "nop",
                "ta 0x6d",
            ],
        );
    }
}
