"""Times against a clock: "tomorrow from ten to twelve", 下周五下午三点."""
