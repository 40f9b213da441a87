"""What commands print: JSON, facts, and tables of results, a kind per file. Door: `output.show_json`, `output.show_rows`."""
