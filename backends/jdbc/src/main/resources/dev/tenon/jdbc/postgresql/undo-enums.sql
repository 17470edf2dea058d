-- The columns of a table whose type is a domain over an enum, or over such a domain, with the enum. No operator takes such a domain.
WITH RECURSIVE base AS (
  SELECT a.attname, t.oid, t.typtype, t.typbasetype
    FROM pg_catalog.pg_attribute a
    JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
   WHERE n.nspname = :schema AND c.relname = :table AND a.attnum > 0 AND NOT a.attisdropped AND t.typtype = 'd'
  UNION ALL
  SELECT b.attname, t.oid, t.typtype, t.typbasetype
    FROM base b
    JOIN pg_catalog.pg_type t ON t.oid = b.typbasetype
   WHERE b.typtype = 'd'
)
SELECT attname, pg_catalog.format_type(oid, NULL) FROM base WHERE typtype = 'e'
