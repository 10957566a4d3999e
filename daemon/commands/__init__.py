"""The command line: one module for each subcommand, or for a few that share their subject."""
