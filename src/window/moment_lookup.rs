//! Moves to moments that have to be looked for: another visit, another line, where something becomes so.

use std::sync::Arc;

use anyhow::anyhow;
use stepback_index::Cancel;
use stepback_parsers::Position;

use super::app::App;
use super::found::Found;
use super::lookup::{Lookup, Question};
use super::reached::Reached;
use crate::action::{Action, Way};
use crate::analysis::condition::{Course, next_true};
use crate::analysis::exceptions::next_exception;
use crate::analysis::names::NameError;
use crate::analysis::step_places::{Callees, LineWalk, next_visit};
use crate::analysis::tracked::{Scene, thread_of};
use crate::model::watch_state::next_change;
use crate::notes::Watch;
use crate::session::Session;
use crate::worker::Lane;

impl App {
    /// To another execution of the step just done.
    pub(super) fn go_to_visit(&mut self, way: Way) {
        self.seek(move |session, from, cancel| {
            let found = next_visit(&session.index, Course { from, way }, cancel)?;
            let words = || format!("this instruction is not executed {} this position", side(way));
            Ok(found.map_or_else(|| Found::nothing(session, way, words()), Found::Position))
        });
    }

    /// To another exception, interrupt, trap or signal.
    pub(super) fn go_to_exception(&mut self, way: Way) {
        self.seek(move |session, from, cancel| {
            let found = next_exception(&session.index, Course { from, way }, cancel)?;
            let words = || format!("there is no exception, interrupt, trap or signal {} this position", side(way));
            Ok(found.map_or_else(|| Found::nothing(session, way, words()), Found::Position))
        });
    }

    /// To another line of the source.
    pub(super) fn go_to_next_line(&mut self, callees: Callees, way: Way) {
        self.seek(move |session, from, cancel| {
            let (index, images) = (&session.index, &session.images);
            let walk = LineWalk { index, images, thread: thread_of(index, from)?, callees, cancel };
            let found = walk.next_line(Course { from, way })?;
            let words = || match images.has_lines() {
                Ok(true) => format!("no other source line is executed {} this position", side(way)),
                _ => "no source lines are known: add an image that was compiled with -g".to_owned(),
            };
            Ok(found.map_or_else(|| Found::nothing(session, way, words()), Found::Position))
        });
    }

    /// To where a condition becomes true.
    pub(super) fn go_to_where(&mut self, condition: String, way: Way) {
        if let Some(workspace) = self.workspace.as_mut() {
            workspace.condition = Some(condition.clone());
        }
        let reached = Reached::default();
        let told = reached.clone();
        self.seek(move |session, from, cancel| {
            let (index, images) = (&session.index, &session.images);
            let scene = Scene { index, images, thread: thread_of(index, from)?, cancel };
            let looked = |at: Position| told.tell(at.0.abs_diff(from.0));
            let found = next_true(&scene, &condition, Course { from, way }, &looked).map_err(plain)?;
            let words = || format!("{condition} does not become true {} this position", side(way));
            Ok(found.map_or_else(|| Found::nothing(session, way, words()), Found::Position))
        });
        if let Some(lookup) = self.workspace.as_mut().and_then(|workspace| workspace.lookup.as_mut()) {
            lookup.reached = Some(reached);
        }
    }

    /// The same once more; asks where nothing was sought yet.
    pub(super) fn go_to_where_again(&mut self, way: Way) {
        let Some(workspace) = self.workspace.as_ref() else { return };
        match workspace.condition.clone() {
            Some(condition) => self.go_to_where(condition, way),
            None => {
                let name = if way == Way::Back { "Previous where…" } else { "Next where…" };
                self.queue.push_front(Action::AskFor(name.to_owned()));
            }
        }
    }

    /// To where a watch has another value.
    pub(super) fn go_to_change(&mut self, watch: String, way: Way) {
        self.seek(move |session, from, cancel| {
            let found = next_change(session, &Watch::parse(&watch), from, way, cancel)?;
            let words = || format!("{watch} does not change {} this position", side(way));
            Ok(found.map_or_else(|| Found::nothing(session, way, words()), Found::Position))
        });
    }

    /// Looks for a place from the active window's position on.
    fn seek(&mut self, find: impl Fn(&Session, Position, &Cancel) -> anyhow::Result<Found> + Send + Sync + 'static) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let (window, from) = (workspace.windows.active, workspace.windows.active().position);
        let question: Arc<Question> = Arc::new(move |session, cancel| find(session, from, cancel));
        workspace.lookup = Some(Lookup::asked(&workspace.session, &self.worker, window, Lane::Long, question));
        self.take_found();
    }
}

/// What is wrong with an expression, which the user has just typed, without its place.
fn plain(error: NameError) -> anyhow::Error {
    match error {
        NameError::Expression { error, .. } if error.behind().is_none() => anyhow!("{}", error.kind),
        error => error.into(),
    }
}

fn side(way: Way) -> &'static str {
    match way {
        Way::Back => "before",
        Way::Forward => "after",
    }
}
