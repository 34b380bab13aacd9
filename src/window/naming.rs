//! Names that the user gives to addresses show wherever symbols do.

use std::sync::Arc;

use stepback_machine::Address;

use super::app::App;
use crate::image::{GivenName, Images};
use crate::notes::Bookmarks;
use crate::worker::{Lane, Ticket};

/// The names in use, and those that are being put into use.
#[derive(Default)]
pub struct Naming {
    names: Vec<GivenName>,
    job: Option<Ticket<Arc<Images>>>,
}

/// The names among bookmarks: those of memory.
fn names_of(bookmarks: &Bookmarks) -> Vec<GivenName> {
    let given = |(address, len_bytes, name): (u64, u64, &str)| GivenName {
        address: Address(address),
        len_bytes,
        name: name.to_owned(),
    };
    bookmarks.names().map(given).collect()
}

impl App {
    /// Puts the names into use where they changed: a worker makes the tables, and all panels ask again.
    pub(super) fn look_at_names(&mut self) {
        let Some(workspace) = self.workspace.as_mut().filter(|workspace| workspace.part.is_none()) else { return };
        if let Some(Ok(images)) = workspace.naming.job.as_ref().and_then(Ticket::take) {
            workspace.naming.job = None;
            workspace.session = Arc::new(workspace.session.with_images(images));
            self.worker.renew();
        }
        // Few, and only those of memory: cheaper than to notice each way in which bookmarks change.
        let is_same = workspace.naming.names.iter().map(|known| (known.address.0, known.len_bytes, &*known.name));
        if workspace.naming.job.is_some() || is_same.eq(workspace.bookmarks.names()) {
            return;
        }
        let names = names_of(&workspace.bookmarks);
        workspace.naming.names.clone_from(&names);
        let images = Arc::clone(&workspace.session.images);
        workspace.naming.job = Some(self.worker.spawn(Lane::Short, move |_| Ok(Arc::new(images.with_names(&names)))));
    }
}
