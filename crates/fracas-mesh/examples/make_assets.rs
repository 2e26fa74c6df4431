//! Writes the generated assets, `goblet.obj` and `panel.obj`, to a folder.
//!
//! ```sh
//! cargo run -p fracas-mesh --example make_assets -- assets
//! ```

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

use fracas::glam::DVec3;
use fracas_mesh::Surface;
use fracas_mesh::generate::{Lathe, LatheResolution, lathe};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which folder?")?);
    for (name, about, surface) in [
        ("goblet", "a goblet 0.12 m high with a wall of 2 mm, closed", goblet()?),
        ("panel", "a curved panel of sheet metal, 0.5 m × 0.4 m, open", panel()),
    ] {
        let path = folder.join(name).with_extension("obj");
        std::fs::write(&path, obj(name, about, &surface))?;
        println!("{}: {} triangles", path.display(), surface.triangles.len());
    }
    Ok(())
}

/// A foot, a hollow stem and a bowl, as (r, y) in mm; the bowl is a curve.
fn goblet() -> Result<Surface, Box<dyn Error>> {
    let mut profile =
        vec![[0.0, 0.0], [32.0, 0.0], [32.0, 5.5], [9.0, 10.0], [6.5, 18.0], [6.5, 38.0]];
    // from the stem out to the belly and in to the rim: a Bézier curve
    let curve = [[6.5, 38.0], [12.0, 55.0], [48.0, 52.0], [30.0, 120.0]];
    for k in 1..=24 {
        let t = f64::from(k) / 24.0;
        let weights =
            [(1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3)];
        let along = |axis: usize| (0..4).map(|i| weights[i] * curve[i][axis]).sum();
        profile.push([along(0), along(1)]);
    }
    let glass = Lathe {
        profile: profile.into_iter().map(|point| point.map(|x| 1.0e-3 * x)).collect(),
        wall: 2.0e-3,
        layers: 1,
        resolution: LatheResolution::Segments(36),
    };
    let mesh = lathe(&glass)?;
    // with one layer all vertices are at the surface
    let triangles = mesh.boundary().into_iter().map(|(face, _)| face).collect();
    Ok(Surface { vertices: mesh.vertices, triangles, ..Surface::default() })
}

/// A bonnet: crowned both ways, with a raised middle and a lip that turns down at the front.
fn panel() -> Surface {
    const ALONG: u32 = 20;
    const ACROSS: u32 = 10;
    let mut surface = Surface::default();
    let mut at = Vec::new();
    for i in 0..=ALONG {
        for j in 0..=ACROSS {
            let (u, v) = (f64::from(i) / f64::from(ALONG), f64::from(j) / f64::from(ACROSS));
            let (s, t) = (2.0 * u - 1.0, 2.0 * v - 1.0);
            let crown = 0.05 * (1.0 - s * s) + 0.03 * (1.0 - t * t);
            let ridge = 0.012 * (1.0 - 4.0 * t * t).max(0.0).powi(2) * (1.0 - 0.5 * u);
            let lip = -0.02 * (5.0 * u - 4.0).max(0.0).powi(2);
            surface.vertices.push(DVec3::new(0.25 * s, crown + ridge + lip, 0.2 * t));
            at.push([u as f32, v as f32]);
        }
    }
    for i in 0..ALONG {
        for j in 0..ACROSS {
            let a = i * (ACROSS + 1) + j;
            let [b, c, d] = [a + 1, a + ACROSS + 2, a + ACROSS + 1];
            // diagonals alternate, so that cracks find no way along them
            let pair =
                if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            surface.triangles.extend(pair);
        }
    }
    surface.uvs = surface.triangles.iter().map(|t| t.map(|v| at[v as usize])).collect();
    surface
}

/// The surface as OBJ text; texture coordinates that are the same are written once.
fn obj(name: &str, about: &str, surface: &Surface) -> String {
    let mut text = format!("# {about}; y up, in m; made by the example make_assets\no {name}\n");
    for x in &surface.vertices {
        // no −0
        let [x, y, z] = x.to_array().map(|x| (1.0e6 * x).round() / 1.0e6 + 0.0);
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    let mut coordinates: Vec<[f32; 2]> = surface.uvs.iter().flatten().copied().collect();
    coordinates.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    coordinates.dedup();
    for [u, v] in &coordinates {
        let _ = writeln!(text, "vt {u} {v}");
    }
    for (t, corners) in surface.triangles.iter().enumerate() {
        text.push('f');
        for (k, v) in corners.iter().enumerate() {
            let _ = write!(text, " {}", v + 1);
            let uv =
                surface.uvs.get(t).and_then(|uvs| coordinates.iter().position(|c| *c == uvs[k]));
            if let Some(uv) = uv {
                let _ = write!(text, "/{}", uv + 1);
            }
        }
        text.push('\n');
    }
    text
}
