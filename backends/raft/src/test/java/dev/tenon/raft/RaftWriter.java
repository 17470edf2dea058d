package dev.tenon.raft;

import dev.tenon.id.spi.IdRange;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A process that writes until it is killed, and says after each answer what it got. */
final class RaftWriter {
    private static final int THREADS = 4;

    private RaftWriter() {}

    public static void main(String[] args) {
        RaftBackend backend = RaftBackend.open(Path.of(args[0]), RaftOptions.DEFAULT.withSnapshotLogBytes(100_000));
        String session = UUID.randomUUID().toString();
        backend.lockStore()
                .open(new SessionSpec(session, "writer", Duration.ofHours(1)), new Silent())
                .toCompletableFuture()
                .join();
        for (int i = 0; i < THREADS; i++) {
            int mine = i;
            new Thread(() -> writeUntilItFails(backend, session, mine)).start();
        }
    }

    private static void writeUntilItFails(RaftBackend backend, String session, int thread) {
        try {
            write(backend, session, thread);
        } catch (RuntimeException e) {
            say("failed " + e);
        }
    }

    private static void write(RaftBackend backend, String session, int thread) {
        for (int i = 0; ; i++) {
            IdRange range = backend.ranges().next("ids", 3);
            say("range " + range.first() + " " + range.last());
            String name = session + ":" + thread + ":" + i;
            Acquire request = new Acquire(
                    name, session, UUID.randomUUID().toString(), "w", Optional.of(Duration.ofHours(1)), Duration.ZERO);
            Outcome outcome =
                    backend.lockStore().acquire(request).toCompletableFuture().join();
            long token = ((Outcome.Granted) outcome).token();
            if (i % 10 == 0) {
                say("held " + name + " " + token);
            } else {
                backend.lockStore()
                        .release(List.of(new Release(name, token)))
                        .toCompletableFuture()
                        .join();
                say("freed " + name + " " + token);
            }
        }
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    private static final class Silent implements StoreEvents {
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
