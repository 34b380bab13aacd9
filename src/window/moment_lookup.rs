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
use crate::messages::say;
use crate::model::watch_state::next_change;
use crate::notes::Watch;
use crate::session::Session;
use crate::worker::Lane;

impl App {
    /// To another execution of the step just done.
    pub(super) fn go_to_visit(&mut self, way: Way) {
        self.seek(move |session, from, cancel| {
            let found = next_visit(&session.index, Course { from, way }, cancel)?;
            let words = || {
                str::to_owned(match way {
                    Way::Back => say!("lookup-instruction-before"),
                    Way::Forward => say!("lookup-instruction-after"),
                })
            };
            Ok(found_or(found, session, way, words))
        });
    }

    /// To another exception, interrupt, trap or signal.
    pub(super) fn go_to_exception(&mut self, way: Way) {
        self.seek(move |session, from, cancel| {
            let found = next_exception(&session.index, Course { from, way }, cancel)?;
            let words = || {
                str::to_owned(match way {
                    Way::Back => say!("lookup-no-exception-before"),
                    Way::Forward => say!("lookup-no-exception-after"),
                })
            };
            Ok(found_or(found, session, way, words))
        });
    }

    /// To another line of the source.
    pub(super) fn go_to_next_line(&mut self, callees: Callees, way: Way) {
        self.seek(move |session, from, cancel| {
            let (index, images) = (&session.index, &session.images);
            let walk = LineWalk { index, images, thread: thread_of(index, from)?, callees, cancel };
            let found = walk.next_line(Course { from, way })?;
            let words = || {
                str::to_owned(match (images.has_lines(), way) {
                    (Ok(true), Way::Back) => say!("lookup-no-line-before"),
                    (Ok(true), Way::Forward) => say!("lookup-no-line-after"),
                    _ => say!("lookup-no-lines"),
                })
            };
            Ok(found_or(found, session, way, words))
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
            let words = || match way {
                Way::Back => say!("lookup-not-true-before", condition = &condition),
                Way::Forward => say!("lookup-not-true-after", condition = &condition),
            };
            Ok(found_or(found, session, way, words))
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
            let words = || match way {
                Way::Back => say!("lookup-no-change-before", watch = &watch),
                Way::Forward => say!("lookup-no-change-after", watch = &watch),
            };
            Ok(found_or(found, session, way, words))
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

/// A position that was found, or in words what there is none of that way.
fn found_or(found: Option<Position>, session: &Session, way: Way, words: impl FnOnce() -> String) -> Found {
    found.map_or_else(|| Found::nothing(session, way, words()), Found::Position)
}

/// What is wrong with an expression, which the user has just typed, without its place.
fn plain(error: NameError) -> anyhow::Error {
    match error {
        NameError::Expression { error, .. } if error.behind().is_none() => anyhow!("{}", error.kind),
        error => error.into(),
    }
}
