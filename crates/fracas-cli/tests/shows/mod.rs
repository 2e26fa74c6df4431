//! What every `shows_*` test shares: the table of promised figures, and a body that falls.
//!
//! A row that misses its bound fails its test, unless the list of open rows has it with the reason:
//! then the table says so, with the figure. Bounds are never loosened.

#![allow(dead_code, reason = "each test uses its share")]

use fracas::glam::DVec3;
use fracas::{Body, StepReport, World, WorldConfig};
use fracas_scene::Scene;
use serde_json::Value;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::Command;
use std::sync::{Mutex, RwLock};

/// The shows of one test: their names in the order of the table, whether each is left out of quick
/// runs, and the rows that miss their bound today with the reason.
pub struct Shows {
    pub names: &'static [(&'static str, bool)],
    pub open: &'static [(&'static str, &'static str)],
}

/// What was measured against what was promised.
pub struct Row {
    pub name: String,
    pub figure: String,
    pub bound: String,
    /// `None` if there is no bound to hold.
    pub holds: Option<bool>,
    /// Why a miss says nothing.
    pub excuse: Option<String>,
}

impl Row {
    pub fn new(name: &str, figure: String, bound: String, holds: bool) -> Self {
        Self { name: name.to_owned(), figure, bound, holds: Some(holds), excuse: None }
    }

    /// A figure of `unit` that may not be above `bound`; a NaN is.
    pub fn at_most(name: &str, figure: f64, bound: f64, unit: &str) -> Self {
        let text = format!("{}{unit}", short(figure));
        Self::new(name, text, format!("≤ {}{unit}", short(bound)), figure <= bound)
    }

    pub fn at_least(name: &str, figure: f64, bound: f64, unit: &str) -> Self {
        let text = format!("{}{unit}", short(figure));
        Self::new(name, text, format!("≥ {}{unit}", short(bound)), figure >= bound)
    }

    /// A figure for the reader.
    pub fn told(name: &str, figure: String) -> Self {
        Self { name: name.to_owned(), figure, bound: "–".to_owned(), holds: None, excuse: None }
    }

    fn reason_open(&self, shows: &Shows) -> Option<&'static str> {
        shows.open.iter().find(|(name, _)| *name == self.name).map(|(_, reason)| *reason)
    }

    fn missed(&self, shows: &Shows) -> bool {
        self.holds == Some(false) && self.reason_open(shows).is_none() && self.excuse.is_none()
    }

    fn verdict(&self, shows: &Shows) -> String {
        match (self.holds, self.reason_open(shows)) {
            (None, _) => "–".to_owned(),
            (Some(true), None) => "yes".to_owned(),
            (Some(true), Some(_)) => "yes, though listed as open".to_owned(),
            (Some(false), None) => match &self.excuse {
                Some(excuse) => format!("not measured: {excuse}"),
                None => "NO".to_owned(),
            },
            (Some(false), Some(reason)) => format!("open: {reason}"),
        }
    }
}

/// Three digits and no more zeros than it takes.
pub fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let decimals = 2 - x.abs().log10().floor() as i32;
    if (-3..=6).contains(&decimals) {
        let text = format!("{x:.*}", decimals.max(0) as usize);
        let digits = if text.contains('.') { text.trim_end_matches('0') } else { &text };
        digits.trim_end_matches('.').to_owned()
    } else {
        format!("{x:.2e}")
    }
}

fn table(shows: &Shows, rows: &[Row]) -> String {
    let mut cells = vec![["row", "figure", "bound", "pass"].map(str::to_owned)];
    cells.extend(
        rows.iter().map(|row| {
            [row.name.clone(), row.figure.clone(), row.bound.clone(), row.verdict(shows)]
        }),
    );
    let width = |column: usize| cells.iter().map(|line| line[column].chars().count()).max();
    let widths = [0, 1, 2, 3].map(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for [name, figure, bound, pass] in &cells {
        let [a, b, c, _] = widths;
        writeln!(text, "{name:a$} | {figure:>b$} | {bound:>c$} | {pass}").unwrap();
    }
    text
}

/// Rows by the number of their show.
static ROWS: Mutex<Vec<(usize, Vec<Row>)>> = Mutex::new(Vec::new());
/// Who measures time writes, everybody else reads.
pub static MACHINE: RwLock<()> = RwLock::new(());

/// Measures a show; the last one prints the table. A run of some tests only prints each by itself.
pub fn show(shows: &Shows, name: &str, measure: impl FnOnce() -> Vec<Row>) {
    let place = shows.names.iter().position(|(show, _)| *show == name).unwrap();
    let result = catch_unwind(AssertUnwindSafe(measure));
    let ended = Row::new(name, "ended by panic".into(), "measured".into(), false);
    let (rows, panic) = match result {
        Ok(rows) => (rows, None),
        Err(panic) => (vec![ended], Some(panic)),
    };
    let missed: Vec<String> = rows.iter().filter(|row| row.missed(shows)).map(describe).collect();

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = |argument: &String| !argument.starts_with('-');
    let only_ignored = arguments.iter().any(|argument| argument == "--ignored");
    let with_ignored = arguments.iter().any(|argument| argument == "--include-ignored");
    if arguments.iter().any(is_chosen) {
        println!("\n{}", table(shows, &rows));
    } else {
        let runs = |long: bool| with_ignored || long == only_ignored;
        let expected = shows.names.iter().filter(|(_, long)| runs(*long)).count();
        let mut all = ROWS.lock().unwrap();
        all.push((place, rows));
        if all.len() == expected {
            all.sort_by_key(|(place, _)| *place);
            let rows: Vec<Row> = all.drain(..).flat_map(|(_, rows)| rows).collect();
            println!("\n{}", table(shows, &rows));
        }
    }
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

fn describe(row: &Row) -> String {
    format!("{}: {}, promised {}", row.name, row.figure, row.bound)
}

// ---- the machine ----

/// While others use more cores than this, a miss says nothing.
pub const QUIET: f64 = 0.1;

/// Cores that others use: busy time of the machine over a second in which we rest. 0 where the
/// system does not tell.
pub fn busy_cores() -> f64 {
    // user nice system idle iowait irq softirq steal, in ticks over all cores
    let ticks = || -> Option<(f64, f64)> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let numbers = text.lines().next()?.split_whitespace().skip(1).take(8);
        let ticks: Vec<f64> = numbers.map_while(|number| number.parse().ok()).collect();
        Some((ticks.iter().sum(), ticks.get(3)? + ticks.get(4)?))
    };
    let before = ticks();
    std::thread::sleep(std::time::Duration::from_secs(1));
    let (Some(before), Some(after)) = (before, ticks()) else { return 0.0 };
    let cores = std::thread::available_parallelism().map_or(1.0, |n| n.get() as f64);
    cores * (1.0 - (after.1 - before.1) / (after.0 - before.0))
}

// ---- scenes ----

/// With books of energy.
pub fn booked(scene: &Scene) -> World {
    scene.build_with(WorldConfig { books: true, ..scene.world_config() }).unwrap()
}

pub fn only_body(world: &World) -> &Body {
    let mut ids = world.body_ids();
    let body = world.body(ids.next().unwrap()).unwrap();
    assert!(ids.next().is_none());
    body
}

/// Rest position, position and mass of every particle.
pub fn particles(body: &Body) -> impl Iterator<Item = (DVec3, DVec3, f64)> {
    let rest = body.rest_positions().iter().map(|x| DVec3::from(x.map(f64::from)));
    let mass = body.masses().iter().map(|&m| f64::from(m));
    rest.zip(body.world_positions()).zip(mass).map(|((rest, x), m)| (rest, DVec3::from(x), m))
}

pub fn centre(body: &Body) -> DVec3 {
    particles(body).map(|(_, x, m)| m * x).sum::<DVec3>() / body.mass()
}

/// The turn about the vertical that best carries rest into the present, in degrees, of particles
/// that `chosen` takes by their rest position.
pub fn heading(body: &Body, chosen: impl Fn(DVec3) -> bool) -> f64 {
    let taken: Vec<_> = particles(body).filter(|(rest, ..)| chosen(*rest)).collect();
    let mass: f64 = taken.iter().map(|(.., m)| m).sum();
    let middle = |of: fn(&(DVec3, DVec3, f64)) -> DVec3| {
        taken.iter().map(|p| p.2 * of(p)).sum::<DVec3>() / mass
    };
    let (rest_middle, now_middle) = (middle(|p| p.0), middle(|p| p.1));
    let (mut along, mut across) = (0.0, 0.0);
    for (rest, x, m) in &taken {
        let (a, b) = (*rest - rest_middle, *x - now_middle);
        along += m * (a.x * b.x + a.z * b.z);
        across += m * (a.z * b.x - a.x * b.z);
    }
    across.atan2(along).to_degrees()
}

pub fn program(arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_fracas")).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?} said {said}");
}

/// Runs the program, which writes JSON to the last argument, a file that is then removed.
pub fn json_of(arguments: &[&str], file: &str) -> Value {
    let path = std::env::temp_dir().join(format!("fracas-{}-{file}", std::process::id()));
    program(&[arguments, &[path.to_str().unwrap()]].concat());
    let json = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    json
}

// ---- a body falls ----

pub const GRAVITY: f64 = 9.81;

/// Fall, impact, rest, with books: rows, and the hash of every frame.
pub fn fall(name: &str, scene: &Scene) -> (Vec<Row>, Vec<u64>) {
    let mut world = booked(scene);
    let start = centre(only_body(&world)).y;
    let initial = only_body(&world).mass() * GRAVITY * start;
    let mut reports: Vec<StepReport> = Vec::new();
    let mut headings = Vec::new();
    let mut heights = Vec::new();
    for _ in 0..scene.frames() {
        reports.push(world.step(scene.dt()));
        headings.push(heading(only_body(&world), |_| true));
        heights.push(centre(only_body(&world)).y);
    }
    let end = heights[heights.len() - 1];
    // What there is to lose, whatever heights are counted from
    let drop = only_body(&world).mass() * GRAVITY * (start - end);

    let last_second = &reports[reports.len() - 60..];
    let speed = last_second.iter().map(|r| r.max_speed).fold(0.0, f32::max);
    let deepest = reports.iter().map(|r| r.max_penetration).fold(0.0, f32::max);
    let open = |r: &StepReport| {
        (r.energy.held() + r.energy.lost() - r.energy.external_work - initial).abs() / drop
    };
    let books = reports.iter().map(open).fold(0.0, f64::max);
    let totals = reports.iter().map(|r| r.energy.held() - r.energy.external_work);
    let (step_up, up) = rises(std::iter::once(initial).chain(totals));
    let per_minute = |from: usize, to: usize| {
        (headings[to] - headings[from]).abs() * 3600.0 / (to - from) as f64
    };

    // The bounce: how high the centre comes after its first low
    let low = (1..heights.len()).find(|&k| heights[k] > heights[k - 1]).unwrap_or(0);
    let bounce = heights[low..].iter().copied().fold(f64::MIN, f64::max) - end;
    let sum = &reports[reports.len() - 1].energy;
    let share = |joule: f64| 100.0 * joule / drop;
    let creep = 1e6 * (heights[heights.len() - 1] - heights[heights.len() - 301]).abs();
    let rows = vec![
        Row::at_most(
            &row(name, "speed in the last second"),
            100.0 * f64::from(speed),
            1.0,
            " cm/s",
        ),
        Row::at_most(&row(name, "deepest penetration"), 1e3 * f64::from(deepest), 2.0, " mm"),
        Row::at_most(&row(name, "books open, of the drop"), 100.0 * books, 1.0, " %"),
        Row::at_most(&row(name, "total up in a frame, of the drop"), step_up / drop, 1e-6, ""),
        Row::at_most(&row(name, "total up in all, of the drop"), up / drop, 1e-4, ""),
        Row::at_most(&row(name, "turns per minute, 2 s to 10 s"), per_minute(119, 599), 0.1, "°"),
        Row::told(
            &row(name, "centre bounces by"),
            format!("{} mm of {} mm", short(1e3 * bounce), short(1e3 * (start - end))),
        ),
        Row::told(
            &row(name, "drop went to solver, contact, damping, friction"),
            format!(
                "{}, {}, {}, {} %",
                short(share(sum.solver_loss)),
                short(share(sum.contact_loss)),
                short(share(sum.damping)),
                short(share(sum.friction))
            ),
        ),
        Row::told(&row(name, "centre creeps in the last 5 s"), format!("{} µm", short(creep))),
    ];
    (rows, reports.iter().map(|r| r.hash).collect())
}

/// The largest rise from one number to the next, and above the lowest so far.
pub fn rises(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut before, mut lowest) = (f64::INFINITY, f64::INFINITY);
    let (mut step, mut all) = (0.0f64, 0.0f64);
    for value in values {
        step = step.max(value - before);
        lowest = lowest.min(value);
        all = all.max(value - lowest);
        before = value;
    }
    (step, all)
}

/// One thread with books against two and three without, and against another process with one.
pub fn same_hashes(name: &str, scene: &Scene, expected: &[u64]) -> Vec<Row> {
    let equal_row = |name: &str, equal: usize| {
        let (figure, all) = (format!("{equal} of {} equal", expected.len()), expected.len());
        Row::new(name, figure, "all".to_owned(), equal == all)
    };
    let same = |found: &[u64]| expected.iter().zip(found).filter(|(a, b)| a == b).count();
    let mut rows = Vec::new();
    for threads in [2, 3] {
        let mut world = scene.build(threads).unwrap();
        let found: Vec<u64> = (0..expected.len()).map(|_| world.step(scene.dt()).hash).collect();
        rows.push(equal_row(
            &format!("{name}: hashes of 1 thread and {threads}, no books"),
            same(&found),
        ));
    }
    let stats = json_of(&["run", name, "--threads", "1", "--stats"], "fall.json");
    let frames = stats["frames"].as_array().unwrap();
    let hash = |frame: &Value| u64::from_str_radix(frame["hash"].as_str().unwrap(), 16).unwrap();
    let found: Vec<u64> = frames.iter().map(hash).collect();
    rows.push(equal_row(&row(name, "hashes, another process"), same(&found)));
    rows
}

/// "drop-bunny: deepest penetration".
fn row(scene: &str, what: &str) -> String {
    format!("{scene}: {what}")
}
