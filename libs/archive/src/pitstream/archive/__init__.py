"""Every event with its exact bytes, from wherever it is kept."""
