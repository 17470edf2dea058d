package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.grpc.LockMessages;
import dev.tenon.grpc.TimeMessages;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.DescribeLocksRequest;
import dev.tenon.protocol.LockEventsRequest;
import dev.tenon.protocol.LockStoreEvent;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.ReleaseResponse;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.server.Node;
import dev.tenon.server.access.Caller;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.observe.Observer;
import dev.tenon.testkit.RecordedEvents;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The server's side of the line: who is let in, who is told, and what it bears. */
class GrpcFrontTest {
    private static final List<String> ADMITTED = new CopyOnWriteArrayList<>();
    private static final List<String> OBSERVED = new CopyOnWriteArrayList<>();
    private static final MemoryBackend MEMORY = MemoryBackend.create();
    private static final List<String> SEEN = List.of("numbers", "open", "a", "slow", "held");
    private static final Gate GATE = (visitor, need, name) -> {
        ADMITTED.add(visitor.authorization().orElse("nobody") + " " + need.right() + " " + need.scope() + " " + name);
        return new Caller("somebody", "", need.scope() == Scope.SERVER ? List.of("") : SEEN);
    };
    private static final Observer OBSERVER = (operation, name, header) ->
            (status, caller) -> OBSERVED.add(operation + " " + name + " " + status + " " + caller);
    private static Node node;
    private static TenonClient tenon;
    private static ManagedChannel channel;

    /** Not with the class: the node's threads call what is in it. */
    @BeforeAll
    static void open() {
        node = Clients.node(MEMORY, GATE, OBSERVER);
        ClientOptions options = ClientOptions.of("127.0.0.1:" + node.port()).withApiKey("key");
        tenon = TenonClient.connect(options.withCallTimeout(Clients.PATIENCE));
        channel = NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .flowControlWindow(65_535)
                .usePlaintext()
                .build();
    }

    @AfterAll
    static void close() {
        channel.shutdownNow();
        tenon.close();
        node.close();
    }

    @Test
    void everyCallPassesTheGateOnceAndEachNameAfterItAndIsToldToTheObserver() {
        tenon.ranges().next("numbers", 1);
        assertThat(ADMITTED).contains("Bearer key USE IDS ").doesNotContain("Bearer key USE IDS numbers");
        assertThat(OBSERVED).contains("tenon.v1.Ranges/Next numbers 200 somebody");
        assertThatThrownBy(() -> tenon.ranges().next("secret", 1))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("this is not one of them");
        assertThat(OBSERVED).contains("tenon.v1.Ranges/Next secret 403 somebody");
        assertThat(MEMORY.ranges().definition("secret")).isEmpty();
    }

    @Test
    void everyNameOfOneCallMustPass() {
        assertThatThrownBy(
                        () -> tenon.locks().multiLock(List.of("open", "secret")).tryAcquire())
                .isInstanceOf(TenonException.class);
        assertThat(tenon.locks().inspect("open")).isEmpty();
    }

    @Test
    void whatIsAboutAllNamesNeedsTheRightToAll() {
        tenon.definitions().all();
        tenon.locks().list("", "", 10);
        tenon.locks().list("a", "", 10);
        assertThat(ADMITTED).contains("Bearer key READ SERVER ", "Bearer key READ LOCKS ");
    }

    @Test
    void aRequestThatIsTooLargeIsRefusedAndOthersAreServed() {
        LocksGrpc.LocksBlockingStub stub = LocksGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
        AcquireRequest large =
                AcquireRequest.newBuilder().setOwner("x".repeat(5 << 20)).build();
        assertThatThrownBy(() -> stub.acquire(large)).isInstanceOf(StatusRuntimeException.class);
        assertThat(stub.describe(DescribeLocksRequest.getDefaultInstance()).getSessionsExpire())
                .isTrue();
    }

    @Test
    void aClientThatDoesNotReadIsCutOffAndKeepsNothing() throws Exception {
        SlowReader reader = new SlowReader();
        LocksGrpc.newStub(channel).events(LockEventsRequest.getDefaultInstance(), reader);
        String stream = reader.stream.get(30, TimeUnit.SECONDS);
        LocksGrpc.newBlockingStub(channel)
                .openSession(OpenSessionRequest.newBuilder()
                        .setSessionId("slow")
                        .setOwner("slow reader")
                        .setTtl(TimeMessages.message(Duration.ofMinutes(5)))
                        .setStream(stream)
                        .build());
        LockStore store = MEMORY.lockStore();
        store.acquire(new Acquire(
                        "awaited", "slow", "request", "slow", Optional.of(Duration.ofMinutes(5)), Duration.ZERO))
                .toCompletableFuture()
                .join();
        for (int i = 0; i < 30_000; i++) {
            store.revoke("awaited", "x".repeat(150)).toCompletableFuture().join();
        }
        // It is told so when it has read what is on its way already.
        await().atMost(Clients.PATIENCE).until(() -> {
            reader.more();
            return reader.end.isDone();
        });
        assertThat(reader.end.join().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        // Others hear as ever, and so does it on another stream.
        SlowReader again = new SlowReader();
        LocksGrpc.newStub(channel).events(LockEventsRequest.getDefaultInstance(), again);
        assertThat(again.stream.get(30, TimeUnit.SECONDS)).isNotEqualTo(stream);
    }

    @Test
    void aSessionOnAStreamThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> LocksGrpc.newBlockingStub(channel)
                        .openSession(OpenSessionRequest.newBuilder()
                                .setSessionId("s")
                                .setOwner("o")
                                .setTtl(TimeMessages.message(Duration.ofSeconds(5)))
                                .setStream("no such stream")
                                .build()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
        assertThat(MEMORY.lockStore().keepAlive("s").toCompletableFuture().join())
                .isFalse();
    }

    @Test
    void whereNobodyIsToldApartASessionThatIsGivenIsTheOneThatHolds() {
        LocksGrpc.LocksBlockingStub stub = LocksGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
        String session = Sessions.open(tenon.lockStore());
        Acquire wish = Sessions.wish("held", session, Duration.ZERO);
        long token = ((Outcome.Granted) Sessions.join(tenon.lockStore().acquire(wish))).token();
        ReleaseRequest.One.Builder named =
                ReleaseRequest.One.newBuilder().setName("held").setToken(token);
        RenewRequest.One.Builder renewed =
                RenewRequest.One.newBuilder().setName("held").setToken(token);
        ReleaseRequest others = ReleaseRequest.newBuilder()
                .addReleases(named.setSessionId("another"))
                .build();
        assertThat(stub.release(others).getReleasedList()).containsExactly(ReleaseResponse.Released.NOT_HELD);
        RenewRequest renewal = RenewRequest.newBuilder()
                .addRenewals(renewed.setSessionId("another"))
                .addRenewals(renewed.setSessionId(session))
                .addRenewals(renewed.clearSessionId())
                .build();
        assertThat(stub.renew(renewal).getRenewedList())
                .extracting(one -> one.getHeld())
                .containsExactly(false, true, true);
        ReleaseRequest own = ReleaseRequest.newBuilder()
                .addReleases(named.setSessionId(session))
                .build();
        assertThat(stub.release(own).getReleasedList()).containsExactly(ReleaseResponse.Released.FREED);
    }

    @Test
    void theClientSaysWhichOfItsSessionsHolds() {
        HoldSessions holders = new HoldSessions();
        holders.noted(Sessions.wish("a", "one", Duration.ZERO), new Outcome.Granted(32, Duration.ofSeconds(1)));
        holders.noting(new RecordedEvents())
                .granted(new Grant("b", "r", "two", 64, Duration.ZERO, Duration.ofSeconds(1)));
        List<Release> releases = List.of(new Release("a", 32), new Release("b", 64), new Release("b", 32));
        assertThat(LockMessages.releases(releases, holders::of).getReleasesList())
                .extracting(one -> one.getSessionId())
                .containsExactly("one", "two", "");
        List<Renew> renewals = List.of(new Renew("b", 64, Optional.empty()), new Renew("a", 64, Optional.empty()));
        assertThat(LockMessages.renewals(renewals, holders::of).getRenewalsList())
                .extracting(one -> one.getSessionId())
                .containsExactly("two", "");
        holders.forget("a", 32);
        assertThat(holders.of("a", 32)).isEmpty();
    }

    /** Reads the first event, and further ones only when told to. */
    private static final class SlowReader implements ClientResponseObserver<LockEventsRequest, LockStoreEvent> {
        private final CompletableFuture<String> stream = new CompletableFuture<>();
        private final CompletableFuture<Status> end = new CompletableFuture<>();
        private volatile @Nullable ClientCallStreamObserver<LockEventsRequest> call;

        @Override
        public void beforeStart(ClientCallStreamObserver<LockEventsRequest> requests) {
            call = requests;
            requests.disableAutoRequestWithInitial(1);
        }

        void more() {
            ClientCallStreamObserver<LockEventsRequest> known = call;
            if (known != null) {
                known.request(1_000);
            }
        }

        @Override
        public void onNext(LockStoreEvent event) {
            if (event.hasConnected()) {
                stream.complete(event.getConnected().getStream());
            }
        }

        @Override
        public void onError(Throwable failure) {
            stream.completeExceptionally(failure);
            end.complete(Status.fromThrowable(failure));
        }

        @Override
        public void onCompleted() {
            end.complete(Status.OK);
        }
    }
}
