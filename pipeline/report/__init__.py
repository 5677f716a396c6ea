"""The report: one self-contained page that shows what happened in a conversation, and why."""

from pipeline.report.build import REPORT_NAME, build_report

__all__ = ["REPORT_NAME", "build_report"]
