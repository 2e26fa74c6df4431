//! The shows of contact, one file per kind of claim.

pub mod columns;
pub mod forms;
pub mod limits;
pub mod pile;
pub mod scenes;
pub mod shots;
pub mod soft;
pub mod speed;
