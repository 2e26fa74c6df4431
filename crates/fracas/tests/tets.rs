//! Bodies of tetrahedra: corotated linear elasticity against closed forms, independent solves and conservation.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "common/tets.rs"]
mod tets;

use fracas::world::{World, WorldConfig};
use tets::{block, body, elastic, hold_start};

#[test]
fn smoke() {
    let mut world =
        World::new(WorldConfig { substeps: 1, threads: 1, ..WorldConfig::default() }).unwrap();
    let id = world.spawn(body(block([12, 10, 10], [0.1; 3]), elastic(100.0, 1e6, 0.3))).unwrap();
    hold_start(&mut world, id, 0.0);
    for k in 0..120 {
        let t = std::time::Instant::now();
        let report = world.step(1.0 / 60.0);
        let ms = t.elapsed().as_secs_f64() * 1e3;
        if k % 10 == 0 {
            let body = world.body(id).unwrap();
            let low = body.world_positions().map(|x| x[1]).fold(1.0, f64::min);
            println!("{k} {low} {ms} {:?}", (report.ms, report.unconverged));
        }
    }
    world.body(id).unwrap().validate();
}
