-- Begins a sequence; fails on its key if somebody else has begun it.
INSERT INTO tenon_range (name, start_value, step_size, max_value, last_given, given)
VALUES (:name, :start, :step, :max, :last, 0)
