//! What a blade passes: a part of a plane with four corners.

use glam::DVec3;

/// What a blade passes between two moments: its edge is a straight line, from one pair of ends to the other.
///
/// Ways that twist are taken as flat: both triangles between the ends, seen along the mean normal.
///
/// ```
/// use fracas::geometry::Patch;
/// use fracas::glam::DVec3;
///
/// // an edge along z that moves along x
/// let edge = |x: f64| [DVec3::new(x, 0.0, -1.0), DVec3::new(x, 0.0, 1.0)];
/// let Some(patch) = Patch::new(edge(0.0), edge(2.0), 1) else { panic!("it passes nothing") };
/// let (below, above) = (DVec3::new(1.0, -0.3, 0.0), DVec3::new(1.0, 0.1, 0.0));
/// assert!((patch.crossing(below, above).unwrap() - 0.75).abs() < 1e-12);
/// // behind its way there is nothing
/// assert_eq!(patch.crossing(below - 2.0 * DVec3::X, above - 2.0 * DVec3::X), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Ends of the edge at the start, and at the end the other way round, m.
    corners: [DVec3; 4],
    /// Of unit length.
    normal: DVec3,
    /// The middle of the corners, m.
    middle: DVec3,
    /// How far off its rim still counts as in it, m.
    slack: f64,
    blade: u64,
}

/// Slack of the rim, of the diagonals: one way must begin where the one before has ended.
const SLACK: f64 = 1e-9;
/// Area below which nothing is passed, of the longest diagonal squared.
const NO_AREA: f64 = 1e-9;
/// Ends of a line that are nearer to the plane than this lie in it, of the length of the line.
const IN_PLANE: f64 = 1e-5;

impl Patch {
    /// Of an edge that moves from here to there; none if it passes no area. What the same blade has passed before it goes on from.
    pub fn new(from: [DVec3; 2], to: [DVec3; 2], blade: u64) -> Option<Self> {
        let corners = [from[0], from[1], to[1], to[0]];
        let [a, b] = [corners[2] - corners[0], corners[3] - corners[1]];
        let across = 0.5 * a.cross(b);
        let longest = a.length().max(b.length());
        if across.is_finite() && across.length() > NO_AREA * longest * longest {
            let middle = 0.25 * corners.into_iter().sum::<DVec3>();
            let normal = across.normalize();
            return Some(Self { corners, normal, middle, slack: SLACK * longest, blade });
        }
        None
    }

    /// The same seen from another origin.
    pub fn seen_from(&self, origin: DVec3) -> Self {
        Self {
            corners: self.corners.map(|corner| corner - origin),
            middle: self.middle - origin,
            ..*self
        }
    }

    /// Which blade it is of.
    pub fn blade(&self) -> u64 {
        self.blade
    }

    /// Normal of its plane, of unit length.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// Height of a place above its plane, m.
    pub fn height(&self, x: DVec3) -> f64 {
        self.normal.dot(x - self.middle)
    }

    /// Whether a place lies in it, seen along its normal.
    pub fn contains(&self, x: DVec3) -> bool {
        let [a, b, c, d] = self.corners;
        self.is_within([a, b, c], x) || self.is_within([a, c, d], x)
    }

    fn is_within(&self, corners: [DVec3; 3], x: DVec3) -> bool {
        let mut sides = [false; 2];
        for k in 0..3 {
            let (from, along) = (corners[k], corners[(k + 1) % 3] - corners[k]);
            let off = self.normal.dot(along.cross(x - from));
            let slack = self.slack * along.length();
            sides = [sides[0] || off < -slack, sides[1] || off > slack];
        }
        let [a, b, c] = corners;
        let has_area = self.normal.dot((b - a).cross(c - a)).abs() > self.slack * self.slack;
        has_area && sides != [true; 2]
    }

    /// Whether it may pass between some places: they are on both sides, and the box around them is not beside it.
    pub fn may_pass(&self, places: impl Iterator<Item = DVec3>) -> bool {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (mut below, mut above) = (false, false);
        for x in places {
            (low, high) = (low.min(x), high.max(x));
            let height = self.height(x);
            (below, above) = (below || height <= 0.0, above || height >= 0.0);
        }
        let (first, last) = self
            .corners
            .iter()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(first, last), &x| {
                (first.min(x), last.max(x))
            });
        let slack = DVec3::splat(self.slack);
        below && above && (first - slack).cmple(high).all() && (last + slack).cmpge(low).all()
    }

    /// Where a line crosses it, as a share of the line. An end in its plane counts as above.
    pub fn crossing(&self, from: DVec3, to: DVec3) -> Option<f64> {
        let near = IN_PLANE * from.distance(to);
        let [a, b] = [from, to].map(|x| self.height(x));
        if (a < -near) == (b < -near) {
            return None;
        }
        let share = (a / (a - b)).clamp(0.0, 1.0);
        self.contains(from.lerp(to, share)).then_some(share)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn edge(x: f64, y: f64) -> [DVec3; 2] {
        [DVec3::new(x, y, 0.0), DVec3::new(x, y, 1.0)]
    }

    /// A way is crossed once wherever it is divided, also where lines meet the seam, and not beside it.
    #[test]
    fn a_way_in_parts_leaves_no_gap() {
        let places: Vec<[DVec3; 2]> =
            (0..=60).map(|k| edge(f64::from(k) / 60.0, 0.1 * f64::from(k) / 60.0)).collect();
        let parts = places.windows(2).map(|pair| Patch::new(pair[0], pair[1], 1).unwrap());
        let parts: Vec<Patch> = parts.collect();
        for k in 0..=120 {
            for l in 0..=20 {
                let x = DVec3::new(f64::from(k) / 120.0, -0.2, f64::from(l) / 20.0);
                let found = parts.iter().any(|p| p.crossing(x, x + 0.5 * DVec3::Y).is_some());
                assert!(found, "nothing above {x}");
                let beside = x + DVec3::Z * 1.01;
                let found = parts.iter().any(|p| p.crossing(beside, beside + DVec3::Y).is_some());
                assert!(!found || l == 0 && beside.z <= 1.0, "something above {beside}");
            }
        }
    }

    /// An edge that turns about one of its ends passes a triangle; one that moves along itself, or stays, nothing.
    #[test]
    fn ends_may_stay() {
        let pivot = DVec3::ZERO;
        let fan = Patch::new([pivot, DVec3::X], [pivot, DVec3::Y], 1).unwrap();
        assert!(
            fan.contains(DVec3::new(0.3, 0.3, 5.0)) && !fan.contains(DVec3::new(0.6, 0.6, 0.0))
        );
        assert!(!fan.contains(DVec3::new(-0.1, 0.3, 0.0)));
        assert_eq!(Patch::new([pivot, DVec3::X], [DVec3::X, 2.0 * DVec3::X], 1), None);
        assert_eq!(Patch::new([pivot, DVec3::X], [pivot, DVec3::X], 1), None);
        let nowhere = [DVec3::splat(f64::NAN), DVec3::X];
        assert_eq!(Patch::new(nowhere, [pivot, DVec3::Y], 1), None);
    }
}
