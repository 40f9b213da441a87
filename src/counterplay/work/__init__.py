"""Long work in independent pieces: what is done is kept, in this process or in several.

Door: `run_work.run_work` carries out a `work.Work`; a `work_record.WorkRecord` keeps every result under its key as soon as
it is there; an `executor.Executor` says where the pieces are computed.
"""
