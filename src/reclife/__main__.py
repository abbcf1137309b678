"""`python -m reclife`: the command line without an installed script."""

from reclife.cli import main

if __name__ == "__main__":
    main()
