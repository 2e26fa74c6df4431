//! What a stage shows at one moment: all that passes from the thread that simulates to the one that draws.

use fracas::skin::SkinUpdate;
use std::sync::Arc;

use crate::drawing::{Drawing, Paint};
use crate::scale::Ends;

/// A moment of a stage. Skins tell what changed since the moment before.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Every body that has a skin, in the order of their numbers.
    pub skins: Vec<ShownSkin>,
    /// Everything else.
    pub drawing: Drawing,
    /// The scale of colours, if they tell of a quantity.
    pub ends: Option<Ends>,
}

/// The skin of a body.
#[derive(Clone, Debug)]
pub struct ShownSkin {
    /// Number of the body on its stage; never given to another.
    pub number: u32,
    /// What changed.
    pub update: SkinUpdate,
    /// Paint of each state; the same `Arc` as before if nothing changed.
    pub paints: Arc<[Paint]>,
    /// Paint of what was always outside, if it has another.
    pub outside: Option<Paint>,
    /// Axis of growth rings, of unit length, in the frame of the shape.
    pub grain: [f32; 3],
}

impl ShownSkin {
    /// Whether something may be seen through it.
    pub fn is_clear(&self) -> bool {
        let clear = |paint: &Paint| paint.transparency > 0;
        self.outside.iter().any(clear) || self.paints.iter().any(clear)
    }

    /// Bytes that it takes to hand it on.
    pub fn bytes(&self) -> usize {
        self.update.bytes()
    }
}

impl Shown {
    /// Takes in the moment that follows: drawing the sum is drawing both.
    pub fn absorb(&mut self, later: Self) {
        let mut before = std::mem::take(&mut self.skins).into_iter().peekable();
        for mut skin in later.skins {
            // bodies that are gone from the later moment are left out
            while before.next_if(|known| known.number < skin.number).is_some() {}
            if let Some(mut known) = before.next_if(|known| known.number == skin.number) {
                known.update.absorb(skin.update);
                skin.update = known.update;
            }
            self.skins.push(skin);
        }
        self.drawing = later.drawing;
        self.ends = later.ends;
    }
}
