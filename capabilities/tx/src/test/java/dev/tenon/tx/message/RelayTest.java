package dev.tenon.tx.message;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What an outbox has under way, over a store that answers when the test lets it. */
class RelayTest {
    private static final int MESSAGES = 12;
    private static final OutboxOptions OPTIONS =
            OutboxOptions.DEFAULT.withBatch(4, 4).withPollEvery(Duration.ofHours(1));

    private final CountDownLatch sent = new CountDownLatch(MESSAGES);
    private final Semaphore settlements = new Semaphore(0);
    private final Semaphore claims = new Semaphore(0);
    private final Semaphore claimed = new Semaphore(0);

    @Test
    void itLooksAgainAsSoonAsThereIsRoomForMore() throws InterruptedException {
        try (Outbox outbox = Outbox.over(
                store(),
                message -> {
                    sent.countDown();
                    return Reply.done();
                },
                OPTIONS)) {
            outbox.start();
            outbox.dispatch();
            claims.release();
            assertThat(claimed.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
            // Its settlement begins while there is room, and ends when what was claimed meanwhile has taken all of it.
            outbox.dispatch();
            claims.release();
            assertThat(claimed.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
            settlements.release(MESSAGES);
            claims.release(MESSAGES);
            assertThat(sent.await(1, TimeUnit.MINUTES))
                    .as("sent before the next look, in an hour")
                    .isTrue();
        }
    }

    /** Has messages without a key: one for the first claim, and then as many as are asked for. */
    private OutboxStore store() {
        List<OutboxEntry> left = new ArrayList<>();
        for (int i = 1; i <= MESSAGES; i++) {
            left.add(new OutboxEntry(i, 1, 1, Instant.EPOCH, Message.of("points", "moved", "" + i), List.of()));
        }
        return (OutboxStore) Proxy.newProxyInstance(
                OutboxStore.class.getClassLoader(), new Class<?>[] {OutboxStore.class}, (self, method, args) -> {
                    switch (method.getName()) {
                        case "claim" -> {
                            claims.acquire();
                            boolean first = left.size() == MESSAGES;
                            int count = first ? 1 : Math.min(left.size(), (int) args[2]);
                            List<OutboxEntry> some = left.subList(0, count);
                            OutboxStore.Claimed answer =
                                    new OutboxStore.Claimed(List.copyOf(some), !first && count == (int) args[2]);
                            some.clear();
                            claimed.release();
                            return answer;
                        }
                        case "settle" -> {
                            settlements.acquire();
                            return false;
                        }
                        default -> {
                            return 0;
                        }
                    }
                });
    }
}
