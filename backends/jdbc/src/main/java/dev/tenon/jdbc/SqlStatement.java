package dev.tenon.jdbc;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The statements that Tenon runs in a database, each with its named parameters ({@code :name}) and what it must do. A
 * dialect gives the text ({@link SqlDialect#source}); for most there is a common one, in {@code dev/tenon/jdbc/every}
 * of the jar. "Counts" is the update count, "returns" a result set with columns of these names. "A row as of" another
 * statement has its columns. Times and durations are numbers of microseconds, unless it says otherwise. Rows are those
 * of the tables that {@link SqlDialect#schema} makes. Immutable.
 */
public enum SqlStatement {
    /** The number of the last schema script that was run: one row, one number. Fails if no table of Tenon is there. */
    SCHEMA_VERSION(Need.COMMON, ""),
    /**
     * A script, which ends each statement with a semicolon at the end of a line: makes {@code t_id_builder_config}
     * unless it is there.
     */
    ID_BUILDER(Need.OWN, ""),
    /**
     * Sets the isolation of the next transaction to READ COMMITTED, where the default makes claims wait for each other.
     */
    ISOLATION(Need.OPTIONAL, ""),
    /**
     * What {@code {begin}} stands for in {@link #TX_BEGIN} and {@link #TX_WRITE}: begins a transaction and rolls it
     * back on an error.
     */
    BEGIN(Need.OPTIONAL, ""),
    /**
     * One lock: its row with {@code now_at} and {@code fence}, the least token of a new row. Always one row, without a
     * name if none is.
     */
    LOCK_READ(Need.COMMON, "name"),
    /**
     * As {@link #LOCK_READ} for up to a hundred names; those not needed are empty. One row without a name if none is
     * there.
     */
    LOCK_READ_MANY(Need.COMMON, "n0-99"),
    /** Begins the row of a lock. Fails on its key if there is one. */
    LOCK_INSERT(
            Need.COMMON,
            "name token holderRequest holderSession holderOwner heldSince heldUntil waited handedTo now waiters more"),
    /**
     * Writes the row of a lock whose version and token are as they were read. Counts one row, or none if another was
     * faster.
     */
    LOCK_WRITE(
            Need.COMMON,
            "token holderRequest holderSession holderOwner heldSince heldUntil waited handedTo now waiters more name version before"),
    /**
     * Extends a lease that is not over. Counts one row, or none if the token is not the holder's or the row is not a
     * plain one.
     */
    LOCK_RENEW(Need.COMMON, "lease name token"),
    /** A page of locks in the order of the names' UTF-8 bytes: rows as of {@link #LOCK_READ}, free ones included. */
    LOCK_LIST(Need.COMMON, "prefix after count"),
    /** Rows as of {@link #LOCK_READ} of locks that are not used, and were not touched for so many microseconds. */
    LOCK_IDLE(Need.COMMON, "idle"),
    /** Deletes the row of a lock whose version is as it was read. Counts one row, or none. */
    LOCK_DELETE(Need.COMMON, "name version fence"),
    /**
     * Acquires a free lock, or queues, at once. Returns the row as it then is; leaves it unchanged where it is not a
     * plain one.
     */
    LOCK_ACQUIRE(Need.OPTIONAL, "name request session owner lease wait"),
    /**
     * Acquires all of these free locks, or none, at once; {@code asked} has a line of name, request, owner and lease
     * for each. Returns the rows.
     */
    LOCK_ACQUIRE_ALL(Need.OPTIONAL, "asked session n0-99?"),
    /**
     * Releases a lock, or hands it to the head of its queue and wakes that process, at once. Returns {@code done} and
     * the row.
     */
    LOCK_RELEASE(Need.OPTIONAL, "claim channel name token"),
    /**
     * As {@link #LOCK_WRITE}, and wakes those in {@code told}, in the same round trip. Returns {@code written}, 1 or 0.
     */
    LOCK_WRITE_TELL(
            Need.OPTIONAL,
            "token holderRequest holderSession holderOwner heldSince heldUntil waited handedTo now waiters more name version before told"),
    /** Raises that token, never lowers it. Counts one row. */
    FENCE_RAISE(Need.COMMON, "token"),
    /**
     * Shows a token to a resource in the caller's transaction, and locks its row. Returns the greatest that was ever
     * shown.
     */
    GUARD_RAISE(Need.OWN, "resource token"),
    /**
     * Instead of {@link #GUARD_RAISE}: does so and gives the greatest as the generated key; what drivers don't give
     * back is then asked by {@link #GUARD_LOCK}.
     */
    GUARD_WRITE(GUARD_RAISE, "resource token"),
    /** The greatest token that was committed for a resource, with its row locked: one row, one number. */
    GUARD_LOCK(Need.COMMON, "resource"),
    /**
     * A sequence: {@code start_value}, {@code step_size}, {@code max_value}, {@code last_given}, {@code given}; no row
     * if it was never defined.
     */
    RANGE_READ(Need.COMMON, "name"),
    /** As {@link #RANGE_READ}, with the row locked until the end of the transaction. */
    RANGE_LOCK(Need.COMMON, "name"),
    /** Begins a sequence. Fails on its key if there is one. */
    RANGE_INSERT(Need.COMMON, "name start step max last"),
    /** Moves a sequence on from what was read. Counts one row, or none if another was faster. */
    RANGE_WRITE(Need.COMMON, "last name before"),
    /**
     * Takes the next numbers at once. Returns the row as of {@link #RANGE_READ} after that, with {@code given}, 0 if
     * none was left.
     */
    RANGE_NEXT(Need.OPTIONAL, "count name"),
    /**
     * Takes one number in the caller's transaction and gives it as the generated key. Counts one row, or none where it
     * can't.
     */
    RANGE_TAKE(Need.OPTIONAL, "name"),
    /**
     * A group of worker IDs, with {@code incarnation_now} and {@code now_at}. Always one row, without a layout if there
     * is none.
     */
    WORKER_GROUP(Need.COMMON, "name"),
    /** Begins a group. Fails on its key if there is one. */
    WORKER_GROUP_INSERT(Need.COMMON, "name layout capacity settledAt longestLease"),
    /**
     * Notes the incarnation and the time from which a group gives worker IDs. Counts one row, or none if another was
     * faster.
     */
    WORKER_GROUP_SETTLE(
            Need.COMMON, "settledAt longestLease name incarnationBefore settledAtBefore longestLeaseBefore"),
    /** Every slot of a group that was ever claimed, by worker ID, each with {@code now_at}. */
    WORKER_SLOTS(Need.COMMON, "name"),
    /** Claims a slot for the first time. Fails on a key if the slot was claimed, or the request has one. */
    WORKER_INSERT(Need.COMMON, "name worker claim request owner since leaseEnd floor fence"),
    /** Claims a slot that is as it was read. Counts one row, or none if another was faster. */
    WORKER_CLAIM(Need.COMMON, "claim request owner since leaseEnd floor fence name worker claimBefore leaseEndBefore"),
    /** Frees the name of a request whose lease is over, so that it may claim another slot. */
    WORKER_FORGET(Need.COMMON, "name request now"),
    /** Extends a claim that is not over, in milliseconds, and moves its fence forward. Counts one row, or none. */
    WORKER_RENEW(Need.COMMON, "lease fence name worker claim"),
    /** Ends a claim and lowers its fence to what was used. Counts one row, or none. */
    WORKER_RELEASE(Need.COMMON, "lastUsed name worker claim"),
    /** The definition of an ID: one text, or no row. */
    DEFINITION_READ(Need.COMMON, "name"),
    /** Names and definitions of all IDs, in any order. */
    DEFINITION_LIST(Need.COMMON, ""),
    /** As {@link #DEFINITION_READ}, with the row locked until the end of the transaction. */
    DEFINITION_LOCK(Need.COMMON, "name"),
    /** Adds a definition. Fails on its key if the name has one. */
    DEFINITION_INSERT(Need.COMMON, "name text"),
    /** Replaces a definition. Counts one row. */
    DEFINITION_REPLACE(Need.COMMON, "text name"),
    /** Deletes a definition. Counts one row. */
    DEFINITION_REMOVE(Need.COMMON, "name"),
    /** All rows of {@code t_id_builder_config}, by {@code id}. */
    BUILDER_LIST(Need.COMMON, ""),
    /** One row of it, or none. */
    BUILDER_READ(Need.COMMON, "code"),
    /** As {@link #BUILDER_READ}, with the row locked until the end of the transaction. */
    BUILDER_LOCK(Need.COMMON, "code"),
    /** Moves a code on from the version that was read. Counts one row, or none if another was faster. */
    BUILDER_WRITE(Need.COMMON, "threshold versionAfter code version"),
    /**
     * Adds a call in the caller's transaction, waiting for one that does the same. Returns {@code written_by}, {@code
     * repeats} (0: new), {@code result}.
     */
    BARRIER_INSERT(Need.OWN, "gid branch operation by"),
    /**
     * Instead of {@link #BARRIER_INSERT}: adds a call, or counts it. Counts one row if it is new; else {@link
     * #BARRIER_READ} is asked.
     */
    BARRIER_WRITE(BARRIER_INSERT, "gid branch operation by"),
    /** A call as it was last committed: {@code written_by}, {@code repeats}, {@code result}; its row is locked. */
    BARRIER_READ(Need.COMMON, "gid branch operation"),
    /** Keeps the result of a call. Counts one row. */
    BARRIER_RESULT(Need.COMMON, "result gid branch operation"),
    /** Keys of calls of long ago, the oldest first, locked; those that another transaction has locked are left out. */
    BARRIER_PURGE_LOCK(Need.COMMON, "age limit"),
    /** Deletes a call. */
    BARRIER_DELETE(Need.COMMON, "gid branch operation"),
    /** The time, {@code {clock}}: one row, one number. */
    TX_NOW(Need.COMMON, ""),
    /** Begins a transaction. Fails on its key if there is one. */
    TX_INSERT(Need.COMMON, "gid kind service name state owner deadline lease parent retry digest payload"),
    /**
     * Begins a transaction with its branches (JSON) at once. Returns what {@link #TX_CREATED} does; no row if there is
     * one of that ID.
     */
    TX_BEGIN(Need.OPTIONAL, "gid kind service name state owner deadline lease parent retry digest payload branches"),
    /** When a transaction began, its deadline, and when it is due. */
    TX_CREATED(Need.COMMON, "gid"),
    /** A transaction with its branches, one row a branch, the payload in the first; no row if there is none. */
    TX_FIND(Need.COMMON, "gid"),
    /** Writes a transaction whose version is as it was read. Counts one row, or none if another was faster. */
    TX_UPDATE(Need.COMMON, "state suspended failing stuck epoch owner deadline due claim ends retry gid version"),
    /**
     * As {@link #TX_UPDATE} with branches and events (JSON) at once. Returns when it ended; no row if another was
     * faster.
     */
    TX_WRITE(
            Need.OPTIONAL,
            "state suspended failing stuck epoch owner deadline due claim retry ends gid version changed put size events had? repeatable?"),
    /** When a transaction ended: one row, one number or null. */
    TX_ENDED(Need.COMMON, "gid"),
    /** Deletes a transaction. */
    TX_DELETE(Need.COMMON, "gid"),
    /** Adds a branch. */
    TX_BRANCH_INSERT(Need.COMMON, "gid position name state attempts due result error pivot after targets payload"),
    /** Writes the state of a branch. Counts one row. */
    TX_BRANCH_WRITE(Need.COMMON, "state attempts due result error gid position"),
    /** Deletes the branches from a position on. */
    TX_BRANCH_DELETE(Need.COMMON, "gid first"),
    /** Adds an event to the history of a transaction. */
    TX_EVENT_INSERT(Need.COMMON, "gid version position at what actor detail"),
    /** Deletes the history of a transaction. */
    TX_EVENT_DELETE(Need.COMMON, "gid"),
    /** The events of a transaction, oldest first. */
    TX_HISTORY(Need.COMMON, "gid"),
    /** A page of transactions, the newest first, rows as of {@link #TX_FIND}. */
    TX_LIST(Need.COMMON, "at after from until state kind services service prefix beyond error limit"),
    /** As {@link #TX_LIST}, of those that wait for an operator or are reported as stuck. */
    TX_LIST_STUCK(Need.COMMON, "at after from until state kind services service prefix beyond error limit"),
    /** Whether a transaction of a service is due: a row or none. */
    TX_DUE(Need.COMMON, "service"),
    /** Transactions that are due, the longest first, locked; those that another transaction has locked are left out. */
    TX_CLAIM_LOCK(Need.COMMON, "service limit look?"),
    /** Gives a locked transaction to its claimant. Counts one row. */
    TX_CLAIM_WRITE(Need.COMMON, "owner until gid"),
    /** The branches of what was claimed, in a later snapshot than its lock. */
    TX_CLAIM_BRANCHES(Need.COMMON, "service until owner"),
    /** IDs of transactions that ended long ago, locked; those that another transaction has locked are left out. */
    TX_PURGE_LOCK(Need.COMMON, "retention limit"),
    /** As {@link #TX_PURGE_LOCK}, of one service. */
    TX_PURGE_SERVICE_LOCK(Need.COMMON, "service retention limit"),
    /** Adds a message, due at once or claimed until its lease is over. */
    OUTBOX_INSERT(Need.COMMON, "outbox lane lease claim message target key type headers body"),
    /** As {@link #OUTBOX_INSERT}, and commits, in one round trip. */
    OUTBOX_COMMIT(Need.OPTIONAL, "outbox lane lease claim message target key type headers body"),
    /** Messages that are due, locked; those that another transaction has locked are left out. */
    OUTBOX_DUE(Need.COMMON, "outbox limit look?"),
    /** Gives a locked message to its claimant until the lease is over. */
    OUTBOX_CLAIM(Need.COMMON, "lease id"),
    /** Marks a message of a claim as sent. Counts one row, or none if the claim is over. */
    OUTBOX_SENT(Need.COMMON, "id claim"),
    /** Deletes a message of a claim that was sent. Counts one row, or none. */
    OUTBOX_REMOVE(Need.COMMON, "id claim"),
    /** Puts a message of a claim off, with a line in its history. Counts one row, or none. */
    OUTBOX_AGAIN(Need.COMMON, "pause uncounted line id claim"),
    /** Makes a message of a claim a dead letter. Counts one row, or none. */
    OUTBOX_DEAD(Need.COMMON, "line id claim"),
    /** Takes a claim back that was not used. Counts one row, or none. */
    OUTBOX_UNTRIED(Need.COMMON, "pause behind id claim"),
    /** Dead letters after a number, in the order of numbers. */
    OUTBOX_DEAD_LIST(Need.COMMON, "outbox after limit"),
    /** One message, or none. */
    OUTBOX_FIND(Need.COMMON, "id outbox"),
    /** Makes a dead letter due. Counts one row, or none. */
    OUTBOX_REPLAY(Need.COMMON, "line id outbox"),
    /** Discards a dead letter. Counts one row, or none. */
    OUTBOX_DISCARD(Need.COMMON, "line id outbox"),
    /** For how many microseconds the first message has been due: one row or none. */
    OUTBOX_LAG(Need.COMMON, "outbox"),
    /** Numbers of messages that were sent, or discarded, long ago. */
    OUTBOX_PURGE_LIST(Need.COMMON, "outbox closed age limit"),
    /** Deletes such a message. */
    OUTBOX_PURGE(Need.COMMON, "id"),
    /**
     * The first fifty messages of up to twenty lanes, and whether each could be claimed; lanes not needed are empty.
     */
    OUTBOX_HEADS(Need.COMMON, "n0-19"),
    /**
     * Messages by number that are behind others, locked; those that another transaction has locked are left out. 0: not
     * needed.
     */
    OUTBOX_RUN(Need.COMMON, "n0-99"),
    /**
     * Numbers of messages to stand behind, locked; those that another transaction has locked are left out. 0: not
     * needed.
     */
    OUTBOX_HOLD(Need.COMMON, "n0-19"),
    /** Puts a message off behind another, or touches it. */
    OUTBOX_BEHIND(Need.COMMON, "off pause id"),
    /** The first message of up to twenty lanes, locked, with {@code due}, 1 or 0; lanes not needed are empty. */
    OUTBOX_FIRST(Need.COMMON, "n0-19"),
    /** Makes the first message of a lane due that was behind another. */
    OUTBOX_FREE(Need.COMMON, "id"),
    /** Messages that fail for long or are dead and hold their lane, the longest first. */
    OUTBOX_STUCK(Need.COMMON, "outbox since after attempts age limit"),
    /** Up to twenty lanes with the number of their messages, counted up to 1001. */
    OUTBOX_WAITING(Need.COMMON, "n0-19"),
    /** The next name of an outbox that has messages, or no row. */
    OUTBOX_NAME(Need.COMMON, "after"),
    /** {@code late}, {@code waiting}, {@code dead} and {@code died} of an outbox, counted up to a limit: one row. */
    OUTBOX_SUMMARY(Need.COMMON, "outbox limit"),
    /** Number, lane and target of messages that are due, the longest first. */
    OUTBOX_SEEN_DUE(Need.COMMON, "outbox limit"),
    /** Number, lane and target of messages that are due later, the next first. */
    OUTBOX_SEEN_LATER(Need.COMMON, "outbox limit"),
    /** Number, lane and target of dead letters, the oldest first. */
    OUTBOX_SEEN_DEAD(Need.COMMON, "outbox limit"),
    /** The first message of up to twenty lanes, without its body. */
    OUTBOX_LANE_HEADS(Need.COMMON, "n0-19"),
    /** The place (0 to 19) of each lane with the number of its messages, counted up to a limit. */
    OUTBOX_LANE_COUNTS(Need.COMMON, "n0-19 limit"),
    /** A page of the messages of a lane, without bodies. */
    OUTBOX_LANE_LIST(Need.COMMON, "lane after limit"),
    /** A page of dead letters, without bodies; an empty target, key or type means any. */
    OUTBOX_DEAD_PAGE(Need.COMMON, "outbox after target key type limit"),
    /** One message, without its body, or no row. */
    OUTBOX_SHOW(Need.COMMON, "id"),
    /** The first 4096 bytes of a body as {@code head}, its {@code size} and the headers, or no row. */
    OUTBOX_CONTENT(Need.COMMON, "id"),
    /** Adds what a statement of a branch did. */
    UNDO_INSERT(Need.COMMON, "gid branch number kind target before after"),
    /** What a branch did, the last first. */
    UNDO_READ(Need.COMMON, "gid branch"),
    /** Deletes what a branch did. */
    UNDO_DELETE(Need.COMMON, "gid branch"),
    /** Deletes what a transaction did. */
    UNDO_RELEASE(Need.COMMON, "gid"),
    /**
     * Locks rows for a transaction, but those that are locked; {@code {each}…{end}} stands once for each row. Counts
     * those locked.
     */
    ROW_LOCK_INSERT(Need.COMMON, "row gid branch about"),
    /**
     * Whose rows they are, as of now: {@code row_key} and {@code gid}; {@code {each}…{end}} stands once for each row.
     */
    ROW_LOCK_READ(Need.COMMON, "row"),
    /** Unlocks the rows of a branch. */
    ROW_LOCK_DELETE(Need.COMMON, "gid branch"),
    /** Unlocks the rows of a transaction. */
    ROW_LOCK_RELEASE(Need.COMMON, "gid");

    /** Who has the text of a statement. */
    public enum Need {
        /** There is a common text; a dialect may have its own. */
        COMMON,
        /** Each dialect has its own. */
        OWN,
        /** A dialect may have it. It saves round trips or waits; without it, Tenon runs other statements. */
        OPTIONAL
    }

    private final Need need;
    private final @Nullable SqlStatement alternative;
    private final SqlParameters parameters;

    SqlStatement(Need need, String parameters) {
        this.need = need;
        this.alternative = null;
        this.parameters = SqlParameters.of(parameters);
    }

    SqlStatement(SqlStatement alternative, String parameters) {
        this.need = Need.OPTIONAL;
        this.alternative = alternative;
        this.parameters = SqlParameters.of(parameters);
    }

    /** Who has its text. */
    public Need need() {
        return need;
    }

    /** The statement that a dialect with this one need not have; empty for most. */
    public Optional<SqlStatement> insteadOf() {
        return Optional.ofNullable(alternative);
    }

    /**
     * The names of the parameters that its text must have, each once or more. A few texts of Tenon's own have others
     * besides.
     */
    public List<String> parameters() {
        return parameters.required();
    }

    /** The name of its file, in a folder of such: {@code lock-read.sql} for {@link #LOCK_READ}. */
    public String file() {
        return id() + ".sql";
    }

    String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    SqlParameters allParameters() {
        return parameters;
    }
}
