//! Cycles of files are small and stay within one folder.

use std::collections::BTreeSet;

use crate::rooms::circles::{Graph, circles, shortest};
use crate::rooms::survey::{Offence, Survey};
use crate::rooms::workspace::{FileId, folder_of};

/// Maximum number of files in a cycle.
const LARGEST_CIRCLE: usize = 4;

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let mut graph: Graph<FileId> = Graph::new();
    for arrow in &survey.arrows {
        graph.entry(arrow.from).or_default().insert(arrow.to);
    }
    let found = circles(&graph);
    let forbidden = found.iter().filter(|circle| {
        circle.len() > LARGEST_CIRCLE || shared_folders(survey, circle).is_empty()
    });
    forbidden
        .map(|circle| offence(survey, &graph, circle))
        .collect()
}

/// Returns the folders that contain all files of a cycle.
fn shared_folders(survey: &Survey, circle: &[FileId]) -> BTreeSet<String> {
    let folders = circle
        .iter()
        .map(|file| folders_of(survey, survey.path_of(*file)));
    folders
        .reduce(|all, one| all.intersection(&one).cloned().collect())
        .unwrap_or_default()
}

/// Returns the folder of a file, and the folder next to it with the same name.
fn folders_of(survey: &Survey, path: &str) -> BTreeSet<String> {
    let beside = path.trim_end_matches(".rs").to_owned();
    let opens_it = survey
        .workspace
        .files
        .iter()
        .any(|file| folder_of(file) == beside);
    BTreeSet::from_iter(
        opens_it
            .then_some(beside)
            .into_iter()
            .chain([folder_of(path).to_owned()]),
    )
}

fn offence(survey: &Survey, graph: &Graph<FileId>, circle: &[FileId]) -> Offence {
    let mut what = format!("{} files in a circle:", circle.len());
    for file in circle {
        let within: Vec<_> = graph[file]
            .iter()
            .filter(|to| circle.contains(to))
            .collect();
        what += &format!("\n    {} uses", survey.path_of(*file));
        for to in within {
            let arrow = survey
                .arrows
                .iter()
                .find(|arrow| (arrow.from, arrow.to) == (*file, *to));
            let item = arrow.map_or("", |arrow| &arrow.item);
            what += &format!(
                " {}({item})",
                survey
                    .path_of(*to)
                    .rsplit_once("src/")
                    .map_or("", |(_, file)| file)
            );
        }
    }
    let round: Vec<_> = shortest(graph, circle)
        .iter()
        .map(|file| survey.path_of(*file))
        .collect();
    what += &format!("\n    shortest way round: {}", round.join(" -> "));
    let file = circle
        .first()
        .map_or("", |file| survey.path_of(*file))
        .to_owned();
    Offence {
        file,
        line: 1,
        what,
    }
}
