-- The definition of one name.
SELECT definition FROM tenon_definition WHERE name = :name
