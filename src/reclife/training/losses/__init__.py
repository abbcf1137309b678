"""Losses: what is minimised, one file each; logits and labels are float32 throughout.

Losses over (positive, negatives) are plain functions that retrieval models call: `bpr`, `softmax`,
`sampled_softmax`, `gbce`. Their axes before the last are free (`...`): examples, or examples and
positions of a sequence. They return one loss for each positive; the caller averages.
"""
