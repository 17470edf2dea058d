package dev.tenon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs only in the process that leads, of all processes on the store; in the others a call does nothing.
 * Made for {@code @Scheduled} methods.
 *
 * <p>The first process that calls leads, until it ends or loses its lease; then the next that calls. A change of
 * leaders may let two processes run the method shortly after each other, or miss a time: it is no promise of exactly
 * one run. A leadership that is lost while the method runs stops the commit of its transaction, where there is one, and
 * ends in {@link dev.tenon.LeaseLostException}.
 *
 * <p>The method must return {@code void}, and be one that Spring can intercept: not private, final or static, nor in a
 * final class.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface LeaderOnly {
    /** The name of the election, which is that of its lock; {@code "${a.key}"} is replaced. */
    String value();
}
