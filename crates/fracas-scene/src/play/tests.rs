//! Hands, balls, files, and recordings of them.
#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

use super::*;
use fracas::glam::DVec3;
use std::path::PathBuf;

/// A block of rows, a ball in fragments and a rigid block beside each other in the air, 1 m apart, over ground.
const SCENE: &str = r#"
format = 1
title = "Three to take hold of"

[world]
gravity = [0, 0, 0]

[materials.soft]
preset = "rubber"
youngs_modulus = 1e6

[[bodies]]
name = "rows"
material = "soft"
shape = { kind = "block", size = [0.3, 0.3, 0.3], counts = [6, 6, 6] }
position = [-1, 1, 0]

[[bodies]]
name = "fragments"
material = "soft"
shape = { kind = "sphere", radius = 0.2, tets = 2000, fragments = 60 }
position = [0, 1, 0]

[[bodies]]
name = "rigid"
model = "rigid"
material = "soft"
shape = { kind = "block", size = [0.3, 0.3, 0.3] }
position = [1, 1, 0]

[[obstacles]]
kind = "half-space"
"#;

fn play() -> Play {
    let scene = Scene::parse("three.toml", SCENE).unwrap();
    let config = scene.world_config();
    Play::new(scene, config).unwrap()
}

/// From the front at the body that stands there.
fn grab(x: f64) -> Action {
    Action::Grab { origin: [x, 1.02, 5.0], direction: [0.0, 0.0, -1.0] }
}

fn drag(target: [f64; 3]) -> Action {
    Action::Drag { target }
}

fn shoot(speed: f32, radius: f32, preset: &str) -> Action {
    let (origin, direction) = ([0.0, 1.0, 3.0], [0.0, 0.0, -2.0]);
    Action::Shoot { origin, direction, speed, radius, preset: preset.into() }
}

/// From the front through whatever stands at this height.
fn slice(height: f64) -> Action {
    let edge = |x: f64| [[x, height, 5.0], [x, height + 0.01, -5.0]];
    Action::Slice { from: edge(-2.0), to: edge(2.0) }
}

fn material(body: Option<u64>, field: &str, value: f32) -> Action {
    Action::Material { body, field: field.into(), value }
}

fn drop_bunny() -> Action {
    Action::Drop {
        file: "gallery:bunny.obj".into(),
        preset: "oak".into(),
        pieces: 40,
        position: [0.0, 3.0, 0.0],
        size: 0.5,
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    DVec3::from(a).distance(b.into())
}

#[test]
fn what_is_grabbed_follows_the_hand_and_does_not_jump() {
    for x in [-1.0, 0.0, 1.0] {
        let mut play = play();
        play.act(&grab(x)).unwrap();
        let held = play.grabbed().unwrap();
        assert!((held.point[0] - x).abs() < 1e-6 && held.point[2] > 0.1, "{held:?}");
        assert_eq!((held.point, held.force), (held.target, [0.0; 3]));
        let report = play.step();
        assert!(report.max_speed < 1e-3, "it jumped with {} m/s", report.max_speed);

        let target = [held.point[0] + 0.2, held.point[1] + 0.3, held.point[2]];
        play.act(&drag(target)).unwrap();
        for _ in 0..15 {
            play.step();
        }
        // critically damped at 3 Hz: (1 + ωt) e^(−ωt) of the way is left after a quarter of a second
        let held = play.grabbed().unwrap();
        let (left, all) = (distance(held.point, target), 0.13_f64.sqrt());
        assert!(left > 0.01 * all && left < 0.1 * all, "{left} m of {all} m left at x = {x}");
        for _ in 0..60 {
            play.step();
        }
        let held = play.grabbed().unwrap();
        // pulled at its side it swings a little
        assert!(distance(held.point, target) < 0.05 * all, "{held:?}");
        play.act(&Action::Release).unwrap();
        play.step();
        assert_eq!(play.grabbed(), None);
    }
}

/// A body of tetrahedra is taken hold of by the corners around the point that was hit. Held by one of them, which is then
/// drawn out of it, it would be stretched by 10 %.
#[test]
fn tetrahedra_follow_the_hand_in_one_piece() {
    let text = r#"
format = 1
title = "One to take hold of"
[world]
gravity = [0, 0, 0]
[materials.soft]
preset = "rubber"
youngs_modulus = 1e6
[[bodies]]
name = "tets"
model = "corotated"
material = "soft"
shape = { kind = "block", size = [0.3, 0.3, 0.3], counts = [6, 6, 6] }
position = [0, 1, 0]
"#;
    let scene = Scene::parse("one.toml", text).unwrap();
    let config = scene.world_config();
    let mut play = Play::new(scene, config).unwrap();
    play.act(&grab(0.02)).unwrap();
    let held = play.grabbed().unwrap();
    assert!((held.point[2] - 0.15).abs() < 1e-5, "{held:?}");
    assert!(play.step().max_speed < 1e-3, "it jumped");
    let target = [held.point[0] + 0.2, held.point[1] + 0.3, held.point[2]];
    play.act(&drag(target)).unwrap();
    let mut stretched: f32 = 0.0;
    for _ in 0..90 {
        play.step();
        let bodies = play.world().body_ids().filter_map(|id| play.world().body(id));
        let strains = bodies.flat_map(|body| body.strains());
        stretched = strains.fold(stretched, |most, strain| most.max(strain[0]));
    }
    let held = play.grabbed().unwrap();
    assert!(distance(held.point, target) < 0.02, "{held:?}");
    assert!(stretched < 0.05, "stretched by {stretched}");
}

#[test]
fn there_is_nothing_to_grab_in_the_air_and_on_the_ground() {
    let mut play = play();
    play.act(&grab(0.0)).unwrap();
    let held = play.grabbed();
    for direction in [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]] {
        let nothing = Action::Grab { origin: [7.0, 1.0, 0.0], direction };
        assert_eq!(play.act(&nothing), Err(PlayError::Nothing));
        assert_eq!(play.grabbed(), held, "what was held still is");
    }
    assert!(play.act(&Action::Grab { origin: [0.0; 3], direction: [0.0; 3] }).is_err());
}

#[test]
fn a_hand_holds_one_thing_and_lets_go_of_what_is_gone() {
    let mut play = play();
    for action in [drag([0.0; 3]), Action::Release] {
        assert_eq!(play.act(&action), Ok(()), "nothing is held");
    }
    assert!(play.act(&drag([f64::NAN, 0.0, 0.0])).is_err());
    play.act(&grab(-1.0)).unwrap();
    play.step();
    let first = play.grabbed().unwrap();
    play.act(&grab(0.0)).unwrap();
    play.act(&drag([0.0, 2.0, 0.0])).unwrap();
    for _ in 0..60 {
        play.step();
    }
    let second = play.grabbed().unwrap();
    assert_ne!(first.body, second.body);
    let centre = |id: BodyId| play.world().body(id).unwrap().world_positions().next().unwrap();
    assert!(centre(first.body)[1] < 1.2 && centre(second.body)[1] > 1.6);

    play.world.remove(second.body).unwrap();
    play.step();
    assert_eq!(play.grabbed(), None);
    assert_eq!(play.act(&drag([0.0; 3])), Ok(()));
}

#[test]
fn balls_are_shot_with_speed_and_look() {
    let mut play = play();
    assert_eq!(play.new_looks().len(), 3);
    play.act(&shoot(4.0, 0.1, "steel")).unwrap();
    let looks = play.new_looks();
    assert_eq!(looks.len(), 1);
    assert!(play.new_looks().is_empty());
    assert!(!looks[0].skin.outside.is_empty());
    play.step();
    let ball = play.world().body(looks[0].body).unwrap();
    assert_eq!((ball.name(), ball.model()), ("ball-1", "rigid"));
    let [_, _, z] = ball.velocities(&ball.pieces()[0])[0];
    assert!((z + 4.0).abs() < 1e-5, "{z} m/s");
    assert_eq!(play.frame(), 1);

    let refused = |play: &mut Play, action| play.act(&action).unwrap_err().to_string();
    assert_eq!(
        refused(&mut play, shoot(0.0, 0.1, "steel")),
        "speed must be above 0 and finite, but is 0"
    );
    assert!(refused(&mut play, shoot(1.0, f32::NAN, "steel")).starts_with("radius must be"));
    assert_eq!(
        refused(&mut play, shoot(1.0, 0.1, "stell")),
        "there is no preset \"stell\"; did you mean \"steel\"?; there are glass, steel, aluminium, oak, rubber, \
         concrete, gelatine, skin, muscle, paper, foil"
    );
    assert!(play.new_looks().is_empty());
}

#[test]
fn materials_change_while_it_runs() {
    let mut play = play();
    play.step();
    let ids: Vec<BodyId> = play.world().body_ids().collect();
    let value = |play: &Play, k: usize, field| {
        play.world().body(ids[k]).unwrap().materials()[0].get(field).constant().unwrap()
    };
    play.act(&material(Some(ids[0].0), "youngs_modulus", 3e5)).unwrap();
    play.act(&material(None, "strength", f32::INFINITY)).unwrap();
    play.step();
    let modulus = [0, 1].map(|k| value(&play, k, MaterialField::YoungsModulus));
    assert_eq!(modulus, [3e5, 1e6]);
    assert!((0..3).all(|k| value(&play, k, MaterialField::Strength) == f32::INFINITY));

    // to and fro: static friction rises with sliding friction and falls with it
    for name in ["glass", "rubber", "steel", "glass"] {
        let preset = Action::Preset { body: None, preset: name.into() };
        play.act(&preset).unwrap();
        play.step();
        let wanted = fracas::material::preset(name).unwrap();
        for field in MaterialField::ALL {
            let stays = field == MaterialField::Density;
            let expected = wanted.get(field).constant().unwrap();
            let found = [0, 1, 2].map(|k| value(&play, k, field));
            assert!(stays || found == [expected; 3], "{name}: {field} is {found:?}");
        }
    }

    let refused = |play: &mut Play, action| play.act(&action).unwrap_err().to_string();
    assert_eq!(
        refused(&mut play, material(None, "density", 1000.0)),
        "density cannot be changed while the scene runs: write it into the scene file and load it again"
    );
    assert_eq!(
        refused(&mut play, material(None, "strength", -1.0)),
        "strength must be above 0 or inf, but is -1"
    );
    assert_eq!(refused(&mut play, material(Some(99), "strength", 1.0)), "there is no body 99");
    let unknown = refused(&mut play, material(None, "strenght", 1.0));
    assert!(unknown.contains("did you mean \"strength\"?"), "{unknown}");
}

#[test]
fn a_dropped_file_becomes_a_body_of_its_size() {
    let mut play = play();
    play.new_looks();
    play.act(&drop_bunny()).unwrap();
    let looks = play.new_looks();
    assert_eq!(looks.len(), 1);
    let body = play.world().body(looks[0].body).unwrap();
    assert_eq!((body.name(), body.particle_count()), ("drop-1", 40));
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for vertex in &looks[0].skin.vertices {
        let vertex = Vec3::from(*vertex).as_dvec3();
        (low, high) = (low.min(vertex), high.max(vertex));
    }
    let longest = (high - low).max_element();
    assert!((longest - 0.5).abs() < 0.02, "{longest} m");
    play.step();

    let refused = |play: &mut Play, change: &dyn Fn(&mut Action)| {
        let mut action = drop_bunny();
        change(&mut action);
        play.act(&action).unwrap_err().to_string()
    };
    let missing = refused(&mut play, &|action| {
        if let Action::Drop { file, .. } = action {
            *file = "nowhere/cup.obj".into();
        }
    });
    assert_eq!(missing, "nowhere/cup.obj: there is no file \"nowhere/cup.obj\"");
    let unknown = refused(&mut play, &|action| {
        if let Action::Drop { file, .. } = action {
            *file = "notes.txt".into();
        }
    });
    assert!(unknown.starts_with("notes.txt: the ending of"), "{unknown}");
    let flat = refused(&mut play, &|action| {
        if let Action::Drop { size, .. } = action {
            *size = 0.0;
        }
    });
    assert!(flat.starts_with("size must be above 0"), "{flat}");
}

/// A window steps on another thread than the one it draws on.
#[test]
fn a_play_is_sent_to_a_thread() {
    let mut play = play();
    let frames = std::thread::spawn(move || {
        play.step();
        play.frame()
    });
    assert_eq!(frames.join().unwrap(), 1);
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("fracas-play-{}-{name}.jsonl", std::process::id()))
}

/// Every action is given back as it was, to the last bit, and infinities too.
#[test]
fn recordings_give_back_what_was_done() {
    let path = temporary("back");
    let third = [1.0 / 3.0, -0.1, 1e-300];
    let actions = [
        Action::Grab { origin: third, direction: [0.1, f32::MIN_POSITIVE, -1.0 / 3.0] },
        drag(third),
        Action::Release,
        shoot(1.0 / 3.0, 0.1, "steel"),
        material(None, "strength", f32::INFINITY),
        material(Some(3), "strength", 1.0 / 3.0),
        Action::Preset { body: Some(7), preset: "oak".into() },
        drop_bunny(),
    ];
    let scene = Scene::open("falling-bar").unwrap();
    let mut recorder = Recorder::create(&path).unwrap();
    recorder.begin(&scene, "falling-bar").unwrap();
    for (action, frame) in actions.iter().zip(0..) {
        recorder.action(frame, action).unwrap();
    }
    recorder.hash(60, 0xab).unwrap();
    recorder.begin(&scene, "falling-bar").unwrap();
    let recording = Recording::read(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(!recording.cut_short);
    let [first, second] = &recording.sessions[..] else { panic!("{recording:?}") };
    assert_eq!((first.scene.as_str(), first.frames()), ("falling-bar", 60));
    assert_eq!((second.frames(), second.actions().count()), (0, 0));
    let back: Vec<Action> = first.actions().map(|(_, action)| action.clone()).collect();
    assert_eq!(back, actions);
    assert!(text.contains(r#"{"frame":2,"action":"release"}"#), "{text}");
    assert!(text.contains(r#""value":"inf""#) && text.contains("file_hash"), "{text}");
    assert!(text.contains(r#"{"frame":60,"hash":"00000000000000ab"}"#), "{text}");
}

#[test]
fn broken_recordings_name_the_line() {
    let path = temporary("broken");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let read = Recording::read(&path);
        std::fs::remove_file(&path).unwrap();
        read
    };
    let header = "{\"fracas\":\"0.1.0\",\"scene\":\"pot\",\"scene_hash\":\"0123456789abcdef\"}\n";
    let wrong = [
        ("{\"frame\":0,\"hash\":\"0123456789abcdef\"}\n", "line 1: no scene was named before"),
        (&format!("{header}nonsense\n"), "line 2: it is not JSON"),
        (&format!("{header}{{\"frame\":1}}\n"), "line 2: missing field `hash`"),
        (&format!("{header}{{\"frame\":1,\"hash\":\"12\"}}\n"), "line 2: \"12\" is no hash"),
        (
            &format!("{header}\n{{\"frame\":1,\"action\":\"jump\"}}\n"),
            "line 3: unknown variant `jump`",
        ),
        (
            &format!(
                "{header}{{\"frame\":9,\"action\":\"release\"}}\n{{\"frame\":8,\"action\":\"release\"}}\n"
            ),
            "line 3: frame 8 comes after frame 9",
        ),
        (&header.replace("scene_hash", "hash"), "line 1: unknown field `hash`"),
    ];
    for (text, expected) in wrong {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains("broken"), "{message}");
    }
    assert!(matches!(read(""), Err(RecordingError::Empty { .. })));
    assert!(matches!(Recording::read(&path), Err(RecordingError::Unreadable { .. })));

    // a crash in the middle of a line
    let cut = read(&format!("{header}{{\"frame\":9,\"action\":\"release\"}}\n{{\"frame\":60,\"ha"))
        .unwrap();
    assert!(cut.cut_short);
    assert_eq!(cut.sessions[0].frames(), 9);
}

/// What is recorded is replayed with the same bits, on one thread and two; another world is found out.
#[test]
fn a_replay_has_the_same_hashes() {
    let path = temporary("replay");
    let scene = Scene::open("falling-bar").unwrap();
    let config = scene.world_config();
    let mut recorder = Recorder::create(&path).unwrap();
    recorder.begin(&scene, "falling-bar").unwrap();
    let mut play = Play::new(scene, config).unwrap();
    let mut report = StepReport::default();
    for frame in 0..30_u32 {
        let body = play.world().body_ids().next().unwrap();
        let aim = play.world().body(body).unwrap().world_positions().next().unwrap();
        let beside = [aim[0], aim[1], aim[2] + 2.0];
        let action = match frame {
            3 => Action::Grab { origin: beside, direction: [0.0, 0.0, -1.0] },
            4..15 => drag([aim[0] + 0.01 / f64::from(frame), aim[1] + 0.3, aim[2]]),
            15 => Action::Release,
            17 => Action::Shoot {
                origin: beside,
                direction: [0.0, 0.01, -1.0],
                speed: 8.0,
                radius: 0.05,
                preset: "oak".into(),
            },
            20 => material(None, "youngs_modulus", 2.1e5),
            22 => slice(aim[1]),
            _ => Action::Release,
        };
        play.act(&action).unwrap();
        recorder.action(play.frame(), &action).unwrap();
        report = play.step();
        if frame % 10 == 9 {
            recorder.hash(play.frame(), report.hash).unwrap();
        }
    }
    let recording = Recording::read(&path).unwrap();
    let tampered =
        std::fs::read_to_string(&path).unwrap().replace("\"value\":210000.0", "\"value\":210001.0");
    std::fs::write(&path, tampered).unwrap();
    let other = Recording::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    for threads in [1, 2] {
        let replayed = recording.sessions[0].replay(threads).unwrap();
        let same = Replayed {
            frames: 30,
            actions: 30,
            hashes: 3,
            last_hash: report.hash,
            ..Replayed::default()
        };
        assert_eq!(replayed, same);
    }
    let difference = other.sessions[0].replay(1).unwrap().difference.unwrap();
    assert_eq!((difference.frame, difference.recorded), (30, report.hash));
    assert_ne!(difference.found, report.hash);
}

/// A stroke through all that stands beside each other cuts what is not rigid; one that passes nothing is refused.
#[test]
fn strokes_cut_all_bodies() {
    let mut play = play();
    play.act(&slice(1.003)).unwrap();
    play.step();
    let pieces = |name: &str| {
        let mut bodies = play.world().body_ids().map(|id| play.world().body(id).unwrap());
        bodies.find(|body| body.name() == name).unwrap().pieces().len()
    };
    assert_eq!(["rows", "fragments", "rigid"].map(pieces), [2, 2, 1]);
    let edge = [[0.0; 3], [1.0; 3]];
    let refused = play.act(&Action::Slice { from: edge, to: edge });
    assert_eq!(refused, Err(PlayError::Command(CommandError::NothingPassed)));
}
