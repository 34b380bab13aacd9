//! No function takes a tuple or a `bool`, and none has more than five parameters.

use crate::rooms::resolve::Target;
use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::scan::signature::{Owner, Problem};
use crate::rooms::survey::{Offence, Survey};

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let facts = survey.workspace.facts.iter().filter_map(|placed| {
        let FactKind::Signature {
            function,
            owner,
            problem,
        } = &placed.fact.kind
        else {
            return None;
        };
        // The trait decides the parameters of a method; its implementation does not.
        let is_its_own = match owner {
            Owner::Own => true,
            Owner::ImplOf(path) => {
                let ours = matches!(
                    survey.workspace.resolve(placed.module, path),
                    Some(Target::Item(_))
                );
                ours && *problem == Problem::TakenApart
            }
        };
        let file = survey
            .path_of(survey.workspace.file_of(placed.module))
            .to_owned();
        is_its_own.then(|| Offence {
            file,
            line: placed.fact.line,
            what: format!("fn {function} {problem}"),
        })
    });
    facts.collect()
}
