"""Training of the retrievers that TensorFlow fits."""
