"""Kedro's project settings."""

from reclife.hooks import Conduct, Declarations, Engines

HOOKS = (Declarations(), Engines(), Conduct())
CONFIG_LOADER_ARGS = {
    "base_env": "base",
    "default_run_env": "local",
    "config_patterns": {
        "spark": ["spark*", "spark*/**"],
        "expectations": ["expectations/**"],
        "airflow": ["airflow*"],
    },
}
