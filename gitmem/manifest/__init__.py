"""Changed sets: which files of a worktree are new, different or gone."""
