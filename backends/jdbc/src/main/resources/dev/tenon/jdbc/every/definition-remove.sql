-- Removes the definition of a name; the caller has locked its row.
DELETE FROM tenon_definition WHERE name = :name
