package dev.tenon.benchmarks;

/** A table of transactions that do the same. */
enum MeasuredTransactions {
    OUTBOX("outbox", 16, "A business commit with a message in it, PostgreSQL, 16 threads"),
    HANDLER("message to its handler", 1, "From the commit to the handler's call, PostgreSQL, 1 thread"),
    XA("XA", 4, "Two databases in one transaction, PostgreSQL and MariaDB, 4 threads"),
    LAST_RESOURCE("last resource", 4, "The same two, PostgreSQL without XA, 4 threads"),
    TCC("TCC", 4, "TCC of two branches, to its end, PostgreSQL, 4 threads"),
    SAGA("saga", 4, "A saga of three steps, to its end, PostgreSQL, 4 threads");

    private final String label;
    private final int threads;
    private final String title;

    MeasuredTransactions(String label, int threads, String title) {
        this.label = label;
        this.threads = threads;
        this.title = title;
    }

    String label() {
        return label;
    }

    int threads() {
        return threads;
    }

    String title() {
        return title;
    }
}
