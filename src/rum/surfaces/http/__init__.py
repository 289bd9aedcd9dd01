"""MCP over HTTP: `rum serve`. Needs the extra `server`; nothing else imports this package."""
