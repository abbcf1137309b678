"""Training of a ranking model: examples, sparse and dense updates, the loop, checkpoints."""
