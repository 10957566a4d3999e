"""The frozen values that cross stages, their vocabulary, errors and the trace."""
