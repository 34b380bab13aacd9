//! Return address predictor.

const PLACES: usize = 16;

/// Circular stack of the last sixteen calls of a processor.
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

    /// Removes and returns the address of the last call; 0 if the stack is empty.
    pub fn pop(&mut self) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let call = self.calls[self.top];
        self.top = (self.top + PLACES - 1) % PLACES;
        self.count -= 1;
        call
    }

    /// Resets the count to 0. The entries keep their values.
    pub fn clear(&mut self) {
        (self.top, self.count) = (0, 0);
    }
}
