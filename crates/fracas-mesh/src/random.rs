//! Random numbers that depend on a seed and a key alone: one round of SplitMix64 for each (Steele,
//! Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, OOPSLA 2014).

fn hash(seed: u64, key: &[u64]) -> u64 {
    let mix = |x: u64| {
        let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    key.iter().fold(mix(seed), |hash, key| mix(hash ^ key))
}

/// Uniform from 0 to 1.
pub fn unit(seed: u64, key: &[u64]) -> f64 {
    (hash(seed, key) >> 11) as f64 / (1u64 << 53) as f64
}

/// Uniform between −1 and 1.
pub fn signed(seed: u64, key: &[u64]) -> f64 {
    (hash(seed, key) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
