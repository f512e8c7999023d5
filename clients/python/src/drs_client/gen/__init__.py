"""Generated from the definitions in proto/; not to be edited."""
