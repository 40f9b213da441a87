"""What models of an opponent know, how well they predict, and what it costs when they are wrong.

Door: `coverage.coverage`, `prediction.predict`, `misread.misread`.
"""
