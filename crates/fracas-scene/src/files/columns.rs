//! Values at vertices or cells while they are read, and as they are written.

use std::collections::BTreeMap;

use fracas_mesh::Attribute;

/// More components than a 3 × 3 tensor has are no vector or tensor.
pub(super) const MAX_COMPONENTS: usize = 9;

/// What a column takes beside its values and its name, in bytes, rounded up.
const COLUMN_BYTES: usize = 256;

/// Attributes in the order of the file. The last of several with the same name counts.
pub(super) struct Columns {
    attributes: Vec<Attribute>,
    by_name: BTreeMap<String, usize>,
    /// Bytes that may still be taken: a short file must not ask for a million columns.
    left: usize,
}

impl Columns {
    /// For a file of so many bytes.
    pub(super) fn new(input: usize) -> Self {
        let left = input.saturating_mul(24).saturating_add(4 << 20);
        Self { attributes: Vec::new(), by_name: BTreeMap::new(), left }
    }

    /// Sets bytes aside for an array before its values are read.
    pub(super) fn reserve(
        &mut self,
        name: &str,
        components: usize,
        rows: usize,
    ) -> Result<(), String> {
        if !(1..=MAX_COMPONENTS).contains(&components) {
            return Err(format!(
                "data `{name}` has {components} components, but 1 to {MAX_COMPONENTS} are allowed"
            ));
        }
        let column = rows.saturating_mul(4).saturating_add(COLUMN_BYTES + 2 * name.len());
        let left = self.left.checked_sub(column.saturating_mul(components));
        self.left = left.ok_or_else(|| {
            format!("data `{name}` asks for more memory than a file of this size may take")
        })?;
        Ok(())
    }

    /// Adds an array that space was reserved for, one list of values for each component.
    pub(super) fn insert(&mut self, name: &str, components: Vec<Vec<f32>>) {
        let suffixes = suffixes(components.len());
        for (suffix, values) in suffixes.iter().zip(components) {
            let attribute = Attribute { name: format!("{name}{suffix}"), values };
            match self.by_name.get(&attribute.name) {
                Some(&known) => self.attributes[known] = attribute,
                None => {
                    self.by_name.insert(attribute.name.clone(), self.attributes.len());
                    self.attributes.push(attribute);
                }
            }
        }
    }

    pub(super) fn into_attributes(self) -> Vec<Attribute> {
        self.attributes
    }
}

/// What is appended to the name of an array for each of its components.
fn suffixes(components: usize) -> &'static [&'static str] {
    match components {
        1 => &[""],
        3 => &[".x", ".y", ".z"],
        n => &[".0", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8"][..n.min(MAX_COMPONENTS)],
    }
}

/// Attributes as arrays: `name.x`, `name.y`, `name.z` in this order are one array `name` of three
/// components.
pub(super) fn arrays(attributes: &[Attribute]) -> Vec<(&str, &[Attribute])> {
    let mut arrays = Vec::new();
    let mut rest = attributes;
    while let [first, ..] = rest {
        let vector = rest.get(..3).and_then(|three| Some((vector_name(three)?, three)));
        let (name, components) = vector.unwrap_or((&first.name, &rest[..1]));
        arrays.push((name, components));
        rest = &rest[components.len()..];
    }
    arrays
}

fn vector_name(three: &[Attribute]) -> Option<&str> {
    let name = three[0].name.strip_suffix(".x")?;
    let follows = |attribute: &Attribute, suffix| attribute.name.strip_suffix(suffix) == Some(name);
    (follows(&three[1], ".y") && follows(&three[2], ".z")).then_some(name)
}

/// The number of values that every component of an array has.
pub(super) fn row_count(components: &[Attribute]) -> usize {
    components.iter().map(|component| component.values.len()).min().unwrap_or(0)
}
