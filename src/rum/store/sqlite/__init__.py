"""The SQLite backend; `store.SqliteStore` is its front, `lookup` its light part."""
