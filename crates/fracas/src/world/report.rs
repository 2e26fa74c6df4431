//! What a step tells.

/// What one step did and what the world is like after it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Steps taken since the world began.
    pub step: u64,
    /// World time after the step, in s.
    pub time: f64,
    /// Time by which the step was cut because it was longer than a step may be, in s.
    pub time_dropped: f32,
    /// Milliseconds per stage, by the clock given to the world; zeros without one.
    pub ms: StageTimes,
    /// Live particles.
    pub particles: u64,
    /// Live elements (tets, triangles).
    pub elements: u64,
    /// Live bonds.
    pub bonds: u64,
    /// Pieces.
    pub pieces: u64,
    /// Cracks opened in this step.
    pub cracks: u64,
    /// Contacts that carried force in the last substep.
    pub contacts: u64,
    /// Pieces asleep.
    pub sleeping: u64,
    /// Piece solves of this step that ended above the residual at which cracks may open.
    pub unconverged: u64,
    /// Pieces frozen by quarantine, in total.
    pub quarantined: u64,
    /// The smallest factor by which a body's stiffness was reduced to what the sweeps can
    /// reach; 1 if every body is as stiff as its material.
    pub stiffness_reached: f32,
    /// Where the energy is and went.
    pub energy: Energy,
    /// Total momentum, in kg m/s.
    pub momentum: [f64; 3],
    /// Total angular momentum about the common centre of mass, in kg m²/s.
    pub angular_momentum: [f64; 3],
    /// Largest speed of a particle, in m/s.
    pub max_speed: f32,
    /// Deepest penetration of an obstacle, in m.
    pub max_penetration: f32,
    /// Hash of the whole state.
    pub hash: u64,
}

/// Milliseconds per stage of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// Commands, forces, prediction.
    pub predict: f64,
    /// Finding contacts.
    pub contact: f64,
    /// The solve, with contact forces inside.
    pub elastic: f64,
    /// Plastic flow.
    pub plastic: f64,
    /// Fracture and pieces.
    pub fracture: f64,
    /// Velocities, momentum, damping, quarantine.
    pub commit: f64,
    /// The drawable mesh.
    pub skin: f64,
    /// All of the step, what is counted above and what is not.
    pub total: f64,
}

/// The books of energy, in J. The first three are what the world holds now; the others are sums
/// since it began. What it holds and lost grows by exactly what was put in:
///
/// ```text
/// Δ(kinetic + elastic + gravity) + plastic_work + fracture_work + friction + damping
///     + contact_loss + solver_loss = external_work
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Energy of motion.
    pub kinetic: f64,
    /// Stored by deformation, and by links between bodies; measured only with [`WorldConfig::books`](super::WorldConfig).
    pub elastic: f64,
    /// Weight times height above the origin.
    pub gravity: f64,
    /// Turned to heat by plastic flow.
    pub plastic_work: f64,
    /// Spent on new surface.
    pub fracture_work: f64,
    /// Turned to heat by sliding.
    pub friction: f64,
    /// Taken by damping.
    pub damping: f64,
    /// Taken by the normal forces of contact, and by what links bodies.
    pub contact_loss: f64,
    /// Dissipated by the integrator; measured only with
    /// [`WorldConfig::books`](super::WorldConfig).
    pub solver_loss: f64,
    /// Put in by grips, forces and changes of gravity.
    pub external_work: f64,
}

impl Energy {
    /// Adds the sums, and not what is held, of another.
    pub(super) fn add_spent(&mut self, other: &Self) {
        self.plastic_work += other.plastic_work;
        self.fracture_work += other.fracture_work;
        self.friction += other.friction;
        self.damping += other.damping;
        self.contact_loss += other.contact_loss;
        self.solver_loss += other.solver_loss;
        self.external_work += other.external_work;
    }

    /// What the world holds now: kinetic + elastic + gravity, in J.
    pub fn held(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }

    /// What has left it, in J.
    pub fn lost(&self) -> f64 {
        self.plastic_work
            + self.fracture_work
            + self.friction
            + self.damping
            + self.contact_loss
            + self.solver_loss
    }
}
