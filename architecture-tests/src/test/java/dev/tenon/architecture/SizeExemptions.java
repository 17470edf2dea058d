package dev.tenon.architecture;

import dev.tenon.architecture.SizeRules.Exemptions;
import java.util.Map;

/** What is larger than {@link SizeRules} allow, and why. */
final class SizeExemptions {
    private static final String STATEMENTS = "its SQL statements, one a field, as they stand in its files";
    private static final String DOCUMENT = "a document of the API: its keys are the columns of a page";
    private static final String TO_BE_ONE_ENGINE = "the engine of locks replaces it: a wait as one state machine";
    private static final String SHORTHAND =
            "the first components of the record, in their order; the others have defaults";

    static final Exemptions ALL = new Exemptions(files(), fields(), components(), constructors());

    private SizeExemptions() {}

    private static Map<String, String> files() {
        return Map.of(
                "testkit/src/main/java/dev/tenon/testkit/LockScript.java",
                "one run: it draws a step, does it on both sides, and compares them");
    }

    private static Map<String, String> fields() {
        return Map.ofEntries(
                Map.entry(
                        "dev.tenon.id.LeasedWorkerId",
                        "one lease: its terms, what is held, and why the last call failed"),
                Map.entry("dev.tenon.id.Padding", "nothing but room, so that two counters are on two cache lines"),
                Map.entry(
                        "dev.tenon.id.SegmentBuffer", "one buffer: a segment in use, one being fetched, and its pace"),
                Map.entry("dev.tenon.id.SlotClaims", "the terms of a claim, and the calls whose answers were lost"),
                Map.entry("dev.tenon.id.WorkerId.Builder", "a builder has a field for each option"),
                Map.entry("dev.tenon.lock.Lease", "one lease: what the store said of it, and who is told of its loss"),
                Map.entry("dev.tenon.lock.Locks", TO_BE_ONE_ENGINE),
                Map.entry("dev.tenon.server.locks.LockService", TO_BE_ONE_ENGINE),
                Map.entry(
                        "dev.tenon.tx.engine.TransactionExecutor",
                        "its pools, what each of them has under way, and who waits for that"),
                Map.entry("dev.tenon.tx.message.Relay", "one pass with its threads, its results and its wake-ups"),
                Map.entry("dev.tenon.jdbc.JdbcBackend", "the backend: it owns each of its stores"),
                Map.entry("dev.tenon.jdbc.JdbcOutboxStore", STATEMENTS),
                Map.entry("dev.tenon.jdbc.KillQueryBell", STATEMENTS + ", and the two connections of a listener"),
                Map.entry("dev.tenon.jdbc.TransactionCalls", STATEMENTS),
                Map.entry("dev.tenon.raft.RatisLog", "the log: who waits for which entry, and who watches its node"),
                Map.entry(
                        "dev.tenon.raft.RatisNode", "the node: it owns Ratis' server, its clients and their watchers"),
                Map.entry(
                        "dev.tenon.server.Node", "the composition root: it owns what it starts, and ends it in order"),
                Map.entry(
                        "dev.tenon.server.grpc.CallContext",
                        "one call: its request, its answer, and how far each has come"),
                Map.entry("dev.tenon.testkit.FaultProxy", "the faults of a proxy, each of which is a switch"),
                Map.entry(
                        "dev.tenon.testkit.LockScript",
                        "a script, its model and its store, which are compared at each step"),
                Map.entry("dev.tenon.testkit.duplicates.HuntRun", "one simulated world: all that a step may change"));
    }

    private static Map<String, String> components() {
        return Map.of(
                "dev.tenon.tx.spi.OutboxMessage", "a message as its table has it: a component for each column",
                "dev.tenon.server.http.OutboxDocuments.MessageDocument", DOCUMENT,
                "dev.tenon.server.http.TransactionDocuments.TransactionDocument", DOCUMENT);
    }

    private static Map<String, String> constructors() {
        return Map.of(
                "dev.tenon.id.PagedSequence",
                "its limits are a value that is checked as a whole",
                "dev.tenon.id.spi.WorkerClaim",
                SHORTHAND,
                "dev.tenon.lock.spi.Acquire",
                SHORTHAND,
                "dev.tenon.tx.message.OutboxOptions",
                SHORTHAND,
                "dev.tenon.redis.RedisWorkerIdSource",
                "its Lua scripts, each a file of its own, which are read together",
                "dev.tenon.jdbc.JdbcLockStore",
                "a facade: the calls, the listing and the sessions are classes of their own",
                "dev.tenon.server.http.HttpFront",
                "what is served, beside how: paths of the API, and of the page",
                "dev.tenon.server.locks.LockWait",
                TO_BE_ONE_ENGINE);
    }
}
