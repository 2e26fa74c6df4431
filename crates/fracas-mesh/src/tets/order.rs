//! The order in which memory is read.

use super::TetMesh;
use crate::fragments::curve;

impl TetMesh {
    /// The same mesh with vertices and tetrahedra along a curve that fills space, so that what is near in space is near
    /// in memory. Vertices that no tetrahedron uses go.
    pub fn in_order(mut self) -> Self {
        self.remove_unused();
        let vertices = curve::order(&self.vertices);
        let centres: Vec<_> = (0..self.tets.len()).map(|tet| self.centre(tet)).collect();
        let tets = curve::order(&centres);
        let mut new = vec![0; vertices.len()];
        for (number, &vertex) in (0..).zip(&vertices) {
            new[vertex] = number;
        }
        let [at_vertices, of_tets] = [&self.vertex_attributes, &self.tet_attributes];
        Self {
            vertices: vertices.iter().map(|&vertex| self.vertices[vertex]).collect(),
            tets: tets.iter().map(|&tet| self.tets[tet].map(|v| new[v as usize])).collect(),
            objects: self.objects.select(tets.iter().copied()),
            vertex_attributes: at_vertices
                .iter()
                .map(|a| a.select(vertices.iter().copied()))
                .collect(),
            tet_attributes: of_tets.iter().map(|a| a.select(tets.iter().copied())).collect(),
        }
    }
}
