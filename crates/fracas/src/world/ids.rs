//! Handles. Stable for life and never reused; indices into columns are neither.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

id! {
    /// What the user spawned. Breaking never ends it.
    BodyId
}
id! {
    /// A connected component of a body. Ends when it splits; its parts get new ids.
    PieceId
}
id! {
    /// A particle, counted over all bodies the world ever had.
    ParticleId
}
id! {
    /// An attachment of particles to a moving frame or force.
    GripId
}
id! {
    /// Glue or a hinge between two bodies.
    AttachmentId
}
id! {
    /// Air or water that acts on what is in it.
    FieldId
}
id! {
    /// A blade on a time table.
    BladeId
}
id! {
    /// Something that others touch and that does not give way.
    ObstacleId
}
