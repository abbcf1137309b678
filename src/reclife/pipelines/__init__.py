"""The stages: how each is wired; what they do lives in the packages below."""
