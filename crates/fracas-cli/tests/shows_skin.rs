use fracas::parallel::Workers;
use fracas::skin::Skin;
use fracas_scene::Scene;
use std::time::Instant;
#[test]
fn tmp() {
    let name = std::env::var("S").unwrap_or("dozen".into());
    let scene = Scene::open(&name).unwrap();
    let t = Instant::now();
    let (mut world, looks) = scene.build_looks(scene.world_config()).unwrap();
    println!("built {:?}", t.elapsed());
    let workers = Workers::new(2).unwrap();
    let t = Instant::now();
    let mut skins: Vec<_> = looks
        .iter()
        .map(|l| {
            Skin::new(l.skin.clone(), world.body(l.body).unwrap())
                .unwrap()
                .with_workers(workers.clone())
        })
        .collect();
    println!("bound {:?}", t.elapsed());
    let frames: usize = std::env::var("N").map_or(300, |n| n.parse().unwrap());
    for f in 0..frames {
        if f > 0 {
            world.step(scene.dt());
        }
        let t = Instant::now();
        let (mut v, mut tr, mut bytes, mut cl) = (0, 0, 0, 0);
        for (s, l) in skins.iter_mut().zip(&looks) {
            let sk = s.update(world.body(l.body).unwrap(), [0.0; 3]);
            v += sk.positions.len();
            tr += sk.triangles.len();
            bytes += s.last().bytes();
            cl += s.last().clusters.len();
        }
        let ms = t.elapsed().as_secs_f64() * 1e3;
        if f % 20 == 0 || cl > 100 || f + 1 == frames {
            println!("{f} {v} vertices {tr} triangles {bytes} bytes {cl} clusters {ms:.2} ms");
        }
    }
    let t = Instant::now();
    for _ in 0..20 {
        for (s, l) in skins.iter_mut().zip(&looks) {
            s.update(world.body(l.body).unwrap(), [0.0; 3]);
        }
    }
    println!("end: {:.2} ms", t.elapsed().as_secs_f64() * 1e3 / 20.0);
    let all: usize = looks.iter().map(|l| l.skin.outside.len() + 2 * l.skin.inside.len()).sum();
    println!("all triangles {all}");
}
