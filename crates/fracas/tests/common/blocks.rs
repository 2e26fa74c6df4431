//! Blocks of tetrahedra of which every cell is cut alike, for tests of contact: their sides have diagonals.

use fracas::glam::Vec3;
use fracas::material::{Material, MaterialDesc};
use fracas::solids::fem::{TetOptions, TetShape};
use fracas::world::{BodyDesc, ShapeDesc};

/// A block of cells of six tetrahedra each, around the origin.
pub fn block(counts: [usize; 3], spacing: f32) -> (Vec<[f32; 3]>, Vec<[u32; 4]>) {
    block_of(counts, [spacing; 3])
}

/// The same with cells of three sizes.
pub fn block_of(counts: [usize; 3], spacing: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 4]>) {
    let [nx, ny, nz] = counts;
    let index = |x: usize, y: usize, z: usize| ((x * (ny + 1) + y) * (nz + 1) + z) as u32;
    let mut vertices = Vec::new();
    for x in 0..=nx {
        for y in 0..=ny {
            for z in 0..=nz {
                let at = [x, y, z];
                vertices
                    .push([0, 1, 2].map(|k| (at[k] as f32 - 0.5 * counts[k] as f32) * spacing[k]));
            }
        }
    }
    let mut tets = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                // along the six ways from one corner to the opposite one, by single steps
                for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
                    let mut at = [x, y, z];
                    let mut tet = [index(x, y, z); 4];
                    for (k, axis) in order.into_iter().enumerate() {
                        at[axis] += 1;
                        tet[k + 1] = index(at[0], at[1], at[2]);
                    }
                    let [a, b, c, d] = tet.map(|i| Vec3::from(vertices[i as usize]));
                    if (b - a).cross(c - a).dot(d - a) < 0.0 {
                        tet.swap(2, 3);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    (vertices, tets)
}

/// Triangles that belong to one of these tetrahedra alone.
pub fn faces_of(tets: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut sides: Vec<([u32; 3], [u32; 3])> = Vec::new();
    for &[a, b, c, d] in tets {
        for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
            let mut key = face;
            key.sort_unstable();
            sides.push((key, face));
        }
    }
    sides.sort_unstable();
    let alone = sides.chunk_by(|a, b| a.0 == b.0).filter(|side| side.len() == 1);
    alone.map(|side| side[0].1).collect()
}

/// A body of these.
pub fn tets((vertices, tets): (Vec<[f32; 3]>, Vec<[u32; 4]>), material: &MaterialDesc) -> BodyDesc {
    let shape = TetShape { vertices, tets, ..TetShape::default() };
    let shape = ShapeDesc::Tets { shape, options: TetOptions::default() };
    BodyDesc::new("tets", shape, vec![Material::try_from(material).unwrap()])
}
