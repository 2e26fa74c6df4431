//! R20: bytes that anybody may have written. Every file of `fuzz/corpus` is read, then variants of
//! them for the rest of a minute (`FRACAS_FUZZ_SECONDS`): no panic, no input over a second, no more
//! memory than 64 times the input and 16 MiB.
//!
//! Variants come from a generator with a fixed seed: the same ones in every run, as far as time
//! goes. What fails is printed, and kept in the folder for temporary files of tests.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]
#![allow(unsafe_code, reason = "GlobalAlloc cannot be implemented without")]

#[path = "../../../fuzz/src/lib.rs"]
mod targets;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write as _;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use targets::{TARGETS, Target};

const THREADS: usize = 2;
/// Longer inputs are cut.
const LONGEST: usize = 1 << 20;
const SLOWEST: Duration = Duration::from_secs(1);
/// After this an input hangs, and the test is ended by force.
const HANGING: Duration = Duration::from_secs(60);

// -------------------------------------------------------------------------------- memory, counted

struct Counting;

thread_local! {
    /// Bytes that this thread holds, and the most it has held.
    static HELD: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

fn take(size: usize) {
    HELD.set(HELD.get().wrapping_add(size));
    // Memory of another thread may have been given back here: less than nothing is not a peak.
    if HELD.get() < usize::MAX / 2 {
        MOST.set(MOST.get().max(HELD.get()));
    }
}

fn give_back(size: usize) {
    HELD.set(HELD.get().wrapping_sub(size));
}

// SAFETY: every call goes to the system's allocator with the arguments it came with.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        give_back(layout.size());
        take(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most memory that `work` holds at a time, in bytes.
fn memory_of(work: impl FnOnce()) -> usize {
    HELD.set(0);
    MOST.set(0);
    work();
    MOST.get()
}

// -------------------------------------------------------------------------------------- variants

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let most = (length - start).min(1 << self.below(11));
        start..start + self.below(most + 1)
    }
}

/// What numbers in text become.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "18446744073709551615",
    "1e999",
    "-1e38",
    "nan",
    "1e-320",
    "00000000000000000000000000000000000000000000000001",
];

/// Changes an input a little, one to four times.
fn vary(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(input.len());
        match random.below(if input.len() < 65_536 { 65 } else { 64 }) {
            0..10 if !input.is_empty() => input[at] ^= 1 << random.below(8),
            10..20 if !input.is_empty() => {
                input[at] = [0, 1, 9, 10, 32, 127, 128, 255, random.next() as u8][random.below(9)];
            }
            20..30 => drop(input.drain(random.range(input.len()))),
            30..38 => {
                let chunk = input[random.range(input.len())].to_vec();
                input.splice(at..at, chunk);
            }
            38..46 => {
                let other = &others[random.below(others.len())];
                let chunk = other[random.range(other.len())].to_vec();
                input.splice(random.range(input.len()), chunk);
            }
            46..60 => replace_number(input, random),
            60..64 => input.truncate(at),
            64 => {
                // What is small alone and large in numbers.
                let chunk = input[random.range(input.len())].to_vec();
                let most = 1 << random.below(21);
                let times = random.below(most) / (chunk.len() + 1);
                input.splice(at..at, chunk.repeat(times));
            }
            _ => {}
        }
        input.truncate(LONGEST);
    }
}

fn replace_number(input: &mut Vec<u8>, random: &mut Random) {
    let part_of = |byte: &u8| byte.is_ascii_digit() || b".-+".contains(byte);
    let from = random.below(input.len());
    let Some(start) = input[from..].iter().position(part_of).map(|at| from + at) else { return };
    let length = input[start..].iter().position(|byte| !part_of(byte));
    let end = length.map_or(input.len(), |length| start + length);
    input.splice(start..end, NUMBERS[random.below(NUMBERS.len())].bytes());
}

// --------------------------------------------------------------------------------------- running

/// An input of a target, and what it came from.
struct Case<'a> {
    target: Target,
    input: &'a [u8],
    origin: &'a str,
}

/// What a thread is at, and since when.
type Slot = Mutex<Option<(Instant, Target, Vec<u8>)>>;

/// Runs a target on an input, and says what is wrong.
fn outcome(case: &Case<'_>) -> Result<(), String> {
    let run = || {
        let start = Instant::now();
        let memory = memory_of(|| case.target.1(case.input));
        (start.elapsed(), memory)
    };
    let (mut time, memory) = catch_unwind(run).map_err(|_| "it panics".to_string())?;
    if time > SLOWEST {
        // Once more: the machine may have been busy.
        time = time.min(run().0);
    }
    let most = 64 * case.input.len() + (16 << 20);
    match () {
        () if time > SLOWEST => Err(format!("it takes {time:?}")),
        () if memory > most => Err(format!("it takes {memory} bytes; {most} are allowed")),
        () => Ok(()),
    }
}

fn report(case: &Case<'_>, what: &str) -> String {
    let name = format!("fuzz-{}-{:016x}", case.target.0, hash(case.input));
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&kept, case.input).unwrap();
    let mut hex = String::new();
    for byte in case.input.iter().take(4096) {
        write!(hex, "{byte:02x}").unwrap();
    }
    let (target, origin, length) = (case.target.0, case.origin, case.input.len());
    format!("{target}, {origin}: {what}\nkept in {}\n{length} bytes: {hex}", kept.display())
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../fuzz/corpus", target].iter().collect();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
}

#[test]
fn hostile_inputs_do_no_harm() {
    let seconds = std::env::var("FRACAS_FUZZ_SECONDS").ok();
    let seconds = seconds.map_or(60.0, |text| text.parse().expect("a number of seconds"));
    let end = Instant::now() + Duration::from_secs_f64(seconds);

    let corpora: Vec<Vec<(String, Vec<u8>)>> = TARGETS.iter().map(|t| corpus(t.0)).collect();
    for (&target, files) in TARGETS.iter().zip(&corpora) {
        assert!(files.len() >= 5, "the corpus of {} has only {} files", target.0, files.len());
        for (name, input) in files {
            let case = Case { target, input, origin: name };
            outcome(&case).unwrap_or_else(|what| panic!("{}", report(&case, &what)));
        }
    }

    let inputs: Vec<Vec<Vec<u8>>> = (corpora.iter())
        .map(|files| files.iter().map(|(_, bytes)| bytes.clone()).collect())
        .collect();
    let counts: Vec<AtomicUsize> = TARGETS.iter().map(|_| AtomicUsize::new(0)).collect();
    let failure: Mutex<Option<String>> = Mutex::new(None);
    let current: [Slot; THREADS] = Default::default();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let work = |thread: usize| {
            for round in 0_usize.. {
                if Instant::now() >= end || failure.lock().unwrap().is_some() {
                    return;
                }
                let t = round % TARGETS.len();
                let seed = (round * THREADS + thread) as u64;
                let mut random = Random(seed);
                let mut input = inputs[t][random.below(inputs[t].len())].clone();
                vary(&mut input, &inputs[t], &mut random);
                *current[thread].lock().unwrap() =
                    Some((Instant::now(), TARGETS[t], input.clone()));
                let origin = format!("seed {seed}");
                let case = Case { target: TARGETS[t], input: &input, origin: &origin };
                if let Err(what) = outcome(&case) {
                    failure.lock().unwrap().get_or_insert_with(|| report(&case, &what));
                }
                *current[thread].lock().unwrap() = None;
                counts[t].fetch_add(1, Relaxed);
            }
        };
        scope.spawn(|| watch(&current, &done));
        let workers: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
        done.store(true, Relaxed);
    });
    for (target, count) in TARGETS.iter().zip(&counts) {
        println!("{:>9} variants of {}", count.load(Relaxed), target.0);
    }
    if let Some(failure) = failure.into_inner().unwrap() {
        panic!("{failure}");
    }
}

/// Inputs of a mebibyte that are as dense as their format allows: what takes the least text for the
/// most memory or time. Chance would not find them.
#[test]
fn dense_inputs_do_no_harm() {
    const SIZE: usize = 1 << 20;
    let filled = |start: &str, unit: &str, end: &str| {
        let times = (SIZE - start.len() - end.len()) / unit.len();
        (start.to_string() + &unit.repeat(times) + end).into_bytes()
    };
    // A comb: concave, with as many corners as are still split.
    let teeth: String =
        (0..63).map(|x| format!("v {} 1 0\nv {}.5 9 0\n", 63 - x, 62 - x)).collect();
    let teeth = format!("v -1 0 0\nv 64 0 0\n{teeth}");
    let comb = (1..=128).map(|v| format!(" {v}")).collect::<String>();
    let ply = |items: &str, vertex: &str, body: &[u8]| {
        let corners = SIZE as u32 - 1000;
        let header = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty \
             char y\nproperty char z\n{vertex}element face 1\n{items}end_header\n"
        );
        let mut bytes = header.into_bytes();
        bytes.extend(body);
        bytes.extend(corners.to_le_bytes());
        bytes.resize(bytes.len() + corners as usize, 0);
        bytes
    };
    let list = "property list uint uchar vertex_index\n";
    let gltf = r#"{"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"bufferView":0,"componentType":5121,"count":3,"type":"VEC3"}],
        "bufferViews":[{"buffer":0,"byteLength":9}],
        "buffers":[{"uri":"data:;base64,AAAAAAAAAAAA","byteLength":9}],"nodes":["#;
    let many = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],
        "accessors":[{"bufferView":0,"componentType":5121,"count":99999,"type":"SCALAR"},
        {"bufferView":0,"componentType":5121,"count":3,"type":"VEC3"}],
        "bufferViews":[{"buffer":0,"byteLength":99999}],
        "buffers":[{"uri":"a.gltf","byteLength":99999}],"meshes":[{"primitives":["#;
    let attributes: String = (0..90_000).map(|k| format!("\"_{k}\":0,")).collect();
    let facet = "facet outer loop vertex 0 0 0 vertex 0 0 0 vertex 0 0 0 endloop endfacet\n";
    let inputs: [(&str, Vec<u8>); 20] = [
        ("obj", filled("v 0 0 0\nf", " 1", "\n")),
        ("obj", filled("v 0 0 0\nvt 0\nf", " 1/1", "\n")),
        ("obj", filled("v 0 0 0\n", "f 1 1 1\no a\n", "")),
        ("obj", filled("", "v 0 0 0\n", "f 1 2 3\n")),
        ("obj", filled("v 0 0 0\n", "l 1 1\n", "")),
        ("obj", filled(&teeth, &format!("f{comb}\n"), "")),
        ("obj", filled("v 0 0 0\nf", " 1\\\n", "\n")),
        ("obj", filled("v 0 0 0 \\", "\n", "f 1 1 1\n")),
        ("obj", filled("v 0 0 0 ", "\\\n", "f 1 1 1\n")),
        ("stl", filled("solid", "\n", "endsolid")),
        ("ply", filled("ply\nformat ascii 1.0\n", "\n", "end_header\n")),
        ("stl", filled("solid\n", facet, "endsolid")),
        ("stl", filled("solid a\n", &format!("{facet}endsolid\nsolid b\n"), "endsolid")),
        ("ply", ply(list, "", &[0; 3])),
        ("ply", ply(list, "property char s\nproperty char t\n", &[0; 5])),
        ("gltf", filled(gltf, "{},", "{\"mesh\":0}]}")),
        ("gltf", filled(gltf, "{\"mesh\":0},", "{}]}")),
        ("gltf", filled(gltf, "{\"children\":[0,0,0,0]},", "{\"mesh\":0}]}")),
        ("gltf", filled(many, r#"{"attributes":{"POSITION":1},"indices":0,"mode":5},"#, "{}]}]}")),
        (
            "gltf",
            gltf.replace("\"POSITION\"", &(attributes + "\"POSITION\""))
                .replace("\"nodes\":[", "\"nodes\":[{\"mesh\":0}]}")
                .into_bytes(),
        ),
    ];
    for (k, (name, input)) in inputs.iter().enumerate() {
        let target = *TARGETS.iter().find(|target| target.0 == *name).unwrap();
        let case = Case { target, input, origin: &format!("dense input {k}") };
        let start = Instant::now();
        let memory = memory_of(|| (target.1)(input));
        let times = memory as f64 / input.len() as f64;
        println!("{name} {k}: {times:.0} times its {} bytes, {:?}", input.len(), start.elapsed());
        outcome(&case).unwrap_or_else(|what| panic!("{}", report(&case, &what)));
    }
}

/// Ends the process when an input hangs: a thread cannot be stopped.
fn watch(current: &[Slot], done: &AtomicBool) {
    while !done.load(Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        for slot in current {
            if let Some((start, target, input)) = &*slot.lock().unwrap()
                && start.elapsed() > HANGING
            {
                let case = Case { target: *target, input, origin: "a variant" };
                eprintln!("{}", report(&case, "it hangs"));
                std::process::abort();
            }
        }
    }
}
