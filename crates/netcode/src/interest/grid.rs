//! Where everything is, in cells: who is near a place, without a look at the whole world.

use crate::bits::Bits;

/// Which cell of a bounded plane a place is in.
///
/// Places out of the bounds, and those that are no number, count to the cells at the border. So the grid is correct for any
/// world, and fast for one that mostly keeps inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridQuantizer {
    min: [f32; 2],
    size: [usize; 2],
    cell: f32,
    per_unit: f32,
    /// How far rounding may put a place from its cell, and a little: what is nearer to an edge counts to both sides.
    slack: f32,
}

impl GridQuantizer {
    /// Cells a grid has at most. A few megabytes of starts, far above what pays: some points a cell are best.
    pub const MOST_CELLS: usize = 1 << 20;

    /// Square cells of width `cell` over the plane from `min` to `max`. Where that would be more than
    /// [`MOST_CELLS`](Self::MOST_CELLS), they are made twice as wide until it is not.
    ///
    /// # Panics
    /// Where the cell is not positive, or the bounds are not finite and ascending.
    pub fn new(min: [f32; 2], max: [f32; 2], cell: f32) -> Self {
        let extent = [max[0] - min[0], max[1] - min[1]];
        assert!(
            cell > 0.0 && extent.iter().all(|e| e.is_finite() && *e >= 0.0),
            "a grid has cells of some width and bounds that ascend: {min:?} {max:?} {cell}"
        );
        let mut cell = cell;
        let count = |cell: f32| extent.map(|e| ((e / cell).ceil() as usize).max(1));
        let mut size = count(cell);
        while size[0].saturating_mul(size[1]) > Self::MOST_CELLS {
            cell *= 2.0;
            size = count(cell);
        }
        let reach = min
            .iter()
            .chain(&max)
            .fold(0.0, |far: f32, v| far.max(v.abs()));
        Self {
            min,
            size,
            cell,
            per_unit: 1.0 / cell,
            // A 32nd of a cell is ten times what the division loses at a million cells in a row; the rest is for worlds far out.
            slack: cell / 32.0 + reach * 8.0 * f32::EPSILON,
        }
    }

    /// Columns and rows.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// How wide a cell is, in world units.
    pub fn cell_width(&self) -> f32 {
        self.cell
    }

    /// Column and row of a place.
    pub fn cell(&self, at: [f32; 2]) -> [usize; 2] {
        [self.along(0, at[0]), self.along(1, at[1])]
    }

    /// The number of a place's cell, row by row.
    fn index(&self, at: [f32; 2]) -> usize {
        let [column, row] = self.cell(at);
        row * self.size[0] + column
    }

    fn along(&self, axis: usize, value: f32) -> usize {
        // The cast cuts at zero, and makes zero of what is no number.
        (((value - self.min[axis]) * self.per_unit) as usize).min(self.size[axis] - 1)
    }
}

/// The points of one tick sorted into cells, rebuilt each tick by a counting sort: two passes, no comparison, and no memory
/// once it has seen as many points.
///
/// Points of a row of cells lie in one piece, so a query is a few runs through memory: per row the part that its circle can
/// touch, of which the cells wholly inside are taken as they are. What a query gives comes row by row, and within a cell in
/// the order of [`rebuild`](Self::rebuild): the same on every machine.
///
/// Source: seed `003_6a8f128b2e325724.txt` (rebuilt each tick, keeps its capacity).
#[derive(Clone, Debug)]
pub struct SpatialGrid {
    quantizer: GridQuantizer,
    /// Where each cell's points begin, and behind the last the end.
    starts: Vec<u32>,
    points: Vec<Point>,
    /// As they came, with their cell.
    unsorted: Vec<(u32, Point)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Point {
    at: [f32; 2],
    id: u32,
}

/// Points of one row that a query has to look at: `first..last`, of which `inner` need no test.
struct Run {
    first: usize,
    last: usize,
    inner: std::ops::Range<usize>,
}

impl SpatialGrid {
    /// An empty grid. A cell a half to a quarter as wide as the usual radius is a good start.
    pub fn new(quantizer: GridQuantizer) -> Self {
        let [columns, rows] = quantizer.size();
        Self {
            quantizer,
            starts: vec![0; columns * rows + 1],
            points: Vec::new(),
            unsorted: Vec::new(),
        }
    }

    /// How it divides the plane.
    pub fn quantizer(&self) -> &GridQuantizer {
        &self.quantizer
    }

    /// Memory that a copy takes beyond the value itself, bytes.
    pub fn heap(&self) -> usize {
        size_of_val(self.starts.as_slice())
            + size_of_val(self.points.as_slice())
            + size_of_val(self.unsorted.as_slice())
    }

    /// How many points are in it.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether no point is in it.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Forgets the points of the tick before and takes those of this one: what they are called, and where they are. At most
    /// `u32::MAX` of them.
    pub fn rebuild(&mut self, points: impl IntoIterator<Item = (u32, [f32; 2])>) {
        self.starts.fill(0);
        self.unsorted.clear();
        let quantizer = self.quantizer;
        self.unsorted.extend(
            points
                .into_iter()
                .map(|(id, at)| (quantizer.index(at) as u32, Point { at, id })),
        );
        for (cell, _) in &self.unsorted {
            self.starts[*cell as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.points.resize(self.unsorted.len(), Point::default());
        // From the back, so that every end walks down to its beginning and equals keep their order.
        for (cell, point) in self.unsorted.iter().rev() {
            let start = &mut self.starts[*cell as usize];
            *start -= 1;
            self.points[*start as usize] = *point;
        }
    }

    /// Every point: what it is called and where it is.
    pub fn each(&self, mut found: impl FnMut(u32, [f32; 2])) {
        for point in &self.points {
            found(point.id, point.at);
        }
    }

    /// Calls `found` for every point at most `radius` from a place, with the square of its distance. Exactly those, by
    /// `dx² + dy² <= radius²` in `f32`; a radius below zero or none finds nothing.
    pub fn each_within(
        &self,
        at: [f32; 2],
        radius: f32,
        mut found: impl FnMut(u32, [f32; 2], f32),
    ) {
        let limit = radius * radius;
        self.each_run(at, radius, |run| {
            for point in &self.points[run.first..run.last] {
                let apart = point.apart(at);
                if apart <= limit {
                    found(point.id, point.at, apart);
                }
            }
        });
    }

    /// Puts the names of all points at most `radius` from a place into `out`, emptied before. Exactly those, as
    /// [`each_within`](Self::each_within).
    pub fn query_radius(&self, at: [f32; 2], radius: f32, out: &mut Vec<u32>) {
        out.clear();
        let limit = radius * radius;
        self.each_run(at, radius, |run| {
            self.test(run.first..run.inner.start, at, limit, out);
            out.extend(self.points[run.inner.clone()].iter().map(|point| point.id));
            self.test(run.inner.end..run.last, at, limit, out);
        });
    }

    /// Puts the slots of all points at most `radius` from a place into a set, beside what is in it: exactly those, each
    /// point's name being its slot.
    pub fn query_set(&self, at: [f32; 2], radius: f32, set: &mut Bits) {
        let limit = radius * radius;
        self.each_run(at, radius, |run| {
            for (place, point) in (run.first..).zip(&self.points[run.first..run.last]) {
                if run.inner.contains(&place) || point.apart(at) <= limit {
                    set.insert(point.id as usize);
                }
            }
        });
    }

    /// Puts the names of all points in the cells that the circle touches into `out`, emptied before: all that
    /// [`query_radius`](Self::query_radius) finds and some around, without a test of any.
    pub fn query_cells(&self, at: [f32; 2], radius: f32, out: &mut Vec<u32>) {
        out.clear();
        self.each_run(at, radius, |run| {
            out.extend(
                self.points[run.first..run.last]
                    .iter()
                    .map(|point| point.id),
            );
        });
    }

    /// Without a branch that chance would decide: at the rim of a circle every second point is outside.
    fn test(&self, places: std::ops::Range<usize>, at: [f32; 2], limit: f32, out: &mut Vec<u32>) {
        const BLOCK: usize = 64;
        for points in self.points[places].chunks(BLOCK) {
            let (mut inside, mut count) = ([0; BLOCK], 0);
            for point in points {
                inside[count % BLOCK] = point.id;
                count += usize::from(point.apart(at) <= limit);
            }
            out.extend_from_slice(&inside[..count]);
        }
    }

    /// The rows that a circle touches, and of each the points in the cells that it can reach.
    fn each_run(&self, at: [f32; 2], radius: f32, mut look: impl FnMut(Run)) {
        let quantizer = &self.quantizer;
        let [columns, rows] = quantizer.size;
        if radius.is_nan() || radius < 0.0 {
            return;
        }
        let slack = quantizer.slack + (at[0].abs() + at[1].abs() + radius) * 8.0 * f32::EPSILON;
        let edge = |axis: usize, at: usize| quantizer.min[axis] + at as f32 * quantizer.cell;
        let first = quantizer.along(1, at[1] - radius - slack);
        let last = quantizer.along(1, at[1] + radius + slack);
        let square = radius * radius;
        let half = |apart: f32| (square - apart * apart).max(0.0).sqrt();
        for row in first..=last {
            // What is out of the bounds stands in the rows at the border, however far.
            let below = if row == 0 {
                f32::INFINITY
            } else {
                at[1] - edge(1, row)
            };
            let above = if row == rows - 1 {
                f32::INFINITY
            } else {
                edge(1, row + 1) - at[1]
            };
            let nearest = (-below).max(-above).max(0.0);
            let wide = half((nearest - slack).max(0.0)) + slack;
            let reach = [at[0] - wide, at[0] + wide].map(|x| quantizer.along(0, x));
            let base = row * columns;
            let [first, last] = [reach[0], reach[1] + 1].map(|at| self.starts[base + at] as usize);
            let narrow = half(below.max(above) + slack) - slack;
            let mut inner = last..last;
            if narrow > 0.0 {
                let [from, to] = [at[0] - narrow, at[0] + narrow]
                    .map(|x| (x - quantizer.min[0]) * quantizer.per_unit);
                // Never the columns at the border, for the same reason.
                let from = (from.ceil().max(1.0) as usize).max(reach[0]);
                let to = (to.floor().max(0.0) as usize)
                    .min(columns - 1)
                    .min(reach[1] + 1);
                if from < to {
                    inner = self.starts[base + from] as usize..self.starts[base + to] as usize;
                }
            }
            look(Run { first, last, inner });
        }
    }
}

impl Point {
    fn apart(&self, at: [f32; 2]) -> f32 {
        let (dx, dy) = (self.at[0] - at[0], self.at[1] - at[1]);
        dx * dx + dy * dy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::fixture::Dice;

    fn between(dice: &mut Dice, from: f32, to: f32) -> f32 {
        from + dice.unit() as f32 * (to - from)
    }

    /// The points of a random world, some out of its bounds, and its grid.
    fn world(dice: &mut Dice) -> (Vec<(u32, [f32; 2])>, SpatialGrid) {
        let origin = [0.0, -1e4, 1e6][dice.below(3) as usize];
        let wide = between(dice, 1.0, 5_000.0);
        let cell = between(dice, wide / 100.0, wide * 2.0);
        let (min, max) = ([origin; 2], [origin + wide; 2]);
        let mut grid = SpatialGrid::new(GridQuantizer::new(min, max, cell));
        let count = dice.below(400) as u32;
        let points: Vec<_> = (0..count)
            .map(|id| {
                let out = if dice.below(10) == 0 { wide } else { 0.0 };
                let axis = |dice: &mut Dice| {
                    let free = between(dice, origin - out, origin + wide + out);
                    // On an edge as often as beside it.
                    let edge = origin + (free - origin).div_euclid(cell) * cell;
                    if dice.below(3) == 0 { edge } else { free }
                };
                (id * 3, [axis(dice), axis(dice)])
            })
            .collect();
        grid.rebuild(points.iter().copied());
        (points, grid)
    }

    #[test]
    fn a_query_finds_exactly_what_a_look_at_everything_finds() {
        let seed = 31;
        let mut dice = Dice(seed);
        let (mut out, mut around, mut most) = (Vec::new(), Vec::new(), 0);
        for round in 0..3_000 {
            let (points, grid) = world(&mut dice);
            let size = grid.quantizer.cell * grid.quantizer.size[0] as f32;
            let from = grid.quantizer.min[0];
            let mut at = [0; 2].map(|_| between(&mut dice, from - size, from + size * 2.0));
            let mut radius = between(&mut dice, 0.0, size);
            if let Some((_, place)) = points.first().filter(|_| round % 2 == 0) {
                // A point exactly on the rim, along an axis.
                at = [place[0] - radius, place[1]];
                radius = place[0] - at[0];
            }
            let mut brute = Vec::new();
            for &(id, place) in &points {
                let (dx, dy) = (place[0] - at[0], place[1] - at[1]);
                if radius >= 0.0 && dx * dx + dy * dy <= radius * radius {
                    brute.push(id);
                }
            }
            most = most.max(brute.len());
            let told = format!("seed {seed}, round {round}: {at:?} {radius}");
            grid.query_radius(at, radius, &mut out);
            out.sort_unstable();
            assert_eq!(out, brute, "{told}");
            let mut each = Vec::new();
            grid.each_within(at, radius, |id, _, _| each.push(id));
            each.sort_unstable();
            assert_eq!(each, brute, "{told}");
            let mut set = Bits::new(1_200);
            grid.query_set(at, radius, &mut set);
            assert!(set.iter().eq(brute.iter().map(|id| *id as usize)), "{told}");
            grid.query_cells(at, radius, &mut around);
            around.sort_unstable();
            assert!(
                brute.iter().all(|id| around.binary_search(id).is_ok()),
                "{told}"
            );
        }
        assert!(most > 100, "queries found something: {most}");
    }

    #[test]
    fn what_is_no_number_is_found_by_nobody_and_breaks_nothing() {
        let mut grid = SpatialGrid::new(GridQuantizer::new([0.0; 2], [100.0; 2], 10.0));
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        grid.rebuild([
            (1, [nan, 5.0]),
            (2, [5.0, nan]),
            (3, [inf, -inf]),
            (4, [50.0, 50.0]),
        ]);
        let mut out = Vec::new();
        grid.query_radius([50.0; 2], 1_000.0, &mut out);
        assert_eq!(out, [4]);
        for radius in [-1.0, nan] {
            grid.query_radius([50.0; 2], radius, &mut out);
            assert!(out.is_empty());
        }
        grid.query_radius([50.0; 2], 0.0, &mut out);
        assert_eq!(out, [4]);
        grid.query_radius([nan; 2], 10.0, &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn a_grid_too_fine_is_made_coarser() {
        let grid = GridQuantizer::new([0.0; 2], [1e6; 2], 1.0);
        let [columns, rows] = grid.size();
        assert!(columns * rows <= GridQuantizer::MOST_CELLS && grid.cell_width() == 1_024.0);
    }

    #[test]
    fn it_is_rebuilt_in_the_memory_that_it_has() {
        let mut grid = SpatialGrid::new(GridQuantizer::new([0.0; 2], [100.0; 2], 10.0));
        let mut dice = Dice(5);
        let mut tick = |grid: &mut SpatialGrid, count: u32| {
            let places: [[f32; 2]; 50] =
                std::array::from_fn(|_| [0; 2].map(|_| between(&mut dice, 0.0, 100.0)));
            grid.rebuild((0..count).zip(places));
            (
                grid.points.as_ptr(),
                grid.unsorted.as_ptr(),
                grid.starts.as_ptr(),
            )
        };
        let memory = tick(&mut grid, 50);
        for count in [3, 50, 0, 41] {
            assert_eq!(tick(&mut grid, count), memory);
            assert_eq!(grid.len(), count as usize);
        }
    }
}
