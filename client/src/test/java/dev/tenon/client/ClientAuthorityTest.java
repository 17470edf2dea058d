package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.lock.DistributedMultiLock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.Node;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.observe.Observer;
import dev.tenon.testkit.RecordedEvents;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What one key holds is of no use to another, however much that one has heard of it: two keys that may use the same
 * names, at two servers over one store.
 */
class ClientAuthorityTest {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final MemoryBackend MEMORY = MemoryBackend.create();
    private static final ApiKey.Fresh ALICE = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh EVE = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh ROOT = ApiKey.fresh(new SecureRandom());
    private static final ApiKeys KEYS = new ApiKeys(
            List.of(key("alice", ALICE, Right.USE), key("eve", EVE, Right.USE), key("root", ROOT, Right.ADMIN)));
    private static final Node HERE = Clients.node(MEMORY, new KeyGate(() -> KEYS), Observer.NONE);
    private static final Node THERE = Clients.node(MEMORY, new KeyGate(() -> KEYS), Observer.NONE);
    private static final RecordedEvents EVENTS = new RecordedEvents();
    private static TenonClient owner;
    private static TenonClient ownerThere;
    private static TenonClient other;
    private static TenonClient otherThere;
    private static MultiLockStore own;
    private static String session;

    private final String name = "shop/" + UUID.randomUUID();

    /** Not with the class: the nodes' threads ask it for the keys. */
    @BeforeAll
    static void open() {
        owner = with(HERE, ALICE);
        ownerThere = with(THERE, ALICE);
        other = with(HERE, EVE);
        otherThere = with(THERE, EVE);
        own = owner.lockStore();
        session = session(own, EVENTS);
    }

    @AfterAll
    static void close() {
        List.of(owner, ownerThere, other, otherThere).forEach(TenonClient::close);
        HERE.close();
        THERE.close();
    }

    private static ApiKey key(String name, ApiKey.Fresh fresh, Right role) {
        return new ApiKey(
                fresh.id(),
                name,
                role,
                Set.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS),
                List.of(""),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private static TenonClient with(Node node, ApiKey.Fresh key) {
        return TenonClient.connect(ClientOptions.of("127.0.0.1:" + node.port())
                .withCallTimeout(Clients.PATIENCE)
                .withApiKey(key.text()));
    }

    private static String session(MultiLockStore store, RecordedEvents events) {
        String id = UUID.randomUUID().toString();
        Sessions.join(store.open(new SessionSpec(id, "test", LONG), events));
        return id;
    }

    private static long granted(Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Granted.class);
        return ((Outcome.Granted) outcome).token();
    }

    private long held() {
        return granted(Sessions.join(own.acquire(Sessions.wish(name, session, Duration.ZERO))));
    }

    private static Released release(TenonClient client, String name, long token) {
        return Sessions.join(client.lockStore().release(List.of(new Release(name, token))))
                .get(0);
    }

    private static Renewed renew(TenonClient client, String name, long token) {
        return Sessions.join(client.lockStore().renew(List.of(new Renew(name, token, Optional.of(LONG)))))
                .get(0);
    }

    @Test
    void theTokenThatEverybodySeesDoesNotFreeALockAtAnyServer() {
        long token = held();
        for (TenonClient eve : List.of(other, otherThere, other)) {
            LockView seen = Sessions.join(eve.lockStore().inspect(name)).orElseThrow();
            assertThat(seen.token()).isEqualTo(token);
            assertThat(renew(eve, name, token)).isEqualTo(new Renewed.NotHeld());
            assertThat(release(eve, name, token)).isEqualTo(Released.NOT_HELD);
        }
        // Its owner may, at a server that knows nothing of the grant as well.
        assertThat(renew(ownerThere, name, token)).isInstanceOf(Renewed.Extended.class);
        assertThat(release(ownerThere, name, token)).isEqualTo(Released.FREED);
        assertThat(release(owner, name, token)).isEqualTo(Released.NOT_HELD);
    }

    @Test
    void ofSeveralInOneCallOnlyThoseOfTheCallerGo() {
        long owners = held();
        String mine = name + "/mine";
        MultiLockStore eve = otherThere.lockStore();
        String hers = session(eve, new RecordedEvents());
        long theirs = granted(Sessions.join(eve.acquire(Sessions.wish(mine, hers, Duration.ZERO))));
        assertThat(Sessions.join(eve.renew(List.of(
                        new Renew(name, owners, Optional.of(LONG)), new Renew(mine, theirs, Optional.of(LONG))))))
                .extracting(answer -> answer instanceof Renewed.Extended)
                .containsExactly(false, true);
        assertThat(Sessions.join(eve.release(
                        List.of(new Release(mine, theirs), new Release(name, owners), new Release(mine, theirs + 1)))))
                .containsExactly(Released.FREED, Released.NOT_HELD, Released.NOT_HELD);
        assertThat(release(owner, name, owners)).isEqualTo(Released.FREED);
    }

    @Test
    void whatWasPushedToAWaiterIsNobodyElsesEither() throws Exception {
        long first = held();
        Acquire next = Sessions.wish(name, session, LONG);
        assertThat(Sessions.join(own.acquire(next))).isInstanceOf(Outcome.Queued.class);
        assertThat(release(owner, name, first)).isEqualTo(Released.HANDED_OVER);
        long token = EVENTS.awaitGrantOf(next.requestId(), Clients.PATIENCE).token();
        assertThat(release(other, name, token)).isEqualTo(Released.NOT_HELD);
        assertThat(release(otherThere, name, token)).isEqualTo(Released.NOT_HELD);
        assertThat(renew(owner, name, token)).isInstanceOf(Renewed.Extended.class);
        assertThat(release(owner, name, token)).isEqualTo(Released.FREED);
    }

    @Test
    void aHoldIsNotConvertedIntoAnothers() {
        Acquire update = wish(UUID.randomUUID().toString(), session, Acquire.Terms.of(LockMode.UPDATE));
        long token = granted(Sessions.join(own.acquire(update)));
        for (TenonClient eve : List.of(other, otherThere)) {
            MultiLockStore store = eve.lockStore();
            String hers = session(store, new RecordedEvents());
            Acquire.Terms converting = Acquire.Terms.EXCLUSIVE.converting(token);
            String request = UUID.randomUUID().toString();
            assertThat(Sessions.join(store.acquire(wish(request, hers, converting))))
                    .isEqualTo(new Outcome.NotHeld());
            assertThat(Sessions.join(store.acquireAll(List.of(wish(request, hers, converting)))))
                    .containsExactly(new Outcome.NotHeld());
        }
        Acquire converted = wish(UUID.randomUUID().toString(), session, Acquire.Terms.EXCLUSIVE.converting(token));
        long exclusive = granted(Sessions.join(own.acquire(converted)));
        assertThat(granted(Sessions.join(own.acquire(converted)))).isEqualTo(exclusive); // sent again
        assertThat(release(owner, name, exclusive)).isEqualTo(Released.FREED);
    }

    private Acquire wish(String request, String session, Acquire.Terms terms) {
        return new Acquire(name, session, request, "test", Optional.of(LONG), Duration.ZERO, terms);
    }

    @Test
    void aRequestIdThatAnotherHasHeardOfNeitherCancelsNorAnswers() throws Exception {
        Acquire holding = wish("report-1", session, Acquire.Terms.EXCLUSIVE);
        long token = granted(Sessions.join(own.acquire(holding)));
        Acquire waiting = new Acquire(name, session, "report-2", "test", Optional.of(LONG), LONG);
        assertThat(Sessions.join(own.acquire(waiting))).isInstanceOf(Outcome.Queued.class);
        MultiLockStore eve = other.lockStore();
        String hers = session(eve, new RecordedEvents());
        assertThat(Sessions.join(eve.acquire(wish("report-1", hers, Acquire.Terms.EXCLUSIVE))))
                .isInstanceOf(Outcome.Busy.class);
        assertThat(Sessions.join(eve.cancel(new Cancel(name, "report-1")))).isEqualTo(new Cancelled.Gone());
        assertThat(Sessions.join(eve.cancel(new Cancel(name, "report-2")))).isEqualTo(new Cancelled.Gone());
        assertThat(release(other, name, token)).isEqualTo(Released.NOT_HELD);
        assertThat(release(owner, name, token)).isEqualTo(Released.HANDED_OVER);
        long next = EVENTS.awaitGrantOf("report-2", Clients.PATIENCE).token();
        assertThat(Sessions.join(own.cancel(new Cancel(name, "report-2"))))
                .isInstanceOfSatisfying(
                        Cancelled.WasGranted.class,
                        late -> assertThat(late.token()).isEqualTo(next));
        assertThat(release(owner, name, next)).isEqualTo(Released.FREED);
    }

    @Test
    void threadsThatHandALockOnAndSeveralLocksAtOnceGoOnAsEver() throws Exception {
        Lease first = owner.locks().lock(name).acquire(Clients.PATIENCE);
        CompletableFuture<Lease> second =
                owner.locks().lock(name).acquireAsync(Clients.PATIENCE).toCompletableFuture();
        first.close();
        try (Lease next = second.get(30, TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(first.token());
            assertThat(release(other, name, next.token())).isEqualTo(Released.NOT_HELD);
            assertThat(owner.locks().validate(name, next.token())).isTrue();
        }
        DistributedMultiLock both = owner.locks().multiLock(List.of(name, name + "/2"));
        both.tryAcquire().orElseThrow().close();
        assertThat(owner.locks().inspect(name)).isEmpty();
    }

    @Test
    void toTakeALockAwayIsForAdministrators() {
        long token = held();
        assertThatThrownBy(() -> other.locks().evict(name, token, "mine")).hasMessageContaining("admin");
        try (TenonClient root = with(THERE, ROOT)) {
            assertThat(root.locks().evict(name, token, "its host is gone")).isPresent();
        }
        assertThat(renew(owner, name, token)).isEqualTo(new Renewed.NotHeld());
    }

    @Test
    void theStoreIsAskedOnlyWhereTheGrantIsNotKnownAndThenOnce() throws Exception {
        long token = held();
        double before = looks(HERE);
        for (int i = 0; i < 5; i++) {
            renew(owner, name, token);
        }
        assertThat(looks(HERE)).isEqualTo(before);
        double elsewhere = looks(THERE);
        for (int i = 0; i < 5; i++) {
            renew(ownerThere, name, token);
            release(otherThere, name, token);
        }
        assertThat(looks(THERE)).isEqualTo(elsewhere + 1);
        assertThat(release(owner, name, token)).isEqualTo(Released.FREED);
        assertThat(looks(HERE)).isEqualTo(before);
    }

    /** How often a server has asked the store how a lock stands. */
    private static double looks(Node node) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.port() + "/metrics"))
                .header("Authorization", "Bearer " + ROOT.text())
                .build();
        return HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofLines())
                .body()
                .filter(line -> line.contains("_count{") && line.contains("locks.inspect"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void aWorkerIdOfAnotherKeyIsNeitherRenewedNorGivenBack() {
        WorkerIdSource mine = owner.workerIds(name);
        WorkerSlot slot = mine.claim(claim("claim-1"));
        for (TenonClient eve : List.of(other, otherThere)) {
            WorkerIdSource theirs = eve.workerIds(name);
            assertThat(theirs.renew(slot, LONG, slot.fence().plusSeconds(60))).isFalse();
            theirs.release(slot, Instant.EPOCH);
            WorkerSlot another = theirs.claim(claim("claim-1"));
            assertThat(another.workerId()).isNotEqualTo(slot.workerId());
            assertThat(mine.census().get(slot.workerId()).leaseLeft()).isPositive();
            theirs.release(another, another.floor());
        }
        for (TenonClient at : List.of(owner, ownerThere)) {
            WorkerIdSource hers = at.workerIds(name);
            assertThat(hers.renew(slot, LONG, slot.fence())).isTrue();
            assertThat(hers.census().get(slot.workerId()).owner()).isEqualTo("host");
        }
        ownerThere.workerIds(name).release(slot, slot.fence());
        assertThat(mine.census().get(slot.workerId()).leaseLeft()).isZero();
    }

    @Test
    void aWorkerIdOfAnotherKeyIsNotKept() {
        WorkerIdSource mine = owner.workerIds(name);
        WorkerSlot slot = mine.claim(claim("held"));
        for (TenonClient eve : List.of(other, otherThere)) {
            for (long number : List.of(slot.claim(), slot.claim() + 1)) {
                assertThatThrownBy(
                                () -> eve.workerIds(name).claim(claim("theft").keeping(slot.workerId(), number)))
                        .isInstanceOf(WorkerIdTakenException.class);
            }
        }
        assertThat(ownerThere.workerIds(name).claim(claim("kept").keeping(slot.workerId(), slot.claim())))
                .extracting(WorkerSlot::workerId, WorkerSlot::claim)
                .containsExactly(slot.workerId(), slot.claim());
        assertThat(mine.renew(slot, LONG, slot.fence())).isTrue();
    }

    @Test
    void aWorkerIdOfTheServerItselfIsNoKeys() {
        WorkerIdSource servers = MEMORY.workerIds(name);
        WorkerSlot slot = servers.claim(claim("c"));
        for (TenonClient client : List.of(owner, otherThere)) {
            assertThat(client.workerIds(name).renew(slot, LONG, slot.fence())).isFalse();
            client.workerIds(name).release(slot, Instant.EPOCH);
        }
        assertThat(servers.renew(slot, LONG, slot.fence())).isTrue();
        assertThat(servers.census().get(slot.workerId()).fence()).isEqualTo(slot.fence());
    }

    @Test
    void aFenceDoesNotGoBackBeyondWhatWasGranted() {
        WorkerIdSource mine = owner.workerIds(name);
        WorkerSlot first = mine.claim(claim("a"));
        mine.release(first, first.fence());
        WorkerSlot again = other.workerIds(name).claim(claim("b").wanting(first.workerId()));
        other.workerIds(name).release(again, Instant.EPOCH);
        assertThat(mine.census().get(first.workerId()).fence()).isEqualTo(first.fence());
    }

    private static WorkerClaim claim(String request) {
        return new WorkerClaim(request, "host", "layout", 4, LONG, Instant.now(), Duration.ofSeconds(1)).inNewStore();
    }
}
