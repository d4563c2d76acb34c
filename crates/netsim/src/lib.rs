//! netsim
