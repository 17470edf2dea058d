package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Strict global order: the numbers of a sequence that several clients draw from two server processes over one store
 * are those of one counter, each taken at some moment between its request and its answer (linearizable).
 */
class GlobalOrderTest {
    private static final int CLIENTS = 6;
    private static final int CALLS = 150;

    /** One answered call: when it was sent, when it was answered, on one clock, and the numbers. */
    record Call(long sent, long answered, long first, int count) {
        long last() {
            return first + count - 1;
        }
    }

    /**
     * A history of "take the next numbers" is linearizable if the numbers are 1, 2, 3 … without one twice, and no call
     * has smaller numbers than one that was answered before it was sent. (The order of the numbers is the only order of
     * calls that such a counter allows, so that nothing needs to be searched.)
     */
    static void assertLinearizable(List<Call> history) {
        List<Call> byNumber =
                history.stream().sorted(Comparator.comparingLong(Call::first)).toList();
        long expected = 1;
        long latestSent = Long.MIN_VALUE;
        for (Call call : byNumber) {
            assertThat(call.first()).as("no number twice, none left out").isEqualTo(expected);
            expected = call.last() + 1;
            // Whoever has smaller numbers must have been sent before this one was answered.
            assertThat(call.answered())
                    .as("%s came after a later one was sent", call)
                    .isGreaterThan(latestSent);
            latestSent = Math.max(latestSent, call.sent());
        }
    }

    @Test
    void theCheckFindsWhatIsWrong() {
        assertLinearizable(List.of(new Call(0, 10, 2, 1), new Call(5, 15, 1, 1), new Call(20, 30, 3, 2)));
        assertThatThrownBy(() -> assertLinearizable(List.of(new Call(0, 1, 2, 1), new Call(5, 6, 1, 1))))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> assertLinearizable(List.of(new Call(0, 9, 1, 2), new Call(1, 9, 2, 1))))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aSequenceIsOneCounterOverAllServers() throws Exception {
        SqlAddress sql = PostgresServer.shared().newDatabase();
        StoreLocation store = new StoreLocation(sql.url(), Optional.of(sql.user()), Optional.of(sql.password()));
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try (ServerProcess first = ServerProcess.start(store);
                ServerProcess second = ServerProcess.start(store)) {
            first.client().put("/v1/ids/rows", "{\"kind\":\"sequence\"}");
            List<Future<List<Call>>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                // Every other call of a client goes to the other server: its own numbers must ascend, too.
                TestClient[] servers = {first.client(), second.client()};
                int offset = i;
                clients.add(pool.submit(() -> draw(servers, offset)));
            }
            List<Call> history = new ArrayList<>();
            for (Future<List<Call>> client : clients) {
                List<Call> own = client.get(60, TimeUnit.SECONDS);
                assertThat(own).isSortedAccordingTo(Comparator.comparingLong(Call::first));
                history.addAll(own);
            }
            assertThat(history).hasSize(CLIENTS * CALLS);
            assertLinearizable(history);
        } finally {
            pool.shutdownNow();
        }
    }

    private static List<Call> draw(TestClient[] servers, int offset) {
        List<Call> calls = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            int count = 1 + i % 3;
            long sent = System.nanoTime();
            List<String> ids = servers[(offset + i) % servers.length].next("rows", count);
            long answered = System.nanoTime();
            assertThat(ids).hasSize(count);
            calls.add(new Call(sent, answered, Long.parseLong(ids.get(0)), count));
            assertThat(Long.parseLong(ids.get(count - 1)))
                    .isEqualTo(calls.get(i).last());
        }
        return calls;
    }
}
