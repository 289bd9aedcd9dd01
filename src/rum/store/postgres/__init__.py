"""The store of teams: many projects in one PostgreSQL database."""
