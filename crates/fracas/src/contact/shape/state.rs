//! Shapes in snapshots: as they were described, checked anew when they are read.

use super::{Compound, Face, HeightField, Hull, Pose, Shape, TriangleMesh};
use crate::math::Rot;
use crate::state::{Reader, Sink, SnapshotError};
use glam::{DVec3, Vec3};

impl Shape {
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Sphere(s) => save(bytes, 0, &[s.radius]),
            Self::Ellipsoid(e) => save(bytes, 1, &e.radii.to_array()),
            Self::Box(b) => save(bytes, 2, &b.half.to_array()),
            Self::Capsule(c) => save(bytes, 3, &[c.half_length, c.radius]),
            Self::Cylinder(c) => save(bytes, 4, &[c.half_length, c.radius]),
            Self::Hull(hull) => {
                save(bytes, 5, hull.vertices());
                // as they are: made anew they might come in another order, and features have their names
                bytes.number(hull.faces().len() as u64);
                for Face { vertices, edges, normal } in hull.faces() {
                    bytes.column(vertices);
                    bytes.column(edges);
                    bytes.column(&normal.to_array());
                }
            }
            Self::Compound(Compound { parts }) => {
                bytes.number(6);
                bytes.number(parts.len() as u64);
                for (pose, part) in parts {
                    bytes.floats(&[pose.rotation]);
                    bytes.floats(&[pose.position]);
                    part.save(bytes);
                }
            }
            Self::HalfSpace(plane) => save(bytes, 7, &plane.normal.to_array()),
            Self::TriangleMesh(mesh) => {
                save(bytes, 8, mesh.vertices());
                bytes.column(mesh.triangles());
            }
            Self::HeightField(field) => {
                save(bytes, 9, field.heights());
                bytes.number(field.columns() as u64);
                bytes.floats(&field.spacing());
            }
        }
    }

    pub(crate) fn load(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let kind = reader.number()?;
        let shape = match kind {
            0 => Self::sphere(reader.column_of(1)?[0]),
            1 => Self::ellipsoid(vector(reader)?),
            2 => Self::block(vector(reader)?),
            3 | 4 => {
                let sizes: Vec<f32> = reader.column_of(2)?;
                let make = if kind == 3 { Self::capsule } else { Self::cylinder };
                make(sizes[0], sizes[1])
            }
            5 => {
                let vertices = reader.column()?;
                let mut faces = Vec::new();
                for _ in 0..reader.number()? {
                    let (vertices, edges) = (reader.column()?, reader.column()?);
                    let normal: Vec<f64> = reader.column_of(3)?;
                    let normal = DVec3::new(normal[0], normal[1], normal[2]);
                    faces.push(Face { vertices, edges, normal });
                }
                match Hull::from_parts(vertices, faces) {
                    Some(hull) => Ok(Self::Hull(hull)),
                    None => return Err(reader.damaged("a hull whose faces do not fit")),
                }
            }
            6 => {
                let mut parts = Vec::new();
                for _ in 0..reader.number()? {
                    let rotation: Vec<Rot> = reader.column_of(1)?;
                    let position: Vec<Vec3> = reader.column_of(1)?;
                    let pose = Pose { rotation: rotation[0], position: position[0] };
                    // parts have no parts, so this goes one deep
                    let part = Self::load_part(reader)?;
                    parts.push((pose, part));
                }
                Self::compound(parts)
            }
            7 => Ok(Self::HalfSpace(super::Plane { normal: vector(reader)? })),
            8 => {
                let vertices = reader.column()?;
                TriangleMesh::new(vertices, reader.column()?).map(Self::TriangleMesh)
            }
            9 => {
                let heights = reader.column()?;
                let columns = usize::try_from(reader.number()?).unwrap_or(usize::MAX);
                let spacing: Vec<f32> = reader.column_of(2)?;
                HeightField::new(columns, heights, [spacing[0], spacing[1]]).map(Self::HeightField)
            }
            _ => return Err(reader.damaged("a shape of an unknown kind")),
        };
        shape.map_err(|_| reader.damaged("a shape out of range"))
    }

    fn load_part(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        if reader.clone().number()? == 6 {
            return Err(reader.damaged("a compound inside a compound"));
        }
        Self::load(reader)
    }
}

fn save<T: bytemuck::Pod>(bytes: &mut Vec<u8>, kind: u64, sizes: &[T]) {
    bytes.number(kind);
    bytes.floats(sizes);
}

fn vector(reader: &mut Reader<'_>) -> Result<Vec3, SnapshotError> {
    let sizes: Vec<f32> = reader.column_of(3)?;
    Ok(Vec3::new(sizes[0], sizes[1], sizes[2]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end by panic")]
    use super::*;

    fn again(shape: &Shape) -> Shape {
        let mut bytes = Vec::new();
        shape.save(&mut bytes);
        for end in 0..bytes.len() {
            assert!(Shape::load(&mut Reader::new(&bytes[..end])).is_err(), "cut at {end}");
        }
        let mut reader = Reader::new(&bytes);
        let shape = Shape::load(&mut reader).unwrap();
        assert!(reader.is_done());
        shape
    }

    #[test]
    fn every_kind_comes_back() {
        let part = Pose { position: Vec3::X, rotation: Rot::exp(Vec3::Y) };
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let shapes = [
            Shape::sphere(0.1).unwrap(),
            Shape::ellipsoid(Vec3::new(0.1, 0.2, 0.3)).unwrap(),
            Shape::block(Vec3::new(0.1, 0.2, 0.3)).unwrap(),
            Shape::capsule(0.1, 0.2).unwrap(),
            Shape::cylinder(0.1, 0.2).unwrap(),
            Shape::hull(&corners).unwrap(),
            Shape::compound(vec![(part, Shape::sphere(0.1).unwrap())]).unwrap(),
            Shape::half_space(Vec3::new(1.0, 2.0, 3.0)).unwrap(),
            Shape::TriangleMesh(TriangleMesh::new(corners.into(), vec![[0, 1, 2]]).unwrap()),
            Shape::HeightField(HeightField::new(2, vec![0.0, 1.0, 2.0, 3.0], [0.5; 2]).unwrap()),
        ];
        for shape in &shapes {
            assert_eq!(&again(shape), shape);
        }
    }

    proptest::proptest! {
        /// Hulls come back with the same bits: features keep their names.
        #[test]
        fn hulls_come_back_bit_for_bit(
            points in proptest::collection::vec(proptest::array::uniform3(-1.0f32..1.0), 8..60),
        ) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            if let Ok(hull) = Shape::hull(&points) {
                let mut bytes = Vec::new();
                hull.save(&mut bytes);
                proptest::prop_assert_eq!(Shape::load(&mut Reader::new(&bytes)).unwrap(), hull);
            }
        }
    }
}
