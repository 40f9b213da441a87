"""Long work in independent pieces, in one process or several; finished results are kept.

Door: `run_work.run_work` carries out a `Work`; a `work_record.WorkRecord` keeps every result under its key as soon
as it is finished; an `Executor` computes the pieces.
"""
