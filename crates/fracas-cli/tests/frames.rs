//! `fracas run --frames-out`, as a user calls it: what is in the files is what happened.

#![allow(clippy::unwrap_used, reason = "a test may end by panic")]

mod calls;

use calls::{Folder, fine, fracas};
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Ply, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn read(path: &str) -> Ply<DefaultElement> {
    let file = fs::read(path).unwrap();
    Parser::<DefaultElement>::new().read_ply(&mut file.as_slice()).unwrap()
}

fn number(element: &DefaultElement, name: &str) -> f64 {
    match &element[name] {
        Property::Float(x) => f64::from(*x),
        Property::UInt(n) => f64::from(*n),
        Property::UShort(n) => f64::from(*n),
        Property::UChar(n) => f64::from(*n),
        other => panic!("{name} is {other:?}"),
    }
}

/// A pot before and after it breaks: pieces as the summary counts them, each closed; the same world as without frames.
#[test]
fn frames_hold_the_pieces_of_the_run() {
    let folder = Folder::new("frames");
    let out = folder.path("deep/frames");
    let run = ["run", "pot", "--frames", "8"];
    let said = fine(&[&run[..], &["--frames-out", &out, "--every", "4"]].concat());
    assert_eq!(said.rsplit(' ').next(), fine(&run).rsplit(' ').next(), "another hash");
    let mut names: Vec<_> = fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000000.ply", "000004.ply", "000008.ply"]);

    let pieces: usize =
        said.split(", ").find_map(|part| part.strip_suffix(" pieces")).unwrap().parse().unwrap();
    let first = read(&format!("{out}/000000.ply"));
    assert!(first.payload["vertex"].iter().all(|v| number(v, "inside") == 0.0));
    let last = read(&format!("{out}/000008.ply"));
    let vertices = &last.payload["vertex"];
    let surface: Vec<&DefaultElement> =
        vertices.iter().filter(|v| number(v, "kind") == 0.0).collect();
    let found: BTreeSet<u64> = surface.iter().map(|v| number(v, "piece") as u64).collect();
    assert!(pieces > 20 && found.len() == pieces, "{} of {pieces} pieces", found.len());
    assert!(vertices.len() > surface.len(), "no chips and no dust");
    let chips = vertices.iter().filter(|v| number(v, "kind") > 0.0);
    assert!(chips.clone().all(|v| number(v, "radius") > 0.0));
    // glaze outside, clay inside
    let colour = |v: &DefaultElement| ["red", "green", "blue"].map(|c| number(v, c) as u8);
    let of = |inside: f64| -> BTreeSet<[u8; 3]> {
        surface.iter().filter(|v| number(v, "inside") == inside).map(|v| colour(v)).collect()
    };
    assert!(of(0.0).len() == 1 && of(1.0).len() == 1 && of(0.0) != of(1.0));

    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    for face in &last.payload["face"] {
        let Property::ListUInt(corners) = &face["vertex_indices"] else { panic!() };
        let at = |k: usize| {
            let v = &vertices[corners[k] as usize];
            assert_eq!(number(v, "piece"), number(face, "piece"));
            ["x", "y", "z"].map(|c| (number(v, c) as f32).to_bits())
        };
        let [a, b, c] = [at(0), at(1), at(2)];
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let key = (number(face, "piece") as u64, from.min(to), from.max(to));
            *edges.entry(key).or_default() += if from < to { 1 } else { -1 };
        }
    }
    edges.retain(|(_, from, to), _| from != to);
    assert!(edges.values().all(|&sum| sum == 0), "a piece is not closed");
}

/// The same bytes, whatever the number of threads.
#[test]
fn frames_do_not_depend_on_threads() {
    let folder = Folder::new("frames-threads");
    let bytes = |threads: &str| {
        let out = folder.path(threads);
        let run = ["run", "plates", "--frames", "6", "--every", "6", "--threads", threads];
        fine(&[&run[..], &["--frames-out", &out]].concat());
        fs::read(format!("{out}/000006.ply")).unwrap()
    };
    assert!(bytes("1") == bytes("3"));
}

#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let folder = Folder::new("frames-refused");
    let file = folder.path("a.png");
    for (arguments, code, words) in [
        (&["run", "twist", "--frames-out", "/dev/null/a"][..], 3, "cannot write /dev/null/a"),
        (&["run", "twist", "--every", "2"], 2, "--frames-out"),
        (&["picture", "twist", "-o", &file, "--eye", "1,2,3"], 2, "--target"),
        (
            &["picture", "twist", "-o", &file, "--eye", "1,2", "--target", "0,0,0"],
            1,
            "three numbers",
        ),
        (
            &["picture", "twist", "-o", &file, "--eye", "-1,2,x", "--target", "0,0,0"],
            2,
            "not a number",
        ),
        (&["picture", "twist", "-o", &file, "--eye", "1,2,3", "--target", "1,2,3"], 1, "one place"),
    ] {
        let output = fracas(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?} said {said}");
        assert!(said.contains(words), "{arguments:?} said {said}");
    }
    assert!(fs::read_dir(&folder.0).unwrap().next().is_none(), "something was drawn");
}
