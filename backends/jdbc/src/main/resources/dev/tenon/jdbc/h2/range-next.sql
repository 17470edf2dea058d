-- Takes the next numbers of a sequence: as many as were asked for, or those that are left. given 0: none was left.
-- No row comes back for a name that was never defined: the caller begins it.
SELECT start_value, step_size, max_value, last_given, given FROM FINAL TABLE (
  UPDATE tenon_range
  SET given = CASE WHEN last_given > max_value - step_size THEN 0
                   ELSE LEAST(:count - 1, (max_value - (last_given + step_size)) / step_size) + 1 END,
      last_given = last_given + step_size * CASE WHEN last_given > max_value - step_size THEN 0
                   ELSE LEAST(:count - 1, (max_value - (last_given + step_size)) / step_size) + 1 END
  WHERE name = :name)
