//! What fell off: found by walking from the ends of cut bonds, not through the whole body.

use crate::parallel::Span;
use crate::sets::Sets;
use crate::solids::Solid;

/// No particle, no walk.
const NONE: u32 = u32::MAX;

/// Walks along bonds, one from every end of a cut, breadth first and in lock step. Two that meet
/// become one; one that has no way on has been through a part that fell off. So the work is that of
/// the smaller side, and at most that of one flood fill for all cuts together.
///
/// Ends that share a neighbour are still connected and need no walk. Of the others, walks are
/// related that are the two ends of a cut, or have met, or are related to the same walk. They go on
/// until of all that are related to each other one is left, for then it is known what fell off: what
/// was connected before and no longer is, is so across cuts, whose ends are related; so a way from
/// a walk that is left to another part leads through parts that are known, and back to the same.
#[derive(Debug, Default)]
pub(in crate::world) struct Walks {
    /// Of every particle: the first walk that came there, or `NONE`.
    reached_by: Vec<u32>,
    /// Of every particle that waits: the next that does, or `NONE`.
    next: Vec<u32>,
    /// Particles that walks came to.
    reached: Vec<u32>,
    walks: Vec<Walk>,
    met: Sets,
    related: Sets,
    /// Walks that have neither met another nor come to an end, by the name of those related.
    open: Vec<u32>,
    /// Walks that go on.
    going: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Walk {
    /// Where it began.
    from: u32,
    /// The first and the last particle that it came to and has not gone on from.
    waiting: [u32; 2],
    /// The round in which it last took a step.
    round: u32,
    /// Whether it came to an end: what it has been through has fallen off.
    ended: bool,
    /// The lowest particle of the part it has been through.
    first: u32,
}

impl Walks {
    /// With room for a body of so many particles.
    pub fn with_room(count: usize) -> Self {
        let mut walks = Self {
            reached_by: vec![NONE; count],
            next: vec![NONE; count],
            reached: Vec::with_capacity(count),
            walks: Vec::with_capacity(count),
            met: Sets::new(count),
            related: Sets::new(count),
            open: Vec::with_capacity(count),
            going: Vec::with_capacity(count),
        };
        walks.forget();
        walks
    }

    /// Finds out what fell off by cuts, which are done already.
    pub fn follow(&mut self, solid: &dyn Solid, cuts: impl Iterator<Item = [usize; 2]>) {
        self.forget();
        self.reached_by.resize(solid.particle_count(), NONE);
        self.next.resize(solid.particle_count(), NONE);
        for [a, b] in cuts {
            let others = solid.neighbours(b);
            if !solid.neighbours(a).iter().any(|i| others.contains(i)) {
                let (a, b) = (self.begin(a), self.begin(b));
                self.related.join(a, b);
            }
        }
        self.open.resize(self.walks.len(), 0);
        for walk in 0..self.walks.len() as u32 {
            self.open[self.related.find(walk) as usize] += 1;
        }
        self.going.extend(0..self.walks.len() as u32);
        let mut round = 0;
        while !self.going.is_empty() {
            round += 1;
            self.take_round(solid, round);
        }
    }

    /// The walk from particle `i`.
    fn begin(&mut self, i: usize) -> u32 {
        if self.reached_by[i] == NONE {
            let from = i as u32;
            self.reached_by[i] = self.walks.len() as u32;
            self.reached.push(from);
            self.walks.push(Walk { from, waiting: [from; 2], round: 0, ended: false, first: NONE });
            self.met.push();
            self.related.push();
        }
        self.reached_by[i]
    }

    /// Every walk that must goes on from one particle.
    fn take_round(&mut self, solid: &dyn Solid, round: u32) {
        let mut kept = 0;
        for k in 0..self.going.len() {
            let walk = self.met.find(self.going[k]);
            let related = self.related.find(walk) as usize;
            let Walk { waiting: [i, _], round: last, .. } = self.walks[walk as usize];
            // one of several that have met goes on for all
            if self.open[related] < 2 || last == round {
                continue;
            }
            if i == NONE {
                self.walks[walk as usize].ended = true;
                self.open[related] -= 1;
                continue;
            }
            self.walks[walk as usize].round = round;
            self.go_on(walk, i, solid);
            self.going[kept] = walk;
            kept += 1;
        }
        self.going.truncate(kept);
    }

    /// Goes on from particle `i`, the first that waits.
    fn go_on(&mut self, walk: u32, i: u32, solid: &dyn Solid) {
        let after = std::mem::replace(&mut self.next[i as usize], NONE);
        let waiting = &mut self.walks[walk as usize].waiting;
        *waiting = [after, if after == NONE { NONE } else { waiting[1] }];
        let mut walk = walk;
        for &j in solid.neighbours(i as usize) {
            match self.reached_by[j as usize] {
                NONE => {
                    self.reached_by[j as usize] = walk;
                    self.reached.push(j);
                    self.queue(walk, [j, j]);
                }
                other => walk = self.meet(walk, other),
            }
        }
    }

    /// Puts particles behind those that wait; none if the first is `NONE`.
    fn queue(&mut self, walk: u32, [first, last]: [u32; 2]) {
        if first == NONE {
            return;
        }
        let waiting = &mut self.walks[walk as usize].waiting;
        match waiting {
            [NONE, _] => *waiting = [first, last],
            [_, end] => {
                self.next[*end as usize] = first;
                *end = last;
            }
        }
    }

    /// Makes one walk of two, which may be one already.
    fn meet(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.met.find(a), self.met.find(b));
        if a == b {
            return a;
        }
        let [x, y] = [a, b].map(|walk| self.related.find(walk));
        let open = if x == y { 0 } else { self.open[y as usize] };
        let open = self.open[x as usize] + open - 1;
        self.related.join(x, y);
        self.open[x.min(y) as usize] = open;
        self.met.join(a, b);
        let (stays, goes) = (a.min(b), a.max(b));
        let waiting = self.walks[goes as usize].waiting;
        self.queue(stays, waiting);
        stays
    }

    /// A particle of every part that fell off.
    pub fn fallen(&self) -> impl Iterator<Item = usize> {
        self.walks.iter().filter(|walk| walk.ended).map(|walk| walk.from as usize)
    }

    /// Labels the particles of a piece with the lowest that each is connected to.
    pub fn label(&mut self, span: Span, label: &mut [u32]) {
        let mut rest = NONE;
        for i in span {
            let first = match self.reached_by[i] {
                NONE => &mut rest,
                walk => match &mut self.walks[self.met.find(walk) as usize] {
                    Walk { ended: true, first, .. } => first,
                    _ => &mut rest,
                },
            };
            *first = (*first).min(i as u32);
            label[i] = *first;
        }
    }

    /// How many particles were come to.
    #[cfg(test)]
    pub fn reached_count(&self) -> usize {
        self.reached.len()
    }

    /// Forgets all walks and keeps the room.
    fn forget(&mut self) {
        for i in self.reached.drain(..) {
            (self.reached_by[i as usize], self.next[i as usize]) = (NONE, NONE);
        }
        self.walks.clear();
        self.met.reset(0);
        self.related.reset(0);
        self.open.clear();
        self.going.clear();
    }
}
