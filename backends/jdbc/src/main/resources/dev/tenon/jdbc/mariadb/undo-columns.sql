-- The columns of a table that the database computes. The driver does not know those that are hidden, too, nor when a version began.
SELECT column_name, 1 AS computed
  FROM information_schema.columns
 WHERE table_schema = :schema AND table_name = :table AND is_generated = 'ALWAYS'
