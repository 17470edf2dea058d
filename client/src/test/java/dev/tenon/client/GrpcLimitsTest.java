package dev.tenon.client;

import static dev.tenon.client.Sessions.join;
import static dev.tenon.client.Sessions.wish;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.protocol.DescribeLocksRequest;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.Protection;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.testkit.PunctualScenario;
import dev.tenon.testkit.RecordedEvents;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How much one client of gRPC may have of a server, and which web pages may not be one: as over HTTP, and counted with
 * it.
 */
class GrpcLimitsTest implements PunctualScenario {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final int SESSIONS = 5;
    private static final int SESSIONS_PER_KEY = 3;
    private static final int WAITERS = 3;
    private static final int WAITERS_PER_KEY = 2;

    private final ApiKey.Fresh first = ApiKey.fresh(new SecureRandom());
    private final ApiKey.Fresh second = ApiKey.fresh(new SecureRandom());
    private Node node;
    private TenonClient tenon;
    private TenonClient other;
    private LockStore store;

    @BeforeEach
    void open() {
        node = Clients.memoryNode(NodeOptions.at("127.0.0.1", 0)
                .withGate(new KeyGate(() -> new ApiKeys(List.of(key(first, "first"), key(second, "second")))))
                .withProtection(Protection.DEFAULT.withLimits(Limits.DEFAULT
                        .with(LimitedResource.SESSIONS, new Share(SESSIONS, SESSIONS_PER_KEY))
                        .with(LimitedResource.WAITERS, new Share(WAITERS, WAITERS_PER_KEY)))));
        tenon = client(first);
        other = client(second);
        store = tenon.lockStore();
    }

    @Override
    public Duration inTime() {
        return LockMachine.CLAIM_LEASE.dividedBy(5);
    }

    @Override
    public Object askStore() {
        return other.locks().inspect("punctual");
    }

    @Override
    public void startAnew() {
        close();
        open();
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name) {
        return new ApiKey(
                fresh.id(),
                name,
                Right.USE,
                Set.of(Scope.LOCKS),
                List.of(""),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private TenonClient client(ApiKey.Fresh key) {
        return TenonClient.connect(ClientOptions.of("127.0.0.1:" + node.port())
                .withCallTimeout(Clients.PATIENCE)
                .withApiKey(key.text()));
    }

    @AfterEach
    void close() {
        tenon.close();
        other.close();
        node.close();
    }

    @Test
    void aKeyHasSoManySessionsAndOneThatIsOpenedAgainIsNoOther() {
        List<String> sessions = new ArrayList<>();
        for (int i = 0; i < SESSIONS_PER_KEY; i++) {
            sessions.add(Sessions.open(store));
        }
        String full = "With your key, " + SESSIONS_PER_KEY + " sessions";
        assertRefused(() -> Sessions.open(store), full);
        join(store.open(new SessionSpec(sessions.get(0), "test", LONG), new RecordedEvents()));
        assertRefused(() -> Sessions.open(store), full);
        assertThat(join(store.acquire(wish("a", sessions.get(0), Duration.ZERO))))
                .isInstanceOf(Outcome.Granted.class);

        join(store.closeSession(sessions.get(1)));
        join(store.closeSession(sessions.get(1)));
        Sessions.open(store);
        assertRefused(() -> Sessions.open(store), full);
    }

    @Test
    void sessionsOfBothInterfacesAreCountedTogether() throws Exception {
        for (int i = 0; i < SESSIONS_PER_KEY; i++) {
            Sessions.open(store);
        }
        assertThat(overHttp(first)).isEqualTo(429);
        for (int i = SESSIONS_PER_KEY; i < SESSIONS; i++) {
            assertThat(overHttp(second)).isEqualTo(201);
        }
        assertRefused(() -> Sessions.open(other.lockStore()), SESSIONS + " sessions");
        assertThat(overHttp(second)).isEqualTo(429);
    }

    private int overHttp(ApiKey.Fresh key) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.port() + "/v1/sessions"))
                .header("Authorization", "Bearer " + key.text())
                .POST(BodyPublishers.ofString("{\"ttl\":\"PT5M\"}"))
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void aSessionThatIsNoLongerKeptAliveCountsNoMore() {
        for (int i = 0; i < SESSIONS_PER_KEY; i++) {
            String id = UUID.randomUUID().toString();
            join(store.open(new SessionSpec(id, "test", Duration.ofMillis(500)), new RecordedEvents()));
        }
        await().atMost(Clients.PATIENCE)
                .untilAsserted(() -> assertThatCode(() -> Sessions.open(store)).doesNotThrowAnyException());
    }

    @Test
    void soManyRequestsWaitAndThoseThatDoSoNoLongerAreNotCounted() {
        String session = Sessions.open(store);
        Acquire holder = wish("door", session, Duration.ZERO);
        long held = ((Outcome.Granted) join(store.acquire(holder))).token();
        Acquire head = wish("door", session, LONG);
        Acquire next = wish("door", session, LONG);
        queued(head);
        queued(next);
        queued(next); // asked again, it is one
        String full = "With your key, " + WAITERS_PER_KEY + " requests";
        Acquire late = wish("door", session, LONG);
        assertRefused(() -> join(store.acquire(late)), full);
        assertThat(join(store.inspect("door")).orElseThrow().queue()).hasSize(WAITERS_PER_KEY);
        assertThat(join(store.acquire(wish("door", session, Duration.ZERO))))
                .as("does not wait")
                .isInstanceOf(Outcome.Busy.class);
        assertThat(join(store.acquire(wish("free", session, LONG)).exceptionally(refused -> new Outcome.NotHeld())))
                .as("might have to wait")
                .isInstanceOf(Outcome.NotHeld.class);

        join(store.cancel(new Cancel("door", next.requestId())));
        queued(late);
        assertRefused(() -> join(store.acquire(wish("door", session, LONG))), full);
        join(store.release(List.of(new Release("door", held))));
        // The head has been granted.
        Acquire behind = wish("door", session, Duration.ofMillis(100));
        queued(behind);
        // It has waited for as long as it would.
        await().atMost(Clients.PATIENCE)
                .untilAsserted(() -> assertThatCode(() -> queued(wish("door", session, LONG)))
                        .doesNotThrowAnyException());

        String stranger = Sessions.open(other.lockStore());
        join(other.lockStore().acquire(wish("door", stranger, LONG)));
        assertRefused(
                () -> join(other.lockStore().acquire(wish("door", stranger, LONG))), WAITERS + " requests are waiting");
        join(store.closeSession(session));
        join(other.lockStore().acquire(wish("door", stranger, LONG)));
    }

    private void queued(Acquire request) {
        assertThat(join(store.acquire(request))).isInstanceOf(Outcome.Queued.class);
    }

    private static void assertRefused(Runnable call, String why) {
        assertThatThrownBy(call::run)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"origin https://evil.example", "sec-fetch-site cross-site", ":authority evil.example:7700"})
    void aPageOfAnotherSiteIsRefused(String sent) {
        String[] header = sent.split(" ");
        assertThatThrownBy(() -> described(header[0], header[1]))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        refused -> assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x-other anything", "sec-fetch-site same-origin", ":authority localhost:7700"})
    void whatIsNoSuchPageIsServed(String sent) {
        String[] header = sent.split(" ");
        assertThat(described(header[0], header[1])).isTrue();
    }

    /** Calls the method that asks for no right, with a header of a browser's. */
    private boolean described(String header, String value) {
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress("127.0.0.1", node.port()).usePlaintext();
        Metadata headers = new Metadata();
        if (header.equals(":authority")) {
            builder.overrideAuthority(value);
        } else {
            headers.put(Metadata.Key.of(header, Metadata.ASCII_STRING_MARSHALLER), value);
        }
        ManagedChannel channel = builder.build();
        try {
            return LocksGrpc.newBlockingStub(channel)
                    .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                    .withDeadlineAfter(30, TimeUnit.SECONDS)
                    .describe(DescribeLocksRequest.getDefaultInstance())
                    .isInitialized();
        } finally {
            channel.shutdownNow();
        }
    }
}
