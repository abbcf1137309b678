"""Pieces that models are made of."""
