"""One grammar for every short text: `NAME:word,key=value:NESTED` is the shell's notation of a frozen record.

Door: `kind.RecordKind`, which finds the record of a text in the registry of its kind, and `record.Record`, their base.

The fields of a record define its text (`record`), their readers the valid words (`readers`), and a `Kind` finds the
record of a name in its registry (`kind`).
"""
