"""Reports: one spot on many flops.

Door: `flop_report.FlopReport`, which is work in pieces; `flop_report.choose_flops` says on which flops.
"""
