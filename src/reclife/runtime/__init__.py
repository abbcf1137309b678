"""What a run stands on: Java and Spark, run identity and completion records, seeds, progress."""
