"""One grammar for every short text: `NAME:word,key=value:NESTED` is the shell's notation of a frozen record.

Door: `record.Record`, the base of records, whose fields define the text and whose `readers` the valid words, and
`record.RecordKind`, which finds the record of a text in the registry of its kind.
"""
