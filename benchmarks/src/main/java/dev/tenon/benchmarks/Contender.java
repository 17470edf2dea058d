package dev.tenon.benchmarks;

/** What is measured beside others that do the same. Threads share it. */
interface Contender extends AutoCloseable {
    /** What the table calls it. */
    String title();

    /**
     * Does it once.
     *
     * @param name what to do it with
     * @return the time that counts, in nanoseconds
     */
    long once(String name) throws Exception;

    @Override
    void close();
}
