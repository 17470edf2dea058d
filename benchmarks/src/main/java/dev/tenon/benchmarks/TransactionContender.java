package dev.tenon.benchmarks;

/**
 * A way to run a transaction.
 *
 * @param title what the table calls it
 * @param work does it once with an account, and answers the time that counts in nanoseconds
 * @param end what to close
 */
record TransactionContender(String title, Work work, Runnable end) implements Contender {
    /** Runs one transaction. */
    @FunctionalInterface
    interface Work {
        long once(int account) throws Exception;
    }

    /** Something all of whose time counts. */
    @FunctionalInterface
    interface Act {
        void run(int account) throws Exception;
    }

    /** All of its time counts. */
    static TransactionContender timed(String title, Act act, Runnable end) {
        return new TransactionContender(
                title,
                account -> {
                    long from = System.nanoTime();
                    act.run(account);
                    return System.nanoTime() - from;
                },
                end);
    }

    @Override
    public long once(String name) throws Exception {
        return work.once(Accounts.of(name));
    }

    @Override
    public void close() {
        end.run();
    }
}
