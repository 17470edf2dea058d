-- Takes the next numbers of a sequence: as many as were asked for, or those that are left. given 0: none was left.
-- A name that was never defined begins with 1, 2, 3, … Assignments run from left to right.
INSERT INTO tenon_range (name, start_value, step_size, max_value, last_given, given)
VALUES (:name, 1, 1, 9223372036854775807, :count, :count)
ON DUPLICATE KEY UPDATE
  given = IF(last_given > max_value - step_size, 0,
             LEAST(VALUES(given) - 1, (max_value - (last_given + step_size)) DIV step_size) + 1),
  last_given = last_given + step_size * given
RETURNING start_value, step_size, max_value, last_given, given
