"""Hearing: frames -> wake word -> end of speech -> transcript."""
