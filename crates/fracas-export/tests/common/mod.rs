//! Frames for the tests.

use fracas_export::{Frame, Point, PointKind};

/// A sheet of n × n squares in two pieces, half of it inside; every value is another.
pub fn sheet(n: u32, uvs: bool) -> Frame {
    let mut frame = Frame { number: 7, time: 0.125, ..Frame::default() };
    for k in 0..(n + 1) * (n + 1) {
        let (column, row) = (k % (n + 1), k / (n + 1));
        let [x, y] = [column, row].map(|k| k as f32 / n as f32);
        frame.positions.push([x, 0.1 * x * y - 3.5, y]);
        frame.normals.push([-0.1 * y, 1.0, -0.1 * x]);
        if uvs {
            frame.uvs.push([x, 1.0 - y]);
        }
        frame.colours.push([k as u8, (k >> 8) as u8, 255 - k as u8]);
        frame.bodies.push(3 + row);
        frame.pieces.push(70_000 + k % 2);
        frame.materials.push(k as u16);
        frame.inside.push(2 * row > n);
    }
    for square in 0..n * n {
        let first = square % n + square / n * (n + 1);
        let [a, b, c, d] = [first, first + 1, first + n + 1, first + n + 2];
        frame.triangles.extend([[a, c, b], [b, c, d]]);
    }
    frame
}

/// Chips and dust by turns.
pub fn points(count: usize) -> Vec<Point> {
    let point = |k: usize| Point {
        position: [k as f32, 0.5, -1.0],
        radius: 1e-3 * (1.0 + k as f32),
        colour: [9, k as u8, 200],
        body: k as u32,
        material: 2,
        kind: if k.is_multiple_of(2) { PointKind::Chip } else { PointKind::Dust },
    };
    (0..count).map(point).collect()
}
