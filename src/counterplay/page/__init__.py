"""The web page, and the JSON over HTTP that it is made of (extra `counterplay[page]`).

Door: `server.serve`. Views are plain data, computed by the same functions as the command line's; a worker solves in a
process of its own, and a guard decides which requests are answered.
"""
