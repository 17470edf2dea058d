package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tokens under random failures: nodes refuse, or act and lose the answer, or act on an old question long after it was
 * given up; their clocks differ by up to an hour; leases run out. Whatever happens, a token that is returned is greater
 * than each one that was returned before.
 */
class RedisQuorumTokenTest {
    private static final int HISTORIES = 100;
    private static final int STEPS = 60;
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final String NAME = "stock";

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void tokensIncreaseWhateverFails(int size) {
        long grants = 0;
        long withFailures = 0;
        for (long seed = 1; seed <= HISTORIES; seed++) {
            History history = new History(size, seed);
            for (int step = 0; step < STEPS; step++) {
                history.step();
            }
            grants += history.tokens.size();
            withFailures += history.grantsWithFailures;
        }
        // Otherwise the histories would have tested nothing.
        assertThat(grants).isGreaterThan(HISTORIES);
        assertThat(withFailures).isGreaterThan(HISTORIES / 2);
    }

    private final class History {
        private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
        private final List<UnreliableNode> nodes = new ArrayList<>();
        private final List<RedisQuorumLockStore> clients = new ArrayList<>();
        private final List<Long> tokens = new ArrayList<>();
        private final List<Acquire> requests = new ArrayList<>();
        private final Random random;
        private final long seed;
        private long validUntilNanos;
        private int holder = -1;
        private long grantsWithFailures;

        History(int size, long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            for (int i = 0; i < size; i++) {
                nodes.add(new UnreliableNode(NAME, clock, random, Duration.ofSeconds(random.nextInt(3600))));
            }
            for (int i = 0; i < 3; i++) {
                RedisQuorumLockStore client = new RedisQuorumLockStore(nodes, clock, timer);
                client.open(new SessionSpec("session" + i, "test", Duration.ofHours(1)), deaf());
                clients.add(client);
            }
        }

        void step() {
            double failing = random.nextInt(3) * 0.2;
            nodes.forEach(node -> node.failing = failing);
            nodes.get(random.nextInt(nodes.size())).deliverLate();
            int client = random.nextInt(clients.size());
            switch (random.nextInt(6)) {
                case 0 -> clock.advance(Duration.ofMillis(random.nextInt(12_000)));
                case 1 -> {
                    if (!tokens.isEmpty() && holder >= 0) {
                        clients.get(holder).release(List.of(new Release(NAME, tokens.get(tokens.size() - 1))));
                        holder = -1;
                    }
                }
                case 2 ->
                    ask(
                            client,
                            requests.isEmpty() || random.nextBoolean()
                                    ? request(client)
                                    : requests.get(random.nextInt(requests.size())));
                default -> ask(client, request(client));
            }
        }

        private Acquire request(int client) {
            Acquire request = new Acquire(
                    NAME, "session" + client, seed + "-" + requests.size(), "owner", Optional.of(LEASE), Duration.ZERO);
            requests.add(request);
            return request;
        }

        private void ask(int client, Acquire request) {
            long sent = clock.nanoTime();
            long failures = nodes.stream().mapToLong(node -> node.failures).sum();
            CompletableFuture<Outcome> answer =
                    clients.get(client).acquire(request).toCompletableFuture();
            assertThat(answer).isDone();
            if (answer.isCompletedExceptionally() || !(answer.join() instanceof Outcome.Granted granted)) {
                return;
            }
            long last = tokens.isEmpty() ? 0 : tokens.get(tokens.size() - 1);
            boolean again = granted.token() == last && holder >= 0;
            assertThat(granted.token() > last || again)
                    .as("token %s after %s, history %s", granted.token(), last, seed)
                    .isTrue();
            if (!again) {
                assertThat(holder < 0 || clock.nanoTime() - validUntilNanos >= 0)
                        .as("nobody else holds, history %s", seed)
                        .isTrue();
                tokens.add(granted.token());
                grantsWithFailures +=
                        nodes.stream().mapToLong(node -> node.failures).sum() > failures ? 1 : 0;
            }
            holder = client;
            validUntilNanos = sent + granted.lease().toNanos();
        }
    }

    private static StoreEvents deaf() {
        return (StoreEvents) Proxy.newProxyInstance(
                StoreEvents.class.getClassLoader(), new Class<?>[] {StoreEvents.class}, (proxy, method, args) -> null);
    }
}
