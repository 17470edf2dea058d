package dev.tenon.testkit.crash;

/**
 * A story that is told many times, each time in a world of its own (accounts, service name, outbox), so that runs do
 * not meet and can go on side by side: what a process does that is crashed, what a process does that recovers, and what
 * must be true. Everything that a process uses, it makes anew of the {@link CrashProcess} that it is given. Methods are
 * called by one thread at a time.
 */
public interface CrashScenario extends AutoCloseable {
    /** Makes scenarios. Thread-safe. */
    @FunctionalInterface
    interface Factory {
        /**
         * The scenario in a world; nothing is written yet.
         *
         * @param world its name: letters and digits, unique in one enumeration
         */
        CrashScenario open(String world) throws Exception;
    }

    /** One pass of recovery. */
    @FunctionalInterface
    interface Pass {
        /**
         * Does what is due.
         *
         * @return whether everything has ended
         * @throws Exception if it failed; the next pass tries again
         */
        boolean run() throws Exception;
    }

    /** Writes what is there at the beginning, such as accounts. Called once in a world, by no process that crashes. */
    void prepare() throws Exception;

    /** What the process does that is crashed, to its end. Its durable steps come in the same way in every world. */
    void act(CrashProcess process) throws Exception;

    /**
     * Another process of the same service, made after the first has ended.
     *
     * @return its recovery, which is run until everything has ended
     */
    Pass recovery(CrashProcess process) throws Exception;

    /**
     * What must be true at every moment: asked whenever a process has ended. Throws an {@link AssertionError} if it is
     * not.
     */
    default void checkAtAnyMoment() throws Exception {}

    /** What must be true when everything has ended. Throws an {@link AssertionError} if it is not. */
    void checkAtTheEnd() throws Exception;

    /** Lets go of what belongs to this scenario, and to no process. */
    @Override
    default void close() {}
}
