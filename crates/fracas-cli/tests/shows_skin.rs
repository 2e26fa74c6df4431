//! What skins show. Every figure that was promised, measured, in one table.
//!
//! ```text
//! cargo test --release -p fracas-cli --test shows_skin -- --include-ignored --nocapture
//! ```

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

#[path = "../../fracas-mesh/tests/closed/mod.rs"]
mod closed;
mod shows;

use closed::{Puppet, enclosed, has_parts, volumes_of_owners, volumes_of_particles};
use fracas::parallel::Workers;
use fracas::skin::{Owners, Skin};
use fracas::{Body, World, WorldConfig};
use fracas_scene::{Look, Scene, gallery};
use fracas_view::{CpuSkins, Stage, Style};
use shows::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

/// Why parts of fragments that broke again are not drawn in their volume.
const HULLS: &str =
    "their hulls are drawn, which have the moments of what they are but not its volume";

const SHOWS: Shows = Shows {
    open: &[
        ("thinned: the same of parts of fragments that broke again", HULLS),
        ("all: the same of parts of fragments that broke again", HULLS),
    ],
    names: &[
        ("closed", false),
        ("closed_always", true),
        ("dozen", true),
        ("bytes", false),
        ("statuette", false),
        ("pot", false),
        ("close_ups", false),
    ],
};

// ---- every piece is closed ----

/// What was found in all scenes.
#[derive(Default)]
struct Found {
    scenes: usize,
    frames: usize,
    pieces: usize,
    /// Pieces with an edge that is not passed as often one way as the other, or with a face twice.
    wrong: usize,
    /// Edges with more than two faces, in pieces with a crack that ends inside.
    crowded: usize,
    /// The same in pieces without one, where the shape of their fragments has them.
    pinched: usize,
    /// And where it has not.
    excess: usize,
    /// The largest share by which the surface of a piece at rest encloses another volume than its fragments.
    off: f64,
    /// The same of fragments against the weight of their particles, where bodies are made of fragments.
    off_weight: f64,
    /// The same of parts of fragments that broke again.
    off_parts: f64,
    unlike: BTreeSet<String>,
}

/// A body with its skin, and the bonds that it began with.
struct Actor {
    look: Look,
    puppet: Puppet,
    bonds: Vec<[u32; 2]>,
    own: Vec<f64>,
    /// How many pieces there were when the next was found.
    pieces: usize,
    /// Edges of pieces in which their fragments touch themselves or each other.
    pinched: BTreeMap<u64, usize>,
}

impl Actor {
    fn new(look: Look, world: &World) -> Self {
        let body = world.body(look.body).unwrap();
        let count = match &look.skin.owners {
            Owners::Tets(tets) => tets.len(),
            _ => body.particle_count(),
        };
        let own = volumes_of_owners(&look.skin, count);
        let puppet = Puppet::new(&look.skin, body);
        Self { bonds: bonds_of(body), own, puppet, look, pieces: 0, pinched: BTreeMap::new() }
    }

    fn check(&mut self, scene: &str, body: &Body, found: &mut Found) {
        let origin = body.pieces()[0].origin();
        self.puppet.update(body, origin);
        let now = enclosed(self.puppet.now.skinned());
        found.pieces += now.len();
        for piece in now.values().filter(|piece| piece.open > 0 || piece.twice > 0) {
            found.wrong += 1;
            found.unlike.insert(format!("{scene}: {piece:?}"));
        }
        // what does not break has one surface, whatever owns its faces
        if let Owners::Tets(_) = self.look.skin.owners {
            return;
        }
        let cracked = self.cracked(body);
        if self.pieces != body.pieces().len() {
            self.pieces = body.pieces().len();
            self.pinched = self.pinched_edges(body);
        }
        for (id, piece) in &now {
            if cracked.contains(&id.0) {
                found.crowded += piece.crowded;
                continue;
            }
            let own = self.pinched.get(&id.0).copied().unwrap_or(0);
            found.pinched += own;
            if piece.crowded > own {
                found.excess += piece.crowded - own;
                found.unlike.insert(format!("{scene}: {id:?} is pinched {own} times: {piece:?}"));
            }
        }
        let weights = volumes_of_particles(body);
        // parts of fragments have no place in the shape at rest; alone, they are rigid
        if has_parts(body) {
            let mut column = 0;
            for piece in body.pieces() {
                if piece.particle_count() == 1 && body.is_part(column) {
                    let off = (now[&piece.id()].volume / weights[&piece.id()] - 1.0).abs();
                    found.off_parts = found.off_parts.max(off);
                }
                column += piece.particle_count();
            }
            return;
        }
        let rest = enclosed(self.puppet.rest.skinned());
        let numbers: Vec<u32> = body.shape_numbers().collect();
        let mut column = 0;
        for piece in body.pieces() {
            let of = &numbers[column..column + piece.particle_count()];
            column += of.len();
            let wanted: f64 = of.iter().map(|&k| self.own[k as usize]).sum();
            let volume = rest[&piece.id()].volume;
            found.off = found.off.max((volume / wanted - 1.0).abs());
            if is_fragmented(&self.look) && body.model() == "oriented" {
                let off = (volume / weights[&piece.id()] - 1.0).abs();
                if off > 0.01 {
                    found
                        .unlike
                        .insert(format!("{scene}: {off:.4} of {} m³", weights[&piece.id()]));
                }
                found.off_weight = found.off_weight.max(off);
            }
        }
    }

    /// Edges with more than two faces in the surfaces that pieces have by the mesh alone: all faces with one side in
    /// them.
    fn pinched_edges(&self, body: &Body) -> BTreeMap<u64, usize> {
        let pieces = body.piece_indices();
        let mut of = vec![u64::MAX; body.shape_particle_count()];
        for (column, number) in body.shape_numbers().enumerate() {
            if !body.is_part(column) {
                of[number as usize] = body.pieces()[pieces[column] as usize].id().0;
            }
        }
        let mut edges = Vec::new();
        let mut pass = |piece: u64, corners: [u32; 3]| {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                edges.push((piece, a.min(b), a.max(b)));
            }
        };
        for face in &self.look.skin.outside {
            pass(of[face.owner as usize], face.corners);
        }
        for face in &self.look.skin.inside {
            let [a, b] = face.between.map(|owner| of[owner as usize]);
            if a != b {
                pass(a, face.corners);
                pass(b, face.corners);
            }
        }
        edges.sort_unstable();
        let mut pinched = BTreeMap::new();
        for same in edges.chunk_by(|a, b| a == b).filter(|same| same.len() > 2) {
            *pinched.entry(same[0].0).or_default() += 1;
        }
        pinched
    }

    /// Pieces that have lost a bond between two particles that both are in them, or in which parts of fragments lie side by
    /// side.
    fn cracked(&self, body: &Body) -> BTreeSet<u64> {
        let left: BTreeSet<[u32; 2]> = bonds_of(body).into_iter().collect();
        let pieces = body.piece_indices();
        let mut of = BTreeMap::new();
        for (column, number) in body.shape_numbers().enumerate() {
            if !body.is_part(column) {
                of.insert(number, body.pieces()[pieces[column] as usize].id().0);
            }
        }
        let of_parts = (0..body.particle_count()).filter(|&column| body.is_part(column));
        let with_parts = of_parts.map(|column| body.pieces()[pieces[column] as usize].id().0);
        let lost = self.bonds.iter().filter(|bond| !left.contains(*bond));
        let lost = lost.filter_map(|[a, b]| {
            let (a, b) = (of.get(a)?, of.get(b)?);
            (a == b).then_some(*a)
        });
        lost.chain(with_parts).collect()
    }
}

/// Made of tetrahedra: the cells of lattices are as heavy as each other, not as their volume.
fn is_fragmented(look: &Look) -> bool {
    !look.skin.edges.is_empty()
}

fn bonds_of(body: &Body) -> Vec<[u32; 2]> {
    let numbers: BTreeMap<_, u32> =
        body.particle_ids().iter().copied().zip(body.shape_numbers()).collect();
    let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let mut bonds: Vec<[u32; 2]> =
        body.bonds().map(|bond| sorted(bond.map(|id| numbers[&id]))).collect();
    bonds.sort_unstable();
    bonds
}

/// Runs a scene up to a frame and checks those that `chosen` takes.
fn check_scene(name: &str, last: u64, chosen: impl Fn(u64) -> bool, found: &mut Found) {
    println!("{name}");
    let scene = Scene::open(name).unwrap();
    let config = WorldConfig { threads: 2, ..scene.world_config() };
    let (mut world, looks) = scene.build_looks(config).unwrap();
    // a sheet has two sides and nothing between them
    let solid = |look: &Look| world.body(look.body).is_some_and(|body| body.model() != "sheet");
    let solids = looks.into_iter().filter(solid);
    let mut actors: Vec<Actor> = solids.map(|look| Actor::new(look, &world)).collect();
    found.scenes += 1;
    for frame in 0..=last.min(scene.frames()) {
        if frame > 0 {
            world.step(scene.dt());
        }
        if chosen(frame) {
            found.frames += 1;
            for actor in &mut actors {
                if let Some(body) = world.body(actor.look.body) {
                    actor.check(name, body, found);
                }
            }
        }
    }
}

fn rows_of(found: &Found, what: &str) -> Vec<Row> {
    for unlike in found.unlike.iter().take(10) {
        println!("{unlike}");
    }
    let scenes = format!("{} scenes, {} frames", found.scenes, found.frames);
    let name = |of: &str| format!("{what}: {of}");
    vec![
        Row::told(&name("looked at"), format!("{scenes}, {} pieces", found.pieces)),
        Row::at_most(&name("pieces open, or with a face twice"), found.wrong as f64, 0.0, ""),
        Row::at_most(
            &name("edges of more than two faces without a crack inside that the shape has not"),
            found.excess as f64,
            0.0,
            "",
        ),
        Row::told(
            &name("the same that it has; with a crack inside"),
            format!("{}; {}", found.pinched, found.crowded),
        ),
        Row::at_most(
            &name("volume at rest off that of its fragments"),
            100.0 * found.off,
            1.0,
            " %",
        ),
        Row::at_most(
            &name("the same off the weight of its particles, of bodies of fragments"),
            100.0 * found.off_weight,
            1.0,
            " %",
        ),
        Row::at_most(
            &name("the same of parts of fragments that broke again"),
            100.0 * found.off_parts,
            1.0,
            " %",
        ),
    ]
}

/// All scenes, up to where most have broken.
#[test]
fn closed() {
    let _reading = MACHINE.read();
    show(&SHOWS, "closed", || {
        let mut found = Found::default();
        for entry in gallery() {
            let moments: &[u64] = match entry.name {
                "dozen" => &[0, 45, 60],
                "pile" | "heap" | "dominoes" | "soft-bunnies" | "hanging-slab" => &[0, 10],
                _ => &[0, 5, 12, 25, 40],
            };
            let last = moments[moments.len() - 1];
            check_scene(entry.name, last, |frame| moments.contains(&frame), &mut found);
        }
        rows_of(&found, "thinned")
    });
}

/// Every frame of all scenes.
#[test]
#[ignore = "five minutes; run with --include-ignored in release"]
fn closed_always() {
    let _reading = MACHINE.read();
    show(&SHOWS, "closed_always", || {
        let mut found = Found::default();
        for entry in gallery() {
            let start = Instant::now();
            check_scene(entry.name, u64::MAX, |_| true, &mut found);
            println!("{}: {:.1} s", entry.name, start.elapsed().as_secs_f64());
        }
        rows_of(&found, "all")
    });
}

// ---- dozen ----

/// What the paper reports of its twelve models at the end.
const VERTICES: f64 = 479_000.0;
const TRIANGLES: f64 = 246_000.0;

#[test]
#[ignore = "measures time; run with --include-ignored in release"]
fn dozen() {
    let _alone = MACHINE.write().unwrap();
    show(&SHOWS, "dozen", || {
        let busy = busy_cores();
        let scene = Scene::open("dozen").unwrap();
        let config = WorldConfig { threads: 2, ..scene.world_config() };
        let (mut world, looks) = scene.build_looks(config).unwrap();
        let workers = Workers::new(2).unwrap();
        let mut skins: Vec<Skin> = looks
            .iter()
            .map(|look| Skin::new(look.skin.clone(), world.body(look.body).unwrap()).unwrap())
            .map(|skin| skin.with_workers(workers.clone()))
            .collect();
        let (mut quiet, mut breaking) = (Vec::new(), Vec::new());
        let (mut vertices, mut triangles) = (0, 0);
        for frame in 0..scene.frames() {
            world.step(scene.dt());
            let start = Instant::now();
            let bodies = looks.iter().map(|look| world.body(look.body).unwrap());
            let mut pairs: Vec<(&mut Skin, &Body)> = skins.iter_mut().zip(bodies).collect();
            Skin::update_all(&mut pairs, [0.0; 3], &workers);
            let ms = 1e3 * start.elapsed().as_secs_f64();
            let touched: usize = skins.iter().map(|skin| skin.last().clusters.len()).sum();
            // the first binds everything
            if frame > 0 {
                if touched == 0 { quiet.push(ms) } else { breaking.push(ms) }
            }
            vertices = skins.iter().map(|skin| skin.skinned().positions.len()).sum();
            triangles = skins.iter().map(|skin| skin.skinned().triangles.len()).sum();
        }
        let off = |found: usize, wanted: f64| 100.0 * (found as f64 / wanted - 1.0).abs();
        let mut rows = vec![
            Row::at_most(
                "dozen at its end: vertices off 479,000",
                off(vertices, VERTICES),
                5.0,
                " %",
            ),
            Row::at_most(
                "dozen at its end: triangles off 246,000",
                off(triangles, TRIANGLES),
                5.0,
                " %",
            ),
        ];
        for (what, ms) in [("without", &mut quiet), ("with", &mut breaking)] {
            ms.sort_by(f64::total_cmp);
            let at = |share: f64| ms[((ms.len() - 1) as f64 * share) as usize];
            let name = format!("dozen: CPU skin of a frame {what} cracks, 2 threads");
            rows.push(Row::told(&format!("{name}: median"), format!("{} ms", short(at(0.5)))));
            let mut row = Row::at_most(&format!("{name}: the longest"), at(1.0), 25.0, " ms");
            row.excuse = (busy > QUIET).then(|| format!("others use {busy:.1} cores"));
            rows.push(row);
        }
        rows
    });
}

/// What is told to whoever draws, in bytes.
#[test]
fn bytes() {
    let _reading = MACHINE.read();
    show(&SHOWS, "bytes", || {
        let scene = Scene::open("bunnies").unwrap();
        let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
        let mut skins: Vec<Skin> = looks
            .iter()
            .map(|look| Skin::new(look.skin.clone(), world.body(look.body).unwrap()).unwrap())
            .collect();
        let (mut quiet, mut per_cluster, mut most, mut frames) = (0.0f64, 0.0f64, 0, 0);
        let mut of_clusters = 0;
        for frame in 0..40 {
            world.step(scene.dt());
            for (skin, look) in skins.iter_mut().zip(&looks) {
                let body = world.body(look.body).unwrap();
                skin.update(body, [0.0; 3]);
                let (told, particles) = (skin.last(), body.shape_particle_count());
                if frame == 0 {
                    of_clusters = of_clusters.max(told.clusters.len());
                } else if told.clusters.is_empty() {
                    let share = (told.bytes() as f64 - 4096.0) / particles as f64;
                    quiet = quiet.max(share);
                } else {
                    let states = 32 * told.states.len() + 8 * told.pieces.len() + 24;
                    let rest = (told.bytes() - states) as f64 / told.clusters.len() as f64;
                    per_cluster = per_cluster.max(rest);
                    most = most.max(told.clusters.len());
                    frames += 1;
                }
            }
        }
        vec![
            Row::at_most(
                "SkinUpdate without cracks, beyond 4 KB, per particle",
                quiet,
                64.0,
                " bytes",
            ),
            Row::at_most(
                "SkinUpdate with cracks: per cluster touched",
                per_cluster / 1024.0,
                128.0,
                " KB",
            ),
            Row::told(
                "bunnies: clusters touched in a frame, of a body's; frames with cracks",
                format!("{most} of {of_clusters}; {frames}"),
            ),
        ]
    });
}

// ---- bunny, pot, pictures ----

#[test]
fn statuette() {
    let _reading = MACHINE.read();
    show(&SHOWS, "statuette", || {
        let scene = Scene::open("statuette").unwrap();
        let start = Instant::now();
        let (world, looks) = scene.build_looks(scene.world_config()).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        let body = world.body(looks[0].body).unwrap();
        let (outside, inside) = (looks[0].skin.outside.len(), looks[0].skin.inside.len());
        let mut found = Found::default();
        check_scene("statuette", 12, |frame| [0, 6, 12].contains(&frame), &mut found);
        vec![
            Row::at_least("statuette: triangles of its surface", outside as f64, 7e4, ""),
            Row::new(
                "statuette: fragments",
                body.particle_count().to_string(),
                "300".into(),
                body.particle_count() == 300,
            ),
            Row::told(
                "statuette: faces between them; time to build",
                format!("{inside}; {seconds:.1} s"),
            ),
            Row::at_most(
                "statuette, breaking: pieces that are not closed",
                found.wrong as f64,
                0.0,
                "",
            ),
        ]
    });
}

/// Colours of the pot before and after it breaks.
#[test]
fn pot() {
    let _reading = MACHINE.read();
    show(&SHOWS, "pot", || {
        let scene = Scene::open("pot").unwrap();
        let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
        let mut stage = Stage::new(&world, looks).unwrap();
        let mut skins = CpuSkins::default();
        let mut paints = |world: &World| {
            let drawing = skins.drawing(&stage.show(world, &Style::default(), Default::default()));
            drawing.vertices.iter().map(|vertex| vertex.paint).collect::<BTreeSet<_>>().len()
        };
        let before = paints(&world);
        for _ in 0..12 {
            world.step(scene.dt());
        }
        let after = paints(&world);
        let figure = format!("{before}, {after}");
        vec![Row::new(
            "pot: colours before and after it breaks",
            figure,
            "1, 2".into(),
            (before, after) == (1, 2),
        )]
    });
}

/// Close-ups of crack faces are in the gallery, each with a sentence.
#[test]
fn close_ups() {
    show(&SHOWS, "close_ups", || {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery");
        let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let there = |name: &&&str| {
            folder.join(format!("{name}.png")).exists() && page.contains(&format!("({name}.png)"))
        };
        let all = ["close-up-statuette", "close-up-pot", "close-up-dozen"];
        let count = all.iter().filter(there).count();
        vec![Row::new(
            "close-ups of crack faces in the gallery",
            format!("{count} of {}", all.len()),
            "all".into(),
            count == all.len(),
        )]
    });
}
