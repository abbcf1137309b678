"""Classification, ranking and calibration metrics with intervals: numpy only, ties averaged."""
