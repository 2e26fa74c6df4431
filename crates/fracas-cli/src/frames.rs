//! Frames as files: what `run --frames-out` writes.

use crate::output::{self, Unwritable};
use crate::running::Running;
use anyhow::Result;
use fracas::material::Finish;
use fracas::parallel::Workers;
use fracas::skin::{Skin, Speck, SpeckKind};
use fracas::{Body, BodyId, World};
use fracas_export::{Frame, Point, PointKind, ply};
use fracas_scene::Look;
use fracas_view::Colour;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that frames are written into.
pub struct Frames {
    folder: PathBuf,
    every: u64,
    actors: Vec<Actor>,
}

struct Actor {
    body: BodyId,
    skin: Skin,
    paint: Option<Finish>,
}

/// What specks have whose body is gone: grey.
const LOST: [u8; 3] = [128; 3];

impl Frames {
    /// Makes the folder and writes the start.
    ///
    /// # Errors
    /// A folder that cannot be made, or a file that cannot be written.
    pub fn open(
        folder: &Path,
        every: u64,
        running: &Running,
        looks: &[Look],
        workers: &Workers,
    ) -> Result<Self> {
        fs::create_dir_all(folder).map_err(|reason| Unwritable::new(folder, reason))?;
        let mut actors = Vec::new();
        for look in looks {
            if let Some(body) = running.world.body(look.body) {
                let skin = Skin::new(look.skin.clone(), body)?.with_workers(workers.clone());
                actors.push(Actor { body: look.body, skin, paint: look.paint });
            }
        }
        let mut frames = Self { folder: folder.to_owned(), every, actors };
        frames.take(running)?;
        Ok(frames)
    }

    /// Writes the frame if it is one of those wanted.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn take(&mut self, running: &Running) -> Result<()> {
        if !running.frame.is_multiple_of(self.every) {
            return Ok(());
        }
        let frame = self.frame(running);
        let path = self.folder.join(format!("{:06}.ply", running.frame));
        Ok(output::write_with(&path, |writer| ply::write(&frame, writer))?)
    }

    fn frame(&mut self, running: &Running) -> Frame {
        let world = &running.world;
        let mut frame = Frame { number: running.frame, time: world.time(), ..Frame::default() };
        for (actor, number) in self.actors.iter_mut().zip(0..) {
            if let Some(body) = world.body(actor.body) {
                frame.append(actor.part(body, number));
            }
        }
        let number = |body| self.actors.iter().position(|actor| actor.body == body);
        let point = |speck: &Speck| point(world, speck, number(speck.body));
        frame.points = running.specks().iter().map(point).collect();
        frame
    }
}

impl Actor {
    /// The body as it is now.
    fn part(&mut self, body: &Body, number: u32) -> Frame {
        self.skin.update(body, [0.0; 3]);
        let (columns, skinned) = (self.skin.columns(), self.skin.skinned());
        let material_of = |&owner: &u32| {
            let column = columns.get(owner as usize).map_or(usize::MAX, |&column| column as usize);
            body.particle_materials().get(column).copied().unwrap_or(0)
        };
        let materials: Vec<u16> = skinned.owners.iter().map(material_of).collect();
        let insides: Vec<[u8; 3]> = body
            .materials()
            .iter()
            .map(|material| Colour::of_light(material.inside().colour))
            .collect();
        let outside = self.paint.map(|paint| Colour::of_light(paint.colour));
        let colour = |(&material, &inside): (&u16, &bool)| {
            outside.filter(|_| !inside).unwrap_or(insides[usize::from(material)])
        };
        let uvs = if self.skin.mesh().uvs.is_empty() { Vec::new() } else { skinned.uvs.clone() };
        Frame {
            positions: skinned.positions.clone(),
            normals: skinned.normals.clone(),
            uvs,
            colours: materials.iter().zip(&skinned.inside).map(colour).collect(),
            bodies: vec![number; skinned.positions.len()],
            // files count in 32 bits
            pieces: skinned.pieces.iter().map(|piece| piece.0 as u32).collect(),
            materials,
            inside: skinned.inside.clone(),
            triangles: skinned.triangles.clone(),
            ..Frame::default()
        }
    }
}

fn point(world: &World, speck: &Speck, body: Option<usize>) -> Point {
    let materials = world.body(speck.body).map(Body::materials);
    let material = materials.and_then(|known| known.get(usize::from(speck.material)));
    Point {
        position: speck.position.map(|x| x as f32),
        radius: speck.radius,
        colour: material.map_or(LOST, |material| Colour::of_light(material.inside().colour)),
        body: body.map_or(u32::MAX, |body| body as u32),
        material: speck.material,
        kind: match speck.kind {
            SpeckKind::Chip => PointKind::Chip,
            SpeckKind::Dust => PointKind::Dust,
        },
    }
}
