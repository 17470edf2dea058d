-- The columns of a table that the database computes.
SELECT column_name, 1 AS computed
  FROM information_schema.columns
 WHERE table_schema = :schema AND table_name = :table AND generation_expression <> ''
