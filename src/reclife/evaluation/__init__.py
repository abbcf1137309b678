"""How good a model is: on every event, in lists, by slice, beside baselines and other runs."""
