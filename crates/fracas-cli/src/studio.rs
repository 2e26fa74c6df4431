//! Pictures of a world that runs: what `picture`, `film` and `run --pictures` share.

use crate::output;
use crate::running::Running;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use fracas::World;
use fracas::material::MaterialField;
use fracas_scene::{Look, Scene};
use fracas_view::{
    Artist, Camera, Colour, CpuSkins, Drawing, Ends, Framing, Gpu, Overlays, Picture, Quantity,
    Scale, Stage, Style, grid_cell,
};
use std::path::Path;
use std::str::FromStr;

/// How pictures are drawn.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// What colours tell
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    colour: ColourBy,

    /// The strain at the bright end of the scale, with `--colour strain`
    #[arg(long, default_value_t = 0.1, value_name = "STRAIN", value_parser = positive)]
    full_strain: f32,

    /// Where the camera stands, in m, instead of where the scene has it
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1, requires = "target",
          allow_negative_numbers = true, allow_hyphen_values = true, value_parser = finite)]
    eye: Option<Vec<f64>>,

    /// What it looks at, in m
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', num_args = 1, requires = "eye",
          allow_negative_numbers = true, allow_hyphen_values = true, value_parser = finite)]
    target: Option<Vec<f64>>,

    /// How many times as large the deformation of brittle bodies is drawn; 0 draws them rigid [default: as they move]
    #[arg(long, value_name = "TIMES", value_parser = not_negative)]
    deformation: Option<f32>,

    /// What to draw inside of bodies, whose surface then is drawn as glass
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    show: Vec<Overlay>,
}

/// What colours tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ColourBy {
    /// What a body is made of
    #[default]
    Material,
    /// Each body has its own
    Body,
    /// Each connected piece has its own
    Piece,
    /// The largest principal strain, from dark to bright
    Strain,
    /// The largest principal stress, bright where it is largest
    Stress,
    /// What will stay of the strain, bright where it is largest
    Plastic,
    /// Strength of the material as it varies in space
    Strength,
}

/// What is drawn inside of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Overlay {
    /// Particles, as ellipsoids
    Particles,
    /// Bonds between particles
    Bonds,
    /// Edges of tetrahedra, of shapes that are made of them
    Tets,
    /// The direction of the grain, where there is one
    Fibres,
    /// Where something pushes, and how hard
    Contacts,
}

impl Options {
    fn style(&self) -> Style {
        let shows = |overlay| self.show.contains(&overlay);
        let scale = |of, full| Colour::Scale(Scale { of, full });
        Style {
            colour: match self.colour {
                ColourBy::Material => Colour::Material,
                ColourBy::Body => Colour::Body,
                ColourBy::Piece => Colour::Piece,
                ColourBy::Strain => scale(Quantity::Strain, Some(self.full_strain)),
                ColourBy::Stress => scale(Quantity::Stress, None),
                ColourBy::Plastic => scale(Quantity::PlasticStrain, None),
                ColourBy::Strength => scale(Quantity::Value(MaterialField::Strength), None),
            },
            overlays: Overlays {
                particles: shows(Overlay::Particles),
                bonds: shows(Overlay::Bonds),
                tets: shows(Overlay::Tets),
                fibres: shows(Overlay::Fibres),
                contacts: shows(Overlay::Contacts),
            },
            deformation: self.deformation,
        }
    }
}

impl Options {
    /// The camera of the scene, moved to where it is asked to stand.
    ///
    /// # Errors
    /// Not three numbers, or the eye at its target.
    fn camera(&self, scene: &Scene) -> Result<Option<Camera>> {
        let (Some(eye), Some(target)) = (&self.eye, &self.target) else {
            return Ok(scene.camera().map(Camera::from));
        };
        let field_of_view = scene.camera().map_or(40.0, |camera| camera.field_of_view);
        let camera = fracas_scene::Camera {
            eye: three("--eye", eye)?,
            target: three("--target", target)?,
            field_of_view,
        };
        if camera.eye == camera.target {
            bail!("--eye and --target are one place: the camera would look nowhere");
        }
        Ok(Some(Camera::from(camera)))
    }
}

fn three(name: &str, numbers: &[f64]) -> Result<[f64; 3]> {
    let found = numbers.len();
    let wrong = || anyhow!("{name} takes three numbers, such as 1,0.5,2, but has {found}");
    <[f64; 3]>::try_from(numbers).map_err(|_| wrong())
}

fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.trim().parse().map_err(|_| "not a number".to_owned())?;
    if number.is_finite() { Ok(number) } else { Err("must be finite".to_owned()) }
}

fn positive(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number > 0.0 && number.is_finite() { Ok(number) } else { Err("must be above 0".to_owned()) }
}

fn not_negative(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    let fine = number >= 0.0 && number.is_finite();
    if fine { Ok(number) } else { Err("must be finite and not below 0".to_owned()) }
}

/// Pixels across and down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub [u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "write the pixels across and down, such as 1280x720".to_owned();
        let (width, height) = text.split_once('x').ok_or_else(wrong)?;
        let side = |text: &str| text.parse::<u32>().ok().filter(|side| (16..=16384).contains(side));
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(Self([width, height])),
            _ => Err(format!("{}; each from 16 to 16384", wrong())),
        }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.0[0], self.0[1])
    }
}

/// A camera before a stage.
#[derive(Debug)]
pub struct Studio {
    artist: Artist,
    stage: Stage,
    skins: CpuSkins,
    style: Style,
    size: [u32; 2],
    /// The scene's, if it has one.
    camera: Option<Camera>,
    framing: Framing,
}

/// A world as it was at some moment.
#[derive(Debug)]
pub struct Moment {
    drawing: Drawing,
    ends: Option<Ends>,
    caption: String,
}

impl Studio {
    /// Finds something to draw with, and binds the surfaces of a world that has not moved yet.
    ///
    /// # Errors
    /// Nothing to draw with; the message says what to install.
    pub fn open(
        scene: &Scene,
        world: &World,
        looks: Vec<Look>,
        options: &Options,
        size: Size,
    ) -> Result<Self> {
        let artist = Artist::new(Gpu::open()?);
        let stage = Stage::new(world, looks)?;
        let mut studio = Self {
            artist,
            stage,
            skins: CpuSkins::default(),
            style: options.style(),
            size: size.0,
            camera: options.camera(scene)?,
            framing: Framing::default(),
        };
        studio.watch(world);
        Ok(studio)
    }

    /// Sees where bodies are, so that a camera which finds its own place has them in the picture
    /// from now on. Called every frame, the picture does not depend on which frames are drawn.
    pub fn watch(&mut self, world: &World) {
        if self.camera.is_none() {
            self.framing.include(world);
        }
    }

    /// Keeps what there is to draw.
    pub fn remember(&mut self, running: &Running) -> Moment {
        let (world, origin) = (&running.world, self.camera().target);
        let shown = self.stage.show(world, &self.style, origin);
        let mut drawing = self.skins.drawing(&shown);
        self.stage.add_specks(&mut drawing, world, running.specks());
        Moment {
            drawing,
            ends: shown.ends,
            caption: format!("frame {}, {:.2} s", running.frame, world.time()),
        }
    }

    /// Draws it, as the camera stands now.
    ///
    /// # Errors
    /// More pixels or corners than the device has room for.
    pub fn draw(&mut self, moment: &Moment) -> Result<Picture> {
        let camera = self.camera();
        let mut picture = self.artist.draw(&moment.drawing, &camera, self.size)?;
        if let Some(ends) = &moment.ends {
            picture.scale(ends);
        }
        let mut caption = moment.caption.clone();
        if !moment.drawing.grounds.is_empty() {
            caption.push_str(&format!(", grid {}", length(grid_cell(&camera))));
        }
        picture.caption(&caption);
        Ok(picture)
    }

    fn camera(&self) -> Camera {
        let [width, height] = self.size.map(|side| side as f32);
        self.camera.unwrap_or_else(|| self.framing.camera(width / height))
    }
}

/// A power of ten in m, as people say it.
fn length(metres: f64) -> String {
    match metres {
        m if m >= 0.9 => format!("{m:.0} m"),
        m if m >= 0.009 => format!("{:.0} cm", 100.0 * m),
        m if m >= 0.000_9 => format!("{:.0} mm", 1000.0 * m),
        m => format!("{:e} m", m),
    }
}

/// Writes a picture as PNG, whole or not at all.
///
/// # Errors
/// [`output::Unwritable`].
pub fn write_png(path: &Path, picture: &Picture) -> Result<()> {
    let bytes = picture.to_png().with_context(|| format!("cannot encode {}", path.display()))?;
    Ok(output::write_bytes(path, &bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_wrong_ones_refused() {
        assert_eq!("640x360".parse(), Ok(Size([640, 360])));
        assert_eq!(Size([640, 360]).to_string(), "640x360");
        for wrong in ["640", "640x", "x", "15x100", "640x20000", "-1x5", "640 x 360"] {
            let error = wrong.parse::<Size>().unwrap_err();
            assert!(error.contains("1280x720"), "{wrong}: {error}");
        }
    }

    #[test]
    fn lengths_are_said_as_people_do() {
        let text = [100.0, 1.0, 0.1, 0.01, 0.001, 1e-4].map(length);
        assert_eq!(text, ["100 m", "1 m", "10 cm", "1 cm", "1 mm", "1e-4 m"]);
    }

    #[test]
    fn strains_of_scales_are_positive() {
        assert_eq!(positive("0.02"), Ok(0.02));
        for wrong in ["0", "-1", "inf", "NaN", "much"] {
            assert!(positive(wrong).is_err(), "{wrong}");
        }
    }
}
