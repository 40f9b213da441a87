"""Other doors to the page's requests: an MCP server for assistants (extra `counterplay[mcp]`).

Door: `assistant.make_assistant`.
"""
