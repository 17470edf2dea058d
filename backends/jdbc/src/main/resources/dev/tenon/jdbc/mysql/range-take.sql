-- Takes one number inside the user's transaction, if it is above 0 and there is one: it comes back as the last ID.
UPDATE tenon_range SET last_given = LAST_INSERT_ID(last_given + step_size)
WHERE name = :name AND last_given <= max_value - step_size AND last_given > -step_size
