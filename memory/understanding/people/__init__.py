"""Who is spoken of: names, relatives, colleagues, pets."""
