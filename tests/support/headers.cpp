// Empty: a precompiled header must belong to a source.
