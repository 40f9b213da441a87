"""One grammar for every short text: `NAME:word,key=value:NESTED` is the shell's notation of a frozen record.

Door: `kind.RecordKind`, which finds the record of a text in the registry of its kind, and `record.Record`, their base.

A record declares by its fields how it is read and written (`record`), its fields' readers say what a word must be
(`readers`), and a `Kind` finds the record of a name in the one registry of its kind (`kind`).
"""
