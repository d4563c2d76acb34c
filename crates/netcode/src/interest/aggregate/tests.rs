use super::*;
use crate::input::fixture::Dice;

const CENTER: [f32; 2] = [500.0, -200.0];
const SIZE: f32 = 1_000.0;

fn points(dice: &mut Dice, count: u64) -> Vec<WeightedPoint> {
    let mut points: Vec<WeightedPoint> = Vec::new();
    for _ in 0..count {
        let copied = points
            .get(dice.below(points.len() as u64 + 1) as usize)
            .copied();
        // Out of bounds now and then; often where another one is; weights of all signs and none.
        let spread = if dice.below(20) == 0 { 3.0 } else { 1.0 };
        let at = match copied.filter(|_| dice.below(4) == 0) {
            Some(other) => other.at,
            None => CENTER.map(|c| c + (dice.unit() as f32 - 0.5) * SIZE * spread),
        };
        let weight = [0.0, 1.0, -1.0, dice.unit() as f32 * 9.0][dice.below(4) as usize];
        points.push(WeightedPoint { at, weight });
    }
    points
}

fn tree(points: &[WeightedPoint], depth: u32) -> AggregateTree {
    let mut tree = AggregateTree::new();
    tree.build_in(points, CENTER, SIZE, depth);
    tree
}

fn eye(dice: &mut Dice) -> [f32; 2] {
    CENTER.map(|c| c + (dice.unit() as f32 - 0.5) * SIZE * 1.5)
}

#[test]
fn theta_zero_gives_every_point_exactly() {
    let seed = 41;
    let mut dice = Dice(seed);
    let mut out = Vec::new();
    for round in 0..300 {
        let count = dice.below([5, 50, 700][round % 3]);
        let points = points(&mut dice, count);
        let tree = tree(&points, 1 + dice.below(15) as u32);
        tree.summarize(eye(&mut dice), 0.0, &mut out);
        assert_eq!(out.len(), points.len(), "seed {seed}, round {round}");
        let mut seen = vec![false; points.len()];
        for summary in &out {
            let &[number] = tree.members(summary) else {
                panic!("seed {seed}: a group at theta 0");
            };
            let point = &points[number as usize];
            assert_eq!((summary.at, summary.weight), (point.at, point.weight));
            assert!(!std::mem::replace(&mut seen[number as usize], true));
        }
    }
}

#[test]
fn every_point_is_in_one_summary_which_is_what_its_members_add_up_to() {
    let seed = 42;
    let mut dice = Dice(seed);
    let (mut out, mut groups, mut inside) = (Vec::new(), 0, 0);
    for round in 0..400 {
        let count = dice.below(600);
        let points = points(&mut dice, count);
        let tree = tree(&points, 1 + dice.below(12) as u32);
        let eye = eye(&mut dice);
        let theta = [0.3, 0.5, 1.5, 40.0][round % 4];
        let radius = if round % 2 == 0 {
            None
        } else {
            Some(dice.unit() as f32 * 600.0)
        };
        match radius {
            None => tree.summarize(eye, theta, &mut out),
            Some(radius) => tree.summarize_beyond(eye, theta, radius, &mut out),
        }
        let mut seen = vec![false; points.len()];
        for summary in &out {
            let members = tree.members(summary);
            let (mut weight, mut low, mut high) = (0.0, [f32::MAX; 2], [f32::MIN; 2]);
            for number in members {
                let point = points[*number as usize];
                assert!(
                    !std::mem::replace(&mut seen[*number as usize], true),
                    "twice"
                );
                weight += f64::from(point.weight);
                for axis in 0..2 {
                    low[axis] = low[axis].min(point.at[axis]);
                    high[axis] = high[axis].max(point.at[axis]);
                }
            }
            assert!(
                (weight - f64::from(summary.weight)).abs() < 1e-3,
                "seed {seed}"
            );
            for axis in 0..2 {
                let among = low[axis] - 1e-3..=high[axis] + 1e-3;
                assert!(
                    among.contains(&summary.at[axis]),
                    "seed {seed}, round {round}"
                );
            }
            if let &[number] = members {
                let point = points[number as usize];
                assert_eq!((summary.at, summary.weight), (point.at, point.weight));
            } else {
                groups += 1;
                let holds = (0..2).all(|axis| (low[axis]..=high[axis]).contains(&eye[axis]));
                assert!(!holds, "seed {seed}: the viewer stands in a group");
                let wide = (high[0] - low[0]).max(high[1] - low[1]);
                let (dx, dy) = (summary.at[0] - eye[0], summary.at[1] - eye[1]);
                assert!(
                    wide <= theta * (dx * dx + dy * dy).sqrt() + 1e-2,
                    "seed {seed}"
                );
            }
        }
        for (point, seen) in points.iter().zip(seen) {
            let (dx, dy) = (point.at[0] - eye[0], point.at[1] - eye[1]);
            let near = radius.is_some_and(|radius| dx * dx + dy * dy <= radius * radius);
            assert_eq!(seen, !near, "seed {seed}, round {round}: {radius:?}");
            inside += u32::from(near);
        }
    }
    assert!(groups > 1_000 && inside > 1_000, "{groups} {inside}");
}

#[test]
fn few_stand_for_many_and_their_pull_is_near_that_of_all() {
    let seed = 43;
    let mut dice = Dice(seed);
    let points: Vec<_> = (0..3_000)
        .map(|_| WeightedPoint {
            at: CENTER.map(|c| c + (dice.unit() as f32 - 0.5) * SIZE),
            weight: 1.0,
        })
        .collect();
    let tree = tree(&points, 10);
    let pull = |all: &[Summary], eye: [f32; 2]| {
        let mut sum = [0.0f64; 2];
        for one in all {
            let [dx, dy] = [0, 1].map(|axis| f64::from(one.at[axis] - eye[axis]));
            let apart = dx * dx + dy * dy + 400.0;
            for (sum, d) in sum.iter_mut().zip([dx, dy]) {
                *sum += f64::from(one.weight) * d / (apart * apart.sqrt());
            }
        }
        sum
    };
    let (mut exact, mut few) = (Vec::new(), Vec::new());
    let mut last = 0.0;
    for (theta, most, error) in [(0.0, 3_000, 1e-12), (0.3, 900, 0.01), (0.5, 500, 0.03)] {
        let mut worst = 0.0f64;
        for n in 0..20 {
            let eye = [0, 1].map(|axis| CENTER[axis] + (n * 37 % 100) as f32 * 8.0 - 400.0);
            tree.summarize(eye, 0.0, &mut exact);
            tree.summarize(eye, theta, &mut few);
            assert!(few.len() <= most, "theta {theta}: {}", few.len());
            let (a, b) = (pull(&exact, eye), pull(&few, eye));
            let [dx, dy] = [a[0] - b[0], a[1] - b[1]];
            let size = (a[0] * a[0] + a[1] * a[1]).sqrt().max(0.01);
            worst = worst.max((dx * dx + dy * dy).sqrt() / size);
        }
        assert!((last..=error).contains(&worst), "theta {theta}: {worst}");
        last = worst;
    }
}

#[test]
fn the_cells_are_the_worlds_and_not_the_crowds() {
    // Two groups in opposite corners; a third point drifts far out. Fitted, the cells move and with them the groups.
    let mut points: Vec<_> = (0..8)
        .map(|n| WeightedPoint {
            at: [10.0 + (n % 4) as f32 * 90.0, 10.0 + (n / 4) as f32 * 90.0],
            weight: 1.0,
        })
        .collect();
    let groups = |points: &[WeightedPoint], fitted: bool| {
        let (mut tree, mut out) = (AggregateTree::new(), Vec::new());
        if fitted {
            tree.build(points);
        } else {
            tree.build_in(points, [500.0; 2], 1_000.0, 10);
        }
        tree.summarize([900.0; 2], 0.3, &mut out);
        let mut groups: Vec<Vec<u32>> = out
            .iter()
            .map(|summary| tree.members(summary).to_vec())
            .collect();
        groups.retain(|group| !group.contains(&8));
        groups.sort();
        groups
    };
    points.push(WeightedPoint {
        at: [950.0, 950.0],
        weight: 1.0,
    });
    let before = [false, true].map(|fitted| groups(&points, fitted));
    points[8].at = [1_700.0, 1_900.0];
    let after = [false, true].map(|fitted| groups(&points, fitted));
    assert!(before[0].iter().any(|group| group.len() > 1));
    assert_eq!(before[0], after[0]);
    assert_ne!(before[1], after[1]);
}

#[test]
fn points_that_are_none_are_left_out_and_one_place_is_no_trouble() {
    let (mut tree, mut out) = (AggregateTree::new(), Vec::new());
    let at = |x: f32, weight: f32| WeightedPoint {
        at: [x, 5.0],
        weight,
    };
    tree.build(&[at(f32::NAN, 1.0), at(f32::INFINITY, 1.0), at(1.0, f32::NAN)]);
    tree.summarize([0.0; 2], 0.5, &mut out);
    assert!(out.is_empty() && tree.is_empty());
    tree.build(&[at(3.0, 2.0); 500]);
    for (theta, parts) in [(0.0, 500), (0.5, 1)] {
        tree.summarize([100.0, 5.0], theta, &mut out);
        assert_eq!(out.len(), parts);
        assert_eq!(out.iter().map(|one| one.weight).sum::<f32>(), 1_000.0);
        assert!(out.iter().all(|one| one.at == [3.0, 5.0]));
    }
    // Half of it against the other half: the weight is nothing, the place is still a place.
    tree.build(&[at(1.0, 2.0), at(1.0, -2.0), at(1.0, 0.0)]);
    tree.summarize([100.0, 5.0], 0.5, &mut out);
    assert_eq!(
        (out.len(), out[0].weight, out[0].at, out[0].count),
        (1, 0.0, [1.0, 5.0], 3)
    );
    tree.build(&[at(1.0, 0.0), at(1.0, 0.0)]);
    tree.summarize([100.0, 5.0], 0.5, &mut out);
    assert_eq!(
        (out[0].weight, out[0].at, out[0].count),
        (0.0, [1.0, 5.0], 2)
    );
}

#[test]
fn it_is_built_in_the_memory_that_it_has() {
    let mut dice = Dice(44);
    let all = points(&mut dice, 900);
    let mut tree = tree(&all, 10);
    tree.build_in(&all, CENTER, SIZE, 10);
    let memory = |tree: &AggregateTree| {
        let mut keys = [tree.keys.as_ptr(), tree.spare.as_ptr()];
        keys.sort();
        (
            tree.nodes.as_ptr(),
            tree.members.as_ptr(),
            tree.sorted.as_ptr(),
            keys,
        )
    };
    let before = memory(&tree);
    for count in [10, 900, 0, 500] {
        tree.build_in(&all[..count], CENTER, SIZE, 10);
        assert_eq!(memory(&tree), before);
        assert_eq!(tree.len(), count);
    }
}
