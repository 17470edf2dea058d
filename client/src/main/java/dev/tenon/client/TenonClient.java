package dev.tenon.client;

import dev.tenon.Names;
import dev.tenon.TimeSource;
import dev.tenon.grpc.LockMessages;
import dev.tenon.id.builder.IdBuilder;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.StoreTraits;
import dev.tenon.protocol.DefineIdsRequest;
import dev.tenon.protocol.DescribeLocksRequest;
import dev.tenon.tx.spi.TransactionStore;

/**
 * Locks, ranges, worker IDs, definitions, IDs by name and the log of transactions from Tenon servers: those of one
 * cluster, or several over one store. What they guarantee is what the store under them does
 * ({@code docs/backends/client.md}).
 *
 * <p>Owns one connection, to the server that served last, with one push stream for all sessions. When that server
 * fails, the next one is used; calls that may be repeated are, with the same request, so that nothing happens twice;
 * sessions go on, and waiters ask again. Thread-safe; its threads are daemons.
 *
 * <pre>{@code
 * try (TenonClient tenon = TenonClient.connect("n1:7700,n2:7700,n3:7700");
 *         Lease lease = tenon.locks().lock("stock:42").acquire(Duration.ofSeconds(5))) {
 *     orders.save(order, lease.token());
 * }
 * }</pre>
 */
public final class TenonClient implements AutoCloseable {
    private final ClientLink link;
    private final ClientLockStore lockStore;
    private final Locks locks;

    private TenonClient(ClientOptions options, TimeSource time) {
        this.link = new ClientLink(options, time);
        try {
            StoreTraits traits =
                    LockMessages.traits(link.await(ClientMethods.DESCRIBE, DescribeLocksRequest.getDefaultInstance()));
            this.lockStore = new ClientLockStore(link, traits);
            this.locks = Locks.over(lockStore);
        } catch (RuntimeException e) {
            link.close();
            throw e;
        }
    }

    /**
     * Connects with default options.
     *
     * @param servers {@code host:port}, with commas between several
     * @throws dev.tenon.BackendUnavailableException if none of them answers
     * @throws IllegalArgumentException if that is no list of servers
     */
    public static TenonClient connect(String servers) {
        return connect(ClientOptions.of(servers));
    }

    /**
     * Connects.
     *
     * @throws dev.tenon.BackendUnavailableException if no server answers
     */
    public static TenonClient connect(ClientOptions options) {
        return new TenonClient(options, TimeSource.system());
    }

    /** The locks of this backend. */
    public Locks locks() {
        return locks;
    }

    /** The store of locks, for those who want locks with an owner or a clock of their own. */
    public MultiLockStore lockStore() {
        return lockStore;
    }

    /** The store of number ranges. Its calls block. */
    public RangeStore ranges() {
        return new ClientRangeStore(link);
    }

    /** The worker IDs of one group. Its calls block. */
    public WorkerIdSource workerIds(String group) {
        return new ClientWorkerIdSource(link, group);
    }

    /** The store of definitions, those of {@link #ids} among them. Its calls block. */
    public DefinitionStore definitions() {
        return new ClientDefinitionStore(link);
    }

    /**
     * The log of transactions at the server, for {@link dev.tenon.tx.engine.TransactionEngine#over}. Its calls block.
     *
     * <p>Where the server asks for API keys, it takes one for transactions with the right to use them; one that is for
     * some names only sees transactions whose IDs begin so, and claims those of a service whose name begins so.
     */
    public TransactionStore transactions() {
        return new ClientTransactionStore(link);
    }

    /** The IDs of a name that is defined at the server. No round trip. */
    public ClientIds ids(String name) {
        return new ClientIds(link, Names.requireValid("ID name", name));
    }

    /**
     * IDs by code, as {@code /id-builder} of the server gives them: of definitions that carry a code, and of the table
     * of the ID-builder service, where the server's database has it. Each call blocks, and is one round trip.
     *
     * <p>Its calls fail with {@link dev.tenon.id.builder.UnknownCodeException} where no IDs have the code, {@link
     * dev.tenon.id.builder.MisconfiguredCodeException} where its row makes no sense,
     * {@link dev.tenon.id.RangeExhaustedException} where it is used up, {@link dev.tenon.id.SequenceRegressedException}
     * where the store went back, {@link dev.tenon.BackendUnavailableException} when no ID was taken,
     * {@link dev.tenon.OutcomeUnknownException} when the reply was lost (the ID in it is lost too, and asking again is
     * safe), and {@link dev.tenon.TenonException} where the IDs of the code do not have that order or form. Those of
     * Snowflakes fail as their generator does, too. Thread-safe.
     */
    public IdBuilder idBuilder() {
        return new ClientIdBuilder(link);
    }

    /**
     * Defines a name; the same definition again changes nothing. Blocks.
     *
     * @param definition a JSON object, such as <code>{"kind":"segment","step":1000}</code>
     * @throws dev.tenon.id.DefinitionConflictException if the name has another definition
     * @throws IllegalArgumentException if that is no definition
     */
    public ClientIds define(String name, String definition) {
        ClientIds ids = ids(name);
        link.await(
                ClientMethods.DEFINE_IDS,
                DefineIdsRequest.newBuilder()
                        .setName(name)
                        .setDefinition(definition)
                        .build());
        return ids;
    }

    /**
     * Gives back every lock that is held through this client, and closes the connection. Takes about two seconds at
     * most: if no server answers in that time, what is held ends with its lease. Idempotent.
     */
    @Override
    public void close() {
        if (!link.isClosed()) {
            link.beginEnd();
            locks.close();
            lockStore.close();
            link.close();
        }
    }

    /**
     * Closes the connection and gives nothing back, as the end of the process would: what is held stays held until its
     * lease ends. Idempotent.
     */
    public void disconnect() {
        link.close();
    }
}
