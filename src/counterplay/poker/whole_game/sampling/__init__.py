"""Public chance sampling of whole games. Door: `public_sampling.PublicSampling`."""
