-- One sequence, held until the end of the transaction.
SELECT start_value, step_size, max_value, last_given, given FROM tenon_range WHERE name = :name FOR UPDATE
