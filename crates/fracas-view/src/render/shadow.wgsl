// What the sun sees: the depth of surfaces and particles from its side.

@vertex
fn surface_from_sun(@location(0) place: vec3f) -> @builtin(position) vec4f {
    return frame.sun_view * vec4f(place, 1.0);
}

@vertex
fn ellipsoid_from_sun(@location(0) ball: vec3f, particle: Particle) -> @builtin(position) vec4f {
    return frame.sun_view * vec4f(on_particle(ball, particle), 1.0);
}
