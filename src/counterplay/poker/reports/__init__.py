"""Reports: one spot on many flops.

Door: `flop_report.FlopReport`, which is work in pieces; `flop_choice.choose_flops` says on which flops.
"""
