-- The tables that inherit from one; partitions are no such.
SELECT heir.relname
  FROM pg_catalog.pg_inherits i
  JOIN pg_catalog.pg_class parent ON parent.oid = i.inhparent
  JOIN pg_catalog.pg_namespace n ON n.oid = parent.relnamespace
  JOIN pg_catalog.pg_class heir ON heir.oid = i.inhrelid
 WHERE n.nspname = :schema AND parent.relname = :table AND parent.relkind = 'r'
