"""What the paper says: exact numbers, laws, kernels, privacy, couplings, every numbered item as a predicate.

Nothing here runs an algorithm of the paper: an instance brings its kernels along.
"""

if not __name__.startswith("exactdp."):
    raise ImportError(f"import exactdp.spec, not {__name__}: this folder is part of the package exactdp")
