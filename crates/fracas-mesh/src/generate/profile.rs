//! The line that a lathe turns, and its wall.

use super::GenerateError;
use robust::{Coord, orient2d};

/// (r, y), in m.
pub(super) type Point = [f64; 2];

/// A point of the outer line, and the one of the inner line across the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    pub outer: Point,
    pub inner: Point,
}

impl Row {
    /// From the inner point, at 0, to the outer, at 1.
    pub fn between(&self, share: f64) -> Point {
        mix(self.inner, self.outer, share)
    }
}

/// A profile that has been checked: from bottom to top, seen with the axis on the left.
pub(super) struct Profile {
    rows: Vec<Row>,
}

/// Corners that turn by more than this (its cosine, 30°) are kept when the line is resampled.
const CORNER: f64 = 0.866;

/// Corners may not turn by more than this (its cosine, 150°): the wall would be four times as long
/// across as it is thick.
const SHARPEST: f64 = -0.866;

impl Profile {
    /// Checks a line and offsets it; without a wall, the inner line is the outer.
    pub fn new(points: &[Point], wall: Option<f64>) -> Result<Self, GenerateError> {
        let points = checked(points)?;
        let inner = match wall {
            Some(wall) => offset(&points, wall)?,
            None => points.clone(),
        };
        if let Some(wall) = wall {
            require_room(&points, &inner, wall)?;
        }
        let row = |(&outer, &inner): (&Point, &Point)| Row { outer, inner };
        Ok(Self { rows: points.iter().zip(&inner).map(row).collect() })
    }

    /// Largest radius in the middle of the wall, in m.
    pub fn widest(&self) -> f64 {
        self.rows.iter().fold(0.0, |widest: f64, row| widest.max(row.between(0.5)[0]))
    }

    /// How many points it was given.
    pub fn points(&self) -> usize {
        self.rows.len()
    }

    /// Length of the line in the middle of the wall, in m.
    pub fn length(&self) -> f64 {
        length(&self.rows)
    }

    /// Area of the surface in the middle of the wall, in m².
    pub fn area(&self) -> f64 {
        let cone = |pair: &[Row]| {
            let [a, b] = [pair[0].between(0.5), pair[1].between(0.5)];
            0.5 * (a[0] + b[0]) * distance(a, b)
        };
        std::f64::consts::TAU * self.rows.windows(2).map(cone).sum::<f64>()
    }

    /// Rows about `spacing` apart: corners are kept, and the line between two is divided evenly.
    pub fn rows(&self, spacing: f64) -> Vec<Row> {
        let mut rows = vec![self.rows[0]];
        let mut start = 0;
        for end in 1..self.rows.len() {
            if end + 1 == self.rows.len() || self.is_corner(end) {
                divide(&self.rows[start..=end], spacing, &mut rows);
                start = end;
            }
        }
        rows
    }

    fn is_corner(&self, i: usize) -> bool {
        let [a, b, c] = [i - 1, i, i + 1].map(|i| self.rows[i].outer);
        dot(direction(a, b), direction(b, c)) < CORNER
    }
}

fn length(run: &[Row]) -> f64 {
    run.windows(2).map(|pair| distance(pair[0].between(0.5), pair[1].between(0.5))).sum()
}

/// Adds the rows after the first of a run, about `spacing` apart.
fn divide(run: &[Row], spacing: f64, rows: &mut Vec<Row>) {
    let whole = length(run);
    let pieces = (whole / spacing).round().max(1.0);
    let (mut done, mut next) = (0.0, 1.0);
    for pair in run.windows(2) {
        let part = length(pair);
        while next < pieces && next * whole / pieces <= done + part {
            let share = (next * whole / pieces - done) / part;
            rows.push(Row {
                outer: mix(pair[0].outer, pair[1].outer, share),
                inner: mix(pair[0].inner, pair[1].inner, share),
            });
            next += 1.0;
        }
        done += part;
    }
    rows.extend(run.last());
}

/// The points, from bottom to top, if they make a line that can be turned.
fn checked(points: &[Point]) -> Result<Vec<Point>, GenerateError> {
    if !(2..=MOST_POINTS).contains(&points.len()) {
        return Err(GenerateError::BadProfile { points: points.len() });
    }
    for (index, &[r, y]) in points.iter().enumerate() {
        let at_end = index == 0 || index + 1 == points.len();
        // written so that NaN fails
        let usable = r <= FARTHEST && y.abs() <= FARTHEST && (r >= NEAREST || (r == 0.0 && at_end));
        if !usable {
            return Err(GenerateError::BadProfilePoint { index, r, y });
        }
        if index > 0 && distance(points[index - 1], [r, y]) < NEAREST {
            return Err(GenerateError::RepeatedProfilePoint { index });
        }
    }
    if let [[r, _], [s, _]] = *points
        && r == 0.0
        && s == 0.0
    {
        return Err(GenerateError::BadProfilePoint { index: 1, r: s, y: points[1][1] });
    }
    if let Some([i, j]) = first_crossing(points, points, 2) {
        return Err(GenerateError::CrossingProfile { segments: [i, j] });
    }
    for three in points.windows(3) {
        let turn = dot(direction(three[0], three[1]), direction(three[1], three[2]));
        if turn < SHARPEST {
            let [r, y] = three[1];
            return Err(GenerateError::SharpCorner { r, y });
        }
    }
    // With the axis it encloses an area to its left if it runs upwards.
    let swept: f64 =
        points.windows(2).map(|p| 0.5 * (p[0][0] + p[1][0]) * (p[1][1] - p[0][1])).sum();
    let mut points = points.to_vec();
    // A flat disc sweeps nothing: it has its inside above if it runs outwards.
    let outwards = points[points.len() - 1][0] >= points[0][0];
    if swept < 0.0 || (swept == 0.0 && !outwards) {
        points.reverse();
    }
    Ok(points)
}

/// Of more points the search for crossings, which looks at all pairs, would take long.
pub(super) const MOST_POINTS: usize = 2_000;

/// Nearest two points may be to each other, and one to the axis, in m.
const NEAREST: f64 = 1.0e-9;

/// Farthest a point may lie from the origin along an axis, in m.
const FARTHEST: f64 = 1.0e6;

/// The line `wall` to the left, mitred at corners: where two offset lines meet, so that the wall has
/// its thickness along both. An end on the axis stays on it, the others are cut square.
fn offset(points: &[Point], wall: f64) -> Result<Vec<Point>, GenerateError> {
    let last = points.len() - 1;
    let mut inner = Vec::with_capacity(points.len());
    for (i, &[r, y]) in points.iter().enumerate() {
        let before = (i > 0).then(|| left(direction(points[i - 1], points[i])));
        let after = (i < last).then(|| left(direction(points[i], points[i + 1])));
        let point = match (before, after) {
            (Some(n), Some(m)) => {
                // (n + m)/(1 + n·m) has the length 1 along both normals
                let scale = wall / (1.0 + dot(n, m));
                [r + scale * (n[0] + m[0]), y + scale * (n[1] + m[1])]
            }
            (Some(n), None) | (None, Some(n)) if r > 0.0 => [r + wall * n[0], y + wall * n[1]],
            (Some(n), None) | (None, Some(n)) => {
                // where the offset line, n·x = n·p + wall, meets the axis
                if n[1].abs() < 0.1 {
                    return Err(GenerateError::SharpCorner { r, y });
                }
                [0.0, y + wall / n[1]]
            }
            (None, None) => [r, y], // a line has two points
        };
        inner.push(point);
    }
    Ok(inner)
}

/// `Ok` if the inner line runs as the outer one does, off the axis, and crosses nothing.
fn require_room(outer: &[Point], inner: &[Point], wall: f64) -> Result<(), GenerateError> {
    let refused = |index: usize| {
        let [r, y] = outer[index];
        Err(GenerateError::ThickWall { wall, r, y })
    };
    for i in 0..outer.len() {
        let on_axis = outer[i][0] == 0.0;
        if !on_axis && inner[i][0] <= 0.0 {
            return refused(i);
        }
        if i > 0 {
            let along = [inner[i][0] - inner[i - 1][0], inner[i][1] - inner[i - 1][1]];
            if dot(along, direction(outer[i - 1], outer[i])) <= 0.0 {
                return refused(i);
            }
        }
    }
    if let Some([i, _]) = first_crossing(inner, inner, 2) {
        return refused(i);
    }
    if let Some([i, _]) = first_crossing(outer, inner, 0) {
        return refused(i);
    }
    Ok(())
}

/// The first segments of two lines that meet, those of numbers less than `apart` from each other
/// left out.
fn first_crossing(a: &[Point], b: &[Point], apart: usize) -> Option<[usize; 2]> {
    for (i, s) in a.windows(2).enumerate() {
        for (j, t) in b.windows(2).enumerate() {
            if i.abs_diff(j) >= apart && meet([s[0], s[1]], [t[0], t[1]]) {
                return Some([i, j]);
            }
        }
    }
    None
}

/// Whether two segments have a point in common.
fn meet([p, q]: [Point; 2], [a, b]: [Point; 2]) -> bool {
    let boxes =
        (0..2).all(|k| p[k].min(q[k]) <= a[k].max(b[k]) && a[k].min(b[k]) <= p[k].max(q[k]));
    let same_side = |x: f64, y: f64| (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0);
    boxes && !same_side(side(p, q, a), side(p, q, b)) && !same_side(side(a, b, p), side(a, b, q))
}

fn side(a: Point, b: Point, c: Point) -> f64 {
    let coordinate = |[x, y]: Point| Coord { x, y };
    orient2d(coordinate(a), coordinate(b), coordinate(c))
}

fn mix(a: Point, b: Point, share: f64) -> Point {
    [0, 1].map(|k| a[k] + share * (b[k] - a[k]))
}

fn distance(a: Point, b: Point) -> f64 {
    let along = [b[0] - a[0], b[1] - a[1]];
    dot(along, along).sqrt()
}

fn direction(a: Point, b: Point) -> Point {
    let length = distance(a, b);
    [(b[0] - a[0]) / length, (b[1] - a[1]) / length]
}

fn left([x, y]: Point) -> Point {
    [-y, x]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
