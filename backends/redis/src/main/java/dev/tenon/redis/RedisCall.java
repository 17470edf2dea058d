package dev.tenon.redis;

import java.util.List;

/**
 * One run of a script.
 *
 * @param script what to run
 * @param keys its KEYS
 * @param arguments its ARGV
 */
record RedisCall(RedisScript script, List<String> keys, List<String> arguments) {}
