//! Colours that mean something.

use crate::drawing::Paint;
use fracas::material::Finish;

/// Roughness of everything whose colour is not its material's.
const ROUGHNESS: u8 = 150;

/// Of linear light, as a screen takes it.
pub(crate) fn of_light(colour: [f32; 3]) -> [u8; 3] {
    colour.map(|x| to_byte(to_srgb(x)))
}

/// A finish in eight bytes.
pub(crate) fn of_finish(finish: &Finish) -> Paint {
    Paint {
        colour: of_light(finish.colour),
        roughness: to_byte(finish.roughness),
        metallic: to_byte(finish.metallic),
        transparency: to_byte(finish.transparency),
        rings: ((1e4 * finish.rings).round() as u16).to_le_bytes(),
    }
}

/// One of many that are easily told apart: hues turned by the golden angle, so that any few in a row
/// lie far apart; lightness varies with a period of three, for those who do not see all hues.
pub(crate) fn of_number(number: u64) -> Paint {
    // turns beyond 2⁵³ would lose the hue
    let k = (number % 1_000_003) as f64;
    let hue = ((k * 0.618_033_988_75 + 0.07) % 1.0) as f32;
    let lightness = [0.62, 0.48, 0.76][(number % 3) as usize];
    let [r, g, b] = from_hue(hue, 0.62, lightness).map(to_byte);
    Paint::plain([r, g, b], ROUGHNESS)
}

/// From 0, dark blue, over green to 1, yellow; even for the eye, also in grey (the anchors of
/// viridis, by van der Walt and Smith).
pub(crate) fn of_share(share: f32) -> Paint {
    const ANCHORS: [[f32; 3]; 5] = [
        [0.267, 0.005, 0.329],
        [0.230, 0.322, 0.546],
        [0.129, 0.567, 0.551],
        [0.369, 0.789, 0.383],
        [0.993, 0.906, 0.144],
    ];
    let at = share.clamp(0.0, 1.0) * 4.0;
    let below = (at as usize).min(3);
    let t = at - below as f32;
    let mix = |c: usize| to_byte(ANCHORS[below][c] * (1.0 - t) + ANCHORS[below + 1][c] * t);
    Paint::plain([mix(0), mix(1), mix(2)], ROUGHNESS)
}

fn to_srgb(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn to_byte(share: f32) -> u8 {
    (255.0 * share.clamp(0.0, 1.0)).round() as u8
}

/// Hue, saturation and lightness, each from 0 to 1.
fn from_hue(hue: f32, saturation: f32, lightness: f32) -> [f32; 3] {
    let reach = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|n: f32| {
        let k = (n + 12.0 * hue) % 12.0;
        lightness - reach * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(a: Paint, b: Paint) -> u32 {
        (0..3).map(|k| u32::from(a.colour[k].abs_diff(b.colour[k]))).sum()
    }

    #[test]
    fn eight_colours_in_a_row_are_told_apart() {
        for first in [0, 5, 100, u64::MAX - 20] {
            for a in first..first + 8 {
                for b in a + 1..first + 8 {
                    let [x, y] = [of_number(a), of_number(b)];
                    assert!(difference(x, y) > 60, "{a} and {b}: {x:?}, {y:?}");
                }
            }
        }
    }

    /// More is brighter, all the way.
    #[test]
    fn shares_grow_brighter() {
        let luma = |p: Paint| {
            let [r, g, b] = p.colour.map(f32::from);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let rising = (0..100)
            .all(|k| luma(of_share(k as f32 / 100.0)) < luma(of_share((k + 2) as f32 / 100.0)));
        assert!(rising);
        assert_eq!(of_share(-1.0), of_share(0.0));
        assert_eq!(of_share(f32::INFINITY), of_share(1.0));
    }

    #[test]
    fn light_becomes_what_screens_take() {
        assert_eq!(of_light([0.0, 1.0, 0.214_041_14]), [0, 255, 128]);
        let oak = Finish { roughness: 0.5, rings: 4.0e-3, ..Finish::default() };
        let paint = of_finish(&oak);
        assert_eq!((paint.roughness, u16::from_le_bytes(paint.rings)), (128, 40));
    }

    #[test]
    fn hues_are_where_they_belong() {
        assert_eq!(from_hue(0.0, 1.0, 0.5), [1.0, 0.0, 0.0]);
        assert_eq!(from_hue(0.5, 1.0, 0.5), [0.0, 1.0, 1.0]);
    }
}
