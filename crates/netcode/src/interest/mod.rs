//! Who hears of what: of a world of thousands only what concerns a viewer, how often, and the rest in summary.
//!
//! Each piece stands alone and knows no game. A tick goes like this:
//!
//! ```
//! use afterimage_netcode::Bits;
//! use afterimage_netcode::interest::{
//!     GridQuantizer, Relevance, Sight, SpatialGrid, Viewer, VisibilitySet,
//! };
//!
//! let mut grid = SpatialGrid::new(GridQuantizer::new([0.0; 2], [1000.0; 2], 64.0));
//! let mut heard = VisibilitySet::new(3);
//! let relevance = Relevance { sight: Sight::Radius { radius: 100.0, margin: 10.0 }, team: false };
//! let viewer = Viewer { at: [500.0, 500.0], facing: [1.0, 0.0] };
//! for place in [590.0, 605.0, 615.0] {
//!     // Once a tick, for everybody: where everything is.
//!     grid.rebuild([(0, [500.0, 480.0]), (1, [place, 500.0]), (2, [10.0, 10.0])]);
//!     // Once a viewer: what it hears, and what that changed.
//!     relevance.hear(&viewer, &grid, &Bits::new(3), &mut heard);
//!     assert_eq!(heard.now().contains(1), place < 610.0);
//! }
//! let mut left = Vec::new();
//! heard.each_left(|slot| left.push(slot));
//! assert_eq!(left, [1]);
//! ```

mod aggregate;
mod grid;
mod morton;
mod relevance;
mod tiers;
mod visibility;

pub use aggregate::{AggregateTree, Summary, WeightedPoint};
pub use grid::{GridQuantizer, SpatialGrid};
pub use morton::{morton2, morton3, unmorton2, unmorton3};
pub use relevance::{Relevance, Sight, Viewer};
pub use tiers::{Rota, Tier, Tiers};
pub use visibility::VisibilitySet;
