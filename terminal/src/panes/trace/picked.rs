//! The picked effect of the last step: its cell's previous write can be travelled to.

use stepback_parsers::Position;

use stepback_debugger::action::CellName;
use stepback_debugger::model::step_rows::StepRow;

/// One of the lines that belong to the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedEffect {
    /// Position after the step.
    pub at: Position,
    /// Index of the line. In raw text line 0 is the instruction itself.
    pub place: usize,
    /// Index of the effect.
    pub effect: Option<usize>,
    /// The affected cell.
    pub cell: Option<CellName>,
}

/// Returns the next effect of a step, or none after the last. Effects without a cell are skipped.
pub fn next_effect(
    row: &StepRow,
    at: Position,
    now: Option<&PickedEffect>,
) -> Option<PickedEffect> {
    let first = now
        .filter(|now| now.at == at)
        .map_or(0, |now| now.place + 1);
    let (place, effect) = row
        .effects
        .iter()
        .enumerate()
        .skip(first)
        .find(|(_, effect)| effect.cell.is_some())?;
    Some(PickedEffect {
        at,
        place,
        effect: Some(place),
        cell: effect.cell.clone(),
    })
}

/// Returns the next line of a step, or none after the last.
pub fn next_line(
    lines: &[String],
    row: Option<&StepRow>,
    at: Position,
    now: Option<&PickedEffect>,
) -> Option<PickedEffect> {
    let place = now
        .filter(|now| now.at == at)
        .map_or(0, |now| now.place + 1);
    let line = lines.get(place)?;
    let effect = row.and_then(|row| effect_in(line, row));
    let cell = effect.and_then(|effect| row?.effects.get(effect)?.cell.clone());
    Some(PickedEffect {
        at,
        place,
        effect,
        cell,
    })
}

/// Returns the effect that a line of text describes: the line contains the register's name or the
/// address.
fn effect_in(line: &str, row: &StepRow) -> Option<usize> {
    let words: Vec<String> = line
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .map(str::to_lowercase)
        .collect();
    row.effects.iter().position(|effect| match &effect.cell {
        Some(CellName::Register(name)) => words.iter().any(|word| word == name),
        Some(CellName::Memory(address, _)) => {
            let digits = address.trim_start_matches("0x");
            words.iter().any(|word| {
                word.trim_start_matches("0x").trim_start_matches('0')
                    == digits.trim_start_matches('0')
            })
        }
        None => false,
    })
}
