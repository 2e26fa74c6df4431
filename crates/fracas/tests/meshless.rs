//! Bodies of smoothed particles: elasticity against closed forms and conservation, tears against what was asked for.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::meshless_figures::{self as figures, FRAME, Slab};

#[test]
#[ignore]
fn explore() {
    println!("E, nu {:?}", figures::pulled_bar());
    println!("axial {} {}", figures::axial_frequency(1e5), figures::axial_frequency(1e6));
    println!("flight {:?} {:?}", figures::free_flight(1), figures::free_flight(2));
    println!("hourglass {}", figures::hourglass());
    for across in [2, 4, 8] {
        for (nu, jitter) in [(0.0, 0.0), (0.3, 0.0), (0.0, 0.15)] {
            println!("bar {across} {nu} {jitter} {:?}", figures::ramped_bar(across, nu, jitter));
        }
    }
}

#[test]
#[ignore]
fn explore_slab() {
    let gamma: f32 = std::env::var("GAMMA").map_or(0.85, |g| g.parse().unwrap());
    let modulus: f32 = std::env::var("MODULUS").map_or(1e5, |g| g.parse().unwrap());
    let threads: u32 = std::env::var("THREADS").map_or(2, |g| g.parse().unwrap());
    let mut slab = Slab::new(threads, [50, 48, 10], &Slab::flesh(modulus, gamma));
    fn clock() -> f64 {
        use std::sync::OnceLock;
        static START: OnceLock<std::time::Instant> = OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
    }
    slab.world.set_clock(clock);
    for k in 0..200 {
        let t = clock();
        let cuts = slab.body().bond_count();
        let report = slab.world.step(FRAME);
        let ms = 1e3 * (clock() - t);
        let cut = cuts - slab.body().bond_count();
        if k % 10 == 0 || ms > 20.0 {
            let largest = slab.body().pieces().iter().map(|p| p.particle_count()).max();
            println!(
                "{k}: {ms:.2} ms {:?} cut {cut} pieces {} largest {largest:?} dust {:.3} % fastest {:.1}",
                report.ms,
                slab.body().pieces().len(),
                100.0 * slab.dust(),
                slab.fastest()
            );
        }
    }
    slab.body().validate();
    println!("{:.3} s for 1 s", clock());
}
