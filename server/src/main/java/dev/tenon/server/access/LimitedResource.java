package dev.tenon.server.access;

import dev.tenon.server.problem.ProblemType;

/** What a server has only so much room for. */
public enum LimitedResource {
    SESSIONS(
            "sessions",
            "--max-sessions",
            ProblemType.TOO_MANY_SESSIONS,
            "sessions are open here; end those that are not needed (DELETE /v1/sessions/ID)"),
    WAITERS(
            "waiters",
            "--max-waiters",
            ProblemType.TOO_MANY_WAITERS,
            "requests wait here; ask again when some of them have ended"),
    LOCKS(
            "locks",
            "--max-locks",
            ProblemType.TOO_MANY_LOCKS,
            "locks are held or waited for here; release those that are not needed"),
    TRANSACTIONS(
            "transactions",
            "--max-transactions",
            ProblemType.TOO_MANY_TRANSACTIONS,
            "transactions are open; begin others when some of them have ended"),
    DEFINITIONS(
            "definitions",
            "--max-definitions",
            ProblemType.TOO_MANY_DEFINITIONS,
            "names of IDs, sequences and worker groups are in use; use one of them"),
    /** Bytes of everything. */
    STATE(
            "state",
            "--max-state-size",
            ProblemType.TOO_MUCH_STATE,
            "bytes of memory are taken; end or take away what is not needed any more");

    private final String label;
    private final String option;
    private final ProblemType problem;
    private final String what;

    LimitedResource(String label, String option, ProblemType problem, String what) {
        this.label = label;
        this.option = option;
        this.problem = problem;
        this.what = what;
    }

    /** Its name in metrics. */
    public String label() {
        return label;
    }

    /** The option that says how much there may be in all; that for one key has {@code -per-key} behind it. */
    public String option() {
        return option;
    }

    /** What a request is told that is one too many. */
    public ProblemType problem() {
        return problem;
    }

    /** What there are too many of, and what to do. */
    public String what() {
        return what;
    }
}
