//! Tetrahedral meshes of cubes, for tests.

use std::collections::BTreeMap;

use fracas::glam::DVec3;
use fracas_mesh::TetMesh;

/// Number of a cell or lattice point along each axis.
pub type Cell = [i32; 3];

/// All cells of a block.
pub fn block([x, y, z]: Cell) -> Vec<Cell> {
    let column = move |i, j| (0..z).map(move |k| [i, j, k]);
    (0..x).flat_map(|i| (0..y).flat_map(move |j| column(i, j))).collect()
}

/// Unit cubes, each cut into the six tetrahedra of Kuhn along the diagonal from its lowest to its
/// highest corner; cubes side by side share vertices. `place` says where a lattice point lies.
pub fn kuhn(cells: &[Cell], place: impl Fn(Cell) -> DVec3) -> TetMesh {
    let mut number: BTreeMap<Cell, u32> = BTreeMap::new();
    let mut mesh = TetMesh::default();
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for &cell in cells {
        for (way, order) in orders.into_iter().enumerate() {
            let mut at = cell;
            let mut corner = |at: Cell| {
                *number.entry(at).or_insert_with(|| {
                    mesh.vertices.push(place(at));
                    mesh.vertices.len() as u32 - 1
                })
            };
            let mut tet = [corner(at); 4];
            for (step, axis) in order.into_iter().enumerate() {
                at[axis] += 1;
                tet[step + 1] = corner(at);
            }
            // the first three orders are even permutations, the others odd
            if way >= 3 {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
        }
    }
    mesh
}

/// A lattice point where it belongs.
pub fn regular([x, y, z]: Cell) -> DVec3 {
    DVec3::new(x.into(), y.into(), z.into())
}

/// A lattice point, shifted at random by up to `reach` along each axis.
pub fn jittered(reach: f64, seed: u64) -> impl Fn(Cell) -> DVec3 {
    move |at| {
        let mut state = seed;
        let mut random = |x: i32| {
            state = (state ^ x as u64).wrapping_add(1).wrapping_mul(0xd134_2543_de82_ef95);
            state ^= state >> 29;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        at.into_iter().for_each(|x| _ = random(x)); // the same place, the same shift
        regular(at) + reach * DVec3::from_array([1, 2, 3].map(random))
    }
}
