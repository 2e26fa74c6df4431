//! Smooth noise in space: the same bits for the same seed on every machine.

/// Value noise between −1 and 1 at `position`, with features of about `wavelength`.
///
/// Every corner of a cubic lattice of this spacing gets a value, uniform between −1 and 1, from an
/// integer hash; between corners they are blended by the polynomial 6t⁵ − 15t⁴ + 10t³, whose first
/// and second derivatives vanish at the corners. Both the values and the blend are symmetric about
/// 0, so the mean over space is 0.
pub(super) fn value_noise(position: [f32; 3], wavelength: f32, seed: u64) -> f32 {
    let scaled = position.map(|x| f64::from(x) / f64::from(wavelength));
    // A cast of what no integer can hold saturates; the noise is constant there.
    let cell = scaled.map(|x| x.floor() as i64);
    let blend = scaled.map(|x| fade(x - x.floor()));

    let mut sum = 0.0;
    for corner in 0..8 {
        let mut index = [0; 3];
        let mut weight = 1.0;
        for axis in 0..3 {
            let upper = corner >> axis & 1;
            index[axis] = cell[axis].wrapping_add(upper);
            weight *= if upper == 1 { blend[axis] } else { 1.0 - blend[axis] };
        }
        sum += weight * corner_value(index, seed);
    }
    sum as f32
}

fn fade(t: f64) -> f64 {
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

/// Uniform between −1 and 1, from the upper 53 bits of the hash.
fn corner_value(index: [i64; 3], seed: u64) -> f64 {
    let hash = index.iter().fold(mix(seed), |hash, &i| mix(hash ^ i as u64));
    let half_steps = 2 * (hash >> 11) + 1;
    half_steps as f64 / (1u64 << 53) as f64 - 1.0
}

/// One round of the generator SplitMix64 (Steele, Lea, Flood, *Fast Splittable Pseudorandom Number
/// Generators*, OOPSLA 2014): a bijection in which every input bit reaches every output bit.
pub(crate) fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
