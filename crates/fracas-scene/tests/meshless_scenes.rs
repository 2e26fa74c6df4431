//! What the scenes of torn flesh do, and what is drawn of it.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::time::Instant;

use fracas::glam::{DVec3, Vec3};
use fracas::skin::{Skin, Skinned};
use fracas::world::Event;
use fracas_scene::Scene;

/// Volume inside closed triangles, in m³.
fn volume(skinned: &Skinned) -> f64 {
    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    let mut volume = 0.0;
    for corners in &skinned.triangles {
        let points = corners.map(|v| skinned.positions[v as usize]);
        let [a, b, c] = points.map(|x| DVec3::from(x.map(f64::from)));
        volume += a.dot(b.cross(c)) / 6.0;
        let [i, j, k] = points.map(|x| x.map(f32::to_bits));
        for (from, to) in [(i, j), (j, k), (k, i)] {
            *edges.entry((from.min(to), from.max(to))).or_default() +=
                if from < to { 1 } else { -1 };
        }
    }
    assert!(edges.values().all(|&sum| sum == 0), "the skin is not closed");
    volume
}

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
