package dev.tenon.client;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** When servers are killed while a suite runs over three of them ({@link LeaderKills}). */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface LeaderDies {
    /** The test that has no leader when it begins. */
    String during();

    /**
     * Whether it is the server which the first client uses that leads, and is killed while the test runs. Each call of
     * that test is one that is repeated when nobody knows what became of it.
     */
    boolean serving() default false;

    /** The test before which, once more, the server is killed that the first client uses, its sessions being open. */
    String servingOneBefore() default "";
}
