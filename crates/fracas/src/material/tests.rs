#![allow(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use proptest::prelude::*;

use super::*;

fn material_of(desc: MaterialDesc) -> Material {
    Material::try_from(&desc).unwrap()
}

fn at(x: f32, y: f32, z: f32) -> SamplePoint<'static> {
    SamplePoint { position: [x, y, z], ..Default::default() }
}

fn assert_close(found: f32, expected: f32, tolerance: f32) {
    let error = (found - expected).abs();
    assert!(error <= tolerance * expected.abs(), "{found} should be {expected}");
}

/// The oracle of erratum 003.1; the seed's own λ is wrong by 4 times at ν = 0.25.
#[test]
fn lame_parameters_match_the_oracle() {
    let oracle: [(f32, f64); 6] = [
        (0.1, 0.113_636_364),
        (0.25, 0.4),
        (0.3, 0.576_923_077),
        (0.4, 1.428_571_429),
        (0.45, 3.103_448_276),
        (0.49, 16.442_953_02),
    ];
    for (nu, lambda) in oracle {
        let desc = MaterialDesc {
            youngs_modulus: 1.0.into(),
            poisson_ratio: nu.into(),
            ..Default::default()
        };
        let sample = material_of(desc).sample(&at(0.0, 0.0, 0.0)).unwrap();
        // 1 − 2ν magnifies the rounding of ν in f32 by ν/(1 − 2ν) = 25 at 0.49
        assert_close(sample.lambda(), lambda as f32, 5.0e-6);
        assert_close(sample.mu(), 0.5 / (1.0 + nu), 2.0e-7);
        // E = μ (3λ + 2μ) / (λ + μ) leads back
        let (l, m) = (sample.lambda(), sample.mu());
        assert_close(m * (3.0 * l + 2.0 * m) / (l + m), 1.0, 1.0e-6);
    }
}

#[test]
fn sound_in_steel_runs_at_5856_metres_per_second() {
    let sample = material_of(presets::steel()).sample(&at(0.0, 0.0, 0.0)).unwrap();
    assert_close(sample.wave_speed(), 5856.0, 1.0e-4);
}

/// An oscillator with the drag −d m v, stepped finely, falls to 1/e in the time asked.
#[test]
fn damping_rate_gives_the_damping_time() {
    let desc = MaterialDesc { damping_time: 2.0.into(), ..Default::default() };
    let rate = f64::from(material_of(desc).sample(&at(0.0, 0.0, 0.0)).unwrap().damping_rate());
    // 100 rad/s, far from overdamped; symplectic steps keep ½v² + ½ω²x² but for the drag
    let (omega, h, steps) = (100.0, 1.0e-5, 200_000);
    let (mut x, mut v): (f64, f64) = (1.0, 0.0);
    for _ in 0..steps {
        v += h * (-omega * omega * x - rate * v);
        x += h * v;
    }
    let amplitude = (x * x + (v / omega) * (v / omega)).sqrt();
    assert!((amplitude - 1.0 / std::f64::consts::E).abs() < 1.0e-2, "amplitude {amplitude}");
}

/// R7: what the documented range allows is accepted, all else is a typed error that names the
/// field, and NaN is never accepted.
#[test]
fn r7_every_field_keeps_its_range() {
    use MaterialField as F;
    const TINY: f32 = 1.0e-45;
    const INF: f32 = f32::INFINITY;
    let candidates = [f32::NAN, INF, -INF, -1.0, 0.0, TINY, 0.5, 1.0, 1.5, f32::MAX];
    let accepted: [(F, &[f32]); F::ALL.len()] = [
        (F::Density, &[0.5, 1.0, 1.5]),
        (F::YoungsModulus, &[0.5, 1.0, 1.5]),
        (F::PoissonRatio, &[0.0, TINY]),
        (F::DampingTime, &[0.5, 1.0, 1.5, f32::MAX, INF]),
        (F::Friction, &[0.0, TINY, 0.5]),
        (F::FrictionStatic, &[0.5, 1.0, 1.5, f32::MAX]),
        (F::Restitution, &[0.0, TINY, 0.5, 1.0]),
        (F::YieldStress, &[TINY, 0.5, 1.0, 1.5, f32::MAX, INF]),
        (F::CreepRate, &[0.0, TINY, 0.5, 1.0, 1.5, f32::MAX]),
        (F::HardeningModulus, &[0.0, TINY, 0.5, 1.0, 1.5]),
        (F::PlasticLimit, &[1.0, 1.5]),
        (F::Strength, &[TINY, 0.5, 1.0, 1.5, f32::MAX, INF]),
        (F::CompressiveStrength, &[TINY, 0.5, 1.0, 1.5, f32::MAX, INF]),
        (F::Toughness, &[TINY, 0.5, 1.0, 1.5, f32::MAX, INF]),
        (F::LoadTime, &[0.0, TINY, 0.5, 1.0, 1.5, f32::MAX]),
        (F::GrainStiffnessRatio, &[0.5, 1.0, 1.5]),
        (F::GrainStrengthRatio, &[0.5, 1.0, 1.5]),
        (F::TearRigidity, &[0.0, TINY, 0.5]),
        (F::FibreInfluence, &[0.0, TINY, 0.5, 1.0]),
        (F::RateReference, &[TINY, 0.5, 1.0, 1.5, f32::MAX, INF]),
        (F::StiffeningStrain, &[0.5, 1.0, 1.5, f32::MAX, INF]),
        (F::Thickness, &[0.5, 1.0, 1.5]),
        (F::BendingStiffness, &[0.0, TINY, 0.5, 1.0, 1.5, f32::MAX]),
    ];
    let start = material_of(MaterialDesc {
        friction: 0.5.into(),
        friction_static: 0.5.into(),
        ..Default::default()
    });
    for (row, field) in F::ALL.into_iter().enumerate() {
        assert_eq!(accepted[row].0, field);
        for value in candidates {
            let result = start.with(field, value);
            if accepted[row].1.contains(&value) {
                let changed = result.unwrap();
                assert_eq!(changed.get(field).constant(), Some(value));
                let sample = changed.sample(&at(0.0, 0.0, 0.0)).unwrap();
                assert!(sample.wave_speed().is_finite() && sample.damping_rate().is_finite());
            } else {
                let Err(MaterialError::OutOfRange { field: named, .. }) = result else {
                    panic!("{field} = {value} gave {result:?}");
                };
                // friction above static friction is reported at the latter
                let pair = field == F::Friction && named == F::FrictionStatic.name();
                assert!(named == field.name() || pair, "{field} = {value} named {named}");
            }
        }
    }
}

/// The ends of the intervals that R7's values do not touch.
#[test]
fn range_ends_are_where_the_text_says() {
    use MaterialField as F;
    let ends = [
        (F::PoissonRatio, -0.999_99, -1.0),
        (F::PoissonRatio, 0.499, 0.499_01),
        (F::PoissonRatio, 0.49, 0.5),
        (F::Density, 1.0e-6, 0.99e-6),
        (F::Density, 1.0e9, 1.01e9),
        (F::YoungsModulus, 1.0e-6, 0.99e-6),
        (F::YoungsModulus, 1.0e15, 1.01e15),
        (F::DampingTime, 1.0e-9, 0.99e-9),
        (F::HardeningModulus, 1.0e15, 1.01e15),
        (F::PlasticLimit, 10.0, 10.1),
        (F::PlasticLimit, 1.0, 0.99),
        (F::GrainStiffnessRatio, 1.0e-3, 0.99e-3),
        (F::GrainStrengthRatio, 1.0e3, 1.01e3),
        (F::TearRigidity, 0.999, 1.0),
        (F::Restitution, 1.0, 1.01),
        (F::FibreInfluence, 1.0, 1.01),
        (F::Thickness, 1.0e-9, 0.99e-9),
        (F::Thickness, 1.0e3, 1.01e3),
    ];
    for (field, inside, outside) in ends {
        assert!(field.allows(inside), "{field} should allow {inside}");
        assert!(!field.allows(outside), "{field} should refuse {outside}");
    }
}

/// At the worst corners of the ranges what is derived stays finite and, where it must, positive.
#[test]
fn derived_values_are_finite_at_the_corners() {
    for density in [1.0e-6, 1.0e9] {
        for e in [1.0e-6, 1.0e15] {
            for nu in [-0.999_999_9, 0.0, 0.499] {
                let sample = material_of(MaterialDesc {
                    density: density.into(),
                    youngs_modulus: e.into(),
                    poisson_ratio: nu.into(),
                    ..Default::default()
                })
                .sample(&at(0.0, 0.0, 0.0))
                .unwrap();
                assert!(sample.lambda().is_finite() && sample.mu() > 0.0);
                assert!(sample.wave_speed() > 0.0 && sample.wave_speed().is_finite());
            }
        }
    }
}

#[test]
fn looks_and_grain_are_checked() {
    let inside = |colour, roughness| MaterialDesc {
        inside: Finish { colour, roughness, ..Finish::default() },
        ..Default::default()
    };
    for bad in [f32::NAN, -0.1, 1.1, f32::INFINITY] {
        let refused = Material::try_from(&inside([0.5, bad, 0.5], 0.5)).unwrap_err();
        assert!(refused.to_string().starts_with("inside.colour must be from 0 to 1"));
        let refused = Material::try_from(&inside([0.5; 3], bad)).unwrap_err();
        assert!(refused.to_string().starts_with("inside.roughness must be from 0 to 1"));
        type Part = fn(&mut Finish) -> &mut f32;
        let parts: [(&str, Part); 2] =
            [("metallic", |f| &mut f.metallic), ("transparency", |f| &mut f.transparency)];
        for (name, part) in parts {
            let mut desc = MaterialDesc::default();
            *part(&mut desc.inside) = bad;
            let refused = Material::try_from(&desc).unwrap_err().to_string();
            assert!(
                refused.starts_with(&format!("inside.{name} must be from 0 to 1")),
                "{refused}"
            );
        }
    }
    for bad in [f32::NAN, -1e-3, f32::INFINITY] {
        let inside = Finish { rings: bad, ..Finish::default() };
        let refused = Material::try_from(&MaterialDesc { inside, ..Default::default() });
        let refused = refused.unwrap_err().to_string();
        assert!(refused.starts_with("inside.rings must be at least 0"), "{refused}");
    }
    for bad in [[0.0; 3], [f32::NAN, 1.0, 0.0], [f32::INFINITY, 0.0, 0.0], [1.0e-45, 0.0, 0.0]] {
        let desc = MaterialDesc {
            grain: Grain { direction: bad.into(), ..Default::default() },
            ..Default::default()
        };
        let refused = Material::try_from(&desc).unwrap_err();
        assert!(refused.to_string().starts_with("grain.direction must be"), "{refused}");
    }
}

#[test]
fn names_are_unique_and_found() {
    for field in MaterialField::ALL {
        assert_eq!(MaterialField::from_name(field.name()), Some(field));
        assert!(!field.range_text().is_empty());
    }
    assert_eq!(MaterialField::from_name("Density"), None);
}

/// Each preset is a material, is found by its name, and a plate of it bends as the formula says.
#[test]
fn presets_are_materials() {
    for (name, make) in presets::PRESETS {
        let desc = make();
        assert_eq!(preset(name).as_ref(), Some(&desc));
        let sample = material_of(desc).sample(&at(0.0, 0.0, 0.0)).unwrap();
        let (e, nu, t) = (sample.youngs_modulus, sample.poisson_ratio, sample.thickness);
        let plate = e * t.powi(3) / (12.0 * (1.0 - nu * nu));
        assert_close(sample.bending_stiffness, plate, 1.0e-5);
        // what flows at all flows before it breaks
        assert!(sample.yield_stress == f32::INFINITY || sample.yield_stress < sample.strength);
    }
}

fn strength(value: Varying) -> Material {
    material_of(MaterialDesc { strength: value, ..Default::default() })
}

#[test]
fn gradient_is_linear_between_and_constant_beyond() {
    let gradient = Gradient { from: [0.0; 3], to: [0.0, 2.0, 0.0], start: 100.0, end: 200.0 };
    let material = strength(Varying::Gradient(gradient));
    for (y, expected) in [(-5.0, 100.0), (0.0, 100.0), (0.5, 125.0), (2.0, 200.0), (9.0, 200.0)] {
        // x and z do not matter
        assert_eq!(material.sample(&at(3.0, y, -7.0)).unwrap().strength, expected);
    }
}

#[test]
fn curvature_is_linear_in_its_range() {
    let material =
        strength(Varying::Curvature(Curvature { low: 10.0, high: 2.0, range: [-1.0, 3.0] }));
    for (curvature, expected) in [(-9.0, 10.0), (-1.0, 10.0), (0.0, 8.0), (1.0, 6.0), (9.0, 2.0)] {
        let point = SamplePoint { curvature: Some(curvature), ..Default::default() };
        assert_eq!(material.sample(&point).unwrap().strength, expected);
    }
    let missing = material.sample(&SamplePoint::default()).unwrap_err();
    assert_eq!(missing, MaterialError::NoCurvature { field: "strength" });
}

#[test]
fn attribute_is_scaled_offset_and_checked() {
    let attribute = Attribute { name: "age".into(), scale: -2.0, offset: 10.0 };
    let material = strength(Varying::Attribute(attribute));
    let sample = |attributes: &[(&str, f32)]| {
        material.sample(&SamplePoint { attributes, ..Default::default() })
    };
    assert_eq!(sample(&[("size", 1.0), ("age", 3.0)]).unwrap().strength, 4.0);
    assert_eq!(
        sample(&[("size", 1.0)]).unwrap_err().to_string(),
        "strength follows the attribute \"age\", which this shape does not have"
    );
    for bad in [5.0, 6.0, f32::NAN] {
        let refused = sample(&[("age", bad)]).unwrap_err();
        assert!(matches!(refused, MaterialError::OutOfRange { field: "strength", .. }));
    }
}

/// Two curves: a corner of two pieces, and a single point.
#[test]
fn curves_act_by_distance_and_direction() {
    let lines = vec![vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], vec![[9.0; 3]]];
    let curves = Curves { near: 1.0, far: 5.0, radius: 2.0, file: None, lines };
    let material = strength(Varying::Curves(curves));
    for (point, expected) in [
        (at(0.5, 0.0, 0.0), 1.0),  // on the first piece
        (at(0.5, -1.0, 0.0), 3.0), // 1 m from it
        (at(2.0, 0.5, 0.0), 3.0),  // 1 m from the second piece
        (at(-3.0, 4.0, 0.0), 5.0), // 5 m from its start
        (at(9.0, 9.0, 9.5), 2.0),  // half a metre from the point
    ] {
        assert_eq!(material.sample(&point).unwrap().strength, expected);
    }

    let lines = vec![vec![[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 0.5, 0.0]]];
    let direction = VaryingDirection::Curves(DirectionCurves { file: None, lines });
    let fibres = material_of(MaterialDesc {
        grain: Grain { direction, ..Default::default() },
        ..Default::default()
    });
    assert_eq!(fibres.sample(&at(0.5, 0.3, 0.0)).unwrap().grain_direction, [1.0, 0.0, 0.0]);
    assert_eq!(fibres.sample(&at(2.1, 0.3, 0.0)).unwrap().grain_direction, [0.0, 1.0, 0.0]);
}

#[test]
fn direction_comes_from_three_attributes_at_unit_length() {
    let direction = VaryingDirection::Attribute(DirectionAttribute { name: "fibre".into() });
    let material = material_of(MaterialDesc {
        grain: Grain { direction, ..Default::default() },
        ..Default::default()
    });
    let all: [(&str, f32); 3] = [("fibre.x", 3.0e30), ("fibre.y", 0.0), ("fibre.z", 4.0e30)];
    let point = SamplePoint { attributes: &all, ..Default::default() };
    let [x, y, z] = material.sample(&point).unwrap().grain_direction;
    assert_close(x, 0.6, 1.0e-6);
    assert_eq!(y, 0.0);
    assert_close(z, 0.8, 1.0e-6);

    let point = SamplePoint { attributes: &all[..2], ..Default::default() };
    let missing = material.sample(&point).unwrap_err();
    assert_eq!(
        missing,
        MaterialError::NoAttribute { field: "grain.direction", name: "fibre.z".into() }
    );
}

fn noisy(mean: f32, spread: f32, wavelength: f32) -> Material {
    strength(Varying::Noise(Noise { mean, spread, wavelength }))
}

/// 32³ independent corners of standard deviation 1/√3: the mean of 64³ samples over them errs by
/// about 0.58/181 = 0.3 % of the spread; 1.3 % is four times that.
#[test]
fn noise_has_the_mean_asked_and_keeps_its_bounds() {
    let material = noisy(100.0, 40.0, 0.25);
    for seed in 0..4 {
        let (mut sum, mut least, mut most) = (0.0, f32::MAX, f32::MIN);
        for i in 0..64 * 64 * 64 {
            let position = [i % 64, i / 64 % 64, i / 4096].map(|k| (k as f32 + 0.3) / 8.0 - 4.0);
            let point = SamplePoint { position, seed, ..Default::default() };
            let value = material.sample(&point).unwrap().strength;
            sum += f64::from(value);
            least = least.min(value);
            most = most.max(value);
        }
        let mean = sum / f64::from(64 * 64 * 64);
        assert!((mean - 100.0).abs() < 0.5, "mean {mean} with seed {seed}");
        assert!((60.0..75.0).contains(&least) && (125.0..=140.0).contains(&most));
    }
}

/// Neighbouring points differ little, other seeds differ much, the same seed not at all.
#[test]
fn noise_is_smooth_and_repeatable() {
    let material = noisy(100.0, 40.0, 0.1);
    let value = |x: f32, seed| {
        let point = SamplePoint { position: [x, 0.37, -0.21], seed, ..Default::default() };
        material.sample(&point).unwrap().strength
    };
    let mut differing = 0;
    for i in 0..1000 {
        let x = i as f32 * 1.0e-3 - 0.5;
        assert_eq!(value(x, 7), value(x, 7));
        // the steepest blend is 15/8 of the span of 80 per wavelength: 1.5 per mm
        assert!((value(x, 7) - value(x + 1.0e-3, 7)).abs() < 1.6);
        differing += i32::from((value(x, 7) - value(x, 8)).abs() > 1.0);
    }
    assert!(differing > 800, "only {differing} of 1000 differ between seeds");
}

/// The bits are part of what a golden hash covers: a change of the hash must be on purpose.
#[test]
fn noise_keeps_its_bits() {
    let values = [0.0, 0.3, -17.7, 1.0e9].map(|x| noise::value_noise([x, 0.1, 0.2], 0.25, 42));
    assert_eq!(values, [-0.20586462, 0.1597091, -0.5040269, -0.6393711]);
}

#[test]
fn bounds_of_what_varies_are_checked() {
    let cases: [(Varying, &str); 12] = [
        (
            Varying::Gradient(Gradient { from: [0.0; 3], to: [1.0; 3], start: 1.0, end: 0.0 }),
            "strength must be above 0 or inf, but is 0",
        ),
        (
            Varying::Gradient(Gradient { from: [0.0; 3], to: [0.0; 3], start: 1.0, end: 1.0 }),
            "strength.gradient.to must be away from gradient.from, but is 0",
        ),
        (
            Varying::Gradient(Gradient {
                from: [0.0; 3],
                to: [1.0; 3],
                start: 1.0,
                end: f32::INFINITY,
            }),
            "strength.gradient.end must be finite, but is inf",
        ),
        (
            Varying::Noise(Noise { mean: 1.0, spread: 1.0, wavelength: 1.0 }),
            "strength must be above 0 or inf, but is 0",
        ),
        (
            Varying::Noise(Noise { mean: 1.0, spread: f32::NAN, wavelength: 1.0 }),
            "strength.noise.spread must be at least 0 and finite, but is NaN",
        ),
        (
            Varying::Noise(Noise { mean: 1.0, spread: 0.5, wavelength: 0.0 }),
            "strength.noise.wavelength must be above 0 and finite, but is 0",
        ),
        (
            Varying::Curvature(Curvature { low: -1.0, high: 1.0, range: [0.0, 1.0] }),
            "strength must be above 0 or inf, but is -1",
        ),
        (
            Varying::Curvature(Curvature { low: 1.0, high: 1.0, range: [1.0, 1.0] }),
            "strength.curvature.range must be rising, but is 1",
        ),
        (
            Varying::Attribute(Attribute { name: "a".into(), scale: f32::NAN, offset: 0.0 }),
            "strength.attribute.scale must be finite, but is NaN",
        ),
        (
            Varying::Curves(Curves {
                near: 1.0,
                far: 1.0,
                radius: 1.0,
                file: Some("veins.obj".into()),
                lines: vec![],
            }),
            "strength follows the curves in \"veins.obj\", which were not read: see \
             `MaterialDesc::resolve_curves`",
        ),
        (
            Varying::Curves(Curves {
                near: 1.0,
                far: 1.0,
                radius: 1.0,
                file: None,
                lines: vec![vec![]],
            }),
            "strength.curves.lines must be at least one point long, but is 0",
        ),
        (
            Varying::Curves(Curves {
                near: 1.0,
                far: 1.0,
                radius: -1.0,
                file: None,
                lines: vec![vec![[0.0; 3]]],
            }),
            "strength.curves.radius must be above 0 and finite, but is -1",
        ),
    ];
    for (value, message) in cases {
        let desc = MaterialDesc { strength: value, ..Default::default() };
        assert_eq!(Material::try_from(&desc).unwrap_err().to_string(), message);
    }
}

/// Where one friction varies, what must fail fails at once and what may hold is sampled.
#[test]
fn static_friction_is_never_below_sliding_friction() {
    let gradient = |start, end| {
        Varying::Gradient(Gradient { from: [0.0; 3], to: [1.0, 0.0, 0.0], start, end })
    };
    let frictions = |friction, friction_static| {
        let desc = MaterialDesc { friction, friction_static, ..Default::default() };
        Material::try_from(&desc)
    };
    assert!(frictions(0.5.into(), gradient(0.1, 0.4)).is_err());
    let crossing = frictions(0.5.into(), gradient(0.4, 0.8)).unwrap();
    assert_eq!(
        crossing.sample(&at(0.0, 0.0, 0.0)).unwrap_err().to_string(),
        "friction_static must be at least friction and finite, but is 0.4"
    );
    assert!(crossing.sample(&at(1.0, 0.0, 0.0)).is_ok());
}

#[test]
fn curve_files_are_read_by_the_caller() {
    let curves = Curves { near: 1.0, far: 2.0, radius: 1.0, file: Some("a".into()), lines: vec![] };
    let direction = DirectionCurves { file: Some("b".into()), lines: vec![] };
    let mut desc = MaterialDesc {
        strength: Varying::Curves(curves),
        grain: Grain { direction: VaryingDirection::Curves(direction), ..Default::default() },
        ..Default::default()
    };
    assert_eq!(desc.clone().resolve_curves(|_| Err("missing")), Err("missing"));

    let mut asked = vec![];
    let read = |name: &str| {
        asked.push(name.to_owned());
        Ok::<_, ()>(vec![vec![[0.0; 3], [1.0; 3]]])
    };
    desc.resolve_curves(read).unwrap();
    assert_eq!(asked, ["a", "b"]);
    assert!(Material::try_from(&desc).is_ok());
}

#[test]
fn friction_combines_by_the_geometric_mean() {
    assert_close(combine_friction(0.2, 0.8), 0.4, 1.0e-6);
    assert_eq!(combine_friction(0.0, 0.8), 0.0);
    assert_close(combine_friction(f32::MAX, f32::MAX), f32::MAX, 1.0e-6);
}

/// The schema that editors use offers a number and every way to vary it.
#[cfg(feature = "serde")]
#[test]
fn schema_offers_every_form() {
    let schema = schemars::schema_for!(MaterialDesc);
    let text = schema.as_value().to_string();
    for key in ["gradient", "noise", "curvature", "attribute", "curves", "number"] {
        assert!(text.contains(&format!("\"{key}\"")), "no {key} in {text}");
    }
    for field in MaterialField::ALL {
        let key = field.name().trim_start_matches("grain.");
        assert!(text.contains(&format!("\"{key}\":")), "no {key} in {text}");
    }
    assert!(text.contains("Mass per volume"), "the schema has lost the doc comments");
}

proptest! {
    /// No number, however odd, makes a panic or an unchecked value.
    #[test]
    fn sampled_values_are_always_in_range(
        field in 0..MaterialField::ALL.len(),
        numbers in prop::array::uniform3(prop::num::f32::ANY),
        position in prop::array::uniform3(prop::num::f32::ANY),
        seed: u64,
        kind in 0..5,
    ) {
        let field = MaterialField::ALL[field];
        let [a, b, c] = numbers;
        let value = match kind {
            0 => Varying::Constant(a),
            1 => Varying::Noise(Noise { mean: a, spread: b, wavelength: c }),
            2 => Varying::Gradient(Gradient { from: [c, a, b], to: position, start: a, end: b }),
            3 => Varying::Attribute(Attribute { name: "a".into(), scale: a, offset: b }),
            _ => Varying::Curves(Curves {
                near: a,
                far: b,
                radius: c,
                file: None,
                lines: vec![vec![numbers, position]],
            }),
        };
        let start = material_of(MaterialDesc::default());
        if let Ok(material) = start.with(field, value) {
            let attributes = [("a", c)];
            let point = SamplePoint { position, seed, attributes: &attributes, ..Default::default() };
            if let Ok(sample) = material.sample(&point) {
                prop_assert!(sample.density > 0.0 && sample.poisson_ratio <= 0.499);
                prop_assert!(sample.friction_static >= sample.friction);
                prop_assert!(sample.strength > 0.0 && sample.wave_speed().is_finite());
            }
        }
    }
}
