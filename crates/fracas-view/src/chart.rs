//! Numbers as bars.

use embedded_graphics::mono_font::{MonoTextStyle, ascii};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::Rectangle;
use embedded_graphics::text::{Baseline, Text};

use crate::picture::Picture;

const ROW: u32 = 16;
/// Where bars begin, and the length of a bar of 1, in pixels.
const NAMES: u32 = 430;
const ONE: u32 = 200;
/// Bars end here, however large the number.
const MOST: f64 = 1.6;
const INK: Rgb888 = Rgb888::new(30, 30, 34);

/// A picture with one bar for each number, its name before it, and a line at 1. A number that is none has no bar.
pub fn bar_chart(title: &str, bars: &[(String, f64)]) -> Picture {
    let size = [NAMES + (MOST * f64::from(ONE)) as u32 + 70, ROW * (bars.len() as u32 + 2)];
    let mut picture = Picture { size, pixels: vec![[255; 4]; size[0] as usize * size[1] as usize] };
    let at = |row: u32| (ROW * row + 2) as i32;
    write(&mut picture, title, Point::new(NAMES as i32, at(0)));
    for ((name, value), row) in bars.iter().zip(1..) {
        write(&mut picture, name, Point::new(4, at(row)));
        let told = if value.is_finite() { format!("{value:.3}") } else { "none".into() };
        write(&mut picture, &told, Point::new(size[0] as i32 - 60, at(row)));
        let length = (value.clamp(0.0, MOST) * f64::from(ONE)) as u32;
        let bar = Rectangle::new(Point::new(NAMES as i32, at(row)), Size::new(length, ROW - 4));
        let Ok(()) = picture.fill_solid(&bar, Rgb888::new(88, 132, 190));
    }
    let one = Point::new((NAMES + ONE) as i32, ROW as i32);
    let Ok(()) = picture.fill_solid(&Rectangle::new(one, Size::new(1, size[1] - ROW)), INK);
    picture
}

fn write(picture: &mut Picture, text: &str, at: Point) {
    let style = MonoTextStyle::new(&ascii::FONT_7X13, INK);
    let Ok(_) = Text::with_baseline(text, at, style, Baseline::Top).draw(picture);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        let bars = [("half".into(), 0.5), ("none".into(), f64::NAN), ("far".into(), 1e9)];
        let picture = bar_chart("share", &bars);
        let width = picture.size[0] as usize;
        let blue = |row: usize| {
            let line = &picture.pixels[(row * ROW as usize + 8) * width..][..width];
            line.iter().filter(|pixel| pixel[..3] == [88, 132, 190]).count()
        };
        // the line at 1 lies over the longest
        assert_eq!([blue(1), blue(2), blue(3)], [100, 0, 319]);
    }
}
