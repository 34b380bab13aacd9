//! Where calls were made.

const PLACES: usize = 16;

/// The last sixteen calls of a processor.
#[derive(Debug, Default)]
pub struct PredictedReturnStack {
    calls: [u64; PLACES],
    top: usize,
    count: usize,
}

impl PredictedReturnStack {
    pub fn push(&mut self, pc: u64) {
        self.top = (self.top + 1) % PLACES;
        self.calls[self.top] = pc;
        self.count = (self.count + 1).min(PLACES);
    }

    /// The last call; 0 when there is none.
    pub fn pop(&mut self) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let call = self.calls[self.top];
        self.top = (self.top + PLACES - 1) % PLACES;
        self.count -= 1;
        call
    }

    /// Forgets how many there are; they stay.
    pub fn clear(&mut self) {
        (self.top, self.count) = (0, 0);
    }
}
