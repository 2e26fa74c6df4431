//! The shows of ductile fracture.

mod breaking;
mod dozen;
mod impact;
mod rest;
