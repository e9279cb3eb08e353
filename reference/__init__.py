"""What the paper does: its algorithms, and the mechanisms they need, in exact arithmetic.

Each algorithm is one ordinary function of its data and `draw`; it is sampled or enumerated, unchanged.
"""

if not __name__.startswith("exactdp."):
    raise ImportError(f"import exactdp.reference, not {__name__}: this folder is part of the package exactdp")
