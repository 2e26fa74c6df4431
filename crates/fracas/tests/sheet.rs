//! Sheets: stretch, bending and tears against closed forms and conservation.
#![allow(clippy::unwrap_used, reason = "tests")]

mod common;

use common::sheet_figures as figures;

#[test]
fn a_strip_has_the_modulus_and_the_poisson_ratio_of_its_material() {
    let [modulus, poisson] = figures::pulled_strip();
    println!("E {modulus}, ν {poisson}");
    assert!((modulus - 1.0).abs() < 0.01, "E is {modulus} of that asked for");
    assert!((poisson - 1.0).abs() < 0.01, "ν is {poisson} of that asked for");
}

#[test]
fn a_sheet_that_sticks_out_hangs_like_the_elastica() {
    let share = figures::sticking_out();
    println!("drop {share}");
    assert!((share - 1.0).abs() < 0.05, "drop is {share} of that of the elastica");
}

#[test]
fn a_notched_strip_tears_straight_whatever_its_mesh() {
    for turn in [0.0, 20.0] {
        let tear = figures::notched_strip(turn, 0.0, 1);
        println!("{turn}: {tear:?}");
    }
    for turn in [0.0, 30.0] {
        let tear = figures::notched_strip(turn, 0.5, 1);
        println!("{turn} shaken: {tear:?}");
    }
}

#[test]
fn a_crack_in_the_middle_has_the_intensity_of_theory() {
    for turn in [0.0, 20.0] {
        println!("{:?}", figures::centre_crack(0.02, 90.0, turn));
        println!("{:?}", figures::centre_crack(0.02, 75.0, turn));
    }
}
