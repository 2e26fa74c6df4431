//! The variants of `.msh`, and what is refused.

use super::*;

const DATA: &str = "$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n5\n\
    70 2\n10 1\n20 3.5\n3 -4\n4 5e-3\n$EndNodeData\n\
    $ElementData\n1\n\"load\"\n1\n0.0\n4\n0\n3\n3\n0\n\
    8 4 5 6\n7 1 2 3\n1 9 9 9\n$EndElementData\n";

/// Sparse node numbers, a triangle and a point to skip, sections that are not known.
pub const ASCII_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
    $Comment\n$ anything\n$EndComment\n\
    $PhysicalNames\n3\n2 5 \"side\"\n3 6 \"upper half\"\n3 5 \"lower\"\n$EndPhysicalNames\n\
    $Nodes\n5\n10 0 0 0\n70 1 0 0\n20 0 1 0\n3 0 0 1.5\n4 0.1 0.2 -2e-3\n$EndNodes\n\
    $Elements\n4\n1 2 2 5 1 10 70 20\n7 4 2 5 1 10 70 20 3\n8 4 3 6 2 9 10 20 70 4\n\
    9 15 0 10\n$EndElements\n";

pub const ASCII_4: &str = "$MeshFormat\r\n4.1 0 8\r\n$EndMeshFormat\r\n\
    $PhysicalNames\n2\n3 6 \"upper half\"\n3 5 \"lower\"\n$EndPhysicalNames\n\
    $Entities\n1 1 1 2\n1 0 0 0 0\n1 0 0 0 1 1 1 0 2 1 -1\n1 0 0 0 1 1 1 1 5 0\n\
    1 0 0 0 1 1 1 1 -5 1 1\n2 0 0 0 1 1 1 2 6 5 2 1 -1\n$EndEntities\n\
    $Nodes\n2 5 3 70\n2 1 1 3\n10\n70\n20\n0 0 0 0.5 0.5\n1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n\
    3 1 0 2\n3\n4\n0 0 1.5\n0.1 0.2 -2e-3\n$EndNodes\n\
    $Elements\n3 3 1 8\n2 1 2 1\n1 10 70 20\n3 1 4 1\n7 10 70 20 3\n3 2 4 1\n8 10 20 70 4\n\
    $EndElements\n";

fn grouped() -> TetMesh {
    TetMesh { objects: objects(&["upper half", "lower"], &[1, 0]), ..sample() }
}

#[test]
fn ascii() {
    assert_eq!(msh::read(format!("{ASCII_2}{DATA}").as_bytes()), Ok(grouped()));
    assert_eq!(msh::read(format!("{ASCII_4}{DATA}").as_bytes()), Ok(grouped()));
}

fn binary_data(file: &mut Bytes) {
    file.text("$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n5\n");
    for (node, value) in [(10, 1.0), (70, 2.0), (20, 3.5), (3, -4.0), (4, 5e-3)] {
        file.ints(&[node]);
        file.doubles(&[value]);
    }
    file.text("$EndNodeData\n$ElementData\n1\n\"load\"\n1\n0.0\n3\n0\n3\n2\n");
    file.ints(&[7]);
    file.doubles(&[1.0, 2.0, 3.0]);
    file.ints(&[8]);
    file.doubles(&[4.0, 5.0, 6.0]);
    file.text("$EndElementData\n");
}

const NODES: [i32; 5] = [10, 70, 20, 3, 4];

#[test]
fn binary_2() {
    for order in [Order::Little, Order::Big] {
        let mut file = Bytes(Vec::new(), order);
        file.text("$MeshFormat\n2.2 1 8\n");
        file.ints(&[1]);
        file.text("\n$EndMeshFormat\n$PhysicalNames\n2\n3 6 \"upper half\"\n3 5 \"lower\"\n");
        file.text("$EndPhysicalNames\n$Nodes\n5\n");
        for (node, p) in NODES.iter().zip(sample().vertices) {
            file.ints(&[*node]);
            file.doubles(&p.to_array());
        }
        file.text("\n$EndNodes\n$Elements\n3\n");
        file.ints(&[2, 1, 2, 1, 5, 1, 10, 70, 20]);
        file.ints(&[4, 2, 2, 7, 5, 1, 10, 70, 20, 3, 8, 6, 2, 10, 20, 70, 4]);
        file.text("\n$EndElements\n");
        binary_data(&mut file);
        assert_eq!(msh::read(&file.0), Ok(grouped()), "{order:?}");
    }
}

#[test]
fn binary_4() {
    for order in [Order::Little, Order::Big] {
        let mut file = Bytes(Vec::new(), order);
        file.text("$MeshFormat\n4.1 1 8\n");
        file.ints(&[1]);
        file.text("\n$EndMeshFormat\n$PhysicalNames\n2\n3 6 \"upper half\"\n3 5 \"lower\"\n");
        file.text("$EndPhysicalNames\n$Entities\n");
        file.longs(&[0, 0, 0, 2]);
        for (volume, group) in [(1, 5), (2, 6)] {
            file.ints(&[volume]);
            file.doubles(&[0.0; 6]);
            file.longs(&[1]);
            file.ints(&[group]);
            file.longs(&[1]);
            file.ints(&[77]);
        }
        file.text("\n$EndEntities\n$Nodes\n");
        file.longs(&[1, 5, 3, 70]);
        file.ints(&[3, 1, 0]);
        file.longs(&[5]);
        file.longs(&NODES.map(i64::from));
        sample().vertices.iter().for_each(|p| file.doubles(&p.to_array()));
        file.text("\n$EndNodes\n$Elements\n");
        file.longs(&[2, 2, 7, 8]);
        for (volume, tet) in [(1, [7, 10, 70, 20, 3]), (2, [8, 10, 20, 70, 4])] {
            file.ints(&[3, volume, 4]);
            file.longs(&[1]);
            file.longs(&tet);
        }
        file.text("\n$EndElements\n");
        binary_data(&mut file);
        assert_eq!(msh::read(&file.0), Ok(grouped()), "{order:?}");
    }
}

#[test]
fn groups_without_a_name_and_elements_without_a_group_are_objects_too() {
    let text = ASCII_2.replace("3 5 \"lower\"\n", "").replace("Names\n3", "Names\n2");
    let read = msh::read(text.as_bytes()).unwrap();
    assert_eq!(read.objects, objects(&["upper half", "group 5"], &[1, 0]));
    let text = text.replace("7 4 2 5", "7 4 2 0");
    let read = msh::read(text.as_bytes()).unwrap();
    assert_eq!(read.objects, objects(&["upper half", "ungrouped"], &[1, 0]));
}

#[test]
fn a_tetrahedron_of_ten_nodes_is_read_by_its_corners() {
    let mut text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n".to_owned();
    for node in 1..=10 {
        text += &format!("{node} {node} 0 0\n");
    }
    text += "$EndNodes\n$Elements\n1\n1 11 0 4 3 2 1 5 6 7 8 9 10\n$EndElements\n";
    let read = msh::read(text.as_bytes()).unwrap();
    assert_eq!(read.tets, [[3, 2, 1, 0]]);
    assert_eq!(read.vertices.len(), 10);
}

#[test]
fn the_last_step_of_a_view_counts_and_views_of_surfaces_are_skipped() {
    let step = "$ElementData\n1\n\"t\"\n0\n3\n0\n1\n2\n7 1\n8 1\n$EndElementData\n";
    let later = step.replace("7 1\n8 1", "7 2\n8 3");
    let surface = "$ElementData\n1\n\"u\"\n0\n3\n0\n1\n1\n1 4\n$EndElementData\n";
    let read = msh::read(format!("{ASCII_2}{step}{later}{surface}").as_bytes()).unwrap();
    assert_eq!(read.tet_attributes, [attribute("t", &[2.0, 3.0])]);
}

/// What is replaced in a sample by what, and the message that answers it.
#[test]
fn bad_files() {
    let sample_2 = format!("{ASCII_2}{DATA}");
    refused(
        msh::read,
        &sample_2,
        &[
            ("$MeshFormat", "$MeshFromat", "line 1: a Gmsh file must begin with `$MeshFormat`"),
            ("2.2 0 8", "4.0 0 8", "line 2: version `4.0` is not supported: save the mesh as ve"),
            ("2.2 0 8", "2.2 2 8", "line 2: the file type must be 0 (ASCII) or 1 (binary), but i"),
            ("2.2 0 8", "2.2 0 4", "line 2: the data size must be 8, but is 4"),
            ("$EndMeshFormat", "$Nodes", "line 3: here should stand `$EndMeshFormat`, but here"),
            ("$EndComment", "$EndCommnt", "line 57: the data ends where `$EndComment` should sta"),
            ("3 6 \"upper half\"", "3 6 upper", "line 10: a physical group must be written as"),
            ("3 6 \"upper half\"", "3 5 \"x\"", "line 12: physical group 5 of dimension 3 has tw"),
            ("$Nodes\n5", "$Nodes\nfive", "line 14: the number of nodes must be a whole number,"),
            ("$Nodes\n5", "$Nodes\n-5", "line 14: the number of nodes must be at least 0, but is"),
            ("$Nodes\n5", "$Nodes\n6", "line 20: the number of a node must be a whole number, bu"),
            ("$Nodes\n5", "$Nodes\n4", "line 19: here should stand `$EndNodes`, but here stands"),
            ("70 1 0 0", "10 1 0 0", "line 20: node 10 is defined twice"),
            ("70 1 0 0", "70 1 0 nan", "line 16: a coordinate must be finite in its precision, b"),
            ("70 1 0 0", "70 1 0 1e999", "line 16: a coordinate must be finite in its precision"),
            ("70 1 0 0", "70 1 0 x", "line 16: a coordinate must be a number, but here stands `x`"),
            ("7 4 2 5 1 10 70 20 3", "7 4 2 5 1 10 70 20 5", "line 24: element 7 has node 5, wh"),
            ("7 4 2 5 1 10 70 20 3", "7 99 2 5 1 10", "line 24: there is no element of type 99"),
            (
                "8 4 3 6 2 9 10 20 70 4",
                "8 5 0 10 20 70 4 10 20 70 4",
                "line 25: 1 elements are hexahedra (type 5), but a body is made of tetrahedra",
            ),
            ("$Elements\n4", "$Elements\n3", "line 26: here should stand `$EndElements`, but he"),
            (
                "$Elements\n4\n1 2 2 5 1 10 70 20\n7 4 2 5 1 10 70 20 3\n\
                 8 4 3 6 2 9 10 20 70 4\n9 15 0 10\n$EndElements\n",
                "",
                "line 21: `$Elements` must stand before `$NodeData`",
            ),
            ("0\n1\n5\n70", "0\n0\n5\n70", "line 35: a view may have 1 to 9 components, but here"),
            ("0.0\n3\n0", "0.0\n2\n0", "line 33: a view needs 3 integer tags (time step, compone"),
            ("20 3.5", "21 3.5", "line 39: node 21 has data, but `$Nodes` does not define it"),
            ("5\n70 2\n", "4\n", "line 41: `heat` has no value for 1 of the nodes, but each need"),
            ("20 3.5", "20 1e39", "line 39: a value must be finite in its precision, but is inf"),
            ("3\n0\n8 4 5 6\n", "2\n0\n", "line 55: `load` has no value for 1 of the 2 tetrahed"),
            ("$NodeData", "NodeData", "line 28: here should begin a section such as `$Nodes`, b"),
        ],
    );
    refused(
        msh::read,
        ASCII_4,
        &[
            ("$Nodes\n2 5", "$Nodes\n3 5", "line 31: the dimension of an entity must be a whole"),
            ("2 1 1 3", "4 1 1 3", "line 19: the dimension of an entity must be 0 to 3, but is 4"),
            ("1 10 70 20\n", "1 10 70 21\n", "line 35: element 1 has node 21, which `$Nodes` do"),
            ("3 2 4 1\n8", "3 2 6 1\n8", "line 40: a node of an element must be a whole number,"),
            ("$Entities", "$PartitionedEntities", "line 9: the mesh is partitioned: save it as"),
            ("Nodes\n", "ParametricNodes\n", "line 17: nodes are parametric: save them without"),
        ],
    );
    let empty = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    refused(msh::read, empty, &[("", "", "line 3: the file has no tetrahedra (elements of type")]);
}

#[test]
fn bad_binary_files_are_refused_at_the_byte() {
    let mut file = Bytes(Vec::new(), Order::Little);
    file.text("$MeshFormat\n2.2 1 8\n");
    file.ints(&[2]);
    let error = msh::read(&file.0).unwrap_err().to_string();
    assert!(error.contains("the order of bytes is told by the number 1"), "{error}");

    file.0.truncate(20);
    file.ints(&[1]);
    file.text("\n$EndMeshFormat\n$Nodes\n1\n");
    file.ints(&[1]);
    file.doubles(&[0.0, 0.0]);
    let error = msh::read(&file.0).unwrap_err().to_string();
    assert_eq!(error, "byte 69: the data ends where a coordinate should stand");

    file.doubles(&[0.0]);
    file.text("\n$EndNodes\n$Elements\n5\n");
    file.ints(&[4, 1, 0, 3, 1, 1, 1, 2]);
    let error = msh::read(&file.0).unwrap_err().to_string();
    assert_eq!(error, "byte 128: element 3 has node 2, which `$Nodes` does not define");
    let length = file.0.len();
    file.0[length - 28] = 9;
    let error = msh::read(&file.0).unwrap_err().to_string();
    assert_eq!(error, "byte 104: 1 to 5 elements may follow here, but not 9");
}
