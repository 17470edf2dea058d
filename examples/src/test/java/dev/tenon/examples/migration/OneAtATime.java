package dev.tenon.examples.migration;

import java.util.function.LongConsumer;

/** What must not run twice at a time, in three releases of a program. */
interface OneAtATime {
    /** Under the old lock. */
    void before(Runnable work) throws Exception;

    /** Under the old lock and the new one. */
    void both(LongConsumer work) throws Exception;

    /** Under the new lock. */
    void after(LongConsumer work) throws Exception;
}
