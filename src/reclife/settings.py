"""Kedro's project settings."""

from omegaconf.resolvers import oc

from reclife.hooks import Conduct, Declarations, Engines

HOOKS = (Declarations(), Engines(), Conduct())
CONFIG_LOADER_ARGS = {
    "base_env": "base",
    "default_run_env": "local",
    "custom_resolvers": {"oc.env": oc.env},
    "config_patterns": {
        "spark": ["spark*", "spark*/**"],
        "expectations": ["expectations/**"],
        "airflow": ["airflow*"],
    },
}
