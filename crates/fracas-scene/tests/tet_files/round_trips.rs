//! What is written is read back as it was; what is damaged never panics.

use super::*;

/// Any finite number.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![-10.0..10.0, proptest::num::f64::NORMAL | proptest::num::f64::ZERO]
}

fn single() -> impl Strategy<Value = f32> {
    use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![-10.0_f32..10.0, POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO]
}

/// Names without what the formats cannot write: control characters and, in Gmsh, `"`.
fn name() -> impl Strategy<Value = String> {
    "[a-zA-Zäß0-9 .,&<>';:_-]{0,8}"
}

fn attributes(rows: usize) -> impl Strategy<Value = Vec<Attribute>> {
    let values = || proptest::collection::vec(single(), rows);
    let one = (name(), values(), values(), values(), any::<bool>());
    proptest::collection::vec(one, 0..3).prop_map(|arrays| {
        let mut attributes = Vec::new();
        for (k, (name, x, y, z, vector)) in arrays.into_iter().enumerate() {
            // Numbered, because names must differ.
            let name = format!("{k}{name}");
            let columns =
                if vector { vec![(".x", x), (".y", y), (".z", z)] } else { vec![("!", x)] };
            for (suffix, values) in columns {
                attributes.push(Attribute { name: format!("{name}{suffix}"), values });
            }
        }
        attributes
    })
}

fn any_objects(tets: usize) -> impl Strategy<Value = Objects> {
    let named = proptest::collection::vec(name(), 1..4).prop_flat_map(move |names| {
        let of = proptest::collection::vec(0..names.len() as u32, tets);
        of.prop_map(move |of| Objects { names: names.clone(), of })
    });
    prop_oneof![Just(Objects::NONE), named]
}

fn meshes() -> impl Strategy<Value = TetMesh> {
    (4..12_usize, 1..12_usize).prop_flat_map(|(vertices, tets)| {
        let position = (number(), number(), number()).prop_map(|(x, y, z)| DVec3::new(x, y, z));
        // Four different corners, in any order; orientation is not the reader's business.
        let corners = (0..vertices as u32, 1..4_u32)
            .prop_map(move |(a, step)| [0, 1, 2, 3].map(|k| (a + k * step) % vertices as u32));
        (
            proptest::collection::vec(position, vertices),
            proptest::collection::vec(corners, tets),
            any_objects(tets),
            attributes(vertices),
            attributes(tets),
        )
            .prop_map(|(vertices, tets, objects, vertex_attributes, tet_attributes)| {
                TetMesh { vertices, tets, objects, vertex_attributes, tet_attributes }
            })
    })
}

/// Equal, and of the same sign where 0.
fn same_bits(a: &TetMesh, b: &TetMesh) -> bool {
    let bits = |mesh: &TetMesh| -> Vec<u64> {
        mesh.vertices.iter().flat_map(|p| p.to_array().map(f64::to_bits)).collect()
    };
    a == b && bits(a) == bits(b)
}

proptest! {
    #[test]
    fn vtu_gives_back_what_was_written(mesh in meshes()) {
        let bytes = vtu::write(&mesh);
        let read = vtu::read(&bytes).unwrap();
        prop_assert!(same_bits(&read, &mesh), "{read:#?}\n{mesh:#?}");
        prop_assert_eq!(vtu::write(&read), bytes);
    }

    #[test]
    fn msh_gives_back_what_was_written(mut mesh in meshes()) {
        // The same tetrahedron twice in a row is one in two groups.
        mesh.tets.dedup();
        let tets = mesh.tets.len();
        mesh.objects.of.truncate(tets);
        mesh.tet_attributes.iter_mut().for_each(|a| a.values.truncate(tets));
        let bytes = msh::write(&mesh);
        let read = msh::read(&bytes).unwrap();
        prop_assert!(same_bits(&read, &mesh), "{read:#?}\n{mesh:#?}");
        prop_assert_eq!(msh::write(&read), bytes);
    }

    /// A file with something wrong in it is read or refused, and never a panic.
    #[test]
    fn damaged_files_never_panic(
        which in 0..4_usize,
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..6),
    ) {
        let files: [&[u8]; 4] = [
            gmsh::ASCII_2.as_bytes(),
            gmsh::ASCII_4.as_bytes(),
            vtk_files::ASCII_4.as_bytes(),
            vtu_files::ASCII.as_bytes(),
        ];
        let mut file = files[which].to_vec();
        for (at, byte, edit) in edits {
            let at = at.index(file.len());
            match edit {
                0 => file[at] = byte,
                1 => { file.remove(at); }
                _ => file.insert(at, byte),
            }
        }
        let read = match which {
            0 | 1 => msh::read(&file),
            2 => vtk::read(&file),
            _ => vtu::read(&file),
        };
        if let Ok(mesh) = read {
            prop_assert!(mesh.tets.iter().flatten().all(|&v| (v as usize) < mesh.vertices.len()));
        }
    }
}

#[test]
fn names_that_cannot_be_written_are_changed_and_not_broken() {
    let mut mesh = sample();
    mesh.objects = objects(&["a \"b\"\nc"], &[0, 0]);
    mesh.vertex_attributes[0].name = "a\"b\nc".to_owned();
    let read = msh::read(&msh::write(&mesh)).unwrap();
    assert_eq!(read.objects.names, ["a 'b' c"]);
    assert_eq!(read.vertex_attributes[0].name, "a'b c");
    let read = vtu::read(&vtu::write(&mesh)).unwrap();
    assert_eq!(read.objects.names, ["a \"b\" c"]);
    assert_eq!(read.vertex_attributes[0].name, "a\"b c");
}
