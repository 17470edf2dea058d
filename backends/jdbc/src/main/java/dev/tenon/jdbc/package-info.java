/**
 * Locks, ranges and worker IDs in a relational database: H2, MariaDB, PostgreSQL; MySQL with the plain statements only.
 * {@link dev.tenon.jdbc.JdbcBackend} is the way in. SQL lives in {@code *.sql} resources beside this package, one
 * folder a dialect and {@code common} for what all of them understand.
 */
@NullMarked
package dev.tenon.jdbc;

import org.jspecify.annotations.NullMarked;
