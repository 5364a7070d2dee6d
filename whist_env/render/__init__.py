"""Pictures of a table: text, one SVG drawing, and its pixels."""
