//! Patterns in snapshots.

use super::{Pattern, PatternDesc};
use crate::state::{Reader, Sink, SnapshotError};

impl Pattern {
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        match &*self.desc {
            PatternDesc::Voronoi { radius, count, seed } => {
                bytes.column(&[0, u64::from(*count), *seed]);
                bytes.floats(&[*radius]);
            }
            PatternDesc::Radial { radius, rays, rings, seed } => {
                bytes.column(&[1, u64::from(*rays), u64::from(*rings), *seed]);
                bytes.floats(&[*radius]);
            }
            PatternDesc::Brick { size, radius, along, up, origin } => {
                bytes.column(&[2_u64]);
                bytes.floats(&[*size, *along, *up, *origin, [*radius, 0.0, 0.0]]);
            }
            PatternDesc::Cells(cells) => {
                bytes.column(&[3, cells.len() as u64]);
                cells.iter().for_each(|cell| bytes.floats(cell));
            }
        }
    }

    pub(crate) fn load(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let numbers: Vec<u64> = reader.column()?;
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let desc = match numbers[..] {
            [0, count, seed] => {
                let radius: Vec<f32> = reader.column_of(1)?;
                PatternDesc::Voronoi { radius: radius[0], count: small(count), seed }
            }
            [1, rays, rings, seed] => {
                let radius: Vec<f32> = reader.column_of(1)?;
                let (rays, rings) = (small(rays), small(rings));
                PatternDesc::Radial { radius: radius[0], rays, rings, seed }
            }
            [2] => {
                let rows: Vec<[f32; 3]> = reader.column_of(5)?;
                let [size, along, up, origin] = [rows[0], rows[1], rows[2], rows[3]];
                PatternDesc::Brick { size, radius: rows[4][0], along, up, origin }
            }
            [3, count] => {
                let mut cells = Vec::new();
                for _ in 0..count {
                    cells.push(reader.column()?);
                }
                PatternDesc::Cells(cells)
            }
            _ => return Err(reader.damaged("an unknown kind of pattern")),
        };
        Self::try_from(&desc).map_err(|_| reader.damaged("a pattern out of range"))
    }
}
