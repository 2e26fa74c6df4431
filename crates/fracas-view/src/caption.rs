//! Words and scales on pictures.

use std::convert::Infallible;

use embedded_graphics::mono_font::{MonoFont, MonoTextStyle, ascii};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::Rectangle;
use embedded_graphics::text::{Baseline, Text};

use crate::colour;
use crate::picture::Picture;
use crate::scale::Ends;

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

    /// Draws a scale of colours into the upper left corner.
    pub fn scale(&mut self, ends: &Ends) {
        let font = self.font();
        for x in 0..BAR.width as i32 {
            let [r, g, b] = colour::of_share(x as f32 / (BAR.width - 1) as f32).colour;
            let column = Rectangle::new(Point::new(MARGIN + x, MARGIN), Size::new(1, BAR.height));
            let Ok(()) = self.fill_solid(&column, Rgb888::new(r, g, b));
        }
        // the letters here are those of ASCII
        let text: String = ends.text().replace('³', "3");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::Quantity;

    const ENDS: Ends = Ends { of: Quantity::Strain, dark: 0.0, bright: 0.1, largest: 0.0123 };

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
        picture.scale(&ENDS);
        assert_eq!(picture.pixels.len(), 6);
    }

    #[test]
    fn the_scale_runs_from_none_to_full() {
        let mut picture = grey(400, 300);
        picture.scale(&ENDS);
        let at = |x: usize| picture.pixels[10 * 400 + x];
        assert_eq!(at(8)[..3], colour::of_share(0.0).colour);
        assert_eq!(at(8 + 159)[..3], colour::of_share(1.0).colour);
    }
}
