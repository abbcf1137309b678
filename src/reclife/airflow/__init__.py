"""Lifecycles as Airflow DAGs."""
