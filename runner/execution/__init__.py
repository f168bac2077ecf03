"""Ways to have sittings played: in this process, or spread by Ray."""
