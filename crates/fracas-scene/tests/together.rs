//! All models in one scene: what meets, breaks and is thrown about has no more energy than what was thrown.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

use fracas::WorldConfig;
use fracas_scene::Scene;

/// A ball carries a cloth into a pane, and its shards into a fence that is held. (Shards spun up in there by pushes which had no arms, and filled the
/// scene with 1e10 J within eight frames.)
#[test]
fn what_meets_wins_no_energy() {
    let scene = Scene::open("all-together").unwrap();
    let config = WorldConfig { threads: 2, ..scene.world_config() };
    let mut world = scene.build_with(config).unwrap();
    let mut first = 0.0;
    for frame in 0..14 {
        let report = world.step(scene.dt());
        let energy = report.energy.held();
        if frame == 0 {
            first = energy;
        }
        assert!(energy <= 1.01 * first, "frame {frame}: {energy} J of {first}");
        assert_eq!(report.quarantined, 0, "frame {frame}");
    }
    assert!(world.step(scene.dt()).pieces > 50, "nothing broke");
}
