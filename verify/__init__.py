"""How we know: neighbours, decisions, audits, controls, the ledger, certificates and the command line.

A claim is decided by enumerating every neighbouring pair of datasets; a refutation comes with its witness.
"""

if not __name__.startswith("exactdp."):
    raise ImportError(f"import exactdp.verify, not {__name__}: this folder is part of the package exactdp")
