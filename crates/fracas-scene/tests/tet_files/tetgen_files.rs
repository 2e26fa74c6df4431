//! `.node` and `.ele`, and what is refused.

use super::*;

const NODE: &str = "# made by hand\n\n5 3 1 1 # header\n1 0 0 0 1 0\n2 1 0 0 2 -1\n\
    3 0 1 0 3.5 0\n  4 0 0 1.5 -4 1\n5 0.1 0.2 -2e-3 5e-3 0\n# end";
const ELE: &str = "2 4 1\n1 1 2 3 4 7\n# between\n2 1 3 2 5 8.5\n";

fn read_ele(ele: &[u8]) -> Result<TetMesh, MeshFileError> {
    tetgen::read(NODE.as_bytes(), ele)
}

fn read_node(node: &[u8]) -> Result<TetMesh, MeshFileError> {
    tetgen::read(node, ELE.as_bytes())
}

#[test]
fn counted_from_one_or_zero() {
    let mut expected = sample();
    expected.vertex_attributes[0].name = "attribute1".to_owned();
    expected.tet_attributes = vec![attribute("region", &[7.0, 8.5])];
    assert_eq!(tetgen::read(NODE.as_bytes(), ELE.as_bytes()), Ok(expected.clone()));

    let node = "5 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1.5\n4 .1 .2 -2e-3\n";
    let ele = "2 4 0\r\n0 0 1 2 3\r\n1 0 2 1 4";
    expected.vertex_attributes.clear();
    expected.tet_attributes.clear();
    assert_eq!(tetgen::read(node.as_bytes(), ele.as_bytes()), Ok(expected.clone()));

    let quadratic = "1 10 0\n1 1 2 3 4 5 5 5 5 5 5\n";
    assert_eq!(read_ele(quadratic.as_bytes()).unwrap().tets, [[0, 1, 2, 3]]);
}

#[test]
fn bad_files() {
    refused(
        read_node,
        NODE,
        &[
            ("5 3 1 1", "", "line 4: the dimension must be 3, but is 0 (in the .node file)"),
            ("5 3 1 1", "5 2 1 1", "line 3: the dimension must be 3, but is 2 (in the .node"),
            ("5 3 1 1", "x 3 1 1", "line 3: the number of points must be a whole number of at l"),
            ("5 3 1 1", "6 3 1 1", "line 9: the data ends before point 6 of 6 (in the .node"),
            ("5 3 1 1", "4 3 1 1", "line 8: after 4 points the file must end, not `5 0.1 0.2"),
            ("5 3 1 1", "5 3 3 0", "line 4: the line ends where an attribute should stand (in"),
            ("1 0 0 0 1", "2 0 0 0 1", "line 4: points count from 0 or 1, but not from 2"),
            ("3 0 1 0", "4 0 1 0", "line 6: numbers must follow each other: 3 here, not 4"),
            ("3 0 1 0", "3 0 inf 0", "line 6: a coordinate must be finite in its precision, bu"),
            ("3.5", "a", "line 6: an attribute must be a number, but here stands `a`"),
        ],
    );
    refused(
        read_ele,
        ELE,
        &[
            ("2 4 1", "0 4 1", "line 1: the file has no tetrahedra (in the .ele file)"),
            ("2 4 1", "2 5 1", "line 1: a tetrahedron must have 4 or 10 nodes, but has 5"),
            ("1 1 2 3 4", "1 1 2 3 6", "line 2: there is no point 6: corners must be 1 to 5"),
            ("1 1 2 3 4", "1 1 2 3 0", "line 2: there is no point 0: corners must be 1 to 5"),
            ("1 1 2 3 4", "1 1 2 3 4.5", "line 2: a corner must be a whole number, but here st"),
            ("2 1 3 2 5 8.5", "2 1 3 2 5", "line 4: the line ends where an attribute should sta"),
        ],
    );
}
