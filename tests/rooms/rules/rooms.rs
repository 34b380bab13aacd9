//! No rooms use each other in a circle.

use crate::circles::{Graph, circles, shortest};
use crate::survey::{Offence, Survey};
use crate::table::RoomId;

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let mut graph: Graph<RoomId> = Graph::new();
    for arrow in &survey.arrows {
        let (from, to) = (RoomId::of(survey.path_of(arrow.from)), RoomId::of(survey.path_of(arrow.to)));
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            graph.entry(from).or_default().insert(to);
        }
    }
    circles(&graph).iter().map(|circle| offence(survey, &graph, circle)).collect()
}

fn offence(survey: &Survey, graph: &Graph<RoomId>, circle: &[RoomId]) -> Offence {
    let names: Vec<_> = circle.iter().map(|room| room.name()).collect();
    let mut what = format!("{} rooms in a circle: {}", circle.len(), names.join(" "));
    let round = shortest(graph, circle);
    let mut first = None;
    for pair in round.windows(2) {
        let arrow = survey.arrows.iter().find(|arrow| {
            let rooms = [arrow.from, arrow.to].map(|file| RoomId::of(survey.path_of(file)));
            rooms == [Some(pair[0]), Some(pair[1])]
        });
        if let Some(arrow) = arrow {
            let from = survey.path_of(arrow.from);
            first.get_or_insert((from, arrow.line));
            what += &format!("\n    {} -> {}: {from}:{} {}", pair[0].name(), pair[1].name(), arrow.line, arrow.item);
        }
    }
    let (file, line) = first.unwrap_or(("", 0));
    Offence { file: file.to_owned(), line, what }
}
