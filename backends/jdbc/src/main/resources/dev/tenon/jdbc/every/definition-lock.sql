-- The definition of one name, which nobody else changes until the transaction ends.
SELECT definition FROM tenon_definition WHERE name = :name FOR UPDATE
