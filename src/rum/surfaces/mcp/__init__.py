"""The Model Context Protocol over stdio: `rum mcp`."""
