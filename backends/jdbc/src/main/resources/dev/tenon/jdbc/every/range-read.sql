-- One sequence as it is.
SELECT start_value, step_size, max_value, last_given, given FROM tenon_range WHERE name = :name
