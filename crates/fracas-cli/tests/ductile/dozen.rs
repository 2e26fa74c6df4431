//! The scene of twelve things, and the rows of `fracas paper 000`.

use crate::SHOWS;
use crate::shows::{MACHINE, Row, show};
use fracas::world::Event;
use fracas::{World, WorldConfig};
use fracas_scene::Scene;
use std::collections::BTreeMap;
use std::process::Command;

#[test]
#[ignore = "runs all scenes of the seed; run with --include-ignored in release"]
fn paper() {
    let _alone = MACHINE.write();
    show(&SHOWS, "paper", || {
        let file = std::env::temp_dir().join(format!("fracas-paper-{}.json", std::process::id()));
        let program = env!("CARGO_BIN_EXE_fracas");
        let run =
            Command::new(program).args(["paper", "000", "--json"]).arg(&file).output().unwrap();
        assert!([Some(0), Some(4)].contains(&run.status.code()), "{run:?}");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let rows = value.as_array().or_else(|| value["rows"].as_array()).unwrap();
        let of_scenes = rows.iter().filter(|row| row["id"] == "000 sec. 5");
        of_scenes
            .map(|row| {
                let name = format!("paper 000: {}", row["claim"].as_str().unwrap());
                let number = |key: &str| crate::shows::short(row[key].as_f64().unwrap());
                let rule = match row["rule"].as_str().unwrap() {
                    "at-most" => "≤ ",
                    "at-least" => "≥ ",
                    _ => "",
                };
                let holds = row["holds"].as_bool().unwrap();
                Row::new(&name, number("ours"), format!("{rule}{}", number("seed")), holds)
            })
            .collect()
    });
}

fn build(threads: u32) -> (Scene, World) {
    let scene = Scene::open("dozen").unwrap();
    let config = WorldConfig { threads, sleeping: false, ..scene.world_config() };
    let world = scene.build_with(config).unwrap();
    (scene, world)
}

#[test]
#[ignore = "hundreds of steps of a scene that breaks; run with --include-ignored in release"]
fn dozen() {
    let _reading = MACHINE.read();
    show(&SHOWS, "dozen", || {
        let mut rows = Vec::new();
        let (scene, mut world) = build(2);
        let dt = scene.dt();
        let mut most = 0.0_f64;
        let mut saved = None;
        for _ in 0..60 {
            let bonds: BTreeMap<u64, u64> = world
                .body_ids()
                .filter_map(|id| world.body(id).map(|body| (id.0, body.bond_count() as u64)))
                .collect();
            let report = world.step(dt);
            let mut cracks: BTreeMap<(u64, u64), u64> = BTreeMap::new();
            for event in world.events() {
                if let Event::Crack { body, piece, .. } = event {
                    *cracks.entry((body.0, piece.0)).or_default() += 1;
                }
            }
            for ((body, _), count) in cracks {
                let budget = (0.1 * bonds.get(&body).copied().unwrap_or(0) as f64).max(1024.0);
                most = most.max(count as f64 / budget);
            }
            if saved.is_none() && report.cracks > 50 {
                saved = Some(world.save());
            }
        }
        rows.push(Row::at_most(
            "R18, dozen: cracks of a piece in a step, of its budget",
            most,
            1.0,
            "",
        ));
        let saved = saved.unwrap();
        let run = |threads: u32, steps: usize| -> Vec<u64> {
            let mut world = World::load(&saved, threads).unwrap();
            (0..steps).map(|_| world.step(dt).hash).collect()
        };
        let truth = run(1, 20);
        let repeats = [2, 3].into_iter().flat_map(|threads| [threads; 3]);
        let differ = repeats.filter(|&threads| run(threads, 20) != truth).count();
        rows.push(Row::at_most(
            "R4, dozen breaking: of 6 repeats that differ",
            differ as f64,
            0.0,
            "",
        ));

        let mut world = World::load(&saved, 2).unwrap();
        let mut differ = 0;
        for _ in 0..5 {
            let bytes = world.save();
            let mut copy = World::load(&bytes, 3).unwrap();
            for _ in 0..12 {
                differ += usize::from(world.step(dt).hash != copy.step(dt).hash);
            }
        }
        let name = "R21, dozen saved at 5 moments: steps after loading that differ";
        rows.push(Row::at_most(name, differ as f64, 0.0, ""));
        rows
    });
}
