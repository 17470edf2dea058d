package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.locks.AcquireAnswer;
import dev.tenon.server.locks.AcquireAnswer.Held;
import dev.tenon.server.locks.AcquireAnswer.Refused;
import dev.tenon.server.locks.AcquireAnswer.SessionGone;
import dev.tenon.server.locks.LockService;
import dev.tenon.server.locks.LockService.PendingAcquire;
import dev.tenon.testkit.PunctualScenario;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that wait, over a store whose answers come late, get lost, or fail. */
class LockServiceTest implements PunctualScenario {
    private static final Duration LONG = Duration.ofMinutes(1);

    private MemoryBackend memory;
    private final Map<String, UnaryOperator<Object>> answers = new ConcurrentHashMap<>();
    private volatile boolean deaf;
    private Optional<ClusterAdmin> cluster = Optional.empty();
    private LockService service;

    @BeforeEach
    void open() throws Exception {
        memory = MemoryBackend.create();
        answers.clear();
        deaf = false;
        cluster = Optional.empty();
        service = new LockService(new Doctored(), TimeSource.system());
        for (String id : new String[] {"a", "b", "c"}) {
            service.open(new SessionSpec(id, "owner " + id, LONG))
                    .toCompletableFuture()
                    .get();
        }
    }

    @AfterEach
    void close() {
        service.close();
        memory.close();
    }

    @Override
    public Duration inTime() {
        return LockMachine.CLAIM_LEASE.dividedBy(5);
    }

    @Override
    public Object askStore() throws Exception {
        return queue();
    }

    @Override
    public void startAnew() throws Exception {
        close();
        open();
    }

    private PendingAcquire ask(String session, String requestId, Duration wait) {
        return service.acquire(new Acquire("lock", session, requestId, session, Optional.of(LONG), wait));
    }

    private static AcquireAnswer answer(PendingAcquire asked)
            throws InterruptedException, ExecutionException, TimeoutException {
        return asked.answer().get(30, TimeUnit.SECONDS);
    }

    private long hold(String session) throws Exception {
        return ((Held) answer(ask(session, "holds-" + session, Duration.ZERO))).token();
    }

    private int queue() throws Exception {
        return memory.lockStore()
                .inspect("lock")
                .toCompletableFuture()
                .get()
                .map(v -> v.queue().size())
                .orElse(0);
    }

    private Optional<String> holder() throws Exception {
        return memory.lockStore()
                .inspect("lock")
                .toCompletableFuture()
                .get()
                .flatMap(v -> v.holder())
                .map(h -> h.sessionId());
    }

    @Test
    void aRepeatThatComesWhileTheRequestIsGivenUpWaitsAnew() throws Exception {
        long token = hold("a");
        CompletableFuture<Void> slow = new CompletableFuture<>();
        answers.put("cancel", real -> slow.thenCompose(v -> (CompletionStage<?>) real));
        PendingAcquire first = ask("b", "r", Duration.ofMillis(50));
        await().until(() -> queue() == 0);
        PendingAcquire again = ask("b", "r", LONG);
        assertThat(again.answer()).isNotDone();
        slow.complete(null);
        assertThat(answer(first)).isInstanceOf(Refused.class);
        await().until(() -> queue() == 1);
        service.release("a", new Release("lock", token)).toCompletableFuture().get();
        assertThat(answer(again)).isInstanceOf(Held.class);
    }

    @Test
    void aGrantThatOvertakesTheEndOfTheWaitIsKept() throws Exception {
        long token = hold("a");
        answers.put("cancel", real -> CompletableFuture.completedStage(new Cancelled.WasGranted(token + 1, LONG)));
        answers.put("renew", real -> {
            service.granted(new Grant("lock", "r", "b", token + 1, Duration.ZERO, LONG)); // once more, to no effect
            return CompletableFuture.completedStage(java.util.List.of(new dev.tenon.lock.spi.Renewed.Extended(LONG)));
        });
        PendingAcquire late = ask("b", "r", Duration.ofMillis(50));
        assertThat(answer(late)).isEqualTo(new Held(token + 1, LONG));
    }

    @Test
    void aLockGrantedToNobodyIsGivenBack() throws Exception {
        long token = hold("a");
        PendingAcquire gone = ask("b", "r", LONG);
        await().until(() -> queue() == 1);
        CompletableFuture<Void> slow = new CompletableFuture<>();
        answers.put("renew", real -> slow.thenCompose(v -> (CompletionStage<?>) real));
        service.release("a", new Release("lock", token)).toCompletableFuture().get();
        assertThat(holder()).contains("b");
        gone.abandon().run();
        slow.complete(null);
        await().until(() -> holder().isEmpty());
    }

    @Test
    void anAbandonedRequestWhoseAnswerIsOnItsWayHoldsNothing() throws Exception {
        CompletableFuture<Void> slow = new CompletableFuture<>();
        answers.put("acquire", real -> slow.thenCompose(v -> (CompletionStage<?>) real));
        PendingAcquire gone = ask("b", "r", LONG);
        gone.abandon().run();
        assertThat(holder()).contains("b");
        slow.complete(null);
        await().until(() -> holder().isEmpty());
    }

    @Test
    void oneOfSeveralNodesKeepsThePlaceOfACallerThatMayBeElsewhere() throws Exception {
        long token = hold("a");
        try (LockService node = oneOfSeveral()) {
            CompletableFuture<Void> slow = new CompletableFuture<>();
            answers.put("acquire", real -> slow.thenCompose(v -> (CompletionStage<?>) real));
            node.acquire(wanted("b"), true).abandon().run();
            slow.complete(null);
            answers.clear();
            assertThat(queue()).isEqualTo(1);
            service.release("a", new Release("lock", token))
                    .toCompletableFuture()
                    .get();
            assertThat(answer(node.acquire(wanted("b"), true))).isInstanceOf(Held.class);
        }
    }

    @Test
    void oneOfSeveralNodesNeitherGivesBackNorKeepsWhatItGotTooLate() throws Exception {
        try (LockService node = oneOfSeveral()) {
            CompletableFuture<Void> slow = new CompletableFuture<>();
            answers.put("acquire", real -> slow.thenCompose(v -> (CompletionStage<?>) real));
            PendingAcquire gone = node.acquire(wanted("b"), true);
            gone.abandon().run();
            slow.complete(null);
            assertThat(gone.elsewhere()).isTrue();
            assertThat(holder()).contains("b");
            Duration left = memory.lockStore()
                    .inspect("lock")
                    .toCompletableFuture()
                    .get()
                    .orElseThrow()
                    .holder()
                    .orElseThrow()
                    .leaseLeft();
            assertThat(left).isLessThanOrEqualTo(LockMachine.CLAIM_LEASE);
        }
    }

    @Test
    void oneOfSeveralNodesGivesBackWhatNobodyCanAskForAgain() throws Exception {
        try (LockService node = oneOfSeveral()) {
            CompletableFuture<Void> slow = new CompletableFuture<>();
            answers.put("acquire", real -> slow.thenCompose(v -> (CompletionStage<?>) real));
            PendingAcquire gone = node.acquire(wanted("b"), false);
            gone.abandon().run();
            slow.complete(null);
            assertThat(gone.elsewhere()).isFalse();
            await().until(() -> holder().isEmpty());
        }
    }

    private LockService oneOfSeveral() {
        cluster = Optional.of(new MemoryCluster());
        return new LockService(new Doctored(), TimeSource.system());
    }

    private static Acquire wanted(String session) {
        return new Acquire("lock", session, "r", session, Optional.of(LONG), LONG);
    }

    @Test
    void aGrantWhosePushWasLostIsFoundWhenTheHoldersLeaseMustBeOver() throws Exception {
        deaf = true;
        service.open(new SessionSpec("deaf", "deaf", LONG))
                .toCompletableFuture()
                .get();
        PendingAcquire brief = service.acquire(
                new Acquire("lock", "a", "brief", "a", Optional.of(Duration.ofMillis(300)), Duration.ZERO));
        assertThat(answer(brief)).isInstanceOf(Held.class);
        assertThat(answer(ask("deaf", "r", LONG))).isInstanceOf(Held.class);
    }

    @Test
    void aResyncAsksAgainForEverythingThatIsWaitedFor() throws Exception {
        deaf = true;
        service.open(new SessionSpec("deaf", "deaf", LONG))
                .toCompletableFuture()
                .get();
        long token = hold("a");
        PendingAcquire waiting = ask("deaf", "r", LONG);
        await().until(() -> queue() == 1);
        service.release("a", new Release("lock", token)).toCompletableFuture().get();
        assertThat(holder()).contains("deaf");
        assertThat(waiting.answer()).isNotDone();
        service.resync();
        assertThat(answer(waiting)).isInstanceOf(Held.class);
        // Claimed, too: the lease is the one that was asked for.
        assertThat(((Held) answer(waiting)).lease()).isEqualTo(LONG);
    }

    @Test
    void aStoreThatFailsFailsTheRequestAndForgetsIt() throws Exception {
        answers.put("acquire", real -> CompletableFuture.failedStage(new BackendUnavailableException("away")));
        PendingAcquire failed = ask("b", "r", LONG);
        assertThat(failed.answer()).isCompletedExceptionally();
        answers.remove("acquire");
        assertThat(answer(ask("b", "r", LONG))).isInstanceOf(Held.class);
    }

    @Test
    void aSessionThatEndsEndsItsRequests() throws Exception {
        hold("a");
        PendingAcquire waiting = ask("b", "r", LONG);
        await().until(() -> queue() == 1);
        service.close("b").toCompletableFuture().get();
        assertThat(answer(waiting)).isInstanceOf(SessionGone.class);
        assertThat(answer(ask("b", "r2", LONG))).isInstanceOf(SessionGone.class);
    }

    /** The store in memory, with what {@link #answers} makes of its answers. */
    private final class Doctored implements ServerBackend {
        private final LockStore store = (LockStore) Proxy.newProxyInstance(
                LockServiceTest.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) -> {
                    Object[] passed = arguments == null ? new Object[0] : arguments.clone();
                    if (method.getName().equals("open") && deaf) {
                        passed[1] = new Deaf();
                    }
                    try {
                        Object real = method.invoke(memory.lockStore(), passed);
                        return answers.getOrDefault(method.getName(), UnaryOperator.identity())
                                .apply(real);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });

        @Override
        public LockStore lockStore() {
            return store;
        }

        @Override
        public Optional<ClusterAdmin> cluster() {
            return cluster;
        }

        @Override
        public RangeStore ranges() {
            return memory.ranges();
        }

        @Override
        public WorkerIdSource workerIds(String group) {
            return memory.workerIds(group);
        }

        @Override
        public DefinitionStore definitions() {
            return memory.definitions();
        }

        @Override
        public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
            return CompletableFuture.completedStage(false);
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    /** Hears nothing. */
    private static final class Deaf implements StoreEvents {
        @Override
        public void granted(Grant grant) {}

        @Override
        public void revokeAsked(Revocation revocation) {}

        @Override
        public void sessionLost(String sessionId) {}

        @Override
        public void resync() {}
    }
}
