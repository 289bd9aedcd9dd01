"""What tests share: builders, real parts to test against, and named fakes."""
