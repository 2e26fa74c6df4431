//! A scene as read from a file: checked, with nothing built yet.

use std::ops::Range;
use std::path::Path;

use fracas::WorldConfig;
use fracas::geometry::Pattern;
use fracas::material::Finish;
use fracas::math::Rot;
use fracas::world::{AttachKind, BladeKey, FieldDesc, GripMotion, Layers, ObstacleDesc};
use fracas_mesh::splinters::Splinters;
use toml::de::DeTable;

use crate::assets::{AssetError, Assets, Folder, Memory};
use crate::document::read_scene;
use crate::error::{Diagnostic, Problem, SceneError, Source};
use crate::materials::NamedMaterial;
use crate::reader::{Context, Span, short};
use crate::shapes::Shape;
use crate::syntax::{not_text, syntax_error, unreadable};

/// A scene: what exists at the start, how it is computed, how long and seen from where.
///
/// Reading checks the file and builds nothing; [`Scene::build`] makes a world of it.
#[derive(Clone, Debug)]
pub struct Scene {
    pub(crate) source: Source,
    pub(crate) title: String,
    pub(crate) seed: u64,
    pub(crate) config: WorldConfig,
    pub(crate) frame_rate: f64,
    pub(crate) frames: u64,
    pub(crate) camera: Option<Camera>,
    pub(crate) materials: Vec<NamedMaterial>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) grips: Vec<Grip>,
    pub(crate) blades: Vec<Blade>,
    pub(crate) fields: Vec<(FieldDesc, Span)>,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Where to look from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where the camera stands, in m.
    pub eye: [f64; 3],
    /// What it looks at, in m; not where it stands.
    pub target: [f64; 3],
    /// Angle between the lower and upper edge of the picture, in degrees.
    pub field_of_view: f32,
}

/// A body and its copies.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub name: String,
    pub span: Span,
    /// Index into the scene's materials.
    pub material: usize,
    pub regions: Vec<OfMaterial>,
    pub shape: Shape,
    pub splinters: Option<Splinters>,
    pub position: [f64; 3],
    pub rotation: Rot,
    pub velocity: [f32; 3],
    /// In rad/s.
    pub spin: [f32; 3],
    pub pattern: Option<Pattern>,
    pub paint: Option<Finish>,
    pub copies: Option<Copies>,
    pub layers: Layers,
}

/// A box in which a body is of another material.
#[derive(Clone, Debug)]
pub(crate) struct OfMaterial {
    /// Index into the scene's materials.
    pub material: usize,
    pub min: [f32; 3],
    pub max: [f32; 3],
}

#[derive(Clone, Debug)]
pub(crate) struct Copies {
    pub counts: [u32; 3],
    pub spacing: [f64; 3],
    /// The largest angle by which each is turned, in rad.
    pub turn: f64,
}

impl Body {
    pub fn instance_count(&self) -> usize {
        self.copies.as_ref().map_or(1, |copies| copies.counts.iter().product::<u32>() as usize)
    }

    /// The bodies this one stands for: name, and shift from its position.
    pub fn instances(&self) -> Vec<(String, [f64; 3])> {
        let Some(Copies { counts, spacing, .. }) = &self.copies else {
            return vec![(self.name.clone(), [0.0; 3])];
        };
        let mut instances = Vec::new();
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                for x in 0..counts[0] {
                    let name = format!("{}-{}", self.name, instances.len() + 1);
                    let steps = [x, y, z].map(f64::from);
                    instances.push((name, [0, 1, 2].map(|k| steps[k] * spacing[k])));
                }
            }
        }
        instances
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Blade {
    pub keys: Vec<BladeKey>,
    /// The instances that it cuts, if not all bodies.
    pub targets: Option<Range<usize>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Obstacle {
    pub desc: ObstacleDesc,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Grip {
    /// Indices of instances, counted over all bodies.
    pub targets: Range<usize>,
    pub min: [f32; 3],
    pub max: [f32; 3],
    pub motion: GripMotion,
    pub release: Option<f64>,
    pub region_span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    /// Indices of instances, counted over all bodies.
    pub bodies: [usize; 2],
    pub kind: AttachKind,
    pub distance: f32,
    pub region: Option<[[f64; 3]; 2]>,
    pub strength: f32,
    pub toughness: f32,
    pub span: Span,
}

impl Scene {
    /// Reads a scene from text; `name` stands for the file in messages. Of mesh files it can use
    /// only those of the gallery.
    ///
    /// # Errors
    /// The problem that stands first in the text, if there is one.
    pub fn parse(name: &str, text: &str) -> Result<Self, SceneError> {
        Self::parse_with(name, text, &Memory::default())
    }

    /// Like [`Scene::parse`], with the mesh files that the scene names.
    ///
    /// # Errors
    /// The problem that stands first in the text, if there is one.
    pub fn parse_with(name: &str, text: &str, assets: &dyn Assets) -> Result<Self, SceneError> {
        let source = Source { file: name.into(), text: text.into() };
        let (document, problems) = DeTable::parse_recoverable(text);
        let first = problems.iter().min_by_key(|e| e.span().map_or(0, |span| span.start));
        if let Some(problem) = first {
            return Err(syntax_error(&source, problem, document.get_ref()).into());
        }
        let context = Context::new(source, assets);
        let scene = read_scene(&context, document.get_ref());
        let source = context.source.clone();
        let warnings = context.finish()?;
        match scene {
            Some(scene) => Ok(Self { source, warnings, ..scene }),
            None => unreachable!("a scene is refused only with a reason"),
        }
    }

    /// Reads the scene in a file.
    ///
    /// # Errors
    /// If the file cannot be read, or the problem that stands first in it.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let shown = path.display().to_string();
        let folder = Folder::new(path.parent().unwrap_or(Path::new("")));
        match path.file_name().and_then(|name| name.to_str()) {
            Some(file) => Self::from_bytes(&shown, folder.read(file), &folder),
            None => {
                let nowhere = Err(AssetError::NotFound { path: shown.clone() });
                Self::from_bytes(&shown, nowhere, &folder)
            }
        }
    }

    /// Reads a scene from where its files are kept.
    ///
    /// # Errors
    /// If the file cannot be read, or the problem that stands first in it.
    pub fn read(assets: &dyn Assets, path: &str) -> Result<Self, SceneError> {
        Self::from_bytes(path, assets.read(path), assets)
    }

    /// Opens a scene of the gallery by its name, else the file at this path.
    ///
    /// # Errors
    /// If there is neither, or the problem that stands first in the file.
    pub fn open(name_or_path: &str) -> Result<Self, SceneError> {
        let gallery = crate::gallery();
        if let Some(entry) = gallery.iter().find(|entry| entry.name == name_or_path) {
            return Self::parse(&format!("scenes/{}.toml", entry.name), entry.text);
        }
        let is_path = name_or_path.contains(['/', '\\', '.']) || Path::new(name_or_path).exists();
        if is_path {
            return Self::load(Path::new(name_or_path));
        }
        let names = gallery.iter().map(|entry| entry.name);
        let message = format!("there is no scene {:?}", short(name_or_path));
        let error = Diagnostic::about_file(Problem::NotFound, name_or_path, message);
        let near = crate::nearest::nearest(name_or_path, names.clone());
        let list = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Err(error
            .maybe_help(near.map(|near| format!("did you mean `{near}`?")))
            .help(format!("scenes of the gallery: {list}; or give the path of a file"))
            .into())
    }

    fn from_bytes(
        name: &str,
        bytes: Result<Vec<u8>, AssetError>,
        assets: &dyn Assets,
    ) -> Result<Self, SceneError> {
        let bytes = bytes.map_err(|error| unreadable(name, &error))?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parse_with(name, text, assets),
            Err(error) => Err(not_text(name, &bytes, error.valid_up_to()).into()),
        }
    }

    /// What to watch, in one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The name that the scene was opened by, for messages.
    pub fn file(&self) -> &str {
        &self.source.file
    }

    /// How many frames a run does unless told otherwise.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Frames per second of the scene.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// Length of a frame, in s: what [`World::step`](fracas::World::step) is given.
    pub fn dt(&self) -> f32 {
        (1.0 / self.frame_rate) as f32
    }

    /// Where to look from, if the scene says so.
    pub fn camera(&self) -> Option<Camera> {
        self.camera
    }

    /// The number that all randomness of the scene grows from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The names of the bodies, copies included, in the order in which they are spawned.
    pub fn body_names(&self) -> Vec<String> {
        let instances = self.bodies.iter().flat_map(Body::instances);
        instances.map(|(name, _)| name).collect()
    }

    /// The names of the materials.
    pub fn material_names(&self) -> Vec<&str> {
        self.materials.iter().map(|material| material.name.as_str()).collect()
    }

    /// What is not wrong, but has no effect, in the order of the file.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Settings of the world as the scene has them. The number of threads and the books of
    /// energy are not a scene's business: set them and pass the result to
    /// [`Scene::build_with`].
    pub fn world_config(&self) -> WorldConfig {
        self.config.clone()
    }
}
