"""Commands on spots of hold'em: solve and look, compare, walk, report over flops."""
