package dev.tenon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method runs under the exclusive lock of this name, over all processes on the store, or not at all.
 *
 * <p>Not acquired in time: {@link dev.tenon.lock.LockTimeoutException}, and the method has not run. A thread that holds
 * the lock by another such method goes on under it. With {@code @Transactional}, on the method or round it, the
 * transaction is committed before the lock is given back. A lease that is lost while the method runs stops the commit
 * of its transaction, where there is one, and ends in {@link dev.tenon.LeaseLostException}; what the method has already
 * done elsewhere is not undone: let that check the token ({@link CurrentLease}).
 *
 * <p>Works on methods that Spring can intercept: not private, final or static, nor in a final class (refused at the
 * start), and called from another bean. A method that returns before its work is done (a future, a publisher, a
 * {@code Callable}, a stream) is refused at the start.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Locked {
    /**
     * The lock's name, as a Spring expression over the arguments: {@code "'stock:' + #item"}. {@code #p0} is the first
     * argument; {@code @bean} a bean. A name of null, or of a value that has no text of its own, is refused when the
     * method is called.
     */
    String key();

    /**
     * How long to wait at most: {@code "5s"}, {@code "200ms"} or {@code "${a.key}"}; {@code "0s"} not at all.
     * {@code tenon.locks.wait-at-most} if empty.
     */
    String waitAtMost() default "";
}
