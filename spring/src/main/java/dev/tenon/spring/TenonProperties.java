package dev.tenon.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code application.yml} says under {@code tenon}.
 *
 * @param backend The store to use. Needed only when the jars of several are on the class path; "none" for IDs without a
 *     store.
 * @param jdbc A database.
 * @param redis A Redis.
 * @param zookeeper A ZooKeeper.
 * @param etcd An etcd.
 * @param server A Tenon server.
 * @param locks How the locks and leaderships of annotated methods are held.
 * @param ids Generators of IDs, each a bean of its name.
 * @param idBuilder IDs by code, out of the table of the ID-builder service.
 * @param publicIds Public IDs, by the name that @PublicId gives.
 * @param notifications Notifications that are sent to other services.
 * @param transactions Transactions in the database of the application.
 */
@ConfigurationProperties("tenon")
record TenonProperties(
        @Nullable BackendKind backend,
        @DefaultValue Jdbc jdbc,
        @DefaultValue Redis redis,
        @DefaultValue ZooKeeper zookeeper,
        @DefaultValue Etcd etcd,
        @DefaultValue Server server,
        @DefaultValue LockDefaults locks,
        @DefaultValue Map<String, IdDefinition> ids,
        @DefaultValue IdBuilderKeys idBuilder,
        @DefaultValue Map<String, PublicIdDefinition> publicIds,
        @DefaultValue NotificationKeys notifications,
        @DefaultValue TransactionKeys transactions) {

    /**
     * IDs by code. All but "enabled" is for the table in a database; a Tenon server has its own.
     *
     * @param enabled Whether there is a bean of the type IdBuilder.
     * @param machineIndex What stands between biz_code and number in a text. That of -DidBuilder.index, if not set.
     * @param createTable Whether to create the table t_id_builder_config if it is missing.
     * @param fetchAtStart Whether each code has its first segment fetched when the bean is made, and not at its first
     *     call.
     * @param prefetchAt The share of a segment that is left when the next one is fetched, more than 0 and at most 1.
     * @param waitAtMost How long a call, and the making of the bean, waits for numbers.
     */
    record IdBuilderKeys(
            @DefaultValue("true") boolean enabled,
            @Nullable Integer machineIndex,
            @DefaultValue("false") boolean createTable,
            @DefaultValue("true") boolean fetchAtStart,
            @DefaultValue("0.15") double prefetchAt,
            @DefaultValue("5s") Duration waitAtMost) {}

    /**
     * A database.
     *
     * @param url JDBC URL of a database for Tenon alone. Without one, the DataSource of the application is used.
     * @param user User for the URL.
     * @param password Password for the URL.
     * @param dataSource Name of the DataSource bean to use, where there are several.
     * @param createTables Whether to create tables that are missing.
     * @param connections Most calls at a time.
     * @param allowInMemoryDatabase Whether a database in the memory of this process is meant: each process then has
     *     locks, worker IDs and an outbox of its own. For tests.
     */
    record Jdbc(
            @Nullable String url,
            @Nullable String user,
            @Nullable String password,
            @Nullable String dataSource,
            @DefaultValue("true") boolean createTables,
            @DefaultValue("8") int connections,
            @DefaultValue("false") boolean allowInMemoryDatabase) {}

    /**
     * A Redis.
     *
     * @param uri Address, such as redis://localhost:6379. Without one, that of the application's Redis connections is
     *     used.
     * @param keyPrefix What every key and channel begins with.
     * @param commandTimeout When a call without an answer has failed.
     */
    record Redis(
            @Nullable String uri,
            @DefaultValue("tenon") String keyPrefix,
            @DefaultValue("2s") Duration commandTimeout) {}

    /**
     * A ZooKeeper.
     *
     * @param connectString Servers, such as zk1:2181,zk2:2181/path. Without one, those of the application's
     *     CuratorFramework.
     * @param credentials User and password for the digest scheme, as user:password.
     * @param basePath Node under which everything is kept.
     * @param sessionTimeout After which silence the ensemble takes this process for dead.
     */
    record ZooKeeper(
            @Nullable String connectString,
            @Nullable String credentials,
            @Nullable String basePath,
            @Nullable Duration sessionTimeout) {}

    /**
     * An etcd.
     *
     * @param endpoints Members, such as http://localhost:2379.
     * @param keyPrefix What every key begins with.
     * @param commandTimeout When a call without an answer has failed.
     * @param user User.
     * @param password Password.
     */
    record Etcd(
            @DefaultValue List<String> endpoints,
            @Nullable String keyPrefix,
            @Nullable Duration commandTimeout,
            @Nullable String user,
            @Nullable String password) {}

    /**
     * A Tenon server.
     *
     * @param address Servers, as host:port, with commas between several.
     * @param apiKey API key.
     * @param callTimeout When a call without an answer has failed.
     * @param tlsAuthority File with the certificates to trust, in PEM; switches TLS on.
     */
    record Server(
            @Nullable String address,
            @Nullable String apiKey,
            @DefaultValue("5s") Duration callTimeout,
            @Nullable String tlsAuthority) {}

    /**
     * How locks of annotated methods are held.
     *
     * @param waitAtMost How long a method with @Locked waits for its lock, unless it says otherwise.
     * @param lease How long a lock stays held if nothing more is heard of this process.
     * @param maximumHold How long a method may hold its lock at most; without a limit if not set.
     */
    record LockDefaults(
            @DefaultValue("5s") Duration waitAtMost,
            @DefaultValue("30s") Duration lease,
            @Nullable Duration maximumHold) {}

    /**
     * Public IDs of one type.
     *
     * @param prefix Type prefix of the text, such as ord.
     * @param keys Keys of 32 random bytes in base 64, by version. All are read.
     * @param writeWith Version of the key that writes. The greatest, if not set.
     */
    record PublicIdDefinition(
            String prefix,
            @DefaultValue Map<Integer, String> keys,
            @Nullable Integer writeWith) {}

    /**
     * Notifications.
     *
     * @param secrets What notifications are signed with, each whsec_ and 24 to 64 random bytes in base 64; the newest
     *     first.
     */
    record NotificationKeys(@DefaultValue List<String> secrets) {}

    /**
     * Transactions.
     *
     * @param service Whose transactions they are: a name that no other application on this database has. The value of
     *     spring.application.name, if not set.
     * @param timeout Until when methods with @GlobalTransaction have to be committed, unless they say otherwise.
     * @param automaticUndo Name of the DataSource bean that takes part in global transactions with automatic undo; that
     *     of Spring Boot's own is dataSource. None, if not set.
     * @param services Services that take part in global transactions when they are called, by their names; each the
     *     address that it is called at, such as http://stock:8080.
     * @param join Whether callers may have this service take part in their global transactions.
     * @param secrets What decisions are signed with, and have to be signed with, among services; each whsec_ and 24 to
     *     64 random bytes in base 64; the newest first. Not signed, if not set.
     * @param stuckAfterCalls After how many calls of one branch that failed a transaction is reported as stuck; it goes
     *     on all the same.
     * @param stuckAfter After how long since the first call that failed a transaction is reported as stuck; it goes on
     *     all the same.
     * @param healthWhenStuck What health is while transactions are stuck; its details tell how many in any case.
     */
    record TransactionKeys(
            @Nullable String service,
            @DefaultValue("60s") Duration timeout,
            @Nullable String automaticUndo,
            @DefaultValue Map<String, String> services,
            @DefaultValue("false") boolean join,
            @DefaultValue List<String> secrets,
            @DefaultValue("10") int stuckAfterCalls,
            @DefaultValue("5m") Duration stuckAfter,
            @DefaultValue("up") StuckHealth healthWhenStuck) {}
}
