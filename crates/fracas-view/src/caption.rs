//! Words and scales on pictures.

use std::convert::Infallible;

use embedded_graphics::mono_font::{MonoFont, MonoTextStyle, ascii};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::Rectangle;
use embedded_graphics::text::{Baseline, Text};

use crate::colour;
use crate::picture::Picture;

const MARGIN: i32 = 8;
const BAR: Size = Size::new(160, 12);

impl OriginDimensions for Picture {
    fn size(&self) -> Size {
        Size::new(self.size[0], self.size[1])
    }
}

impl DrawTarget for Picture {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I>(&mut self, pixels: I) -> Result<(), Infallible>
    where
        I: IntoIterator<Item = Pixel<Rgb888>>,
    {
        let width = self.size[0] as usize;
        let inside = Rectangle::new(Point::zero(), OriginDimensions::size(self));
        for Pixel(at, colour) in pixels {
            if inside.contains(at) {
                let pixel = &mut self.pixels[at.y as usize * width + at.x as usize];
                *pixel = [colour.r(), colour.g(), colour.b(), 255];
            }
        }
        Ok(())
    }
}

impl Picture {
    /// Writes a line into the lower left corner. Only ASCII is written; `?` stands for the rest.
    pub fn caption(&mut self, text: &str) {
        let font = self.font();
        let height = font.character_size.height as i32;
        let at = Point::new(MARGIN, self.size[1] as i32 - MARGIN - height);
        self.write(text, at, font);
    }

    /// Draws the scale of [`Colour::Strain`](crate::Colour::Strain) into the upper left corner.
    pub fn strain_scale(&mut self, full: f32, largest: f32) {
        let font = self.font();
        for x in 0..BAR.width as i32 {
            let [r, g, b] = colour::of_share(x as f32 / (BAR.width - 1) as f32).colour;
            let column = Rectangle::new(Point::new(MARGIN + x, MARGIN), Size::new(1, BAR.height));
            let Ok(()) = self.fill_solid(&column, Rgb888::new(r, g, b));
        }
        let text = format!("strain 0 to {}, largest {}", percent(full), percent(largest));
        self.write(&text, Point::new(MARGIN, 2 * MARGIN + BAR.height as i32), font);
    }

    /// Small pictures have small letters.
    fn font(&self) -> &'static MonoFont<'static> {
        if self.size[1] < 500 { &ascii::FONT_7X13_BOLD } else { &ascii::FONT_9X18_BOLD }
    }

    fn write(&mut self, text: &str, at: Point, font: &MonoFont<'_>) {
        // a light edge below the dark letters keeps them readable on anything
        for (shift, colour) in [(1, Rgb888::WHITE), (0, Rgb888::new(30, 30, 34))] {
            let style = MonoTextStyle::new(font, colour);
            let text =
                Text::with_baseline(text, at + Point::new(shift, shift), style, Baseline::Top);
            let Ok(_) = text.draw(self);
        }
    }
}

/// "0.25 %", with two digits that count.
fn percent(share: f32) -> String {
    let percent = 100.0 * share;
    let digits = if percent > 0.0 { (1.0 - percent.log10().floor()).clamp(0.0, 9.0) } else { 0.0 };
    format!("{percent:.*} %", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(width: u32, height: u32) -> Picture {
        Picture {
            size: [width, height],
            pixels: vec![[128, 128, 128, 255]; (width * height) as usize],
        }
    }

    fn changed(picture: &Picture) -> Vec<[usize; 2]> {
        let width = picture.size[0] as usize;
        let pixels = picture.pixels.iter().enumerate();
        pixels
            .filter(|(_, pixel)| **pixel != [128, 128, 128, 255])
            .map(|(k, _)| [k % width, k / width])
            .collect()
    }

    #[test]
    fn a_caption_stands_in_the_lower_left_corner() {
        let mut picture = grey(200, 100);
        picture.caption("frame 30");
        let changed = changed(&picture);
        assert!(changed.len() > 100);
        assert!(changed.iter().all(|&[x, y]| x < 70 && y > 70), "{changed:?}");
    }

    /// Words that do not fit are cut, in any picture.
    #[test]
    fn tiny_pictures_take_captions_too() {
        let mut picture = grey(3, 2);
        picture.caption("much too long");
        picture.strain_scale(0.1, 0.02);
        assert_eq!(picture.pixels.len(), 6);
    }

    #[test]
    fn the_scale_runs_from_none_to_full() {
        let mut picture = grey(400, 300);
        picture.strain_scale(0.1, 0.0123);
        let at = |x: usize| picture.pixels[10 * 400 + x];
        assert_eq!(at(8)[..3], colour::of_share(0.0).colour);
        assert_eq!(at(8 + 159)[..3], colour::of_share(1.0).colour);
    }

    #[test]
    fn percents_have_two_digits() {
        let text = [0.1, 1.5, 0.0123, 0.000_45, 0.0].map(percent);
        assert_eq!(text, ["10 %", "150 %", "1.2 %", "0.045 %", "0 %"]);
    }
}
