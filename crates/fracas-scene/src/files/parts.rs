//! Named parts, gathered while a file is read.

use std::collections::BTreeMap;

use fracas_mesh::Objects;

/// The name of triangles before the first name, where later ones have names.
const UNNAMED: &str = "default";

/// Gathers [`Objects`]: a name counts from its first triangle on, and parts of the same name are
/// one.
#[derive(Default)]
pub(super) struct Parts {
    objects: Objects,
    index: BTreeMap<String, u32>,
    /// The name that was announced last, and its index once it has a triangle.
    name: Option<String>,
    current: Option<u32>,
    unnamed: usize,
}

impl Parts {
    /// With space for so many triangles.
    pub(super) fn with_capacity(triangles: usize) -> Self {
        let objects = Objects { names: Vec::new(), of: Vec::with_capacity(triangles) };
        Self { objects, ..Self::default() }
    }

    /// The triangles that follow belong to this part.
    pub(super) fn begin(&mut self, name: String) {
        (self.name, self.current) = (Some(name), None);
    }

    /// `count` triangles of the part that began last.
    pub(super) fn add(&mut self, count: usize) {
        if self.name.is_none() {
            self.unnamed += count;
            return;
        }
        let current = self.current();
        self.objects.of.extend(std::iter::repeat_n(current, count));
    }

    fn current(&mut self) -> u32 {
        if let Some(current) = self.current {
            return current;
        }
        if self.index.is_empty() && self.unnamed > 0 {
            self.intern(UNNAMED.into());
            self.objects.of = vec![0; self.unnamed];
        }
        let name = self.name.clone().unwrap_or_else(|| UNNAMED.into());
        let current = self.intern(name);
        self.current = Some(current);
        current
    }

    fn intern(&mut self, name: String) -> u32 {
        let next = self.objects.names.len() as u32;
        *self.index.entry(name).or_insert_with_key(|name| {
            self.objects.names.push(name.clone());
            next
        })
    }

    /// What was gathered.
    pub(super) fn finish(self) -> Objects {
        self.objects
    }
}
