"""The words themselves: language, parts of speech, names, clauses."""
