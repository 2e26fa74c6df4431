//! From a scene to a world.

use std::sync::Arc;

use fracas::glam::DVec3;
use fracas::material::{Finish, Material, MaterialError as E, SamplePoint};
use fracas::math::Rot;
use fracas::skin::SkinMesh;
use fracas::world::{AttachDesc, AttachRegion, BladeDesc, BodyDesc, GripDesc, Region};
use fracas::{BodyId, CommandError, World, WorldConfig};
use fracas_mesh::random;

use crate::cache::Cache;
use crate::error::{Problem, SceneError};
use crate::meshes::Mesher;
use crate::nearest::nearest;
use crate::reader::Span;
use crate::scene::{Attachment, Body, Grip, OfMaterial, Scene};
use crate::shapes::Made;

/// What is drawn of a body.
#[derive(Clone, Debug)]
pub struct Look {
    /// The body.
    pub body: BodyId,
    /// Its surface, which copies share; bind it with [`Skin::new`](fracas::skin::Skin::new). Its
    /// edges are those of the tetrahedra, if the body is made of some.
    pub skin: Arc<SkinMesh>,
    /// What its surface is painted with, if it is not bare.
    pub paint: Option<Finish>,
}

impl Scene {
    /// A world with everything the scene has in it, stepped by `threads` threads.
    ///
    /// # Errors
    /// If a shape cannot be generated, a grip holds nothing, or the engine refuses something;
    /// the message names the place in the file.
    pub fn build(&self, threads: u32) -> Result<World, SceneError> {
        self.build_with(WorldConfig { threads, ..self.world_config() })
    }

    /// Like [`Scene::build`], with settings made from [`Scene::world_config`].
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn build_with(&self, config: WorldConfig) -> Result<World, SceneError> {
        let mut world = World::new(config).map_err(|error| self.refused(0..0, &error))?;
        self.populate(&mut world)?;
        Ok(world)
    }

    /// Adds everything the scene has to a world and returns the bodies in the order of
    /// [`Scene::body_names`].
    ///
    /// # Errors
    /// As [`Scene::build`]; what was added before stays.
    pub fn populate(&self, world: &mut World) -> Result<Vec<BodyId>, SceneError> {
        self.populate_with(world, |_, _, _| Ok(()))
    }

    /// Like [`Scene::build_with`], with what is drawn of the bodies, in the order of
    /// [`Scene::body_names`].
    ///
    /// # Errors
    /// As [`Scene::build`].
    pub fn build_looks(&self, config: WorldConfig) -> Result<(World, Vec<Look>), SceneError> {
        let mut world = World::new(config).map_err(|error| self.refused(0..0, &error))?;
        let mut looks = Vec::new();
        self.populate_with(&mut world, |body, made, ids| {
            let skin = match &body.splinters {
                Some(splinters) => made.splintered_skin(splinters, self.seed),
                None => made.skin(&self.materials(body)?, !self.blades.is_empty()),
            };
            let skin = skin.map_err(|what| self.shape_refused(body, &what))?;
            let skin = Arc::new(skin);
            let paint = body.paint;
            let look = |&body: &BodyId| Look { body, skin: Arc::clone(&skin), paint };
            looks.extend(ids.iter().map(look));
            Ok(())
        })?;
        Ok((world, looks))
    }

    /// Tells `made` of every shape and the bodies that were spawned with it.
    fn populate_with(
        &self,
        world: &mut World,
        mut made: impl FnMut(&Body, &Made, &[BodyId]) -> Result<(), SceneError>,
    ) -> Result<Vec<BodyId>, SceneError> {
        for obstacle in &self.obstacles {
            let added = world.add_obstacle(obstacle.desc.clone());
            added.map_err(|error| self.refused(obstacle.span.clone(), &error))?;
        }
        for (field, span) in &self.fields {
            let added = world.add_field(*field);
            added.map_err(|error| self.refused(span.clone(), &error))?;
        }
        let (mut ids, mesher) = (Vec::new(), Mesher::new(Cache::of_user()));
        for body in &self.bodies {
            let (first, (solid, materials)) = (ids.len(), self.checked(body, ids.len(), &mesher)?);
            for (name, shift) in body.instances() {
                let desc = self.body_desc(body, ids.len(), name, shift, &solid, &materials);
                let refused = |error| self.spawn_refused(body, &solid, &error);
                ids.push(world.spawn(desc).map_err(refused)?);
            }
            made(body, &solid, &ids[first..])?;
        }
        for grip in &self.grips {
            for &body in ids.get(grip.targets.clone()).unwrap_or_default() {
                let added = world.grip(grip_desc(grip, body));
                added.map_err(|error| self.grip_refused(grip, &error))?;
            }
        }
        for blade in &self.blades {
            let of = match &blade.targets {
                None => vec![None],
                Some(targets) => {
                    let targets = ids.get(targets.clone()).unwrap_or_default();
                    targets.iter().copied().map(Some).collect()
                }
            };
            for body in of {
                let added = world.add_blade(BladeDesc { keys: blade.keys.clone(), body });
                added.map_err(|error| self.refused(blade.span.clone(), &error))?;
            }
        }
        for attachment in &self.attachments {
            let [Some(&a), Some(&b)] = attachment.bodies.map(|k| ids.get(k)) else { continue };
            let added = world.attach(attach_desc(attachment, [a, b]));
            added.map_err(|error| self.attachment_refused(attachment, &error))?;
        }
        Ok(ids)
    }

    /// Generates every shape and checks that every grip holds something, without a world.
    ///
    /// # Errors
    /// As [`Scene::build`], except for what only the engine can know.
    pub fn check(&self) -> Result<(), SceneError> {
        let (mut first, mesher) = (0, Mesher::new(Cache::of_user()));
        for body in &self.bodies {
            self.checked(body, first, &mesher)?;
            first += body.instance_count();
        }
        Ok(())
    }

    /// Shape and materials of a body whose instances are counted from `first`, if they fit each
    /// other and the grips on it.
    fn checked(
        &self,
        body: &Body,
        first: usize,
        mesher: &Mesher,
    ) -> Result<(Made, Vec<Material>), SceneError> {
        let (made, materials) = (self.made(body, mesher)?, self.materials(body)?);
        let material = &materials[0];
        let (centres, values) = (made.centres(), made.values());
        if let Some(&position) = centres.first() {
            let attributes = values.map(|values| values.attributes.as_slice()).unwrap_or_default();
            let attributes: Vec<(&str, f32)> =
                attributes.iter().map(|(name, values)| (name.as_str(), values[0])).collect();
            let at = SamplePoint {
                position,
                curvature: values.and_then(|values| values.curvature.first().copied()),
                attributes: &attributes,
                ..SamplePoint::default()
            };
            material
                .sample(&at)
                .map_err(|error| self.spawn_refused(body, &made, &CommandError::Material(error)))?;
        }
        let instances = first..first + body.instance_count();
        for grip in self.grips.iter().filter(|grip| instances.contains(&grip.targets.start)) {
            if !centres.iter().any(|&centre| grip.holds(centre)) {
                return Err(self.empty_region(grip, body, &centres));
            }
        }
        Ok((made, materials))
    }

    fn made(&self, body: &Body, mesher: &Mesher) -> Result<Made, SceneError> {
        let made = body.shape.make(self.seed, mesher);
        let mut made = made.map_err(|what| self.shape_refused(body, &what))?;
        if !body.regions.is_empty() {
            let holds = |region: &OfMaterial, x: [f32; 3]| {
                (0..3).all(|k| (region.min[k]..=region.max[k]).contains(&x[k]))
            };
            made.set_materials(|x| {
                let last = body.regions.iter().rposition(|region| holds(region, x));
                last.map_or(0, |k| k as u16 + 1)
            });
        }
        Ok(made)
    }

    fn shape_refused(&self, body: &Body, what: &str) -> SceneError {
        let message = format!("the shape of body `{}` cannot be made: {what}", body.name);
        self.source.error(Problem::Refused, body.shape.span.clone(), message).into()
    }

    /// Of a body, first that which it is of where no region says otherwise.
    fn materials(&self, body: &Body) -> Result<Vec<Material>, SceneError> {
        let all = std::iter::once(body.material).chain(body.regions.iter().map(|r| r.material));
        let found = all.map(|k| self.materials.get(k).and_then(|known| known.material.clone()));
        // A scene whose materials are wrong is refused when it is read.
        found.collect::<Option<_>>().ok_or_else(|| {
            let message = format!("body `{}` has no material", body.name);
            self.source.error(Problem::UnknownName, body.span.clone(), message).into()
        })
    }

    fn body_desc(
        &self,
        body: &Body,
        index: usize,
        name: String,
        shift: [f64; 3],
        made: &Made,
        materials: &[Material],
    ) -> BodyDesc {
        BodyDesc {
            name,
            shape: made.desc(),
            materials: materials.to_vec(),
            position: [0, 1, 2].map(|k| body.position[k] + shift[k]),
            rotation: self.turn(body, index) * body.rotation,
            velocity: body.velocity,
            spin: body.spin,
            // Every body has noise of its own.
            seed: self.seed.wrapping_add(index as u64),
            layers: body.layers,
            pattern: body.pattern.clone(),
        }
    }

    /// How the copy with this index over all bodies is turned besides.
    fn turn(&self, body: &Body, index: usize) -> Rot {
        let most = body.copies.as_ref().map_or(0.0, |copies| copies.turn);
        if most == 0.0 {
            return Rot::IDENTITY;
        }
        let random = |k: u64| random::signed(self.seed, &[index as u64, k]);
        let axis = DVec3::new(random(0), random(1), random(2)).normalize_or(DVec3::Y);
        Rot::from_axis_angle(axis.as_vec3(), (most * random(3)) as f32)
    }

    fn refused(&self, span: Span, error: &CommandError) -> SceneError {
        let message = format!("the engine refuses the scene: {error}");
        self.source.error(Problem::Refused, span, message).into()
    }

    fn spawn_refused(&self, body: &Body, made: &Made, error: &CommandError) -> SceneError {
        let field = match error {
            CommandError::Material(
                E::OutOfRange { field, .. }
                | E::BadVariation { field, .. }
                | E::NoCurvature { field }
                | E::NoAttribute { field, .. },
            ) => Some(field),
            _ => None,
        };
        let material = self.materials.get(body.material);
        let place = field.and_then(|field| Some(material?.place(field)));
        let message = format!("body `{}` cannot be made: {error}", body.name);
        let span = place.unwrap_or_else(|| body.span.clone());
        let help = match error {
            CommandError::Material(error) => help_on_values(made, error),
            _ => None,
        };
        self.source.error(Problem::Refused, span, message).maybe_help(help).into()
    }

    fn grip_refused(&self, grip: &Grip, error: &CommandError) -> SceneError {
        let problem = match error {
            CommandError::EmptyGrip(_) => Problem::EmptyRegion,
            _ => Problem::Refused,
        };
        self.source.error(problem, grip.region_span.clone(), error.to_string()).into()
    }

    fn attachment_refused(&self, attachment: &Attachment, error: &CommandError) -> SceneError {
        let message = format!("the bodies cannot be joined: {error}");
        self.source.error(Problem::Refused, attachment.span.clone(), message).into()
    }

    fn empty_region(&self, grip: &Grip, body: &Body, centres: &[[f32; 3]]) -> SceneError {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for centre in centres {
            for k in 0..3 {
                low[k] = low[k].min(centre[k]);
                high[k] = high[k].max(centre[k]);
            }
        }
        let message = format!("the region holds no particle of body `{}`", body.name);
        let centres = format!(
            "in the shape's own frame the centres of its particles lie from {} to {}",
            triple(low),
            triple(high)
        );
        let error = self.source.error(Problem::EmptyRegion, grip.region_span.clone(), message);
        error.help(centres).into()
    }
}

/// What to follow instead of a value that the shape does not have.
fn help_on_values(made: &Made, error: &E) -> Option<String> {
    let instead = "here write a number, `gradient` or `noise`";
    let Some(values) = made.values() else {
        return Some(format!("rigid bodies have neither curvature nor attributes; {instead}"));
    };
    let attributes: Vec<&str> = values.attributes.iter().map(|(name, _)| name.as_str()).collect();
    match error {
        E::NoCurvature { .. } => {
            Some(format!("only `mesh`, `lathe` and `shell` have it; {instead}"))
        }
        E::NoAttribute { .. } if attributes.is_empty() => {
            Some(format!("only shapes from a mesh file with attributes have them; {instead}"))
        }
        E::NoAttribute { name, .. } => {
            let near = nearest(name, attributes.iter().copied());
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let list = attributes.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
            Some(format!("{near}the attributes of the file: {}", list.join(", ")))
        }
        _ => None,
    }
}

impl Grip {
    fn holds(&self, position: [f32; 3]) -> bool {
        (0..3).all(|k| (self.min[k]..=self.max[k]).contains(&position[k]))
    }
}

fn grip_desc(grip: &Grip, body: BodyId) -> GripDesc {
    GripDesc {
        body,
        region: Region::Box { min: grip.min, max: grip.max },
        motion: grip.motion.clone(),
        release: grip.release,
    }
}

fn attach_desc(attachment: &Attachment, bodies: [BodyId; 2]) -> AttachDesc {
    let &Attachment { kind, distance, region, strength, toughness, .. } = attachment;
    let region = match region {
        Some([min, max]) => AttachRegion::Box { min, max, distance },
        None => AttachRegion::Near { distance },
    };
    AttachDesc { bodies, region, kind, strength, toughness }
}

/// "[-0.475, 0, 1.2]", to four digits.
fn triple(v: [f32; 3]) -> String {
    let [x, y, z] = v.map(|x| {
        let digits = format!("{x:.4}");
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        if digits == "-0" { "0".to_string() } else { digits.to_string() }
    });
    format!("[{x}, {y}, {z}]")
}
