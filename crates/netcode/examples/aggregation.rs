//! Between all and nothing: the far crowd in a few stand-ins, `cargo run -p afterimage-netcode --example aggregation`.
//!
//! First a crowd that is drawn: each player hears of everybody within 620 units one by one, and of the rest in summary. Then a
//! field that is computed with: 64 bodies pull, and what is left out or summed up shows as an error of the pull.

use afterimage_netcode::interest::{AggregateTree, Summary, WeightedPoint};

const WORLD: f32 = 4_000.0;
const HEARD: f32 = 620.0;
/// What is less than so many is not worth a stand-in.
const FEWEST: u32 = 10;

pub(crate) fn main() {
    let mut dice = Dice(11);
    let mut scattered = |count: usize, heaviest: f32| -> Vec<WeightedPoint> {
        (0..count)
            .map(|_| WeightedPoint {
                at: [dice.unit() * WORLD, dice.unit() * WORLD],
                weight: 1.0 + dice.unit() * (heaviest - 1.0),
            })
            .collect()
    };
    let (crowd, holes) = (scattered(3_000, 1.0), scattered(64, 20.0));
    let viewers: Vec<_> = scattered(32, 1.0).iter().map(|point| point.at).collect();

    println!("crowd of {}: theta  stand-ins  covered  extra", crowd.len());
    let (mut far, mut out) = (Vec::new(), Vec::new());
    for theta in [0.5, 1.0, 1.5, 2.0] {
        let (mut told, mut covered, mut beyond, mut near) = (0, 0, 0, 0);
        for eye in &viewers {
            // Whoever is heard one by one is no part of it. `summarize_beyond` asks one tree for all viewers instead: cheaper, and
            // with more stand-ins, for it splits every cell at the rim.
            far.clear();
            far.extend(crowd.iter().filter(|one| apart(one.at, *eye) > HEARD));
            near += crowd.len() - far.len();
            beyond += far.len();
            tree(&far).summarize(*eye, theta, &mut out);
            out.retain(|one| one.count >= FEWEST);
            told += out.len();
            covered += out.iter().map(|one| one.count as usize).sum::<usize>();
        }
        // A neighbour takes 8 bytes 20 times a second; a stand-in 6 bytes, 4 times a second.
        let extra = 100.0 * (told * 6 * 4) as f64 / (near * 8 * 20) as f64;
        let [told, share] = [told as f64 / 32.0, 100.0 * covered as f64 / beyond as f64];
        println!("{theta:22.1} {told:10.1} {share:7.1} % {extra:5.1} %");
        assert!(share > 90.0, "a few cover nearly all");
    }

    println!(
        "field of {}: mode       told  error of the pull",
        holes.len()
    );
    let exact = told(&holes, &viewers, 0.0);
    let culled: Vec<Vec<Summary>> = exact
        .iter()
        .zip(&viewers)
        .map(|(all, eye)| {
            let near = all.iter().filter(|one| apart(one.at, *eye) <= HEARD * 2.0);
            near.copied().collect()
        })
        .collect();
    let row = |mode: &str, lists: &[Vec<Summary>]| {
        let mut errors: Vec<f32> = (lists.iter().zip(&exact).zip(&viewers))
            .map(|((few, all), eye)| {
                let (a, b) = (pull(all, *eye), pull(few, *eye));
                apart(a, b) / apart(a, [0.0; 2])
            })
            .collect();
        errors.sort_by(f32::total_cmp);
        let (median, count) = (
            100.0 * errors[16],
            lists.iter().map(Vec::len).sum::<usize>(),
        );
        println!("{mode:>22} {:9.1} {median:9.1} %", count as f32 / 32.0);
        median
    };
    let without = row("culled at 1,240", &culled);
    let summed =
        [0.3, 0.5, 0.8].map(|theta| row(&format!("theta {theta}"), &told(&holes, &viewers, theta)));
    assert!(
        summed[0] < 5.0 && summed[1] < without,
        "what is far still pulls"
    );
}

fn tree(points: &[WeightedPoint]) -> AggregateTree {
    let mut tree = AggregateTree::new();
    tree.build_in(points, [WORLD / 2.0; 2], WORLD, 10);
    tree
}

fn told(points: &[WeightedPoint], viewers: &[[f32; 2]], theta: f32) -> Vec<Vec<Summary>> {
    let tree = tree(points);
    let list = |eye: &[f32; 2]| {
        let mut out = Vec::new();
        tree.summarize(*eye, theta, &mut out);
        out
    };
    viewers.iter().map(list).collect()
}

/// Gravity at a place, softened near a body.
fn pull(bodies: &[Summary], eye: [f32; 2]) -> [f32; 2] {
    bodies.iter().fold([0.0; 2], |sum, body| {
        let [dx, dy] = [body.at[0] - eye[0], body.at[1] - eye[1]];
        let square = dx * dx + dy * dy + 2_500.0;
        let strength = 1e6 * body.weight / (square * square.sqrt());
        [sum[0] + dx * strength, sum[1] + dy * strength]
    })
}

fn apart(a: [f32; 2], b: [f32; 2]) -> f32 {
    let (dx, dy) = (a[0] - b[0], a[1] - b[1]);
    (dx * dx + dy * dy).sqrt()
}

struct Dice(u64);

impl Dice {
    fn unit(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }
}
