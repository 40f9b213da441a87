"""Long work in independent pieces: what is done is kept, in this process or in several.

`run_work` carries out a `Work`; a `WorkRecord` keeps every result under its key as soon as it is there; an `Executor` says
where the pieces are computed.
"""
