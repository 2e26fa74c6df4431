//! Sets that grow together: who hangs together with whom.

/// Sets that are joined pairwise; each is named by its smallest member.
///
/// ```
/// let mut sets = fracas::sets::Sets::new(4);
/// sets.join(3, 1);
/// assert_eq!((sets.find(3), sets.find(2)), (1, 2));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    /// Every number below `count` by itself.
    pub fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// The same, keeping its room: every number below `count` by itself.
    pub fn reset(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..count as u32);
    }

    /// One more number, by itself.
    pub fn push(&mut self) {
        self.parent.push(self.parent.len() as u32);
    }

    /// The name of the set that `of` is in.
    pub fn find(&mut self, of: u32) -> u32 {
        let mut at = of;
        while self.parent[at as usize] != at {
            let above = self.parent[self.parent[at as usize] as usize];
            self.parent[at as usize] = above;
            at = above;
        }
        at
    }

    /// Makes one set of two.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against the slow way: names are spread until nothing changes.
        #[test]
        fn sets_are_those_of_a_flood(pairs in prop::collection::vec((0..40u32, 0..40u32), 0..60)) {
            let mut sets = Sets::new(40);
            let mut names: Vec<u32> = (0..40).collect();
            for &(a, b) in &pairs {
                sets.join(a, b);
                let (from, to) = (names[a as usize], names[b as usize]);
                let name = from.min(to);
                names.iter_mut().filter(|n| **n == from || **n == to).for_each(|n| *n = name);
            }
            for k in 0..40 {
                prop_assert_eq!(sets.find(k), names[k as usize]);
            }
        }
    }
}
