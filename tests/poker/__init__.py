"""Cards, betting, ranges, spots of hold'em and Flop Hold'em."""
