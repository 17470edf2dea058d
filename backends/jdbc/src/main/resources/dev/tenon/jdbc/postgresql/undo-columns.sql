-- The columns of a table that are not simply set: those that the database computes, and those that only an INSERT may set, and that
-- only if it says so.
SELECT column_name, CASE WHEN is_generated = 'ALWAYS' THEN 1 ELSE 0 END AS computed
  FROM information_schema.columns
 WHERE table_schema = :schema AND table_name = :table AND (is_generated = 'ALWAYS' OR identity_generation = 'ALWAYS')
