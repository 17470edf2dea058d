-- Gives a name another definition; the caller has locked its row.
UPDATE tenon_definition SET definition = :text WHERE name = :name
