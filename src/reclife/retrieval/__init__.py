"""Retrievers, candidate source, seen-item policy and top-K: numpy and scipy only."""
