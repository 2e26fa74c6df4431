//! Reads a `.msh` file, section by section.

use std::collections::BTreeMap;

use fracas::glam::DVec3;
use fracas_mesh::{Objects, TetMesh};

use super::elements::{Role, element};
use crate::files::columns::{Columns, MAX_COMPONENTS};
use crate::files::cursor::{Cursor, Encoding, Kind, quoted};
use crate::files::{MeshFileError, Place};

/// Longest name of a section; keeps the search for its end linear.
const MAX_SECTION_NAME: usize = 64;

/// Reads a mesh of tetrahedra; see the module on what is kept.
///
/// # Errors
///
/// Tells the line (ASCII) or byte (binary) of what is wrong.
pub fn read(bytes: &[u8]) -> Result<TetMesh, MeshFileError> {
    let mut reader = Reader::open(bytes)?;
    while let Some(section) = reader.next_section()? {
        match section {
            "PhysicalNames" => reader.physical_names()?,
            "Entities" if reader.version == Version::Four => reader.entities()?,
            "PartitionedEntities" => {
                return Err(reader.cursor.error("the mesh is partitioned: save it as one part"));
            }
            "ParametricNodes" => {
                let what = "nodes are parametric: save them without (`Mesh.SaveParametric = 0`)";
                return Err(reader.cursor.error(what));
            }
            "Nodes" => reader.nodes()?,
            "Elements" => reader.elements()?,
            "NodeData" => reader.node_data()?,
            "ElementData" => reader.element_data()?,
            _ => reader.cursor.skip_behind(&format!("$End{section}"))?,
        }
    }
    reader.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Four,
}

/// Which vertex or tetrahedron has which number in the file, sorted by number.
struct Numbering(Vec<(i64, u32)>);

impl Numbering {
    /// `Err` is a number that occurs twice.
    fn new(numbers: &[i64]) -> Result<Self, i64> {
        let mut sorted: Vec<(i64, u32)> = numbers.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[0].0),
            None => Ok(Self(sorted)),
        }
    }

    fn find(&self, number: i64) -> Option<u32> {
        let place = self.0.binary_search_by_key(&number, |&(number, _)| number).ok()?;
        Some(self.0[place].1)
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    version: Version,
    vertices: Vec<DVec3>,
    /// `None` until `$Nodes` was read.
    nodes: Option<Numbering>,
    tets: Vec<[u32; 4]>,
    /// Number of each tetrahedron in the file.
    tet_numbers: Vec<i64>,
    /// The same for searching, made when data asks for it.
    tet_numbering: Option<Numbering>,
    /// Is a vertex the corner of a tetrahedron?
    used: Vec<bool>,
    /// Physical group of each tetrahedron; 0 is none.
    groups: Vec<u32>,
    /// Physical groups of dimension 3, in the order of the file.
    names: Vec<(u32, String)>,
    /// First physical group of each volume (version 4).
    volume_groups: BTreeMap<i64, u32>,
    /// How many solids that are no tetrahedra, and where the first stands, by type.
    refused: BTreeMap<i64, (usize, Place, &'static str)>,
    has_elements: bool,
    vertex_columns: Columns,
    tet_columns: Columns,
}

impl<'a> Reader<'a> {
    /// Reads `$MeshFormat`.
    fn open(bytes: &'a [u8]) -> Result<Self, MeshFileError> {
        let mut cursor = Cursor::new(bytes);
        let first = cursor.text_line("`$MeshFormat`")?;
        if first != "$MeshFormat" {
            let what = format!(
                "a Gmsh file must begin with `$MeshFormat`, but here stands {}",
                quoted(first.as_bytes())
            );
            return Err(cursor.error(what));
        }
        let version = cursor.text_word("the version")?;
        let version = match version {
            "2" | "2.0" | "2.1" | "2.2" => Version::Two,
            "4.1" => Version::Four,
            _ => {
                let what = format!(
                    "version {} is not supported: save the mesh as version 4.1 or 2.2",
                    quoted(version.as_bytes())
                );
                return Err(cursor.error(what));
            }
        };
        let file_type = cursor.integer(Kind::I32, "the file type (0 ASCII, 1 binary)")?;
        if !matches!(file_type, 0 | 1) {
            let what = format!("the file type must be 0 (ASCII) or 1 (binary), but is {file_type}");
            return Err(cursor.error(what));
        }
        let size = cursor.integer(Kind::I32, "the data size")?;
        if size != 8 {
            return Err(cursor.error(format!("the data size must be 8, but is {size}")));
        }
        cursor.line();
        if file_type == 1 {
            let one = cursor.take(4, "the number 1 that tells the order of bytes")?;
            cursor.encoding = match one {
                [1, 0, 0, 0] => Encoding::Little,
                [0, 0, 0, 1] => Encoding::Big,
                _ => {
                    let what = format!("the order of bytes is told by the number 1, not {one:?}");
                    return Err(cursor.error(what));
                }
            };
        }
        let mut reader = Self {
            cursor,
            version,
            vertices: Vec::new(),
            nodes: None,
            tets: Vec::new(),
            tet_numbers: Vec::new(),
            tet_numbering: None,
            used: Vec::new(),
            groups: Vec::new(),
            names: Vec::new(),
            volume_groups: BTreeMap::new(),
            refused: BTreeMap::new(),
            has_elements: false,
            vertex_columns: Columns::new(bytes.len()),
            tet_columns: Columns::new(bytes.len()),
        };
        reader.end("MeshFormat")?;
        Ok(reader)
    }

    /// Name of the section that begins here; `None` at the end of the file.
    fn next_section(&mut self) -> Result<Option<&'a str>, MeshFileError> {
        self.cursor.skip_white_space();
        if self.cursor.left() == 0 {
            return Ok(None);
        }
        let line = self.cursor.text_line("a section")?;
        match line.strip_prefix('$') {
            Some(name) if name.len() <= MAX_SECTION_NAME && !name.starts_with("End") => {
                Ok(Some(name))
            }
            _ => {
                let what = format!(
                    "here should begin a section such as `$Nodes`, but here stands {}",
                    quoted(line.as_bytes())
                );
                Err(self.cursor.error(what))
            }
        }
    }

    fn end(&mut self, section: &str) -> Result<(), MeshFileError> {
        self.cursor.skip_white_space();
        let line = self.cursor.line().unwrap_or_default();
        if line.strip_prefix(b"$End") == Some(section.as_bytes()) {
            return Ok(());
        }
        let what = format!("here should stand `$End{section}`, but here stands {}", quoted(line));
        Err(self.cursor.error(what))
    }

    /// A whole number that is written as text in binary files too.
    fn text_count(&mut self, what: &str) -> Result<usize, MeshFileError> {
        let encoding = std::mem::replace(&mut self.cursor.encoding, Encoding::Ascii);
        let count = self.cursor.count(Kind::I32, what);
        self.cursor.encoding = encoding;
        count.map_err(|error| self.cursor.error(error.what))
    }

    /// The same where it is the last before numbers that may be written as bytes.
    fn last_text_count(&mut self, what: &str) -> Result<usize, MeshFileError> {
        let count = self.text_count(what)?;
        if self.cursor.encoding != Encoding::Ascii {
            self.cursor.line();
        }
        Ok(count)
    }

    fn physical_names(&mut self) -> Result<(), MeshFileError> {
        let count = self.text_count("the number of physical groups")?;
        for _ in 0..count {
            let line = self.cursor.text_line("the name of a physical group")?;
            let (dimension, group, name) = physical_name(line).ok_or_else(|| {
                self.cursor.error(format!(
                    "a physical group must be written as `3 1 \"name\"` (dimension, number, \
                     name), but here stands {}",
                    quoted(line.as_bytes())
                ))
            })?;
            if dimension == 3 {
                self.names.push((group, name.to_owned()));
            }
        }
        self.end("PhysicalNames")?;
        let mut groups: Vec<u32> = self.names.iter().map(|&(group, _)| group).collect();
        groups.sort_unstable();
        match groups.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let what = format!("physical group {} of dimension 3 has two names", pair[0]);
                Err(self.cursor.error(what))
            }
            None => Ok(()),
        }
    }

    /// Points, curves, surfaces and volumes of version 4: only the groups of volumes matter.
    fn entities(&mut self) -> Result<(), MeshFileError> {
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = self.cursor.count(Kind::U64, "the number of entities")?;
        }
        for (dimension, &count) in counts.iter().enumerate() {
            for _ in 0..count {
                let tag = self.cursor.integer(Kind::I32, "the number of an entity")?;
                // A point has its position here, the others have their bounding box.
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    self.cursor.real(Kind::F64, "a bound of an entity")?;
                }
                let groups = self.cursor.count(Kind::U64, "the number of physical groups")?;
                for k in 0..groups {
                    let group = self.cursor.integer(Kind::I32, "a physical group")?;
                    let group = self.group(group)?;
                    if dimension == 3 && k == 0 {
                        self.volume_groups.insert(tag, group);
                    }
                }
                if dimension > 0 {
                    let bounding = self.cursor.count(Kind::U64, "the number of boundaries")?;
                    for _ in 0..bounding {
                        self.cursor.integer(Kind::I32, "a boundary of an entity")?;
                    }
                }
            }
        }
        self.end("Entities")
    }

    /// The sign of a group only tells the orientation.
    fn group(&self, group: i64) -> Result<u32, MeshFileError> {
        u32::try_from(group.unsigned_abs())
            .map_err(|_| self.cursor.error(format!("{group} is too large for a physical group")))
    }

    fn nodes(&mut self) -> Result<(), MeshFileError> {
        if self.nodes.is_some() {
            return Err(self.cursor.error("there may be only one section `$Nodes`"));
        }
        let mut numbers = Vec::new();
        match self.version {
            Version::Two => self.nodes_2(&mut numbers)?,
            Version::Four => self.nodes_4(&mut numbers)?,
        }
        self.end("Nodes")?;
        if u32::try_from(numbers.len()).is_err() {
            return Err(self.cursor.error("there are more nodes than 32 bits can number"));
        }
        let nodes = Numbering::new(&numbers)
            .map_err(|twice| self.cursor.error(format!("node {twice} is defined twice")))?;
        self.nodes = Some(nodes);
        Ok(())
    }

    fn nodes_2(&mut self, numbers: &mut Vec<i64>) -> Result<(), MeshFileError> {
        let count = self.last_text_count("the number of nodes")?;
        for _ in 0..count {
            numbers.push(self.cursor.integer(Kind::I32, "the number of a node")?);
            self.position()?;
        }
        Ok(())
    }

    fn nodes_4(&mut self, numbers: &mut Vec<i64>) -> Result<(), MeshFileError> {
        let blocks = self.header_4("nodes")?;
        for _ in 0..blocks {
            let dimension = self.cursor.integer(Kind::I32, "the dimension of an entity")?;
            if !(0..=3).contains(&dimension) {
                let what = format!("the dimension of an entity must be 0 to 3, but is {dimension}");
                return Err(self.cursor.error(what));
            }
            self.cursor.integer(Kind::I32, "the number of an entity")?;
            let parametric = self.cursor.integer(Kind::I32, "0 or 1 for parametric nodes")?;
            let count = self.cursor.count(Kind::U64, "the number of nodes in a block")?;
            for _ in 0..count {
                numbers.push(self.cursor.integer(Kind::U64, "the number of a node")?);
            }
            for _ in 0..count {
                self.position()?;
                for _ in 0..if parametric == 0 { 0 } else { dimension } {
                    self.cursor.real(Kind::F64, "a parametric coordinate")?;
                }
            }
        }
        Ok(())
    }

    fn position(&mut self) -> Result<(), MeshFileError> {
        let mut p = [0.0; 3];
        for c in &mut p {
            *c = self.cursor.real(Kind::F64, "a coordinate")?;
        }
        self.vertices.push(DVec3::from_array(p));
        Ok(())
    }

    /// Number of blocks; the other numbers of the line only sum up what the blocks say.
    fn header_4(&mut self, of: &str) -> Result<usize, MeshFileError> {
        let blocks = self.cursor.count(Kind::U64, &format!("the number of blocks of {of}"))?;
        for what in ["the number of all", "the least number", "the greatest number"] {
            self.cursor.count(Kind::U64, what)?;
        }
        Ok(blocks)
    }

    fn elements(&mut self) -> Result<(), MeshFileError> {
        if self.nodes.is_none() {
            return Err(self.cursor.error("`$Nodes` must stand before `$Elements`"));
        }
        if self.has_elements {
            return Err(self.cursor.error("there may be only one section `$Elements`"));
        }
        self.has_elements = true;
        match (self.version, self.cursor.encoding) {
            (Version::Four, _) => self.elements_4()?,
            (Version::Two, Encoding::Ascii) => self.elements_2_ascii()?,
            (Version::Two, _) => self.elements_2_binary()?,
        }
        self.end("Elements")?;
        if u32::try_from(self.tets.len()).is_err() {
            return Err(self.cursor.error("there are more tetrahedra than 32 bits can number"));
        }
        self.used = vec![false; self.vertices.len()];
        for &corner in self.tets.as_flattened() {
            self.used[corner as usize] = true;
        }
        Ok(())
    }

    fn elements_2_ascii(&mut self) -> Result<(), MeshFileError> {
        let count = self.last_text_count("the number of elements")?;
        for _ in 0..count {
            let number = self.cursor.integer(Kind::I32, "the number of an element")?;
            let kind = self.cursor.integer(Kind::I32, "the type of an element")?;
            let (nodes, role) = self.kind(kind, 1)?;
            let group = self.tags_2(None)?;
            self.element(number, nodes, role, group)?;
        }
        Ok(())
    }

    fn elements_2_binary(&mut self) -> Result<(), MeshFileError> {
        let count = self.last_text_count("the number of elements")?;
        let mut done = 0;
        while done < count {
            let kind = self.cursor.integer(Kind::I32, "the type of elements")?;
            let follow = self.cursor.count(Kind::I32, "the number of elements that follow")?;
            if follow == 0 || follow > count - done {
                let left = count - done;
                let what = format!("1 to {left} elements may follow here, but not {follow}");
                return Err(self.cursor.error(what));
            }
            let (nodes, role) = self.kind(kind, follow)?;
            let tags = self.cursor.count(Kind::I32, "the number of tags")?;
            for _ in 0..follow {
                let number = self.cursor.integer(Kind::I32, "the number of an element")?;
                let group = self.tags_2(Some(tags))?;
                self.element(number, nodes, role, group)?;
            }
            done += follow;
        }
        Ok(())
    }

    /// The tags of an element of version 2; the first is its physical group.
    fn tags_2(&mut self, count: Option<usize>) -> Result<u32, MeshFileError> {
        let count = match count {
            Some(count) => count,
            None => self.cursor.count(Kind::I32, "the number of tags")?,
        };
        let mut group = 0;
        for k in 0..count {
            let tag = self.cursor.integer(Kind::I32, "a tag of an element")?;
            if k == 0 {
                group = self.group(tag)?;
            }
        }
        Ok(group)
    }

    fn elements_4(&mut self) -> Result<(), MeshFileError> {
        let blocks = self.header_4("elements")?;
        for _ in 0..blocks {
            self.cursor.integer(Kind::I32, "the dimension of an entity")?;
            let entity = self.cursor.integer(Kind::I32, "the number of an entity")?;
            let kind = self.cursor.integer(Kind::I32, "the type of elements")?;
            let kind_place = self.cursor.clone();
            let count = self.cursor.count(Kind::U64, "the number of elements in a block")?;
            let (nodes, role) = self.kind(kind, count).map_err(|e| kind_place.error(e.what))?;
            let group = match role {
                Role::Tet => self.volume_groups.get(&entity).copied().unwrap_or(0),
                _ => 0,
            };
            for _ in 0..count {
                let number = self.cursor.integer(Kind::U64, "the number of an element")?;
                self.element(number, nodes, role, group)?;
            }
        }
        Ok(())
    }

    /// Looks an element type up, and counts it if it will be refused.
    fn kind(&mut self, kind: i64, count: usize) -> Result<(usize, Role), MeshFileError> {
        let (nodes, role) = element(kind)
            .ok_or_else(|| self.cursor.error(format!("there is no element of type {kind}")))?;
        if let Role::Refused(name) = role
            && count > 0
        {
            let place = match self.refused.get(&kind) {
                Some(&(_, first, _)) => first,
                None => self.cursor.place(),
            };
            let known = self.refused.entry(kind).or_insert((0, place, name));
            known.0 = known.0.saturating_add(count);
        }
        Ok((nodes, role))
    }

    /// Reads the nodes of an element, and keeps it if it is a tetrahedron.
    fn element(
        &mut self,
        number: i64,
        nodes: usize,
        role: Role,
        group: u32,
    ) -> Result<(), MeshFileError> {
        let mut corners = [0; 4];
        for k in 0..nodes {
            let kind = if self.version == Version::Two { Kind::I32 } else { Kind::U64 };
            let node = self.cursor.integer(kind, "a node of an element")?;
            let vertex =
                self.nodes.as_ref().and_then(|nodes| nodes.find(node)).ok_or_else(|| {
                    self.cursor.error(format!(
                        "element {number} has node {node}, which `$Nodes` does not define"
                    ))
                })?;
            if k < 4 {
                corners[k] = vertex;
            }
        }
        // Version 2 has room for one group: gmsh writes an element of two groups twice in a row.
        let again = self.version == Version::Two
            && self.tets.last() == Some(&corners)
            && self.groups.last() != Some(&group);
        if role == Role::Tet && !again {
            self.tets.push(corners);
            self.tet_numbers.push(number);
            self.groups.push(group);
        }
        Ok(())
    }

    fn node_data(&mut self) -> Result<(), MeshFileError> {
        let (name, components, count) = self.data_header("NodeData")?;
        let rows = self.vertices.len();
        self.vertex_columns
            .reserve(&name, components, rows)
            .map_err(|what| self.cursor.error(what))?;
        let mut values = vec![vec![0.0; rows]; components];
        let mut seen = vec![false; rows];
        for _ in 0..count {
            let number = self.cursor.integer(Kind::I32, "the number of a node")?;
            let vertex = self.nodes.as_ref().and_then(|nodes| nodes.find(number));
            let vertex = vertex.ok_or_else(|| {
                let what = format!("node {number} has data, but `$Nodes` does not define it");
                self.cursor.error(what)
            })? as usize;
            row(&mut self.cursor, vertex, &mut values)?;
            seen[vertex] = true;
        }
        self.end("NodeData")?;
        let missing = (0..rows).filter(|&vertex| self.used[vertex] && !seen[vertex]).count();
        if missing > 0 {
            let what =
                format!("`{name}` has no value for {missing} of the nodes, but each needs one");
            return Err(self.cursor.error(what));
        }
        self.vertex_columns.insert(&name, values);
        Ok(())
    }

    fn element_data(&mut self) -> Result<(), MeshFileError> {
        let (name, components, count) = self.data_header("ElementData")?;
        if self.tet_numbering.is_none() {
            let tets = Numbering::new(&self.tet_numbers).map_err(|twice| {
                self.cursor.error(format!("there is data, but element {twice} is defined twice"))
            })?;
            self.tet_numbering = Some(tets);
        }
        let rows = self.tets.len();
        self.tet_columns
            .reserve(&name, components, rows)
            .map_err(|what| self.cursor.error(what))?;
        let mut values = vec![vec![0.0; rows]; components];
        let mut ignored = [[0.0]; MAX_COMPONENTS].map(Vec::from);
        let mut seen = vec![false; rows];
        for _ in 0..count {
            let number = self.cursor.integer(Kind::I32, "the number of an element")?;
            match self.tet_numbering.as_ref().and_then(|tets| tets.find(number)) {
                Some(tet) => {
                    row(&mut self.cursor, tet as usize, &mut values)?;
                    seen[tet as usize] = true;
                }
                None => row(&mut self.cursor, 0, &mut ignored[..components])?,
            }
        }
        self.end("ElementData")?;
        let have = seen.iter().filter(|&&seen| seen).count();
        if have == rows {
            self.tet_columns.insert(&name, values);
        } else if have > 0 {
            let missing = rows - have;
            let what = format!(
                "`{name}` has no value for {missing} of the {rows} tetrahedra, but each needs one"
            );
            return Err(self.cursor.error(what));
        }
        Ok(())
    }

    /// Name, number of components and number of rows of a view.
    fn data_header(&mut self, section: &str) -> Result<(String, usize, usize), MeshFileError> {
        if !self.has_elements {
            let what = format!("`$Elements` must stand before `${section}`");
            return Err(self.cursor.error(what));
        }
        let strings = self.text_count("the number of string tags")?;
        let mut name = None;
        for _ in 0..strings {
            let line = self.cursor.text_line("a string tag")?;
            name.get_or_insert(unquoted(line).unwrap_or(line));
        }
        let reals = self.text_count("the number of real tags")?;
        for _ in 0..reals {
            self.cursor.text_line("a real tag")?;
        }
        let integers = self.text_count("the number of integer tags")?;
        if integers < 3 {
            let what = format!(
                "a view needs 3 integer tags (time step, components, entries), but has {integers}"
            );
            return Err(self.cursor.error(what));
        }
        self.text_count("the time step")?;
        let components = self.text_count("the number of components")?;
        if !(1..=MAX_COMPONENTS).contains(&components) {
            let what = format!(
                "a view may have 1 to {MAX_COMPONENTS} components, but here stands {components}"
            );
            return Err(self.cursor.error(what));
        }
        let count = self.text_count("the number of entries")?;
        for _ in 3..integers {
            self.text_count("an integer tag")?;
        }
        if self.cursor.encoding != Encoding::Ascii {
            self.cursor.line();
        }
        Ok((name.unwrap_or("data").to_owned(), components, count))
    }

    fn finish(self) -> Result<TetMesh, MeshFileError> {
        if let Some((kind, &(count, place, name))) = self.refused.first_key_value() {
            let what = format!(
                "{count} elements are {name} (type {kind}), but a body is made of tetrahedra \
                 (type 4): mesh it with tetrahedra only"
            );
            return Err(MeshFileError::at(place, what));
        }
        if self.tets.is_empty() {
            let what = "the file has no tetrahedra (elements of type 4): mesh the volume, too";
            return Err(MeshFileError::at(self.cursor.place(), what));
        }
        Ok(TetMesh {
            vertices: self.vertices,
            tets: self.tets,
            objects: objects(self.names, &self.groups),
            vertex_attributes: self.vertex_columns.into_attributes(),
            tet_attributes: self.tet_columns.into_attributes(),
        })
    }
}

/// Reads a value for each component of a row.
fn row(cursor: &mut Cursor, row: usize, values: &mut [Vec<f32>]) -> Result<(), MeshFileError> {
    for column in values {
        column[row] = cursor.single(Kind::F64, "a value")?;
    }
    Ok(())
}

/// Dimension, number and name of a line such as `3 1 "name"`.
fn physical_name(line: &str) -> Option<(u8, u32, &str)> {
    let (dimension, rest) = line.split_once(char::is_whitespace)?;
    let (group, name) = rest.trim_start().split_once(char::is_whitespace)?;
    Some((dimension.parse().ok()?, group.parse().ok()?, unquoted(name.trim_start())?))
}

fn unquoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

/// The objects: groups with a name, then groups without, then what is in no group.
fn objects(names: Vec<(u32, String)>, groups: &[u32]) -> Objects {
    if groups.iter().all(|&group| group == 0) {
        return Objects::NONE;
    }
    let mut index: BTreeMap<u32, u32> = names.iter().map(|&(group, _)| group).zip(0..).collect();
    let mut names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    let mut others: Vec<u32> = groups.iter().copied().filter(|g| !index.contains_key(g)).collect();
    others.sort_unstable();
    others.dedup();
    // No group, 0, comes last.
    let none = usize::from(others.first() == Some(&0));
    others.rotate_left(none);
    for group in others {
        index.insert(group, names.len() as u32);
        names.push(if group == 0 { "ungrouped".to_owned() } else { format!("group {group}") });
    }
    Objects { names, of: groups.iter().map(|group| index[group]).collect() }
}
