//! What the scenes of torn flesh do, and what is drawn of it.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

#[path = "common/closed.rs"]
mod closed;

use std::time::Instant;

use closed::volume;
use fracas::glam::Vec3;
use fracas::skin::Skin;
use fracas::world::Event;
use fracas_scene::Scene;

/// Every scene tears, nothing bursts, and what is drawn stays closed.
#[test]
fn flesh_tears_and_its_skin_stays_closed() {
    for name in ["thread", "peel", "shear", "muscle"] {
        let scene = Scene::open(name).unwrap();
        let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
        let id = looks[0].body;
        let body = world.body(id).unwrap();
        let mut skin = Skin::new(looks[0].skin.clone(), body).unwrap();
        let whole = volume(skin.update(body, [0.0; 3]));
        let bonds = body.bond_count();
        let (frames, frame) = (scene.frames(), scene.dt());
        let (mut fastest, mut drawn) = (0.0f32, 0.0);
        for k in 1..=frames {
            world.step(frame);
            let bursts = world.events().any(|e| matches!(e, Event::Quarantined { .. }));
            assert!(!bursts, "{name}: something is no number at frame {k}");
            let body = world.body(id).unwrap();
            let all = body.pieces().iter().flat_map(|piece| body.velocities(piece));
            fastest = all.map(|v| Vec3::from(*v).length()).fold(fastest, f32::max);
            if k % 50 == 0 || k == frames {
                let start = Instant::now();
                let skinned = skin.update(body, [0.0; 3]);
                drawn = start.elapsed().as_secs_f64();
                let ratio = volume(skinned) / whole;
                assert!((0.7..1.4).contains(&ratio), "{name}: a volume of {ratio} at frame {k}");
            }
        }
        let body = world.body(id).unwrap();
        let (cut, pieces) = (bonds - body.bond_count(), body.pieces().len());
        println!(
            "{name}: {} particles, {cut} of {bonds} bonds cut, {pieces} pieces, {fastest:.1} m/s, skin {:.1} ms",
            body.particle_count(),
            1e3 * drawn
        );
        assert!(cut > 100, "{name} does not tear");
        assert!(fastest < 30.0, "{name}: something flies at {fastest} m/s");
    }
}
