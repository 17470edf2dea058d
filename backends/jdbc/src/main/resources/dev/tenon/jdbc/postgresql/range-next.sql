-- Takes the next numbers of a sequence: as many as were asked for, or those that are left. given 0: none was left.
-- A name that was never defined begins with 1, 2, 3, …
INSERT INTO tenon_range AS r (name, start_value, step_size, max_value, last_given, given)
VALUES (:name, 1, 1, 9223372036854775807, :count, :count)
ON CONFLICT (name) DO UPDATE SET (given, last_given) = (
  SELECT n.given, r.last_given + r.step_size * n.given
  FROM (SELECT CASE WHEN r.last_given > r.max_value - r.step_size THEN 0
                    ELSE LEAST(excluded.given - 1, (r.max_value - (r.last_given + r.step_size)) / r.step_size) + 1
               END AS given) n)
RETURNING start_value, step_size, max_value, last_given, given
