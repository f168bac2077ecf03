"""Who meets whom, on which seats, in which sittings. Pure."""
