//! The far crowd in a few stand-ins: what is dropped is resolution, and not the contribution.

use super::morton::{morton2, unmorton2};

/// Something with a weight at a place. The weight is whatever adds up: mass, heads, threat, noise; zero and below are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightedPoint {
    /// World units.
    pub at: [f32; 2],
    /// Any unit; that of the sum is the same.
    pub weight: f32,
}

/// One point, or what stands in for a group of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The point's own place to the bit, or the centroid of the group, each weighing what its weight is without a sign: so it
    /// lies among them whatever signs they have. Of a group that weighs nothing it is the middle of the places.
    pub at: [f32; 2],
    /// The sum of the weights, signs included. Where signs cancel out it may be zero, though the group is felt nearby: give
    /// such kinds trees of their own.
    pub weight: f32,
    /// How many points. One is the point itself, exact.
    pub count: u32,
    /// Where its points begin among all, in the order of the tree.
    first: u32,
}

/// A quadtree over weighted points (Barnes and Hut, Nature 324, 1986), built once a tick and asked once a viewer: what is far
/// comes in summary, what is near point by point.
///
/// A group is summed up where the width of its cell is below `theta` times the distance of its centroid. So `theta` 0 gives
/// every point, exactly and by the same walk; 0.3 to 0.5 serves a simulation, which makes an error of every approximation; a
/// picture is content with 1.5. A cell that the viewer stands in is never summed up, however large `theta` is: its weight would
/// fall on one point beside the viewer.
///
/// Built by sorting Morton keys: a group is a run of the sorted points, cells that hold the same points are one node, and
/// nodes lie in the order of the walk, each knowing the next one that is not below it. Nothing is allocated once it has
/// seen as many points. Places are finite; points that are not, or whose weight is not, are left out.
///
/// Source: seed `003_6a8f128b2e325724.txt`.
#[derive(Clone, Debug, Default)]
pub struct AggregateTree {
    /// In the order of the walk: each before its children.
    nodes: Vec<Node>,
    /// By key: the number of each point as it was given.
    members: Vec<u32>,
    /// By key as well.
    sorted: Vec<WeightedPoint>,
    /// Keys above, numbers below; the second is room for sorting.
    keys: Vec<u64>,
    spare: Vec<u64>,
    depth: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    at: [f32; 2],
    weight: f32,
    /// Its cell, and whatever of its points lies beyond.
    min: [f32; 2],
    width: f32,
    first: u32,
    count: u32,
    /// The next node that is not below this one.
    next: u32,
}

/// The plane that is divided.
#[derive(Clone, Copy)]
struct Bounds {
    min: [f32; 2],
    size: f32,
}

/// What is added up from the points of a node.
#[derive(Clone, Copy)]
struct Sums {
    /// Places by weight without a sign.
    pull: [f64; 2],
    pulled: f64,
    places: [f64; 2],
    weight: f64,
    min: [f32; 2],
    max: [f32; 2],
}

impl AggregateTree {
    /// The deepest that a tree can be: its cells are a 32,768th of the world wide.
    pub const DEEPEST: u32 = 15;

    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        size_of_val(self.nodes.as_slice())
            + size_of_val(self.members.as_slice())
            + size_of_val(self.sorted.as_slice())
            + size_of_val(self.keys.as_slice())
            + size_of_val(self.spare.as_slice())
    }

    /// Builds the tree over the square that holds all points, ten cells deep. One point that drifts outward moves every cell,
    /// and groups form anew for no reason of their own: where the world has bounds, prefer [`build_in`](Self::build_in).
    pub fn build(&mut self, points: &[WeightedPoint]) {
        let (mut min, mut max) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for point in points.iter().filter(|point| point.is_finite()) {
            for axis in 0..2 {
                min[axis] = min[axis].min(point.at[axis]);
                max[axis] = max[axis].max(point.at[axis]);
            }
        }
        let size = (max[0] - min[0]).max(max[1] - min[1]);
        let center = [0, 1].map(|axis| min[axis] + (max[axis] - min[axis]) / 2.0);
        let size = if size > 0.0 && size.is_finite() {
            size
        } else {
            1.0
        };
        self.build_in(points, center, size, 10);
    }

    /// Builds the tree over a square of the world, `size` wide around its `center`, with cells down to `depth` halvings (held
    /// to 1 to [`DEEPEST`](Self::DEEPEST)). Points beyond count to the cells at the border, which reach as far as they do.
    ///
    /// # Panics
    /// Where the size is not positive.
    pub fn build_in(&mut self, points: &[WeightedPoint], center: [f32; 2], size: f32, depth: u32) {
        assert!(size > 0.0, "a world has some width: {size}");
        let bounds = Bounds {
            min: center.map(|middle| middle - size / 2.0),
            size,
        };
        self.depth = depth.clamp(1, Self::DEEPEST);
        let cells = (1u32 << self.depth) as f32;
        let cell = |at: [f32; 2]| {
            [0, 1].map(|axis| {
                // The cast cuts at zero.
                ((at[axis] - bounds.min[axis]) / size * cells).min(cells - 1.0) as u32
            })
        };
        self.keys.clear();
        for (number, point) in (0u32..).zip(points).filter(|(_, point)| point.is_finite()) {
            let [column, row] = cell(point.at);
            self.keys
                .push(morton2(column, row) << 32 | u64::from(number));
        }
        self.sort();
        self.members.clear();
        self.members.extend(self.keys.iter().map(|key| *key as u32));
        self.sorted.clear();
        let sorted = self.members.iter().map(|number| points[*number as usize]);
        self.sorted.extend(sorted);
        self.nodes.clear();
        if !self.keys.is_empty() {
            self.grow(&bounds, 0, self.keys.len());
        }
    }

    /// How many points are in it.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether no point is in it.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Puts what a viewer at `eye` is told into `out`, emptied before: every point is in exactly one of the summaries.
    pub fn summarize(&self, eye: [f32; 2], theta: f32, out: &mut Vec<Summary>) {
        out.clear();
        self.walk(eye, theta, |_, _| Reach::Beyond, out);
    }

    /// The same of what is farther than `radius` from the viewer alone: whoever hears of its surroundings one by one is told
    /// the rest. No group has points on both sides, so along the rim stand many small ones: a picture may leave out those of a
    /// small [`count`](Summary::count).
    pub fn summarize_beyond(&self, eye: [f32; 2], theta: f32, radius: f32, out: &mut Vec<Summary>) {
        out.clear();
        let square = radius * radius;
        let reach = |min: [f32; 2], width: f32| {
            let (mut near, mut far) = (0.0, 0.0);
            for axis in 0..2 {
                let (below, above) = (min[axis] - eye[axis], eye[axis] - min[axis] - width);
                let (nearest, farthest) = (below.max(above).max(0.0), (-below).max(-above));
                near += nearest * nearest;
                far += farthest * farthest;
            }
            if far <= square {
                Reach::Within
            } else if near > square {
                Reach::Beyond
            } else {
                Reach::Across
            }
        };
        self.walk(eye, theta, reach, out);
    }

    /// The points of a summary, by their numbers in the list that the tree was built from.
    ///
    /// # Panics
    /// Where the summary is of another tree, or of what this one held before, and longer than this one.
    pub fn members(&self, summary: &Summary) -> &[u32] {
        &self.members[summary.first as usize..(summary.first + summary.count) as usize]
    }

    fn walk(
        &self,
        eye: [f32; 2],
        theta: f32,
        reach: impl Fn([f32; 2], f32) -> Reach,
        out: &mut Vec<Summary>,
    ) {
        let theta = theta.max(0.0);
        let square = theta * theta;
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let side = reach(node.min, node.width);
            let (dx, dy) = (eye[0] - node.at[0], eye[1] - node.at[1]);
            let far = node.width * node.width < square * (dx * dx + dy * dy);
            // One question for both, since chance decides each.
            let told = (node.count == 1) | far;
            if side == Reach::Within {
                at = node.next as usize;
            } else if told && side == Reach::Beyond && (node.count == 1 || !node.holds(eye)) {
                out.push(node.summary());
                at = node.next as usize;
            } else if node.next as usize > at + 1 {
                at += 1;
            } else {
                // As deep as it goes: point by point.
                let (first, count) = (node.first as usize, node.count as usize);
                for (number, point) in (node.first..).zip(&self.sorted[first..first + count]) {
                    if reach(point.at, 0.0) == Reach::Beyond {
                        out.push(point.summary(number));
                    }
                }
                at = node.next as usize;
            }
        }
    }

    /// By key, equals as they came: the numbers below the keys see to that.
    fn sort(&mut self) {
        /// Below it a comparison sort is faster than counting so many digits.
        const FEW: usize = 300;
        const DIGIT: u32 = 10;
        if self.keys.len() < FEW {
            self.keys.sort_unstable();
            return;
        }
        self.spare.resize(self.keys.len(), 0);
        for shift in (32..32 + 2 * self.depth).step_by(DIGIT as usize) {
            let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT) - 1);
            let mut ends = [0u32; 1 << DIGIT];
            for key in &self.keys {
                ends[digit(*key)] += 1;
            }
            let mut sum = 0;
            for end in &mut ends {
                sum += std::mem::replace(end, sum);
            }
            for key in &self.keys {
                let place = &mut ends[digit(*key)];
                self.spare[*place as usize] = *key;
                *place += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.spare);
        }
    }

    /// Adds the node of a run of the sorted points and all below it.
    fn grow(&mut self, bounds: &Bounds, first: usize, last: usize) -> Sums {
        let place = self.nodes.len();
        let mut node = Node {
            first: first as u32,
            count: (last - first) as u32,
            next: place as u32 + 1,
            at: self.sorted[first].at,
            weight: self.sorted[first].weight,
            min: self.sorted[first].at,
            width: 0.0,
        };
        self.nodes.push(node);
        if last - first == 1 {
            return Sums::of(&self.sorted[first]);
        }
        let key = |at: usize| (self.keys[at] >> 32) as u32;
        let differ = key(first) ^ key(last - 1);
        // Halvings until the ends of the run part; all of them where they never do.
        let left = (32 - differ.leading_zeros()).div_ceil(2);
        let (column, row) = unmorton2(u64::from(key(first)) >> (2 * left) << (2 * left));
        let unit = bounds.size / (1u32 << self.depth) as f32;
        let wide = unit * (1u32 << left) as f32;
        let corner = [column, row].map(|cells| cells as f32 * unit);
        let mut sums: Option<Sums> = None;
        if left == 0 {
            for point in &self.sorted[first..last] {
                Sums::add(&mut sums, &Sums::of(point));
            }
        } else {
            let shift = 32 + 2 * (left - 1);
            let mut from = first;
            while from < last {
                let digit = self.keys[from] >> shift;
                let run = &self.keys[from..last];
                let to = from + run.partition_point(|key| key >> shift == digit);
                let below = self.grow(bounds, from, to);
                Sums::add(&mut sums, &below);
                from = to;
            }
        }
        let sums = sums.expect("a run has points");
        node.at = sums.centroid(node.count);
        node.weight = sums.weight as f32;
        let mut far = [0.0f32; 2];
        for axis in 0..2 {
            let edge = bounds.min[axis] + corner[axis];
            node.min[axis] = edge.min(sums.min[axis]);
            far[axis] = (edge + wide).max(sums.max[axis]) - node.min[axis];
        }
        node.width = far[0].max(far[1]);
        node.next = self.nodes.len() as u32;
        self.nodes[place] = node;
        sums
    }
}

/// On which side of a circle around the viewer something lies.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    Within,
    Across,
    Beyond,
}

impl WeightedPoint {
    fn is_finite(&self) -> bool {
        self.at[0].is_finite() && self.at[1].is_finite() && self.weight.is_finite()
    }

    fn summary(&self, place: u32) -> Summary {
        Summary {
            at: self.at,
            weight: self.weight,
            count: 1,
            first: place,
        }
    }
}

impl Node {
    fn holds(&self, eye: [f32; 2]) -> bool {
        (0..2).all(|axis| (0.0..=self.width).contains(&(eye[axis] - self.min[axis])))
    }

    fn summary(&self) -> Summary {
        Summary {
            at: self.at,
            weight: self.weight,
            count: self.count,
            first: self.first,
        }
    }
}

impl Sums {
    fn of(point: &WeightedPoint) -> Self {
        let [x, y] = point.at.map(f64::from);
        let pulled = f64::from(point.weight.abs());
        Self {
            pull: [x * pulled, y * pulled],
            pulled,
            places: [x, y],
            weight: f64::from(point.weight),
            min: point.at,
            max: point.at,
        }
    }

    fn add(sums: &mut Option<Self>, more: &Self) {
        let Some(sums) = sums else {
            *sums = Some(*more);
            return;
        };
        sums.pulled += more.pulled;
        sums.weight += more.weight;
        for axis in 0..2 {
            sums.pull[axis] += more.pull[axis];
            sums.places[axis] += more.places[axis];
            sums.min[axis] = sums.min[axis].min(more.min[axis]);
            sums.max[axis] = sums.max[axis].max(more.max[axis]);
        }
    }

    fn centroid(&self, count: u32) -> [f32; 2] {
        if self.pulled > 0.0 {
            self.pull.map(|sum| (sum / self.pulled) as f32)
        } else {
            self.places.map(|sum| (sum / f64::from(count)) as f32)
        }
    }
}

#[cfg(test)]
mod tests;
