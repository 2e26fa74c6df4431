//! What a mesh file says beyond positions: names of objects, and values at vertices or cells.

/// Named parts of a mesh: which triangle or tetrahedron belongs to which.
///
/// Without names the mesh is one part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objects {
    /// The names, in the order of the file; may be empty.
    pub names: Vec<String>,
    /// Index into `names` for each triangle or tetrahedron; empty if there are no names.
    pub of: Vec<u32>,
}

impl Objects {
    /// No named parts.
    pub const NONE: Self = Self { names: Vec::new(), of: Vec::new() };

    /// Index of the object that an element belongs to; `None` without names.
    pub fn get(&self, element: usize) -> Option<u32> {
        self.of.get(element).copied()
    }

    /// The same for a list of elements, each given by where it was before.
    pub fn select(&self, elements: impl Iterator<Item = usize>) -> Self {
        let of = elements.filter_map(|element| self.get(element)).collect();
        Self { names: self.names.clone(), of }
    }
}

/// A number at every vertex or cell. Vectors are three of these: `name.x`, `name.y`, `name.z`;
/// colours are `name.r`, `name.g`, `name.b`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attribute {
    /// As in the file.
    pub name: String,
    /// One for each vertex or cell.
    pub values: Vec<f32>,
}

impl Attribute {
    /// The same for a list of elements, each given by where it was before.
    pub fn select(&self, elements: impl Iterator<Item = usize>) -> Self {
        let values = elements.map(|element| self.values[element]).collect();
        Self { name: self.name.clone(), values }
    }
}
