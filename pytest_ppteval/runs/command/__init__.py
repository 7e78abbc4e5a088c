"""The subcommands about run directories."""
