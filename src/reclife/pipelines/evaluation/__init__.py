"""The evaluation stage: the frozen model and its baselines on the test part."""
