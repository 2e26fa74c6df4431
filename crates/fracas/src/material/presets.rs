//! Materials by name, with the source of each value.
//!
//! Sources, by the short names used below:
//!
//! - Ashby: M. F. Ashby, *Materials Selection in Mechanical Design*, the appendix of property
//!   ranges. A range is quoted and a value inside it is used.
//! - Callister: W. D. Callister, *Materials Science and Engineering*, appendix B.
//! - Marks: *Marks' Standard Handbook for Mechanical Engineers*, table of friction coefficients.
//! - Wood Handbook: USDA Forest Products Laboratory, *Wood Handbook*, chapter 5.
//!
//! The books are quoted from memory; only the friction of glass, steel and aluminium and the tests
//! of skin were compared with public copies. Look a value up before building on it.
//!
//! "Choice" means that no table gives the value, or that ranges are too wide to mean one: it was
//! chosen for how it looks. That holds for every damping time (real losses depend on frequency),
//! restitution (depends on speed and shape), creep rate, load time, colour and roughness, which are
//! not marked again.
//!
//! Metals, glass and stone are far stiffer than some models reach in real time; those clamp the
//! stiffness, keep the strains at yield and break, and report it.

use super::desc::{Finish, Grain, MaterialDesc};

/// A name and what makes the material.
pub type Preset = (&'static str, fn() -> MaterialDesc);

/// All presets, by name.
pub const PRESETS: [Preset; 11] = [
    ("glass", glass),
    ("steel", steel),
    ("aluminium", aluminium),
    ("oak", oak),
    ("rubber", rubber),
    ("concrete", concrete),
    ("gelatine", gelatine),
    ("skin", skin),
    ("muscle", muscle),
    ("paper", paper),
    ("foil", foil),
];

/// The preset of this name.
///
/// ```
/// use fracas::material::{preset, presets};
///
/// assert_eq!(preset("steel"), Some(presets::steel()));
/// assert_eq!(preset("mithril"), None);
/// ```
pub fn preset(name: &str) -> Option<MaterialDesc> {
    PRESETS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

/// Bending stiffness of a plain plate E t³ / (12 (1 − ν²)), in N m.
fn plate_stiffness(youngs_modulus: f32, poisson_ratio: f32, thickness: f32) -> f32 {
    youngs_modulus * thickness * thickness * thickness
        / (12.0 * (1.0 - poisson_ratio * poisson_ratio))
}

/// Soda-lime window glass: breaks at once and cleanly, never flows.
pub fn glass() -> MaterialDesc {
    MaterialDesc {
        density: 2.48e3.into(),        // Ashby: 2440 to 2490
        youngs_modulus: 7.0e10.into(), // Ashby: 68 to 72 GPa
        poisson_ratio: 0.22.into(),    // Ashby: 0.21 to 0.22
        damping_time: 0.5.into(),
        friction: 0.4.into(),         // Marks: glass on glass, sliding
        friction_static: 0.94.into(), // Marks: glass on glass, at rest
        restitution: 0.5.into(),
        strength: 3.3e7.into(), // Ashby: 30 to 35 MPa; scratches decide
        compressive_strength: 3.9e8.into(), // Ashby: 360 to 420 MPa
        toughness: 6.0e5.into(), // Ashby: 0.55 to 0.7 MPa√m
        load_time: 0.0.into(),
        thickness: 4.0e-3.into(), // a window pane
        bending_stiffness: plate_stiffness(7.0e10, 0.22, 4.0e-3).into(),
        inside: Finish {
            colour: [0.75, 0.9, 0.85],
            roughness: 0.05,
            transparency: 0.9,
            ..Finish::default()
        },
        ..Default::default()
    }
}

/// Mild (low-carbon) steel: bends, hardens, and parts only after much flow.
pub fn steel() -> MaterialDesc {
    MaterialDesc {
        density: 7.85e3.into(),        // Ashby: 7800 to 7900
        youngs_modulus: 2.0e11.into(), // Ashby: 200 to 215 GPa
        poisson_ratio: 0.3.into(),     // Ashby: 0.285 to 0.295; 0.3 is the usual round value
        damping_time: 0.5.into(),
        friction: 0.57.into(), // Marks: mild steel on mild steel, sliding
        friction_static: 0.74.into(), // Marks: mild steel on mild steel, at rest
        restitution: 0.6.into(),
        yield_stress: 3.0e8.into(), // Ashby: 250 to 395 MPa
        creep_rate: 100.0.into(),
        hardening_modulus: 6.0e8.into(), // (strength − yield stress) over the elongation
        plastic_limit: 1.35.into(),      // Ashby: elongation 26 to 47 %
        strength: 4.8e8.into(),          // Ashby: 345 to 580 MPa
        toughness: 6.0e7.into(),         // Ashby: 41 to 82 MPa√m
        thickness: 1.0e-3.into(),
        bending_stiffness: plate_stiffness(2.0e11, 0.3, 1.0e-3).into(),
        inside: Finish {
            colour: [0.55, 0.56, 0.58],
            roughness: 0.35,
            metallic: 1.0,
            ..Finish::default()
        },
        ..Default::default()
    }
}

/// Aluminium alloy 6061-T6: lighter, softer and less ductile than steel.
pub fn aluminium() -> MaterialDesc {
    MaterialDesc {
        density: 2.7e3.into(),         // Callister: 2700
        youngs_modulus: 6.9e10.into(), // Callister: 69 GPa
        poisson_ratio: 0.33.into(),    // Callister: 0.33
        damping_time: 0.5.into(),
        friction: 0.47.into(),        // Marks: aluminium on mild steel, sliding
        friction_static: 0.61.into(), // Marks: aluminium on mild steel, at rest
        restitution: 0.5.into(),
        yield_stress: 2.76e8.into(), // Callister: 276 MPa
        creep_rate: 100.0.into(),
        hardening_modulus: 2.4e8.into(), // (strength − yield stress) over the elongation
        plastic_limit: 1.15.into(),      // Callister: elongation 12 to 17 %
        strength: 3.1e8.into(),          // Callister: 310 MPa
        toughness: 2.9e7.into(),         // about 29 MPa√m, as data sheets of the alloy say
        thickness: 1.0e-3.into(),
        bending_stiffness: plate_stiffness(6.9e10, 0.33, 1.0e-3).into(),
        inside: Finish {
            colour: [0.8, 0.8, 0.82],
            roughness: 0.35,
            metallic: 1.0,
            ..Finish::default()
        },
        ..Default::default()
    }
}

/// White oak at 12 % moisture: splits along the grain long before it breaks across it.
pub fn oak() -> MaterialDesc {
    MaterialDesc {
        density: 760.0.into(), // Wood Handbook: specific gravity 0.68, times 1.12
        youngs_modulus: 1.23e10.into(), // Wood Handbook: 12.3 GPa in bending
        poisson_ratio: 0.37.into(), // Wood Handbook: ν_LR 0.369
        damping_time: 0.2.into(),
        friction: 0.48.into(), // Marks: oak on oak along the grain, sliding
        friction_static: 0.62.into(), // Marks: oak on oak along the grain, at rest
        restitution: 0.4.into(),
        strength: 1.05e8.into(), // Wood Handbook: modulus of rupture 105 MPa
        compressive_strength: 5.1e7.into(), // Wood Handbook: along the grain 51.3 MPa
        toughness: 5.0e6.into(), // choice: woods have 5 to 10 MPa√m across fibres, 0.3
        // to 0.8 between them
        grain: Grain {
            direction: [1.0, 0.0, 0.0].into(),
            stiffness_ratio: 0.12.into(), // Wood Handbook: E_T/E_L 0.072, E_R/E_L 0.163
            strength_ratio: 0.06.into(),  // Wood Handbook: tension across the grain 5.5 MPa,
                                          // compared with the modulus of rupture
        },
        fibre_influence: 0.1.into(), // choice
        thickness: 2.0e-2.into(),    // a board
        bending_stiffness: plate_stiffness(1.23e10, 0.37, 2.0e-2).into(),
        inside: Finish {
            colour: [0.62, 0.42, 0.22],
            roughness: 0.9,
            rings: 4.0e-3,
            ..Finish::default()
        },
        ..Default::default()
    }
}

/// Natural rubber: stretches several times its length, bounces, and tears from a notch.
pub fn rubber() -> MaterialDesc {
    MaterialDesc {
        density: 930.0.into(),        // Ashby: 920 to 930
        youngs_modulus: 2.0e6.into(), // Ashby: 1.5 to 2.5 MPa
        poisson_ratio: 0.49.into(),   // Ashby: 0.499 to 0.5; lower here, where solvers cope
        damping_time: 0.5.into(),
        friction: 0.8.into(), // dry tyre on concrete, textbook range 0.6 to 0.85
        friction_static: 0.9.into(), // same, at rest
        restitution: 0.75.into(),
        strength: 4.0e6.into(), // E ln 7: a linear law has no stiffening, so it is
        // fitted to the stretch at break (Ashby: elongation
        // 500 to 800 %), not to the 22 to 32 MPa reached
        toughness: 2.0e5.into(), // Ashby: 0.15 to 0.25 MPa√m
        inside: Finish { colour: [0.08, 0.08, 0.08], roughness: 0.9, ..Finish::default() },
        thickness: 2.0e-3.into(),
        bending_stiffness: plate_stiffness(2.0e6, 0.49, 2.0e-3).into(),
        ..Default::default()
    }
}

/// Ordinary concrete: ten times weaker in tension than in compression.
pub fn concrete() -> MaterialDesc {
    MaterialDesc {
        density: 2.4e3.into(),         // Callister: 2400
        youngs_modulus: 3.0e10.into(), // Callister: 25.4 to 36.6 GPa
        poisson_ratio: 0.2.into(),     // Callister: 0.20
        damping_time: 0.1.into(),
        friction: 0.6.into(), // choice: stone on stone is given as 0.6 to 0.75
        friction_static: 0.75.into(),
        restitution: 0.2.into(),
        strength: 3.0e6.into(), // textbook: a tenth of the compressive strength
        compressive_strength: 3.0e7.into(), // common grade of 30 MPa; Callister has 37 for its mix
        toughness: 4.0e5.into(), // Ashby: 0.35 to 0.45 MPa√m
        load_time: 0.005.into(),
        thickness: 0.1.into(),
        bending_stiffness: plate_stiffness(3.0e10, 0.2, 0.1).into(),
        inside: Finish { colour: [0.5, 0.49, 0.46], roughness: 1.0, ..Finish::default() },
        ..Default::default()
    }
}

/// Gelatine of about 10 %, as used for ballistic tests: wobbles and tears easily.
pub fn gelatine() -> MaterialDesc {
    MaterialDesc {
        density: 1.06e3.into(),       // commonly given for 10 % gelatine
        youngs_modulus: 1.0e5.into(), // choice: gels of 5 to 20 % lie at 10 to 200 kPa
        poisson_ratio: 0.45.into(),   // nearly incompressible; lower here, where solvers cope
        damping_time: 0.6.into(),
        friction: 0.2.into(),         // choice: wet surface
        friction_static: 0.25.into(), // choice
        restitution: 0.3.into(),
        strength: 5.0e4.into(), // choice: parts at about half its length of stretch
        compressive_strength: 2.0e5.into(), // choice
        toughness: 700.0.into(), // choice: √(E G) with G about 5 J/m²
        tear_rigidity: 0.4.into(), // choice
        thickness: 5.0e-3.into(), // choice
        bending_stiffness: plate_stiffness(1.0e5, 0.45, 5.0e-3).into(),
        inside: Finish {
            colour: [0.8, 0.25, 0.15],
            roughness: 0.2,
            transparency: 0.4,
            ..Finish::default()
        },
        ..Default::default()
    }
}

/// Human skin: tough, and stronger along its fibres.
///
/// Tension tests: Ní Annaidh et al., *Characterising the anisotropic mechanical properties of
/// excised human skin*, Journal of the Mechanical Behavior of Biomedical Materials 5, 2012
/// (arXiv 1302.3022): strength 21.6 ± 8.4 MPa, strain at failure 54 ± 17 %, initial slope 1.18 MPa,
/// final slope 83.3 MPa.
pub fn skin() -> MaterialDesc {
    MaterialDesc {
        density: 1.1e3.into(),        // tissue tables give about 1.1 g/cm³
        youngs_modulus: 4.0e7.into(), // strength over strain at failure: the secant, as a
        // linear law knows no soft start
        poisson_ratio: 0.45.into(), // choice: nearly incompressible
        damping_time: 0.1.into(),
        friction: 0.5.into(),        // choice
        friction_static: 0.6.into(), // choice
        restitution: 0.1.into(),
        strength: 2.16e7.into(), // Ní Annaidh et al.
        toughness: 3.0e5.into(), // choice: √(E G) with G about 2 kJ/m²
        grain: Grain {
            direction: [1.0, 0.0, 0.0].into(),
            stiffness_ratio: 0.5.into(), // choice: about half across Langer's lines
            strength_ratio: 0.55.into(), // choice: about half across Langer's lines
        },
        tear_rigidity: 0.4.into(),   // choice
        fibre_influence: 0.5.into(), // choice
        thickness: 2.0e-3.into(),    // 1 to 4 mm over the body
        bending_stiffness: plate_stiffness(4.0e7, 0.45, 2.0e-3).into(),
        inside: Finish { colour: [0.7, 0.2, 0.17], roughness: 0.4, ..Finish::default() },
        ..Default::default()
    }
}

/// Skeletal muscle at rest: soft, and tears along its fibres.
///
/// Tension tests: H. Yamada, *Strength of Biological Materials*, 1970: strength 0.1 to 0.2 MPa,
/// elongation at break about 60 %.
pub fn muscle() -> MaterialDesc {
    MaterialDesc {
        density: 1.06e3.into(),       // Mendez and Keys 1960: 1.0597 g/cm³
        youngs_modulus: 3.0e5.into(), // strength over elongation at break: the secant
        poisson_ratio: 0.45.into(),   // choice: nearly incompressible
        damping_time: 0.1.into(),
        friction: 0.3.into(),         // choice: moist
        friction_static: 0.35.into(), // choice
        restitution: 0.1.into(),
        strength: 1.8e5.into(),  // Yamada
        toughness: 5.0e3.into(), // choice: √(E G) with G about 80 J/m²
        grain: Grain {
            direction: [1.0, 0.0, 0.0].into(),
            stiffness_ratio: 0.5.into(), // choice
            strength_ratio: 0.3.into(),  // choice
        },
        tear_rigidity: 0.4.into(),   // choice
        fibre_influence: 0.2.into(), // choice
        thickness: 1.0e-2.into(),    // choice
        bending_stiffness: plate_stiffness(3.0e5, 0.45, 1.0e-2).into(),
        inside: Finish { colour: [0.45, 0.06, 0.05], roughness: 0.35, ..Finish::default() },
        ..Default::default()
    }
}

/// Office paper of 80 g/m²: stiffer and stronger along the machine direction.
pub fn paper() -> MaterialDesc {
    MaterialDesc {
        density: 800.0.into(),        // 80 g/m² over 0.1 mm; Ashby: 480 to 860
        youngs_modulus: 6.0e9.into(), // Ashby: 3 to 8.9 GPa
        poisson_ratio: 0.3.into(),    // choice
        damping_time: 0.1.into(),
        friction: 0.4.into(),        // choice
        friction_static: 0.5.into(), // choice
        restitution: 0.1.into(),
        yield_stress: 2.5e7.into(),      // choice: creases stay
        hardening_modulus: 5.0e8.into(), // choice
        plastic_limit: 1.05.into(),      // choice: a few per cent
        strength: 4.0e7.into(),          // Ashby: 23 to 51 MPa
        toughness: 6.0e6.into(),         // Ashby: 6 to 10 MPa√m
        grain: Grain {
            direction: [1.0, 0.0, 0.0].into(),
            stiffness_ratio: 0.45.into(), // choice: machine to cross direction is 2 to 3
            strength_ratio: 0.5.into(),   // choice
        },
        thickness: 1.0e-4.into(), // 80 g/m² office paper
        bending_stiffness: plate_stiffness(6.0e9, 0.3, 1.0e-4).into(),
        inside: Finish { colour: [0.95, 0.94, 0.9], roughness: 1.0, ..Finish::default() },
        ..Default::default()
    }
}

/// Soft household aluminium foil: creases at a touch and tears from any nick.
pub fn foil() -> MaterialDesc {
    MaterialDesc {
        density: 2.71e3.into(),        // Callister: commercially pure aluminium, 2710
        youngs_modulus: 6.9e10.into(), // Callister: 69 GPa
        poisson_ratio: 0.33.into(),    // Callister: 0.33
        damping_time: 0.05.into(),
        friction: 0.47.into(),        // Marks: aluminium on mild steel, sliding
        friction_static: 0.61.into(), // Marks: aluminium on mild steel, at rest
        restitution: 0.1.into(),
        yield_stress: 3.5e7.into(), // Callister: pure aluminium, annealed, 34 MPa
        creep_rate: 100.0.into(),
        hardening_modulus: 5.0e8.into(), // choice
        plastic_limit: 1.1.into(),       // choice: foil stretches a few per cent
        strength: 9.0e7.into(),          // Callister: pure aluminium, annealed, 90 MPa
        toughness: 1.0e7.into(),         // choice: thin foil tears more easily than plate
        thickness: 1.6e-5.into(),        // household foil, 10 to 20 µm
        bending_stiffness: plate_stiffness(6.9e10, 0.33, 1.6e-5).into(),
        inside: Finish {
            colour: [0.85, 0.85, 0.87],
            roughness: 0.3,
            metallic: 1.0,
            ..Finish::default()
        },
        ..Default::default()
    }
}
