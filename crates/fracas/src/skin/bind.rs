//! Whom every vertex follows, as of the bonds that hold (000 sec. 4.1 and 4.2).
//!
//! A vertex is there once for every group of owners around it that still hang together through each other: it
//! splits exactly where they no longer do. Its owner is the nearest of its group. When bonds are cut, only the
//! vertices of their ends are looked at, and only the clusters around those are told.
//!
//! Tetrahedra hang together where every corner that two had in common in the shape is still one particle.

use super::numbers::{Numbers, TetNumbers};
use super::plan::{Drawable, Plan};
use super::remeshed::{self, Vertices};
use super::sheet::{self, Cloth};
use super::splinters;
use super::update::{
    ClusterChange, ClusterMesh, GONE, Ring, SkinBasis, SkinPart, SkinPoint, SkinRest, SkinState,
    SkinUpdate,
};
use super::{Owners, ShapeSurface, SkinError, SkinMesh};
use crate::sets::Sets;
use crate::world::{Body, BodyId, Piece, PieceId};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// The most particles that the vertices of an owner follow: itself and the 26 around it in a lattice fit in, and
/// with fewer a corner of a cell would lack those that meet there.
const MOST_FOLLOWED: usize = 32;

/// r_p over the spacing of particles around p. In a lattice where all 26 neighbours are bonded,
/// every particle that is not bonded to the owner of a vertex is at least so far from the vertex:
/// its weight is 0 where the owner changes, and the skin has no steps.
const REACH: f32 = 1.5;

/// How many of the nearest particles tell the spacing: as many as a cell has faces.
const NEAREST: usize = 6;

/// r_p over the distance of the farthest vertex that p owns, so that it has a say there.
const BEYOND_OWN: f32 = 1.25;

/// Edges around the hulls of parts that are round.
const AROUND: u32 = 8;

/// A mesh bound to a body, which makes a [`SkinUpdate`] of where the body is.
#[derive(Clone, Debug)]
pub struct Binding {
    mesh: Arc<SkinMesh>,
    /// That, or the faces of the tetrahedra as the body has split them.
    now: Arc<SkinMesh>,
    plan: Arc<Plan>,
    body: BodyId,
    numbers: Numbers,
    tets: TetNumbers,
    basis: SkinBasis,
    /// Owners that have faces in common but never had a bond, in order.
    grown: Vec<[u32; 2]>,
    /// Owner of each place of the plan, or [`GONE`].
    owners: Vec<u32>,
    /// How each cluster is drawn.
    forms: Vec<Form>,
    /// What each owner was joined by when it was last looked at.
    marks: Vec<Mark>,
    /// The bonds, particles and pieces that all this is made for.
    seen: ([usize; 2], Vec<PieceId>),
    /// Column of each state, or [`GONE`].
    columns: Vec<u32>,
    /// State of each column.
    states: Vec<u32>,
    /// Whether there are parts of fragments.
    has_parts: bool,
    /// Texture of a sheet, which is drawn as it is.
    cloth: Option<Cloth>,
    /// How large deformation is drawn, if not as it is.
    deformation: Option<f32>,
    update: SkinUpdate,
}

/// What joins an owner to others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Mark {
    /// Fragments and parts of fragments that are bonded to it.
    counts: Option<[usize; 2]>,
    /// States of the corners of a tetrahedron.
    corners: Option<[u32; 4]>,
    /// Its piece, if that joins it to some.
    piece: Option<PieceId>,
    gone: bool,
}

/// How a cluster is drawn.
#[derive(Clone, Debug, Default)]
struct Form {
    /// Each side with vertices of its own.
    in_parts: bool,
    /// Whether its mesh was told.
    told: bool,
    drawable: Drawable,
}

impl Binding {
    /// Binds a mesh to a body.
    ///
    /// # Errors
    /// [`SkinError`] if the mesh names vertices or particles that do not exist, or the body will not let it be followed.
    pub fn new(mesh: impl Into<Arc<SkinMesh>>, body: &Body) -> Result<Self, SkinError> {
        let mesh = mesh.into();
        let particles = body.shape_particle_count();
        mesh.check(particles)?;
        let cloth = (!body.sheet().is_empty()).then(|| Cloth::around(&mesh.vertices));
        if cloth.is_none() && body.remeshes() && !remeshed::is_of_faces(&mesh) {
            return Err(SkinError::Remeshed);
        }
        if cloth.is_some() {
            return Ok(Self::of_sheet(mesh, cloth, body));
        }
        let owners = mesh.owner_count(particles);
        let plan = Plan::new(&mesh, owners);
        let (numbers, tets) =
            (Numbers::new(body), TetNumbers::new(&mesh.owners, Vertices::default()));
        let bonds = Bonds::new(&mesh, &[], &numbers, &tets, body);
        let basis = SkinBasis {
            owners: mesh.owners.clone(),
            particles: rest(&mesh, &plan, &bonds),
            clusters: plan.clusters.len() as u32 + 1,
        };
        Ok(Self {
            body: body.id(),
            basis,
            grown: grown(&plan, &bonds),
            owners: vec![GONE; plan.places.len()],
            forms: vec![Form::default(); plan.clusters.len()],
            marks: Vec::new(),
            seen: ([usize::MAX; 2], Vec::new()),
            columns: Vec::new(),
            states: Vec::new(),
            has_parts: false,
            cloth: None,
            deformation: None,
            update: SkinUpdate::default(),
            plan: Arc::new(plan),
            now: Arc::clone(&mesh),
            mesh,
            numbers,
            tets,
        })
    }

    /// Of a sheet all is one cluster, told in every update.
    fn of_sheet(mesh: Arc<SkinMesh>, cloth: Option<Cloth>, body: &Body) -> Self {
        let nothing = SkinMesh::default();
        let plan = Plan::new(&nothing, 0);
        Self {
            body: body.id(),
            basis: SkinBasis { clusters: 1, ..SkinBasis::default() },
            grown: Vec::new(),
            owners: Vec::new(),
            forms: Vec::new(),
            marks: Vec::new(),
            seen: ([usize::MAX; 2], Vec::new()),
            columns: Vec::new(),
            states: Vec::new(),
            has_parts: false,
            cloth,
            deformation: None,
            update: SkinUpdate::default(),
            plan: Arc::new(plan),
            now: Arc::new(nothing),
            mesh,
            numbers: Numbers::new(body),
            tets: TetNumbers::default(),
        }
    }

    /// The mesh that it was made of.
    pub fn mesh(&self) -> &Arc<SkinMesh> {
        &self.mesh
    }

    /// Draws what loads take pieces off their rigid references so many times as large, of models that tell it
    /// ([`Body::references`]): 0 draws the references, none the particles where they are.
    pub fn draw_deformation(&mut self, times: Option<f32>) {
        self.deformation = times;
    }

    /// The mesh that is drawn now.
    pub(super) fn mesh_now(&self) -> &SkinMesh {
        &self.now
    }

    /// Whether this is the body it was bound to.
    pub fn belongs_to(&self, body: &Body) -> bool {
        body.id() == self.body && body.shape_particle_count() == self.numbers.shape_count()
    }

    /// Column of each state of the last update in the body, or [`GONE`].
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// What was told last.
    pub fn last(&self) -> &SkinUpdate {
        &self.update
    }

    /// Owner of an owner's place at a vertex.
    pub(super) fn owner_at(&self, vertex: u32, owner: u32) -> Option<u32> {
        let place = self.plan.place(vertex, owner)?;
        Some(self.owners[place]).filter(|&owner| owner != GONE)
    }

    /// What changed since the last time, relative to `origin`. Of another body than its own nothing is told.
    pub fn update(&mut self, body: &Body, origin: [f64; 3]) -> &SkinUpdate {
        self.update.begun = None;
        self.update.grown.clear();
        self.update.rings.clear();
        self.update.clusters.clear();
        if self.belongs_to(body) {
            match self.cloth {
                Some(cloth) => self.follow_sheet(body, &cloth),
                None => self.follow_bonds(body),
            }
            self.tell_states(body, origin);
        }
        &self.update
    }

    fn follow_sheet(&mut self, body: &Body, cloth: &Cloth) {
        if self.seen.0 == [usize::MAX; 2] {
            self.update.begun = Some(self.basis.clone());
        }
        self.seen.0 = [body.bond_count(), body.particle_count()];
        self.columns = (0..body.particle_count() as u32).collect();
        self.states.clone_from(&self.columns);
        let (mesh, owners) = sheet::mesh(body, cloth);
        let mesh = Some(Arc::new(mesh));
        self.update.clusters.push(ClusterChange { cluster: 0, mesh, owners, shown: vec![0] });
    }

    fn follow_bonds(&mut self, body: &Body) {
        let pieces = body.pieces().iter().map(Piece::id);
        let counts = [body.bond_count(), body.particle_count()];
        if self.seen.0 == counts && pieces.clone().eq(self.seen.1.iter().copied()) {
            return;
        }
        self.seen = (counts, pieces.collect());
        self.follow_births(body);
        if body.remeshes() && !self.tets.know_all(body) {
            self.follow_splits(body);
        }
        let (mesh, grown) = (Arc::clone(&self.now), std::mem::take(&mut self.grown));
        let (numbers, tets) = (std::mem::take(&mut self.numbers), std::mem::take(&mut self.tets));
        let bonds = Bonds::new(&mesh, &grown, &numbers, &tets, body);
        if self.marks.is_empty() {
            self.update.begun = Some(self.basis.clone());
            self.marks = vec![Mark::default(); self.plan.cluster_of.len()];
        }
        let touched = self.touched(&bonds);
        let mut dirty = self.bind_around(&touched, &bonds);
        for &owner in &touched {
            dirty[self.plan.cluster_of[owner as usize] as usize] = true;
            self.update.rings.push(Ring { owner, members: bonds.ring(owner) });
        }
        for cluster in (0..dirty.len()).filter(|&k| dirty[k]) {
            self.tell_cluster(cluster, &bonds);
        }
        self.tell_parts(&bonds);
        self.columns = bonds.columns;
        self.columns.extend(bonds.parts);
        self.states = bonds.states;
        (self.grown, self.numbers, self.tets) = (grown, numbers, tets);
    }

    /// Gives states to vertices that began since the last time. In a world that was taken back to an earlier moment ids come again, and
    /// all is told anew.
    fn follow_births(&mut self, body: &Body) {
        let first = self.numbers.shape_count();
        if !self.numbers.agrees(body) {
            self.numbers = Numbers::new(body);
            self.basis.particles.truncate(first);
            self.owners.fill(GONE);
            self.forms.fill(Form::default());
            self.marks.clear();
        }
        let known = self.basis.particles.len();
        let particles = &mut self.basis.particles;
        self.numbers.grow(body, |number, position| {
            let reach = particles[number as usize].reach;
            particles.push(SkinRest { position, reach });
        });
        if !self.marks.is_empty() {
            self.update.grown.extend_from_slice(&self.basis.particles[known..]);
        }
    }

    /// Draws the faces of tetrahedra that were split, and tells all anew.
    fn follow_splits(&mut self, body: &Body) {
        let (mesh, vertices) = remeshed::mesh(body);
        let plan = Plan::new(&mesh, mesh.owner_count(0));
        self.tets = TetNumbers::new(&mesh.owners, vertices);
        self.basis.owners = mesh.owners.clone();
        self.basis.clusters = plan.clusters.len() as u32 + 1;
        self.owners = vec![GONE; plan.places.len()];
        self.forms = vec![Form::default(); plan.clusters.len()];
        self.marks.clear();
        self.update.grown.clear();
        (self.now, self.plan) = (Arc::new(mesh), Arc::new(plan));
    }

    /// Owners whose bonds are not those of the last time.
    fn touched(&mut self, bonds: &Bonds<'_>) -> Vec<u32> {
        let mut touched = Vec::new();
        for (mark, owner) in self.marks.iter_mut().zip(0..) {
            let now = bonds.mark(owner);
            if *mark != now {
                *mark = now;
                touched.push(owner);
            }
        }
        if let Owners::Tets(_) = bonds.owners {
            self.add_those_across(&mut touched);
        }
        touched
    }

    /// Where a vertex has split, only the tetrahedra on one side have another corner; the faces of both open.
    fn add_those_across(&self, touched: &mut Vec<u32>) {
        let mut is_touched = vec![false; self.plan.cluster_of.len()];
        touched.iter().for_each(|&owner| is_touched[owner as usize] = true);
        let sides = self.plan.sides.iter().filter(|side| is_touched[side.owner as usize]);
        touched.extend(sides.map(|side| side.across).filter(|&across| across != GONE));
        touched.sort_unstable();
        touched.dedup();
    }

    /// Binds all vertices of some owners anew; which clusters that changed.
    fn bind_around(&mut self, touched: &[u32], bonds: &Bonds<'_>) -> Vec<bool> {
        let plan = Arc::clone(&self.plan);
        let mut is_touched = vec![false; plan.cluster_of.len()];
        let mut vertices = Vec::new();
        for &owner in touched {
            is_touched[owner as usize] = true;
            vertices.extend(plan.of_owner(owner).iter().map(|&p| plan.places[p as usize][0]));
        }
        vertices.retain(|&vertex| !plan.in_reach.holds(vertex));
        vertices.sort_unstable();
        vertices.dedup();
        let mut dirty = vec![false; plan.clusters.len()];
        let mut set = |place: usize, owner: u32| {
            let changed =
                self.owners[place] != owner || (owner != GONE && is_touched[owner as usize]);
            self.owners[place] = owner;
            let of = plan.cluster_of[plan.places[place][1] as usize] as usize;
            dirty[of] |= changed;
        };
        let mut group = Group::default();
        for vertex in vertices {
            let places = plan.at_vertex(vertex);
            let (at, home) = (self.now.vertices[vertex as usize], self.now.home(vertex));
            group.gather(&plan.places[places.clone()], at, home, bonds);
            places.zip(&group.owners).for_each(|(place, &owner)| set(place, owner));
        }
        for number in plan.in_reach.of(touched) {
            let splinter = &self.now.splinters[number as usize];
            let followed = splinters::follow(splinter, &self.now, bonds);
            for (vertex, owner) in splinter.vertices.clone().zip(followed) {
                plan.at_vertex(vertex).for_each(|place| set(place, owner));
            }
        }
        dirty
    }

    /// Tells how a cluster is drawn now.
    fn tell_cluster(&mut self, cluster: usize, bonds: &Bonds<'_>) {
        let sides = &self.plan.sides[self.plan.clusters[cluster].sides.clone()];
        let shown = |(side, k): (&super::plan::Side, u32)| {
            let there = bonds.piece(side.owner) != GONE;
            let open = !side.is_inside() || !bonds.hold(side.owner, side.across);
            (there && open).then_some(k)
        };
        let mut shown: Vec<u32> = sides.iter().zip(0..).filter_map(shown).collect();
        let form = &mut self.forms[cluster];
        if !form.told && !form.in_parts {
            let drawable = self.plan.whole(&self.now, cluster);
            *form = Form { in_parts: false, told: false, drawable };
        }
        if !form.in_parts {
            let outside = sides.iter().filter(|side| !side.is_inside()).count();
            let none = shown.is_empty();
            let all =
                shown.len() == outside && shown.iter().all(|&k| !sides[k as usize].is_inside());
            if none || (all && self.is_whole(cluster)) {
                shown = if none { Vec::new() } else { vec![0] };
            } else {
                let drawable = self.plan.in_parts(cluster).clone();
                self.forms[cluster] = Form { in_parts: true, told: false, drawable };
            }
        }
        let form = &mut self.forms[cluster];
        let mesh = (!form.told).then(|| Arc::clone(&form.drawable.mesh));
        form.told = true;
        let owners =
            form.drawable.places.iter().map(|&place| self.owners[place as usize]).collect();
        let cluster = cluster as u32;
        self.update.clusters.push(ClusterChange { cluster, mesh, owners, shown });
    }

    /// Whether no vertex of the outside of a cluster has two owners within it.
    fn is_whole(&self, cluster: usize) -> bool {
        let within = &self.plan.clusters[cluster].owners;
        self.forms[cluster].drawable.places.iter().all(|&place| {
            let [vertex, _] = self.plan.places[place as usize];
            let at = self.plan.at_vertex(vertex);
            let own = at.filter(|&k| within.contains(&self.plan.places[k][1]));
            own.map(|k| self.owners[k]).all(|owner| owner == self.owners[place as usize])
        })
    }

    /// Tells the hulls of all parts of fragments, as the last cluster.
    fn tell_parts(&mut self, bonds: &Bonds<'_>) {
        if bonds.parts.is_empty() && !self.has_parts {
            return;
        }
        self.has_parts = true;
        let (mesh, owners) = hulls(bonds.body, &bonds.parts, self.basis.particles.len() as u32);
        let shown = (0..mesh.parts.len() as u32).collect();
        let cluster = self.plan.clusters.len() as u32;
        let mesh = Some(Arc::new(mesh));
        self.update.clusters.push(ClusterChange { cluster, mesh, owners, shown });
    }

    /// Tells where all particles are.
    fn tell_states(&mut self, body: &Body, origin: [f64; 3]) {
        self.update.origin = origin;
        let SkinUpdate { states, pieces, .. } = &mut self.update;
        pieces.clear();
        pieces.extend(body.pieces().iter().map(Piece::id));
        let gone = SkinState { position: [0.0; 3], piece: GONE, rotation: [0.0, 0.0, 0.0, 1.0] };
        states.clear();
        states.resize(self.columns.len(), gone);
        let mut of_columns = self.states.iter();
        for (k, piece) in body.pieces().iter().enumerate() {
            // origins are subtracted in f64
            let shift = (DVec3::from(piece.origin()) - DVec3::from(origin)).as_vec3();
            let turns = body.orientations(piece);
            let deformed = self.deformation.and_then(|times| {
                let add =
                    |[x, u]: [[f32; 3]; 2]| (Vec3::from(x) + times * Vec3::from(u)).to_array();
                Some(body.references(piece)?.into_iter().map(add).collect::<Vec<_>>())
            });
            let places = deformed.as_deref().unwrap_or(body.positions(piece));
            for ((i, &x), &state) in places.iter().enumerate().zip(&mut of_columns) {
                states[state as usize] = SkinState {
                    position: (shift + Vec3::from(x)).to_array(),
                    piece: k as u32,
                    rotation: turns.get(i).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]),
                };
            }
        }
    }
}

/// The bonds of a body, by the numbers of its shape.
pub(super) struct Bonds<'a> {
    body: &'a Body,
    owners: &'a Owners,
    /// Whether vertices have homes, beside which owners around them need not be, and are in no splinters.
    has_homes: bool,
    grown: &'a [[u32; 2]],
    /// Whether each particle is in one of those pairs.
    has_grown: Vec<bool>,
    /// Column of each particle of the shape, and of each vertex that began, or [`GONE`] if it was taken away or is in parts.
    columns: Vec<u32>,
    /// Columns of parts of fragments, in order.
    parts: Vec<u32>,
    /// State of each column.
    states: Vec<u32>,
    /// Columns of the corners of each owner that is a tetrahedron, or [`GONE`].
    corners: Vec<[u32; 4]>,
    /// Piece of each column.
    pieces: Vec<u32>,
}

impl<'a> Bonds<'a> {
    fn new(
        mesh: &'a SkinMesh,
        grown: &'a [[u32; 2]],
        numbers: &Numbers,
        tets: &TetNumbers,
        body: &'a Body,
    ) -> Self {
        let mut columns = vec![GONE; numbers.count()];
        let mut states = Vec::with_capacity(body.particle_count());
        let mut parts = Vec::new();
        for column in 0..body.particle_count() {
            let state = if body.is_part(column) {
                parts.push(column as u32);
                columns.len() + parts.len() - 1
            } else {
                let state = numbers.state(body, column);
                columns[state] = column as u32;
                state
            };
            states.push(state as u32);
        }
        let mut has_grown = vec![false; columns.len()];
        for &owner in grown.iter().flatten() {
            has_grown[owner as usize] = true;
        }
        let (pieces, owners) = (body.piece_indices(), &mesh.owners);
        let corners = tets.corners(owners, &columns, body);
        let has_homes = !mesh.homes.is_empty() && mesh.splinters.is_empty();
        Self { body, owners, has_homes, grown, has_grown, columns, parts, states, corners, pieces }
    }

    /// Column of a particle that stands for an owner: itself, or the first corner of a tetrahedron.
    fn column(&self, owner: u32) -> u32 {
        match self.owners {
            Owners::Particles => self.columns[owner as usize],
            Owners::Tets(_) => self.corners[owner as usize][0],
        }
    }

    /// Piece of an owner, or [`GONE`].
    pub fn piece(&self, owner: u32) -> u32 {
        match self.column(owner) {
            GONE => GONE,
            column => self.pieces[column as usize],
        }
    }

    /// What changes with what joins an owner to others: bonds are only ever cut, parts may take the place of a fragment, and
    /// what never had a bond holds within a piece.
    fn mark(&self, owner: u32) -> Mark {
        let column = self.column(owner);
        if column == GONE {
            return Mark { gone: true, ..Mark::default() };
        }
        let piece = self.body.pieces()[self.pieces[column as usize] as usize].id();
        if let Owners::Tets(_) = self.owners {
            let corners = Some(self.corner_states(owner));
            return Mark { corners, piece: Some(piece), ..Mark::default() };
        }
        let bonded = self.body.neighbours(column as usize);
        let parts = bonded.iter().filter(|&&q| self.body.is_part(q as usize)).count();
        let counts = Some([bonded.len() - parts, parts]);
        let piece = self.has_grown[owner as usize].then_some(piece);
        Mark { counts, piece, ..Mark::default() }
    }

    /// Where the corners of a tetrahedron that is there are at rest, in the shape's frame.
    pub fn corner_rests(&self, owner: u32) -> [Vec3; 4] {
        self.corners[owner as usize].map(|column| self.rest(column))
    }

    /// States of the corners of a tetrahedron that is there.
    fn corner_states(&self, owner: u32) -> [u32; 4] {
        self.corners[owner as usize].map(|column| self.states[column as usize])
    }

    /// Whether two owners that have a face in common are joined there: by a bond, or, if they never had one, by being in
    /// one piece. Tetrahedra by all corners that they had in common.
    pub fn hold(&self, a: u32, b: u32) -> bool {
        if b == GONE {
            return false;
        }
        let [column_a, column_b] = [self.column(a), self.column(b)];
        if column_a == GONE || column_b == GONE {
            return false;
        }
        let in_one_piece = self.pieces[column_a as usize] == self.pieces[column_b as usize];
        match self.owners {
            Owners::Tets(tets) => {
                in_one_piece && (self.has_homes || self.share_corners(tets, [a, b]))
            }
            Owners::Particles => {
                self.body.neighbours(column_a as usize).contains(&column_b)
                    || in_one_piece && self.grown.binary_search(&[a.min(b), a.max(b)]).is_ok()
            }
        }
    }

    /// Whether two tetrahedra still have in common every corner that they had in the shape.
    fn share_corners(&self, tets: &[[u32; 4]], between: [u32; 2]) -> bool {
        let [a, b] = between.map(|tet| {
            let tet = tet as usize;
            tets[tet].into_iter().zip(self.corners[tet])
        });
        a.into_iter().all(|(number, column)| {
            b.clone().all(|(other, across)| number != other || column == across)
        })
    }

    /// Whether a particle has lost a bond.
    fn is_broken(&self, owner: u32) -> bool {
        match self.column(owner) {
            GONE => true,
            column => self.body.broken()[column as usize],
        }
    }

    /// Whom the vertices of an owner follow.
    fn ring(&self, owner: u32) -> Vec<u32> {
        match (self.column(owner), self.owners) {
            (GONE, _) => Vec::new(),
            (_, Owners::Tets(_)) => self.corner_states(owner).to_vec(),
            (column, Owners::Particles) => {
                // parts of fragments have no place at rest from which to be followed
                let bonded = self.body.neighbours(column as usize).iter().copied();
                let mut ring: Vec<u32> =
                    bonded.filter(|&q| !self.body.is_part(q as usize)).collect();
                if ring.len() >= MOST_FOLLOWED {
                    let far = |&q: &u32| self.rest(column).distance_squared(self.rest(q));
                    ring.sort_by(|a, b| far(a).total_cmp(&far(b)).then(a.cmp(b)));
                    ring.truncate(MOST_FOLLOWED - 1);
                }
                let states = ring.iter().map(|&q| self.states[q as usize]);
                // in an order that no split changes
                let mut ring: Vec<u32> = states.collect();
                ring.sort_unstable();
                ring.insert(0, owner);
                ring
            }
        }
    }

    /// Where the particle in a column is at rest, in the shape's frame.
    fn rest(&self, column: u32) -> Vec3 {
        Vec3::from(self.body.rest_positions()[column as usize])
    }

    /// How far an owner is from a place; all tetrahedra that meet there contain it.
    fn far(&self, owner: u32, at: Vec3) -> f32 {
        match self.owners {
            Owners::Particles => at.distance_squared(self.rest(self.column(owner))),
            Owners::Tets(_) => 0.0,
        }
    }
}

/// The owners around a vertex.
#[derive(Default)]
struct Group {
    /// Whom each place follows, or [`GONE`].
    owners: Vec<u32>,
    sets: Sets,
}

impl Group {
    /// Finds, for every place at a vertex, the nearest owner of those that its own hangs together with, or the vertex's
    /// home if that is one of them.
    fn gather(&mut self, places: &[[u32; 2]], at: [f32; 3], home: Option<u32>, bonds: &Bonds<'_>) {
        let count = places.len();
        self.sets.reset(count);
        for a in 0..count {
            for b in a + 1..count {
                let joined = self.sets.find(a as u32) == self.sets.find(b as u32);
                if !joined && bonds.hold(places[a][1], places[b][1]) {
                    self.sets.join(a as u32, b as u32);
                }
            }
        }
        let at = Vec3::from(at);
        self.owners.clear();
        self.owners.resize(count, GONE);
        // of the first place of each group, for all of it
        for a in 0..count {
            let owner = places[a][1];
            if bonds.piece(owner) == GONE {
                continue;
            }
            let root = self.sets.find(a as u32) as usize;
            let best = self.owners[root];
            let is_home = home == Some(owner);
            let nearer = || home != Some(best) && bonds.far(owner, at) < bonds.far(best, at);
            if best == GONE || is_home || nearer() {
                self.owners[root] = owner;
            }
        }
        for a in 0..count {
            let root = self.sets.find(a as u32) as usize;
            if bonds.piece(places[a][1]) != GONE {
                self.owners[a] = self.owners[root];
            }
        }
    }
}

/// Pairs of owners with faces in common that have no bond though neither has lost one: in cells that were filled up to
/// a surface by others than their own. Tetrahedra have no bonds to miss.
fn grown(plan: &Plan, bonds: &Bonds<'_>) -> Vec<[u32; 2]> {
    if matches!(bonds.owners, Owners::Tets(_)) {
        return Vec::new();
    }
    let inside = plan.sides.iter().filter(|side| side.owner < side.across);
    let never = inside.filter(|side| {
        !bonds.hold(side.owner, side.across)
            && !bonds.is_broken(side.owner)
            && !bonds.is_broken(side.across)
    });
    never.map(|side| [side.owner, side.across]).collect()
}

/// Every particle at rest, with r_p: 1.5 of the spacing around it, and more where it has vertices farther away.
fn rest(mesh: &SkinMesh, plan: &Plan, bonds: &Bonds<'_>) -> Vec<SkinRest> {
    // those across a face, so that nothing depends on what is broken; without inner faces those bonded to it
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); bonds.columns.len()];
    if mesh.owners == Owners::Particles {
        for side in plan.sides.iter().filter(|side| side.is_inside()) {
            around[side.owner as usize].push(bonds.columns[side.across as usize]);
        }
    }
    let spacing = |p: u32, around: &[u32]| {
        let known = around.iter().filter(|&&q| q != GONE);
        let mut lengths: Vec<f32> = known.map(|&q| bonds.rest(p).distance(bonds.rest(q))).collect();
        lengths.sort_unstable_by(f32::total_cmp);
        lengths.truncate(NEAREST);
        lengths.iter().sum::<f32>() / lengths.len().max(1) as f32
    };
    let at_rest = |(&p, around): (&u32, &Vec<u32>)| match (p, around.is_empty()) {
        (GONE, _) => SkinRest::default(),
        (p, empty) => {
            let around = if empty { bonds.body.neighbours(p as usize) } else { around };
            let reach = REACH * spacing(p, around);
            SkinRest { position: bonds.rest(p).to_array(), reach }
        }
    };
    let mut rest: Vec<SkinRest> = bonds.columns.iter().zip(&around).map(at_rest).collect();
    if matches!(mesh.owners, Owners::Tets(_)) {
        return rest;
    }
    for (vertex, &at) in mesh.vertices.iter().enumerate() {
        let at = Vec3::from(at);
        let around = plan.places[plan.at_vertex(vertex as u32)].iter().map(|place| place[1]);
        let far = |p: u32| at.distance(bonds.rest(bonds.columns[p as usize]));
        let there = around.filter(|&p| bonds.columns[p as usize] != GONE);
        if let Some(p) = there.min_by(|&a, &b| far(a).total_cmp(&far(b))) {
            let reach = &mut rest[p as usize].reach;
            *reach = reach.max(BEYOND_OWN * far(p));
        }
    }
    rest
}

/// What is drawn of parts of fragments, whose states are counted from `first`: their hulls, as inside.
fn hulls(body: &Body, parts: &[u32], first: u32) -> (ClusterMesh, Vec<u32>) {
    let (mut mesh, mut owners) = (ClusterMesh::default(), Vec::new());
    for (&column, state) in parts.iter().zip(first..) {
        let Some((shape, pose)) = body.shape_at_rest(column as usize) else { continue };
        let surface = ShapeSurface::new(shape, AROUND);
        let [points, triangles] = [mesh.points.len() as u32, mesh.triangles.len() as u32];
        for (&at, &normal) in surface.vertices.iter().zip(&surface.normals) {
            let normal = (pose.rotation * Vec3::from(normal)).to_array();
            mesh.points.push(SkinPoint { place: mesh.places.len() as u32, normal, uv: [0.0; 2] });
            mesh.places.push(pose.apply(at.into()).to_array());
            owners.push(state);
        }
        mesh.triangles.extend(surface.triangles.iter().map(|t| t.map(|v| points + v)));
        mesh.parts.push(SkinPart {
            points: points..mesh.points.len() as u32,
            triangles: triangles..mesh.triangles.len() as u32,
            inside: true,
        });
    }
    (mesh, owners)
}
