"""How the tasks of a training cluster come to life: processes here, Spark, or somebody else's."""
