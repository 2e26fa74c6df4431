//! Writes the generated assets, `goblet.obj`, `panel.obj`, `car.obj` and `figure-8.obj`, to a folder.
//!
//! ```sh
//! cargo run -p fracas-mesh --example make_assets -- assets
//! ```

use std::collections::BTreeMap;
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
        ("car", "the body of a car, 4 m long, open below and at its windows", car()),
        ("figure-8", "two rings that have a side in common, 0.4 m high, coarse, closed", rings()),
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

/// The body of a car along x, its bonnet at +x: a box without floor, bent into shape, without the quads of its windows.
fn car() -> Surface {
    const COUNTS: [u32; 3] = [28, 6, 12];
    let mut surface = Surface::default();
    let mut known = BTreeMap::new();
    let mut vertex = |at: [u32; 3]| {
        *known.entry(at).or_insert_with(|| {
            surface
                .vertices
                .push(car_point([0, 1, 2].map(|k| f64::from(at[k]) / f64::from(COUNTS[k]))));
            surface.vertices.len() as u32 - 1
        })
    };
    let [along, up, across] = COUNTS;
    // corners counter-clockwise seen from outside
    let mut quads = Vec::new();
    for i in 0..along {
        for k in 0..across {
            let glass = (16..20).contains(&i) || (3..5).contains(&i);
            if !(glass && (2..across - 2).contains(&k)) {
                quads.push([[i, up, k], [i, up, k + 1], [i + 1, up, k + 1], [i + 1, up, k]]);
            }
        }
        for j in 0..up {
            let glass = j + 2 == up && (6..17).contains(&i) && i != 11;
            if !glass {
                quads.push([[i, j, 0], [i, j + 1, 0], [i + 1, j + 1, 0], [i + 1, j, 0]]);
                quads.push([
                    [i, j, across],
                    [i + 1, j, across],
                    [i + 1, j + 1, across],
                    [i, j + 1, across],
                ]);
            }
        }
    }
    for j in 0..up {
        for k in 0..across {
            quads.push([[0, j, k], [0, j, k + 1], [0, j + 1, k + 1], [0, j + 1, k]]);
            quads.push([
                [along, j, k],
                [along, j + 1, k],
                [along, j + 1, k + 1],
                [along, j, k + 1],
            ]);
        }
    }
    let mut triangles = Vec::new();
    for quad in quads {
        let turn = quad[0].iter().sum::<u32>() % 2 == 0;
        let [a, b, c, d] = quad.map(&mut vertex);
        triangles.extend(if turn { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
    }
    surface.triangles = triangles;
    surface
}

/// Where a point of the unit box goes.
fn car_point([s, h, t]: [f64; 3]) -> DVec3 {
    // height of the outline above the road, from the tail to the nose
    let outline = [
        (0.0, 0.72),
        (0.1, 0.98),
        (0.2, 1.36),
        (0.3, 1.44),
        (0.5, 1.44),
        (0.58, 1.40),
        (0.73, 0.96),
        (0.9, 0.86),
        (1.0, 0.66),
    ];
    let top = outline.windows(2).find(|pair| s <= pair[1].0).map_or(0.6, |pair| {
        let share = (s - pair[0].0) / (pair[1].0 - pair[0].0);
        pair[0].1 + share * (pair[1].1 - pair[0].1)
    });
    // arches for the wheels, on the sides
    let side = (2.0 * t - 1.0).abs().powi(8);
    let arch = |middle: f64| (1.0 - ((s - middle) / 0.095).powi(2)).max(0.0).sqrt();
    let sill = 0.22 + 0.34 * side * (arch(0.2) + arch(0.8));
    let y = sill + h * (top - sill);
    // the cabin leans in, nose and tail are round
    let lean = 0.28 * ((y - 0.8) / 0.64).max(0.0);
    let end = 2.0 * s - 1.0;
    let width = 0.85 - lean * 0.85 - 0.12 * end.powi(8);
    let crown = 0.03 * h * (1.0 - (2.0 * t - 1.0).powi(2));
    let x = 2.0 * end - 0.12 * end.powi(7) * (2.0 * t - 1.0).powi(2);
    DVec3::new(x, y + crown, width * (2.0 * t - 1.0))
}

/// Rows of unit cubes in the shape of an 8, bent into rings. It is made to be subdivided, which makes it round.
fn rings() -> Surface {
    const UNIT: f64 = 0.08;
    let filled = |x: i32, y: i32| {
        (0..3).contains(&x) && (0..5).contains(&y) && !(x == 1 && (y == 1 || y == 3))
    };
    let mut quads = Vec::new();
    for (x, y) in (0..5).flat_map(|y| (0..3).map(move |x| (x, y))).filter(|&(x, y)| filled(x, y)) {
        // corners counter-clockwise seen from outside
        let corner = |dx: i32, dy: i32, z: i32| [x + dx, y + dy, z];
        quads.push([corner(0, 0, 1), corner(1, 0, 1), corner(1, 1, 1), corner(0, 1, 1)]);
        quads.push([corner(0, 0, 0), corner(0, 1, 0), corner(1, 1, 0), corner(1, 0, 0)]);
        let sides = [
            ((x - 1, y), [0, 1], [0, 0]),
            ((x + 1, y), [1, 0], [1, 1]),
            ((x, y - 1), [0, 0], [1, 0]),
            ((x, y + 1), [1, 1], [0, 1]),
        ];
        for ((x, y), [ax, ay], [bx, by]) in sides {
            if !filled(x, y) {
                quads.push([
                    corner(ax, ay, 0),
                    corner(bx, by, 0),
                    corner(bx, by, 1),
                    corner(ax, ay, 1),
                ]);
            }
        }
    }
    let mut surface = Surface::default();
    let mut known = BTreeMap::new();
    for quad in quads {
        let corners = quad.map(|at| {
            *known.entry(at).or_insert_with(|| {
                surface.vertices.push(UNIT * on_rings(at.map(f64::from)));
                surface.vertices.len() as u32 - 1
            })
        });
        // about the middle, so that neither diagonal is preferred
        let middle = surface.vertices.len() as u32;
        let sum: DVec3 = corners.iter().map(|&v| surface.vertices[v as usize]).sum();
        surface.vertices.push(0.25 * sum);
        surface.triangles.extend((0..4).map(|k| [corners[k], corners[(k + 1) % 4], middle]));
    }
    surface
}

/// Where a corner of the cubes goes: squares around the two holes become circles, and the sides are drawn in between them.
fn on_rings([x, y, z]: [f64; 3]) -> DVec3 {
    let centre = if y < 2.5 { 1.5 } else { 3.5 };
    let (dx, dy) = (x - 1.5, y - centre);
    // holes are wider than the cube that is left out
    let square = dx.abs().max(dy.abs());
    let round = (square + 0.5 * (1.5 - square)) / dx.hypot(dy);
    let waist = if (2.0..=3.0).contains(&y) && dx.abs() > 1.0 { 0.75 } else { 1.0 };
    DVec3::new(waist * round * dx, round * dy + centre - 2.5, 0.7 * (z - 0.5))
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
