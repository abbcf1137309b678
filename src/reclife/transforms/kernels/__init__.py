"""What features are computed with: keys, times, histories and exact sums, in numpy."""
