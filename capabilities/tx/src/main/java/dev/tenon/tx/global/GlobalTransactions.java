package dev.tenon.tx.global;

import dev.tenon.TenonException;
import dev.tenon.tx.Participant;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.tcc.Tcc;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Global transactions that are bound to a thread: everything that takes part in one while {@link #call} runs, here or
 * in a service that is called meanwhile, is committed with it, or undone. Branches are databases with automatic undo,
 * participants of TCC and other services.
 *
 * <p>Each service has a log of its own. A service that is called is one branch of its caller's transaction, named
 * before the call; its own branches are in its own log, under an ID that is its caller's and the service's name, and
 * are decided when the caller's recovery tells it so (Gray and Reuter, "Transaction Processing", 1993: the tree of
 * commit). Thread-safe; calls block.
 */
public final class GlobalTransactions {
    /** Header, or metadata: the ID of the called service's part; it is sent back when that is done. */
    public static final String HEADER = "Tenon-Transaction";

    /** Where a service is told the decision over HTTP: below its address. */
    public static final String PATH = "/tenon/transactions";

    /** Under which name a service is told the decision over gRPC. */
    public static final String PARTICIPANT = "tenon-transactions";

    static final String AT = "at:";

    /**
     * How long a scope waits for what follows from its decision, so that the next transaction mostly finds the rows
     * free.
     */
    private static final Duration SETTLE = Duration.ofSeconds(1);

    private final Transactions transactions;
    private final GlobalScope scope;
    private final Tcc tcc;
    private final Map<String, AtResource> databases;
    private final Map<String, String> services;
    private final UnlistedAddresses unlisted = new UnlistedAddresses();

    private GlobalTransactions(
            Transactions transactions,
            GlobalScope scope,
            Tcc tcc,
            Map<String, AtResource> databases,
            Map<String, String> services) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        this.scope = Objects.requireNonNull(scope, "scope");
        this.tcc = Objects.requireNonNull(tcc, "tcc");
        this.databases = Map.copyOf(databases);
        this.services = new TreeMap<>(services);
        this.services.forEach(GlobalTransactions::requireService);
    }

    private static void requireService(String name, String address) {
        new TransactionId(name);
        if (name.indexOf(':') >= 0) {
            throw new IllegalArgumentException("The name of a service has no colon: \"" + name + "\"");
        }
        HttpTargets.within(List.of(address)); // says what is wrong with it
    }

    /**
     * Global transactions over a log.
     *
     * @param transactions that call the databases ({@link dev.tenon.tx.at.AtTransactions#participants}), the
     *     participants of {@code tcc}, and the addresses of the services
     * @param scope which transaction a thread is in
     * @param databases with automatic undo, by their names
     * @param services that may be called within a transaction, by their names: the addresses that they are called at,
     *     of {@code http}, {@code https}, {@code grpc} or {@code grpcs}, such as {@code http://stock:8080}. No other
     *     service hears of a transaction
     * @throws IllegalArgumentException if a service has no such name or address
     */
    public static GlobalTransactions over(
            Transactions transactions,
            GlobalScope scope,
            Tcc tcc,
            Map<String, AtResource> databases,
            Map<String, String> services) {
        return new GlobalTransactions(transactions, scope, tcc, databases, services);
    }

    /** What is done within a global transaction. */
    @FunctionalInterface
    public interface Work<T, E extends Throwable> {
        /** Does it. */
        T run() throws E;
    }

    /** Which transaction a thread is in. */
    public GlobalScope scope() {
        return scope;
    }

    /** As {@link #call(GlobalOptions, Predicate, Work)}; whatever is thrown rolls back. */
    public <T, E extends Throwable> T call(GlobalOptions options, Work<T, E> work) throws E {
        return call(options, failure -> true, work);
    }

    /**
     * Does the work in a global transaction, as the options say. The one that is begun for it is committed when the
     * work returns, or throws what does not roll back; work that takes part in one that was there decides nothing, but
     * can have it rolled back.
     *
     * @param rollsBack whether something that is thrown rolls back
     * @throws TransactionAbortedException in the place of a commit: if a scope within has failed, the timeout has
     *     passed, or a service has not answered; everything is undone
     * @throws IllegalStateException if there is no transaction and one is mandatory, or there is one that must not be
     * @throws dev.tenon.OutcomeUnknownException if it is not known whether it is committed: the log says it later
     */
    public <T, E extends Throwable> T call(GlobalOptions options, Predicate<Throwable> rollsBack, Work<T, E> work)
            throws E {
        GlobalScope.State here = scope.state();
        GlobalTransaction there = here.transaction();
        boolean inside = there != null || here.readOnly();
        return switch (options.propagation()) {
            case REQUIRED -> inside ? inner(options, rollsBack, work) : outer(options, rollsBack, work);
            case REQUIRES_NEW -> outer(options, rollsBack, work);
            case SUPPORTS -> inner(options, rollsBack, work);
            case NOT_SUPPORTED -> in(new GlobalScope.State(null, options.readOnly()), work);
            case MANDATORY -> {
                require(inside, options, "needs a global transaction, and there is none: call it within one");
                yield inner(options, rollsBack, work);
            }
            case NEVER -> {
                require(!inside, options, "must not be called within a global transaction, and there is one");
                yield in(new GlobalScope.State(null, options.readOnly()), work);
            }
        };
    }

    private static void require(boolean right, GlobalOptions options, String what) {
        if (!right) {
            throw new IllegalStateException((options.name().isEmpty() ? "This work" : options.name()) + " " + what);
        }
    }

    private <T, E extends Throwable> T in(GlobalScope.State state, Work<T, E> work) throws E {
        GlobalScope.State before = scope.enter(state);
        try {
            return work.run();
        } finally {
            scope.restore(before);
        }
    }

    private <T, E extends Throwable> T inner(GlobalOptions options, Predicate<Throwable> rollsBack, Work<T, E> work)
            throws E {
        GlobalScope.State here = scope.state();
        GlobalTransaction there = here.transaction();
        try {
            return in(new GlobalScope.State(there, here.readOnly() || options.readOnly()), work);
        } catch (Throwable failure) {
            if (there != null && rollsBack.test(failure)) {
                there.rollBackOnly(
                        (options.name().isEmpty() ? "work within it" : options.name()) + " has failed: " + failure);
            }
            throw failure;
        }
    }

    private <T, E extends Throwable> T outer(GlobalOptions options, Predicate<Throwable> rollsBack, Work<T, E> work)
            throws E {
        if (options.readOnly()) {
            return in(new GlobalScope.State(null, true), work);
        }
        GlobalTransaction begun = new GlobalTransaction(this, transactions.newId(), Optional.empty(), options);
        T result;
        try {
            result = in(new GlobalScope.State(begun, false), work);
        } catch (Throwable failure) {
            if (rollsBack.test(failure)) {
                rollBack(begun, failure);
            } else {
                commit(begun, failure);
            }
            throw failure;
        }
        begun.commit();
        return result;
    }

    private static void rollBack(GlobalTransaction begun, Throwable failure) {
        try {
            begun.rollBack(String.valueOf(failure));
        } catch (TenonException e) {
            failure.addSuppressed(e); // the deadline does what this could not
        }
    }

    /** An exception without rollback means "committed" to the caller; so that it is not committed is thrown first. */
    private static void commit(GlobalTransaction begun, Throwable failure) {
        try {
            begun.commit();
        } catch (TenonException e) {
            e.addSuppressed(failure);
            throw e;
        }
    }

    /** A request that is sent with {@link #HEADER}, or without it if {@code header} is null. */
    @FunctionalInterface
    public interface Sent<R, E extends Throwable> {
        /** Sends it, and waits for the response. */
        R send(@Nullable String header) throws E;
    }

    /**
     * Sends a request to an address, for any client of HTTP: within the transaction of this thread, if there is one and
     * the address is one of a service.
     *
     * @param address of the request
     * @param sent sends it
     * @param answer the value of {@link #HEADER} in a response; null if it has none
     */
    public <R, E extends Throwable> R exchange(String address, Sent<R, E> sent, Function<R, @Nullable String> answer)
            throws E {
        Optional<OutgoingCall> within = outgoing(address);
        if (within.isEmpty()) {
            return sent.send(null);
        }
        try (OutgoingCall call = within.get()) {
            R response = sent.send(call.header());
            call.answered(answer.apply(response));
            return response;
        }
    }

    /**
     * Begins a call of an address within the transaction of this thread: for clients that wait elsewhere. Empty if
     * there is no transaction, it is for reading, or the address is none of a service: of the last, a warning says so,
     * once for each host and port, up to a hundred.
     */
    public Optional<OutgoingCall> outgoing(String address) {
        Optional<GlobalTransaction> within = scope.isReadOnly() ? Optional.empty() : scope.current();
        if (within.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> service = serviceAt(address);
        if (service.isEmpty()) {
            unlisted.called(address, services.keySet());
        }
        return service.map(within.get()::outgoing);
    }

    /**
     * Takes part in a transaction that another service has begun.
     *
     * @param header what came as {@link #HEADER}
     * @throws IllegalArgumentException if it is not such an ID
     */
    public JoinedScope join(String header) {
        TransactionId part = new TransactionId(header);
        Optional<TransactionId> parent = parent(part);
        if (parent.isEmpty()) {
            throw new IllegalArgumentException(HEADER + " is the ID of a part of a transaction, gid:service");
        }
        return new JoinedScope(scope, new GlobalTransaction(this, part, parent, GlobalOptions.DEFAULT));
    }

    /**
     * The participant that is told, at {@link #PATH} or as {@link #PARTICIPANT}, the decisions of transactions that
     * this service takes part in.
     */
    public Participant participant() {
        return new GlobalParticipant(this);
    }

    /**
     * The service that an address belongs to, if it is one that may hear of transactions.
     *
     * @param address that is to be called, of {@code http} or {@code https}
     */
    public Optional<String> serviceAt(String address) {
        return services.entrySet().stream()
                .filter(service -> isAt(service.getValue(), address))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    private static boolean isAt(String prefix, String address) {
        try {
            HttpTargets.within(List.of(prefix)).require(address);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Where a service is told decisions. */
    String target(String service) {
        String address = services.get(service);
        if (address == null) {
            throw new IllegalArgumentException("There is no service \"" + service
                    + "\" (tenon.transactions.services); there are " + services.keySet());
        }
        String base = address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
        return base + (HttpTargets.isGrpc(address) ? "/" + PARTICIPANT : PATH);
    }

    /** The ID of a service's part. */
    static TransactionId child(TransactionId gid, String service) {
        return new TransactionId(gid + ":" + service);
    }

    /** The ID of the transaction that one is a part of; empty if it is none. */
    static Optional<TransactionId> parent(TransactionId part) {
        int colon = part.text().lastIndexOf(':');
        return colon <= 0
                ? Optional.empty()
                : Optional.of(new TransactionId(part.text().substring(0, colon)));
    }

    /** A transaction as it begins, without branches. */
    TransactionDraft draft(TransactionId gid, Optional<TransactionId> parent, String name, Duration deadline) {
        return new TransactionDraft(
                gid,
                TransactionKind.AT,
                transactions.options().service(),
                name,
                "",
                parent,
                TransactionState.ACTIVE,
                deadline,
                RetryPolicy.FOR_EVER,
                List.of());
    }

    Transactions transactions() {
        return transactions;
    }

    Tcc tcc() {
        return tcc;
    }

    AtResource resource(String name) {
        AtResource database = databases.get(name);
        if (database == null) {
            throw new IllegalArgumentException(
                    "No database \"" + name + "\" takes part; there are " + databases.keySet());
        }
        return database;
    }

    /** Waits a little for the end of what was decided; it comes without this, too. */
    void settle(TransactionId gid) {
        try {
            transactions.await(gid, SETTLE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TenonException e) {
            // The log is away: it is decided, and recovery ends it.
        }
    }
}
