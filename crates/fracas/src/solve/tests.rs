//! How the bodies of an island are handed out.
#![allow(clippy::unwrap_used, reason = "tests")]

use super::sides::each_side;
use super::*;

/// A body that only knows its index.
struct Named(usize);

impl Side for Named {
    fn solid(&self) -> &dyn Solid {
        unimplemented!("not asked")
    }

    fn particles(&self) -> &Particles {
        unimplemented!("not asked")
    }

    fn held(&self) -> &[Held] {
        &[]
    }

    fn all_mut(&mut self) -> (&mut dyn Solid, &mut Particles, &mut [Held]) {
        unimplemented!("not asked")
    }

    fn pulled(&self) -> &[Pulled] {
        &[]
    }

    fn pulled_mut(&mut self) -> &mut [Pulled] {
        &mut []
    }
}

/// Parts of these bodies with so many particles each.
fn row_of(sizes: &[(usize, usize)]) -> Vec<Part> {
    let mut first = 0;
    let mut parts = Vec::new();
    for &(side, count) in sizes {
        parts.push(Part {
            side,
            span: 5..5 + count,
            held: 0..0,
            pulled: false,
            first,
            number: 0,
            motion: Motion::default(),
            residual: Residual::default(),
            group: [0; 2],
        });
        first += count;
    }
    parts
}

/// Every body is given once, with all of its parts and with its own unknowns, wherever the row is cut;
/// the sum has the same bits for any number of threads. Some bodies have no parts.
#[test]
fn every_body_is_given_once_with_its_own_unknowns() {
    let many: Vec<(usize, usize)> = (0..40).map(|k| (k / 3, 1 + 37 * k % 211)).collect();
    let rows: [&[(usize, usize)]; 5] = [
        &[(2, 1)],
        &[(0, 5), (0, 900), (0, 1)],
        &[(0, 1), (1, 5000), (4, 2)],
        &[(1, 5000), (1, 1), (3, 1), (3, 1), (6, 4000)],
        &many,
    ];
    for sizes in rows {
        let parts = row_of(sizes);
        let count = parts.last().unwrap().places().end;
        let of = |threads: u32| {
            let workers = Workers::new(threads).unwrap();
            let mut sides: Vec<Named> = (0..20).map(Named).collect();
            let mut owner = vec![usize::MAX; count];
            let work = |side: &mut Named, parts: &[Part], owner: &mut [usize]| {
                assert_eq!(owner.len(), parts.iter().map(|part| part.span.len()).sum::<usize>());
                for part in parts {
                    assert_eq!(part.side, side.0);
                    owner[part.places_among(parts)].fill(part.first);
                }
                1.0 / (3.0 + side.0 as f64)
            };
            let columns = &mut owner[..];
            let sum = workers.enter(|| each_side(&workers, &mut sides, 0, &parts, columns, &work));
            (sum.to_bits(), owner)
        };
        let one = of(1);
        for part in &parts {
            assert!(one.1[part.places()].iter().all(|&first| first == part.first));
        }
        for threads in [2, 3] {
            assert_eq!(one, of(threads), "{threads} threads");
        }
    }
}
