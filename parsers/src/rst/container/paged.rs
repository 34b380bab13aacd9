//! Large, sparsely used tables: pages are allocated when they are first used.

/// Remaining bytes that all tables together may allocate.
#[derive(Debug)]
pub struct TableBudget {
    bytes: usize,
}

/// A table of values, initially the default of their type, in pages of `PAGE` values.
#[derive(Debug)]
pub struct PagedTable<T, const PAGE: usize> {
    pages: Vec<Option<Box<[T; PAGE]>>>,
}

impl TableBudget {
    pub fn new(bytes: usize) -> Self {
        Self { bytes }
    }

    /// Takes `bytes` from the budget. Returns false if fewer are left.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.unwrap_or_default();
        left.is_some()
    }
}

impl<T: Clone + Default, const PAGE: usize> PagedTable<T, PAGE> {
    /// Creates a table of at least `count` values.
    pub fn new(count: usize) -> Self {
        Self {
            pages: (0..count.div_ceil(PAGE)).map(|_| None).collect(),
        }
    }

    /// Returns a value for reading and writing, or none if the index or the memory is exceeded.
    #[inline]
    pub fn place(&mut self, index: usize, budget: &mut TableBudget) -> Option<&mut T> {
        let page = self.pages.get_mut(index / PAGE)?;
        if page.is_none() {
            Self::begin(page, budget)?;
        }
        page.as_mut()?.get_mut(index % PAGE)
    }

    #[cold]
    fn begin(page: &mut Option<Box<[T; PAGE]>>, budget: &mut TableBudget) -> Option<()> {
        let is_left = budget.take(size_of::<T>() * PAGE);
        let values = || vec![T::default(); PAGE].into_boxed_slice().try_into().ok();
        *page = is_left.then(values).flatten();
        page.is_some().then_some(())
    }
}
