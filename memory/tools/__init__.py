"""Tools without a pipeline: what one is, whether arguments fit, what a result means, when a yes is a yes."""
