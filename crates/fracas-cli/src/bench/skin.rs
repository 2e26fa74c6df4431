//! The skins of `dozen` after it broke: what it takes to tell where they are, to hand it to the graphics device, and to
//! move them on the processor instead.

use super::{Row, Timing, time};
use crate::stats::median;
use anyhow::Result;
use fracas::glam::DVec3;
use fracas::parallel::Workers;
use fracas_scene::Scene;
use fracas_view::{Artist, CpuSkins, Gpu, Shown, ShownSkin, Stage, Style};

/// Threads that the processor's skin is moved on.
const THREADS: u32 = 2;
/// Moments without cracks that are handed over.
const UPLOADS: usize = 200;

/// All rows. Without a graphics device only those of the processor.
///
/// # Errors
/// A scene that cannot be built.
pub fn rows() -> Result<Vec<Row>> {
    let scene = Scene::open("dozen")?;
    let (mut world, looks) = scene.build_looks(scene.world_config())?;
    let mut stage = Stage::new(&world, looks)?;
    let mut cpu = CpuSkins::new(Workers::new(THREADS)?);
    let mut artist = Gpu::open().ok().map(Artist::new);
    let (style, origin) = (Style::default(), DVec3::ZERO);

    let mut cracked = Vec::new();
    let mut vertices = 0;
    for _ in 0..=scene.frames() {
        let shown = stage.show(&world, &style, origin);
        vertices = cpu.drawing(&shown).vertices.len() as u64;
        if let Some(artist) = &mut artist {
            let ms = upload(artist, &shown)?;
            let cracks =
                |skin: &ShownSkin| skin.update.begun.is_none() && !skin.update.clusters.is_empty();
            if shown.skins.iter().any(cracks) {
                cracked.push(ms);
            }
        }
        world.step(scene.dt());
    }
    let row = |name, threads, timing| Row::new(name, vertices, 1, threads, timing);
    let tell = time(1, || {
        stage.show(&world, &style, origin);
    });
    let shown = stage.show(&world, &style, origin);
    let mut rows = vec![row("skin-tell", 1, tell)];
    if let Some(artist) = &mut artist {
        let bytes = artist.take(&shown.skins)?;
        let quiet = (0..UPLOADS).map(|_| upload(artist, &shown)).collect::<Result<Vec<_>>>()?;
        let mut upload = row("skin-upload", 1, of_runs(quiet));
        upload.facts.insert("bytes", bytes as f64);
        rows.push(upload);
        if !cracked.is_empty() {
            rows.push(row("skin-upload-cracks", 1, of_runs(cracked)));
        }
    }
    let moved = time(THREADS, || {
        cpu.drawing(&shown);
    });
    rows.push(row("skin-cpu", THREADS, moved));
    Ok(rows)
}

/// Milliseconds of this thread that it takes to hand a moment to the device. What a device that is software does with it in
/// threads of its own is not counted.
fn upload(artist: &mut Artist, shown: &Shown) -> Result<f64> {
    let start = cpu_time::ThreadTime::now();
    artist.take(&shown.skins)?;
    artist.gpu().queue.submit([]);
    Ok(1.0e3 * start.elapsed().as_secs_f64())
}

fn of_runs(mut ms: Vec<f64>) -> Timing {
    ms.sort_by(f64::total_cmp);
    let ms_median = median(&ms);
    Timing { ms_median, ms_max: ms.last().copied().unwrap_or(ms_median) }
}
