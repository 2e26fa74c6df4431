//! Materials in snapshots.

use super::{
    Attribute, Curvature, Curves, DirectionAttribute, DirectionCurves, Finish, Gradient, Material,
    MaterialDesc, MaterialField, Noise, Varying, VaryingDirection,
};
use crate::state::{Reader, Sink, SnapshotError};

type Lines = Vec<Vec<[f32; 3]>>;

impl Material {
    /// Appends the whole material.
    pub(crate) fn save(&self, bytes: &mut Vec<u8>) {
        for field in MaterialField::ALL {
            save_varying(self.get(field), bytes);
        }
        match &self.desc().grain.direction {
            VaryingDirection::Constant(direction) => {
                bytes.number(0);
                bytes.floats(direction);
            }
            VaryingDirection::Attribute(DirectionAttribute { name }) => {
                bytes.number(1);
                bytes.column(name.as_bytes());
            }
            VaryingDirection::Curves(DirectionCurves { file, lines }) => {
                bytes.number(2);
                save_lines(file.as_deref(), lines, bytes);
            }
        }
        let Finish { colour, roughness, metallic, transparency, rings } = *self.inside();
        bytes.floats(&colour);
        bytes.floats(&[roughness, metallic, transparency, rings]);
    }

    /// Reads back what [`save`](Self::save) appended, and checks it like any description.
    pub(crate) fn load(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let mut desc = MaterialDesc::default();
        for field in MaterialField::ALL {
            *desc.get_mut(field) = load_varying(reader)?;
        }
        desc.grain.direction = match reader.number()? {
            0 => VaryingDirection::Constant(floats(reader)?),
            1 => VaryingDirection::Attribute(DirectionAttribute { name: reader.text()? }),
            2 => {
                let (file, lines) = load_lines(reader)?;
                VaryingDirection::Curves(DirectionCurves { file, lines })
            }
            _ => return Err(reader.damaged("an unknown kind of direction")),
        };
        let colour = floats(reader)?;
        let [roughness, metallic, transparency, rings] = floats(reader)?;
        desc.inside = Finish { colour, roughness, metallic, transparency, rings };
        Self::try_from(&desc).map_err(|_| reader.damaged("a material out of range"))
    }
}

fn save_varying(value: &Varying, bytes: &mut Vec<u8>) {
    match value {
        Varying::Constant(value) => {
            bytes.number(0);
            bytes.floats(&[*value]);
        }
        Varying::Gradient(Gradient { from, to, start, end }) => {
            bytes.number(1);
            bytes.floats(&[from[0], from[1], from[2], to[0], to[1], to[2], *start, *end]);
        }
        Varying::Noise(Noise { mean, spread, wavelength }) => {
            bytes.number(2);
            bytes.floats(&[*mean, *spread, *wavelength]);
        }
        Varying::Curvature(Curvature { low, high, range }) => {
            bytes.number(3);
            bytes.floats(&[*low, *high, range[0], range[1]]);
        }
        Varying::Attribute(Attribute { name, scale, offset }) => {
            bytes.number(4);
            bytes.column(name.as_bytes());
            bytes.floats(&[*scale, *offset]);
        }
        Varying::Curves(Curves { near, far, radius, file, lines }) => {
            bytes.number(5);
            bytes.floats(&[*near, *far, *radius]);
            save_lines(file.as_deref(), lines, bytes);
        }
    }
}

fn load_varying(reader: &mut Reader<'_>) -> Result<Varying, SnapshotError> {
    Ok(match reader.number()? {
        0 => {
            let [value] = floats(reader)?;
            Varying::Constant(value)
        }
        1 => {
            let [a, b, c, d, e, f, start, end] = floats(reader)?;
            Varying::Gradient(Gradient { from: [a, b, c], to: [d, e, f], start, end })
        }
        2 => {
            let [mean, spread, wavelength] = floats(reader)?;
            Varying::Noise(Noise { mean, spread, wavelength })
        }
        3 => {
            let [low, high, from, to] = floats(reader)?;
            Varying::Curvature(Curvature { low, high, range: [from, to] })
        }
        4 => {
            let name = reader.text()?;
            let [scale, offset] = floats(reader)?;
            Varying::Attribute(Attribute { name, scale, offset })
        }
        5 => {
            let [near, far, radius] = floats(reader)?;
            let (file, lines) = load_lines(reader)?;
            Varying::Curves(Curves { near, far, radius, file, lines })
        }
        _ => return Err(reader.damaged("an unknown kind of value")),
    })
}

fn save_lines(file: Option<&str>, lines: &Lines, bytes: &mut Vec<u8>) {
    bytes.number(u64::from(file.is_some()));
    bytes.column(file.unwrap_or_default().as_bytes());
    bytes.number(lines.len() as u64);
    lines.iter().for_each(|line| bytes.floats(line));
}

fn load_lines(reader: &mut Reader<'_>) -> Result<(Option<String>, Lines), SnapshotError> {
    let has_file = reader.number()? != 0;
    let name = reader.text()?;
    let count = reader.number()?;
    let mut lines = Vec::new();
    for _ in 0..count {
        lines.push(reader.column()?);
    }
    Ok((has_file.then_some(name), lines))
}

fn floats<const N: usize>(reader: &mut Reader<'_>) -> Result<[f32; N], SnapshotError> {
    let values: Vec<f32> = reader.column_of(N)?;
    values.try_into().map_err(|_| reader.damaged("a column of wrong length"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::material::presets::PRESETS;

    #[test]
    fn every_preset_and_every_kind_of_value_comes_back() {
        let line = vec![vec![[0.0, 1.0, 2.0], [1.0, 1.0, 2.0]]];
        let curves = Curves {
            near: 0.1,
            far: 0.2,
            radius: 1.0,
            file: Some("a.obj".into()),
            lines: line.clone(),
        };
        let mut odd = MaterialDesc {
            density: Varying::Gradient(Gradient {
                from: [0.0; 3],
                to: [1.0; 3],
                start: 1.0,
                end: 2.0,
            }),
            youngs_modulus: Varying::Noise(Noise { mean: 1e5, spread: 1e4, wavelength: 0.1 }),
            toughness: Varying::Curvature(Curvature { low: 1.0, high: 2.0, range: [0.0, 9.0] }),
            thickness: Varying::Attribute(Attribute { name: "t".into(), scale: 1.0, offset: 0.0 }),
            friction: Varying::Curves(curves),
            ..MaterialDesc::default()
        };
        odd.grain.direction = VaryingDirection::Curves(DirectionCurves { file: None, lines: line });
        let mut all = vec![odd];
        all.extend(PRESETS.iter().map(|(_, preset)| preset()));
        for desc in all {
            let material = Material::try_from(&desc).unwrap();
            let mut bytes = Vec::new();
            material.save(&mut bytes);
            let mut reader = Reader::new(&bytes);
            assert_eq!(Material::load(&mut reader).unwrap().desc(), &desc);
            assert!(reader.is_done());
        }
    }
}
