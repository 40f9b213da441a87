"""Options of the command line as records, and what is made of their texts.

Door: `option_records.takes_records`, which turns the fields of records into a command's options.
"""
