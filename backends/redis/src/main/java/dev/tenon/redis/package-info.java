/**
 * Locks, number ranges and worker IDs in a Redis that a team already runs. Start at
 * {@link dev.tenon.redis.RedisBackend}; what this backend guarantees, and what not, is in
 * {@code docs/backends/redis.md}.
 */
@NullMarked
package dev.tenon.redis;

import org.jspecify.annotations.NullMarked;
