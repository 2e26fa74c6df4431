//! The variants of `.vtu`, and what is refused.

use super::*;

pub const ASCII: &str = r#"<?xml version="1.0"?>
<!-- a comment with <tags> -->
<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">
<UnstructuredGrid>
<FieldData>
<DataArray type="String" Name="note" NumberOfTuples="1" format="ascii">65 0</DataArray>
</FieldData>
<Piece NumberOfPoints="5" NumberOfCells="3">
<PointData Scalars="heat">
<DataArray type="Float32" Name="heat" format="ascii">1 2 3.5 -4 5e-3</DataArray>
</PointData>
<CellData>
<DataArray type="Float64" Name='load' NumberOfComponents="3" format="ascii">
1 2 3 9 9 9 4 5 6
</DataArray>
</CellData>
<Points>
<DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 0 1 0 0 0 1 0 0 0 1.5 0.1 0.2 -2e-3
</DataArray>
</Points>
<Cells>
<DataArray type="Int32" Name="connectivity" format="ascii">0 1 2 3 0 1 2 0 2 1 4</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4 7 11</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10 5 10</DataArray>
</Cells>
</Piece>
</UnstructuredGrid>
</VTKFile>
"#;

#[test]
fn ascii() {
    assert_eq!(vtu::read(ASCII.as_bytes()), Ok(sample()));
    let names = "<DataArray type=\"UInt8\" Name=\"object names\" format=\"ascii\">\
                 97 32 98 10 99 10</DataArray>\n</FieldData>";
    let object =
        "<DataArray type=\"Int32\" Name=\"object\" format=\"ascii\">1 0 0</DataArray></CellData>";
    let text = ASCII.replace("</FieldData>", names).replace("</CellData>", object);
    let expected = TetMesh { objects: objects(&["a b", "c"], &[1, 0]), ..sample() };
    assert_eq!(vtu::read(text.as_bytes()), Ok(expected));
    // Without the names, the array is data like others.
    let read = vtu::read(ASCII.replace("</CellData>", object).as_bytes()).unwrap();
    assert_eq!(read.tet_attributes[3], attribute("object", &[1.0, 0.0]));
}

/// Base64 by the definition: six bits at a time, padded.
fn base64(bytes: &[u8]) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = bytes.iter().flat_map(|b| (0..8).rev().map(move |k| b >> k & 1)).collect();
    let mut text: String = bits
        .chunks(6)
        .map(|six| {
            let value = six.iter().fold(0, |sum, bit| sum << 1 | bit) << (6 - six.len());
            char::from(alphabet[usize::from(value)])
        })
        .collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// Everything that tells how a binary file is stored.
#[derive(Clone, Copy, Debug)]
struct Variant {
    order: Order,
    wide_header: bool,
    /// Size of the blocks that are packed.
    zlib: Option<usize>,
    appended: Option<&'static str>,
}

/// Parts of an array that are encoded apart: header and data.
fn stored(bytes: &[u8], variant: Variant) -> Vec<Vec<u8>> {
    let header = |sizes: &[usize]| {
        let mut header = Bytes(Vec::new(), variant.order);
        for &size in sizes {
            match variant.wide_header {
                true => header.longs(&[size as i64]),
                false => header.ints(&[size as i32]),
            }
        }
        header.0
    };
    match variant.zlib {
        None => vec![[header(&[bytes.len()]), bytes.to_vec()].concat()],
        Some(block) => {
            let packed: Vec<Vec<u8>> = bytes
                .chunks(block)
                .map(|chunk| miniz_oxide::deflate::compress_to_vec_zlib(chunk, 6))
                .collect();
            let mut sizes = vec![packed.len(), block, bytes.len() % block];
            sizes.extend(packed.iter().map(Vec::len));
            vec![header(&sizes), packed.concat()]
        }
    }
}

fn binary_file(variant: Variant) -> Vec<u8> {
    let mut appended = Vec::new();
    let mut array = |attributes: &str, fill: &dyn Fn(&mut Bytes)| {
        let mut bytes = Bytes(Vec::new(), variant.order);
        fill(&mut bytes);
        let parts = stored(&bytes.0, variant);
        let text: String = parts.iter().map(|part| base64(part)).collect();
        match variant.appended {
            None => {
                format!("<DataArray {attributes} format=\"binary\">\n {text}\n</DataArray>\n")
            }
            Some(encoding) => {
                let offset = appended.len();
                match encoding {
                    "raw" => appended.extend(parts.concat()),
                    _ => appended.extend(text.into_bytes()),
                }
                format!("<DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>\n")
            }
        }
    };
    let points: Vec<f64> = sample().vertices.iter().flat_map(|p| p.to_array()).collect();
    let order = if variant.order == Order::Big { "BigEndian" } else { "LittleEndian" };
    let header = if variant.wide_header { " header_type=\"UInt64\"" } else { "" };
    let zlib = match variant.zlib {
        Some(_) => " compressor=\"vtkZLibDataCompressor\"",
        None => "",
    };
    let mut text = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"{order}\"{header}{zlib}>\
         <UnstructuredGrid><Piece NumberOfPoints=\"5\" NumberOfCells=\"3\">\n<Points>"
    );
    text += &array("type=\"Float64\" NumberOfComponents=\"3\"", &|b| b.doubles(&points));
    text += "</Points><Cells>";
    text += &array("type=\"Int64\" Name=\"connectivity\"", &|b| {
        b.longs(&[0, 1, 2, 3, 0, 1, 2, 0, 2, 1, 4]);
    });
    text += &array("type=\"Int32\" Name=\"offsets\"", &|b| b.ints(&[4, 7, 11]));
    text += &array("type=\"UInt8\" Name=\"types\"", &|b| b.0.extend([10, 5, 10]));
    text += "</Cells><PointData>";
    text += &array("type=\"Float32\" Name=\"heat\"", &|b| {
        b.floats(&[1.0, 2.0, 3.5, -4.0, 5e-3]);
    });
    text += "</PointData><CellData>";
    text += &array("type=\"Float32\" Name=\"load\" NumberOfComponents=\"3\"", &|b| {
        b.floats(&[1.0, 2.0, 3.0, 9.0, 9.0, 9.0, 4.0, 5.0, 6.0]);
    });
    text += "</CellData></Piece></UnstructuredGrid>";
    let mut file = text.into_bytes();
    if let Some(encoding) = variant.appended {
        file.extend(format!("<AppendedData encoding=\"{encoding}\">\n _").into_bytes());
        file.extend(&appended);
        file.extend(b"\n</AppendedData>");
    }
    file.extend(b"</VTKFile>");
    file
}

fn variants() -> Vec<Variant> {
    let mut variants = Vec::new();
    for order in [Order::Little, Order::Big] {
        for wide_header in [false, true] {
            // One block that is not full, several with a rest, several without.
            for zlib in [None, Some(1 << 15), Some(16), Some(1)] {
                for appended in [None, Some("raw"), Some("base64")] {
                    variants.push(Variant { order, wide_header, zlib, appended });
                }
            }
        }
    }
    variants
}

#[test]
fn binary() {
    for variant in variants() {
        assert_eq!(vtu::read(&binary_file(variant)), Ok(sample()), "{variant:?}");
    }
}

#[test]
fn binary_files_cut_short_are_refused() {
    for variant in variants() {
        let file = binary_file(variant);
        let last = match variant.appended {
            Some(_) => file.len() - 27,
            None => file.len() - 80,
        };
        for end in (0..last).step_by(53) {
            assert!(vtu::read(&file[..end]).is_err(), "{variant:?} cut at {end}");
        }
    }
}

#[test]
fn bad_files() {
    refused(
        vtu::read,
        ASCII,
        &[
            ("<VTKFile", "<VTKFiel", "line 3: the file must begin with the tag `VTKFile`, not"),
            ("=\"UnstructuredGrid\"", "=\"PolyData\"", "line 3: `type` must be `UnstructuredGri"),
            ("LittleEndian", "Middle", "line 3: `byte_order` must be `LittleEndian` or `BigEnd"),
            (
                "version=\"0.1\"",
                "header_type=\"UInt8\"",
                "line 3: `header_type` must be `UInt32` or `UInt64`, no",
            ),
            ("version=\"0.1\"", "compressor=\"vtkLZ4DataCompressor\"", "line 3: `compressor` mu"),
            ("NumberOfPoints=\"5\"", "", "line 8: `Piece` needs the attribute `NumberOfPoints`"),
            ("NumberOfPoints=\"5\"", "NumberOfPoints=\"6\"", "line 18: the piece has 6 points, "),
            ("NumberOfCells=\"3\"", "NumberOfCells=\"2\"", "line 25: the piece has 2 cells, but"),
            ("NumberOfCells=\"3\"", "NumberOfCells=\"x\"", "line 8: `NumberOfCells` must be a wh"),
            ("<Piece ", "<Peace ", "line 1: the file has no `Piece` of a grid"),
            ("</Piece>", "</Piece><Piece>", "line 27: the grid has more than one `Piece`: merge"),
            ("Name=\"types\"", "Name=\"type\"", "line 8: the piece has no array `types`"),
            ("Name=\"types\"", "Name=\"offsets\"", "line 25: there may be only one array `offset"),
            ("2 1 4<", "2 1 5<", "line 23: there is no point 5: there are 5, from 0"),
            ("4 7 11", "4 4 11", "line 24: offsets must rise to 11, but here stands 4"),
            ("4 7 11", "4 7 12", "line 24: offsets must rise to 11, but here stands 12"),
            ("4 7 11", "4 11", "line 25: 2 cells need as many types, but there are 3"),
            ("10 5 10", "10 5 13", "line 25: 1 cells are wedges (type 13), but a body is made of"),
            ("10 5 10", "10 5 300", "line 25: there is no cell type 300"),
            ("3.5", "three", "line 10: a value must be a number, but here stands `three`"),
            ("5e-3", "5e-3 1", "line 10: array `heat` has more than 5 × 1 values"),
            (" 5e-3", "", "line 10: the data ends where a value should stand"),
            ("Float32", "String", "line 10: array `heat` must be of a type such as `Float64` or"),
            ("Name='load'", "Name=load", "line 13: attributes are written as `name=\"value\"`,"),
            ("Name='load'", "Name='load", "line 13: here begins a tag that no `>` ends"),
            ("-->", "--", "line 2: here begins what no `-->` ends"),
            ("<!-- a", "<!DOCTYPE a", "line 2: document types and `CDATA` are not allowed in a"),
            ("1.5 0.1", "1.5 inf", "line 19: a coordinate must be finite in its precision, but"),
            ("Components=\"3\"", "Components=\"10\"", "line 13: data `load` has 10 components, "),
            ("format=\"ascii\">10", "format=\"text\">10", "line 25: the format of an array must b"),
            (
                "format=\"ascii\">10 5",
                "format=\"appended\" offset=\"0\">",
                "line 25: array `types`: the file has no `AppendedData`",
            ),
            (
                "format=\"ascii\">10 5 10",
                "format=\"binary\">AwAAAA*=",
                "line 25: array `types`: base64 has no character `*`",
            ),
            (
                "format=\"ascii\">10 5 10",
                "format=\"binary\">AwAAAAo=",
                "line 25: array `types`: base64 ends too early",
            ),
            (
                "format=\"ascii\">10 5 10",
                "format=\"binary\">/////woFCg==",
                "line 25: array `types`: it is longer than a file of this size may still unpack to",
            ),
        ],
    );
    let message = "line 1: the file must begin with the tag `VTKFile`, but has no tags";
    refused(vtu::read, "", &[("", "", message)]);
}

#[test]
fn what_unpacks_to_far_more_than_the_file_is_refused() {
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 20 << 20], 9);
    let mut header = Bytes(Vec::new(), Order::Little);
    header.ints(&[1, 20 << 20, 0, packed.len() as i32]);
    let text = format!("{}{}", base64(&header.0), base64(&packed));
    let file = ASCII
        .replace("version=\"0.1\"", "compressor=\"vtkZLibDataCompressor\"")
        .replace("format=\"ascii\">10 5 10", &format!("format=\"binary\">{text}"));
    let error = vtu::read(file.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("longer than a file of this size may still unpack to"), "{error}");
}

#[test]
fn arrays_that_share_their_bytes_are_paid_for_one_by_one() {
    let bytes = 1_000_000_u32;
    let mut file = ASCII.split("</Piece>").next().unwrap().to_owned();
    file = file.replace("<PointData Scalars=\"heat\">", "<PointData>SHARED");
    let array = "<DataArray type=\"UInt8\" Name=\"a\" format=\"appended\" offset=\"0\"/>";
    file = file.replace("SHARED", &array.repeat(10_000));
    file += "</Piece><AppendedData encoding=\"raw\">_";
    let mut file = file.into_bytes();
    file.extend(bytes.to_le_bytes());
    file.resize(file.len() + bytes as usize, 0);
    let error = vtu::read(&file).unwrap_err().to_string();
    assert!(error.contains("array `a` has more than 5 × 1 values"), "{error}");
}
