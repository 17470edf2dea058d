-- Which numbered script was run last; fails if none was.
SELECT MAX(version) FROM tenon_schema
