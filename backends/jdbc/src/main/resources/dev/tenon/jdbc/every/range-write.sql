-- Moves a sequence on, unless somebody has moved it since it was read.
UPDATE tenon_range SET last_given = :last WHERE name = :name AND last_given = :before
