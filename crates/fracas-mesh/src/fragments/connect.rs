//! Fragments hang together by faces.

use std::collections::BTreeMap;

use crate::tets::{TetMesh, components};

/// The connected parts of the labels, and how many there are.
pub(super) fn split(neighbours: &[[Option<u32>; 4]], labels: &[u32]) -> (Vec<u32>, usize) {
    components(neighbours, |a, b| labels[a] == labels[b])
}

/// Gives what is cut off from the largest part of its label to the neighbour with which it shares
/// the largest area, so that each label is one connected part. What has no neighbour becomes a part
/// of its own. The parts are numbered from 0; their number comes second.
pub(super) fn connect(
    mesh: &TetMesh,
    neighbours: &[[Option<u32>; 4]],
    labels: &[u32],
) -> (Vec<u32>, usize) {
    let (parts, count) = split(neighbours, labels);
    let areas = shared_areas(mesh, neighbours, &parts, count);
    let mut owner = largest_of_each_label(mesh, labels, &parts, count);
    let strays = |owner: &[Option<u32>]| -> Vec<usize> {
        (0..count).filter(|&part| owner[part].is_none()).collect()
    };
    loop {
        let open = strays(&owner);
        let Some(&first) = open.first() else { break };
        let mut changed = false;
        for part in open {
            if let Some(to) = most_shared(&areas[part], &owner) {
                owner[part] = Some(to);
                changed = true;
            }
        }
        if !changed {
            owner[first] = Some(first as u32);
        }
    }

    let mut number = vec![None; count];
    let mut used = 0;
    let of_tet = parts.iter().map(|&part| {
        let owner = owner[part as usize].unwrap_or(part) as usize;
        *number[owner].get_or_insert_with(|| {
            used += 1;
            used - 1
        })
    });
    (of_tet.collect(), used as usize)
}

/// For each part the areas it shares with others.
pub(super) fn shared_areas(
    mesh: &TetMesh,
    neighbours: &[[Option<u32>; 4]],
    parts: &[u32],
    count: usize,
) -> Vec<BTreeMap<u32, f64>> {
    let mut areas = vec![BTreeMap::new(); count];
    for tet in 0..parts.len() {
        for face in 0..4 {
            let Some(next) = neighbours[tet][face] else { continue };
            let (from, to) = (parts[tet], parts[next as usize]);
            if from != to {
                *areas[from as usize].entry(to).or_insert(0.0) += mesh.face_area(tet, face);
            }
        }
    }
    areas
}

/// The part itself for the part of each label that has most volume (the first of equals); `None`
/// for the others.
fn largest_of_each_label(
    mesh: &TetMesh,
    labels: &[u32],
    parts: &[u32],
    count: usize,
) -> Vec<Option<u32>> {
    let mut volumes = vec![0.0; count];
    let mut label_of = vec![0; count];
    for tet in 0..parts.len() {
        volumes[parts[tet] as usize] += mesh.tet_volume(tet);
        label_of[parts[tet] as usize] = labels[tet];
    }
    let mut largest: BTreeMap<u32, usize> = BTreeMap::new();
    for part in 0..count {
        let best = largest.entry(label_of[part]).or_insert(part);
        if volumes[part] > volumes[*best] {
            *best = part;
        }
    }
    let mut owner = vec![None; count];
    largest.into_values().for_each(|part| owner[part] = Some(part as u32));
    owner
}

/// Who shares most area with a part, among those that belong somewhere.
fn most_shared(areas: &BTreeMap<u32, f64>, owner: &[Option<u32>]) -> Option<u32> {
    let mut shared: BTreeMap<u32, f64> = BTreeMap::new();
    for (&part, area) in areas {
        if let Some(owner) = owner[part as usize] {
            *shared.entry(owner).or_insert(0.0) += area;
        }
    }
    // the first of equals
    let most = shared.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1));
    most.map(|(owner, _)| owner)
}

#[cfg(test)]
mod tests {
    use fracas::glam::DVec3;

    use super::*;

    /// Tetrahedra in a row around a helix, each growing from the one before by this factor in width.
    fn row(count: u32, growth: f64) -> TetMesh {
        let vertex = |i: u32| {
            let turn = 2.3 * f64::from(i);
            growth.powi(i as i32) * DVec3::new(turn.cos(), turn.sin(), 0.5 * f64::from(i))
        };
        let vertices = (0..count + 3).map(vertex).collect();
        let tets = (0..count).map(|i| [i, i + 1, i + 2, i + 3]).collect();
        let mesh = TetMesh { vertices, tets, ..TetMesh::default() };
        mesh.repair().unwrap().0
    }

    fn connected(mesh: &TetMesh, labels: &[u32]) -> (Vec<u32>, usize) {
        connect(mesh, &mesh.neighbours(), labels)
    }

    #[test]
    fn what_is_cut_off_goes_where_it_shares_most() {
        let labels = [7, 7, 7, 1, 1, 1, 7, 2, 2];
        // the seventh is less than the first three; its last face is larger, then its first
        let grown = connected(&row(9, 1.05), &labels);
        assert_eq!(grown, (vec![0, 0, 0, 1, 1, 1, 2, 2, 2], 3));
        let shrunk = connected(&row(9, 1.0 / 1.05), &labels);
        assert_eq!(shrunk, (vec![0, 0, 0, 1, 1, 1, 1, 2, 2], 3));
        // the seventh is more than the first three: they are what is cut off
        let grown_fast = connected(&row(9, 1.5), &labels);
        assert_eq!(grown_fast, (vec![0, 0, 0, 0, 0, 0, 1, 2, 2], 3));
    }

    #[test]
    fn what_touches_nothing_stays_a_part() {
        let mut mesh = row(3, 1.0);
        mesh.tets.remove(1);
        assert_eq!(connected(&mesh, &[4, 4]), (vec![0, 1], 2));
    }

    #[test]
    fn strays_behind_strays_find_a_way() {
        // only the last 0 and the last 1 are the largest of their labels
        let labels = [0, 1, 0, 1, 0, 1, 1, 0, 0, 0];
        let (parts, count) = connected(&row(10, 1.05), &labels);
        assert_eq!((parts, count), (vec![0, 0, 0, 0, 0, 0, 0, 1, 1, 1], 2));
    }
}
