//! The variants of `.vtk`, and what is refused.

use super::*;

pub const ASCII_4: &str = "# vtk DataFile Version 4.2\na title\nASCII\n\
    DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 1 double\n0.5\n\
    POINTS 5 double\n0 0 0 1 0 0\n0 1 0 0 0 1.5\n0.1 0.2 -2e-3\n\
    CELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 0 2 1 4\n\
    CELL_TYPES 3\n10 5 10\n\
    POINT_DATA 5\nSCALARS heat float 1\nLOOKUP_TABLE default\n1 2 3.5 -4 5e-3\n\
    METADATA\nINFORMATION 1\nNAME x LOCATION y\nDATA 2 0 1\n\n\
    LOOKUP_TABLE unused 1\n0 0 0 1\n\
    CELL_DATA 3\nFIELD FieldData 1\nload 3 3 double\n1 2 3 9 9 9 4 5 6\n";

#[test]
fn ascii() {
    assert_eq!(vtk::read(ASCII_4.as_bytes()), Ok(sample()));
    let old = ASCII_4.replace("4.2", "2.0").replace("float 1\n", "float\n");
    assert_eq!(vtk::read(old.as_bytes()), Ok(sample()));
    let new = ASCII_4.replace("4.2", "5.1").replace(
        "CELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 0 2 1 4\n",
        "CELLS 4 11\nOFFSETS vtktypeint64\n0 4 7 11\n\
         CONNECTIVITY vtktypeint64\n0 1 2 3 0 1 2 0 2 1 4\n",
    );
    assert_eq!(vtk::read(new.as_bytes()), Ok(sample()));
    let note = "FieldData 2\nnote 1 2 string\nhello%20you\n\nTIME";
    let texts = ASCII_4.replace("FieldData 1\nTIME", note);
    assert_eq!(vtk::read(texts.as_bytes()), Ok(sample()));
    let vectors = ASCII_4.replace("FIELD FieldData 1\nload 3 3 double", "VECTORS load%20%25 float");
    assert_eq!(vtk::read(vectors.as_bytes()).unwrap().tet_attributes[0].name, "load %.x");
}

#[test]
fn binary() {
    for (version, double) in [("3.0", true), ("4.2", false), ("5.1", true)] {
        let mut file = Bytes(Vec::new(), Order::Big);
        file.text(&format!("# vtk DataFile Version {version}\ntitle\nBINARY\n"));
        file.text("DATASET UNSTRUCTURED_GRID\nFIELD FieldData 2\nTIME 1 1 double\n");
        file.doubles(&[0.5]);
        // Texts of 3 and 300 bytes: the length is held by one byte and by two.
        file.text("\nnote 1 2 string\n");
        file.0.extend([0xc3, b'a', b'b', b'c', 0x81, 0x2c]);
        file.0.extend([b'x'; 300]);
        file.text("\n");
        let mut expected = sample();
        let points: Vec<f64> = expected.vertices.iter().flat_map(|p| p.to_array()).collect();
        if double {
            file.text("POINTS 5 double\n");
            file.doubles(&points);
        } else {
            let singles: Vec<f32> = points.iter().map(|&c| c as f32).collect();
            file.text("POINTS 5 float\n");
            file.floats(&singles);
            for p in &mut expected.vertices {
                *p = p.as_vec3().as_dvec3();
            }
        }
        if version == "5.1" {
            file.text("\nCELLS 4 11\nOFFSETS vtktypeint64\n");
            file.longs(&[0, 4, 7, 11]);
            file.text("\nCONNECTIVITY vtktypeint64\n");
            file.longs(&[0, 1, 2, 3, 0, 1, 2, 0, 2, 1, 4]);
        } else {
            file.text("\nCELLS 3 14\n");
            file.ints(&[4, 0, 1, 2, 3, 3, 0, 1, 2, 4, 0, 2, 1, 4]);
        }
        file.text("\nCELL_TYPES 3\n");
        file.ints(&[10, 5, 10]);
        file.text("\nPOINT_DATA 5\nSCALARS heat double\nLOOKUP_TABLE default\n");
        file.doubles(&[1.0, 2.0, 3.5, -4.0, 5e-3]);
        file.text("\nCELL_DATA 3\nVECTORS load float\n");
        file.floats(&[1.0, 2.0, 3.0, 9.0, 9.0, 9.0, 4.0, 5.0, 6.0]);
        file.text("\n");
        assert_eq!(vtk::read(&file.0), Ok(expected), "{version}");
        let cut = vtk::read(&file.0[..file.0.len() - 9]).unwrap_err().to_string();
        assert!(cut.starts_with("byte ") && cut.contains("the data ends where a value"));
    }
}

#[test]
fn bad_files() {
    refused(
        vtk::read,
        ASCII_4,
        &[
            ("# vtk", "# vkt", "line 1: a VTK file must begin with `# vtk DataFile Version 5.1`"),
            ("4.2", "6.0", "line 1: version `6.0` is not supported: save the file as version 5.1"),
            ("ASCII", "TEXT", "line 3: expected `ASCII` or `BINARY`, not `TEXT`"),
            ("UNSTRUCTURED_GRID", "POLYDATA", "line 4: expected `DATASET UNSTRUCTURED_GRID`, bu"),
            ("5 double", "5 bit", "line 8: numbers must be of a type such as `double`, `float` o"),
            ("POINTS 5", "POINTS 6", "line 12: a coordinate must be a number, but here stands `C"),
            ("POINTS 5", "POINTS 4", "line 11: here should stand a keyword such as `POINTS`, `CE"),
            ("4 0 2 1 4", "4 0 2 1 5", "line 15: there is no point 5: there are 5, counted from"),
            ("4 0 2 1 4", "4 0 2 1 -1", "line 15: there is no point -1: there are 5, counted fr"),
            ("4 0 2 1 4", "5 0 2 1 4 4", "line 15: the cell list says it has 14 numbers, but ha"),
            ("10 5 10", "10 5 12", "line 16: 1 cells are hexahedra (type 12), but a body is made"),
            ("10 5 10", "10 5 99", "line 16: cell 2 has the unknown type 99"),
            ("10 5 10", "10 10 10", "line 16: cell 1 is a tetrahedron (type 10) of 4 nodes, but"),
            ("10 5 10", "10 5 999", "line 17: there is no cell type 999"),
            ("10 5 10", "5 5 5", "line 16: the file has no tetrahedra (cells of type 10)"),
            ("CELL_TYPES 3\n10 5 10", "CELL_TYPES 2\n10 5", "line 16: 3 cells need as many type"),
            ("POINT_DATA 5", "POINT_DATA 4", "line 18: data of 5 points, not of 4, is due"),
            ("load 3 3", "load 3 2", "line 31: array `load` needs 3 values, but says 2"),
            ("load 3 3", "load 10 3", "line 31: data `load` has 10 components, but 1 to 9 are al"),
            ("float 1\n", "float one\n", "line 19: the number of components must be 1 to 4, not"),
            ("-4 5e-3", "-4 nan", "line 21: a value must be finite in its precision, but is NaN"),
            ("4 5 6\n", "4 5\n", "line 33: the data ends where a value should stand"),
            ("POINT_DATA 5\n", "", "line 18: `POINT_DATA` or `CELL_DATA` must stand before `SCA"),
        ],
    );
    let header = &ASCII_4[..ASCII_4.find("CELLS").unwrap()];
    refused(vtk::read, header, &[("", "", "line 11: the file ends without the sections `POINTS`")]);
    let new = header.replace("4.2", "5.1");
    let offsets = format!("{new}CELLS 3 8\nOFFSETS vtktypeint64\n0 4 9\n");
    refused(vtk::read, &offsets, &[("", "", "line 14: offsets must rise from 0 to 8, but here")]);
    let offsets = format!("{new}CELLS 3 8\nOFFSETS vtktypeint64\n0 4 7\n");
    refused(vtk::read, &offsets, &[("", "", "line 14: the last offset must be 8")]);
    let connectivity = format!("{new}CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTED int\n");
    refused(vtk::read, &connectivity, &[("", "", "line 15: here should stand `CONNECTIVITY`, b")]);
}
