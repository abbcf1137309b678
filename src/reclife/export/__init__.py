"""Export: a model becomes an ONNX graph, is held against itself, and is packed into a bundle."""
