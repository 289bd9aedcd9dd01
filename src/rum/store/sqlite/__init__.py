"""The SQLite backend; `store.SqliteStore` is its front, `readonly` its light part."""
