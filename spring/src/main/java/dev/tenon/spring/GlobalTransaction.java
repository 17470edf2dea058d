package dev.tenon.spring;

import dev.tenon.tx.global.GlobalPropagation;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method, or each public one of the class with those that it inherits, is a transaction over several databases and
 * services: local transactions of databases with automatic undo that are committed within it, branches of TCC, and
 * services that are called. It is committed when the method returns, and everything is undone when it throws what
 * {@code @Transactional} would roll back for.
 *
 * <p>Nesting, timeouts and reading are as with {@code @Transactional}: within one that is there the method takes part
 * in it; if that method throws, the whole can only be rolled back, and if its caller goes on all the same, the commit
 * fails with {@link dev.tenon.tx.TransactionAbortedException}. It is round {@code @Transactional} on the same method,
 * and can't begin inside a local transaction.
 *
 * <p>Works on methods that Spring can intercept: not private, final or static, nor in a final class (refused at the
 * start), and called from another bean. A method that returns before its work is done is refused at the start. Other
 * threads take part by {@link dev.tenon.tx.global.GlobalScope#wrap}.
 */
@Documented
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface GlobalTransaction {
    /** What becomes of a global transaction that is there, and what if there is none. */
    GlobalPropagation propagation() default GlobalPropagation.REQUIRED;

    /**
     * Until when it has to be committed; after that nothing is: {@code "10s"}, {@code "2m"} or {@code "${a.key}"}.
     * {@code tenon.transactions.timeout} if empty. Counts where it begins.
     */
    String timeout() default "";

    /** Begins no transaction, and refuses branches. */
    boolean readOnly() default false;

    /** What is rolled back for beside {@link RuntimeException} and {@link Error}. */
    Class<? extends Throwable>[] rollbackFor() default {};

    /** What is not rolled back for; of several classes that fit, the closest to what was thrown counts. */
    Class<? extends Throwable>[] noRollbackFor() default {};
}
