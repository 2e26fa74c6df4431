//! Several moments in one picture, for looking at motion.

use crate::picture::Picture;

/// Pixels between two moments.
const GAP: usize = 4;
const PAPER: [u8; 4] = [255, 255, 255, 255];

/// Puts pictures of one size side by side, in rows from the upper left, as many to a row as there
/// are rows or a few more.
///
/// `None` if there are none, or if their sizes differ.
pub fn contact_sheet(moments: &[Picture]) -> Option<Picture> {
    let size = moments.first()?.size;
    if moments.iter().any(|picture| picture.size != size) {
        return None;
    }
    let [width, height] = size.map(|side| side as usize);
    let columns = (1..).find(|columns| columns * columns >= moments.len())?;
    let rows = moments.len().div_ceil(columns);
    let across = columns * (width + GAP) - GAP;
    let down = rows * (height + GAP) - GAP;
    let mut pixels = vec![PAPER; across * down];
    for (k, picture) in moments.iter().enumerate() {
        let corner = (k / columns) * (height + GAP) * across + (k % columns) * (width + GAP);
        for (y, row) in picture.pixels.chunks_exact(width).enumerate() {
            let start = corner + y * across;
            pixels[start..start + width].copy_from_slice(row);
        }
    }
    Some(Picture { size: [across as u32, down as u32], pixels })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(size: [u32; 2], shade: u8) -> Picture {
        Picture { size, pixels: vec![[shade; 4]; (size[0] * size[1]) as usize] }
    }

    /// Each moment is where one reads it, whole, on white.
    #[test]
    fn moments_stand_in_reading_order() {
        let moments: Vec<_> = (0..5).map(|k| plain([10, 6], 10 * k)).collect();
        let sheet = contact_sheet(&moments).unwrap();
        assert_eq!(sheet.size, [38, 16]);
        let at = |x: usize, y: usize| sheet.pixels[y * 38 + x][0];
        assert_eq!([at(0, 0), at(14, 0), at(28, 5), at(0, 10), at(23, 15)], [0, 10, 20, 30, 40]);
        assert_eq!([at(12, 3), at(5, 8), at(37, 15)], [255; 3]);
        for k in 0..5 {
            let count = sheet.pixels.iter().filter(|pixel| **pixel == [10 * k; 4]).count();
            assert_eq!(count, 60, "moment {k}");
        }
    }

    #[test]
    fn there_is_no_sheet_of_nothing_or_of_unlike_pictures() {
        assert_eq!(contact_sheet(&[]), None);
        assert_eq!(contact_sheet(&[plain([2, 2], 0), plain([2, 3], 0)]), None);
    }
}
