//! Why a material was refused.

/// Why a material was refused, or could not be sampled. Every message names the field.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// A number lies outside what its field allows.
    #[error("{field} must be {allowed}, but is {found}")]
    OutOfRange {
        /// The field, as written in a scene file.
        field: &'static str,
        /// What it allows.
        allowed: &'static str,
        /// What was given.
        found: f32,
    },
    /// A number that says how a value varies in space is not usable.
    #[error("{field}.{part} must be {allowed}, but is {found}")]
    BadVariation {
        /// The field, as written in a scene file.
        field: &'static str,
        /// The part of the variation, such as `noise.wavelength`.
        part: &'static str,
        /// What that part allows.
        allowed: &'static str,
        /// What was given.
        found: f32,
    },
    /// A value follows the surface curvature, which this shape does not know.
    #[error("{field} varies along the surface curvature, but this shape has no curvature")]
    NoCurvature {
        /// The field that asks for it.
        field: &'static str,
    },
    /// A value follows an attribute that the shape does not have.
    #[error("{field} follows the attribute {name:?}, which this shape does not have")]
    NoAttribute {
        /// The field that asks for it.
        field: &'static str,
        /// The attribute asked for.
        name: String,
    },
    /// A value follows curves in a file that nobody has read yet.
    #[error(
        "{field} follows the curves in {file:?}, which were not read: see `MaterialDesc::resolve_curves`"
    )]
    CurvesNotRead {
        /// The field that asks for them.
        field: &'static str,
        /// The file.
        file: String,
    },
}

/// `Ok` if `holds`. Conditions are written so that NaN fails them.
pub(super) fn require(
    holds: bool,
    field: &'static str,
    allowed: &'static str,
    found: f32,
) -> Result<(), MaterialError> {
    if holds { Ok(()) } else { Err(MaterialError::OutOfRange { field, allowed, found }) }
}
