package dev.tenon.tx.xa;

/** A listener of each step that a crash may come before or after. For tests, which crash there. */
@FunctionalInterface
interface Steps {
    /** No listener. */
    Steps NONE = step -> {};

    /**
     * The process is there now.
     *
     * @param step such as {@code "before prepare orders"}
     */
    void at(String step);

    /** What is done in a step. */
    @FunctionalInterface
    interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** What is done in a step that has no answer. */
    @FunctionalInterface
    interface Act<E extends Exception> {
        void run() throws E;
    }

    /** Does a step, with a word before and one after. */
    default <E extends Exception> void during(String step, Act<E> act) throws E {
        at("before " + step);
        act.run();
        at("after " + step);
    }

    /** Does a step that has an answer, with a word before and one after. */
    default <T, E extends Exception> T around(String step, Work<T, E> work) throws E {
        at("before " + step);
        T result = work.run();
        at("after " + step);
        return result;
    }
}
