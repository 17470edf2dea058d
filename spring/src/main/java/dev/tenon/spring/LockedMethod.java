package dev.tenon.spring;

import java.time.Duration;
import org.springframework.expression.Expression;

/**
 * A method with {@link Locked}, read.
 *
 * @param label for messages and metrics: {@code Stock.sell}
 * @param key the lock's name
 * @param waitAtMost how long to wait for it; zero: not at all
 */
record LockedMethod(String label, Expression key, Duration waitAtMost) {}
