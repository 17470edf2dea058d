package dev.tenon.redis;

import java.util.List;

/**
 * What a script has answered.
 *
 * @param values its answer
 * @param replicas how many replicas have what it wrote; 0 where nobody asked
 */
record RedisReply(List<Object> values, long replicas) {}
