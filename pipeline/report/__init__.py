"""The report: one self-contained page that shows what happened in a conversation, and why."""

from pipeline.report.build import build_report

__all__ = ["build_report"]
