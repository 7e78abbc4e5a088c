"""The subcommands about approved runs."""
