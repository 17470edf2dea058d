package dev.tenon.raft;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A node in a process of its own, which writes until it is killed and says after each answer what it got; and does what
 * its standard input says: {@code leader}, {@code lead NAME}, {@code write}, {@code take NAME}, {@code who NAME}.
 */
final class ClusterNode {
    private static final Duration LONG = Duration.ofHours(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Between two writes: of the load, and not of the crash, there is enough. */
    private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final Object OUT = new Object();

    private ClusterNode() {}

    /** Its folder, its name, whether it writes, and the names and addresses of all. */
    public static void main(String[] args) throws IOException {
        Map<String, String> peers = new TreeMap<>();
        for (int i = 3; i < args.length; i += 2) {
            peers.put(args[i], args[i + 1]);
        }
        RaftBackend backend = RaftBackend.open(
                Path.of(args[0]),
                RaftOptions.DEFAULT.withSnapshotLogBytes(100_000).withCluster(new RaftCluster(args[1], peers)));
        String session = UUID.randomUUID().toString();
        untilKnown(() -> backend.lockStore()
                .open(new SessionSpec(session, args[1], LONG), new RecordedEvents())
                .toCompletableFuture()
                .join());
        say("up " + args[1]);
        if (args[2].equals("writes")) {
            startToWrite(backend, session);
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            obey(backend, session, line.split(" "));
        }
    }

    private static void startToWrite(RaftBackend backend, String session) {
        Thread writer = new Thread(() -> write(backend, session));
        writer.setDaemon(true);
        writer.start();
    }

    private static void obey(RaftBackend backend, String session, String[] words) {
        switch (words[0]) {
            case "leader" -> say("leader " + backend.members().view().leader().orElse("nobody"));
            case "lead" -> {
                untilKnown(() -> {
                    backend.members().transferLeadership(words[1]);
                    return words[1];
                });
                say("leader " + words[1]);
            }
            case "write" -> startToWrite(backend, session);
            case "take" -> say("held " + words[1] + " " + take(backend, session, words[1]));
            case "who" -> {
                try {
                    Optional<LockView> view = backend.locks().inspect(words[1]);
                    say("who " + words[1] + " "
                            + view.flatMap(LockView::holder)
                                    .map(holder -> String.valueOf(holder.token()))
                                    .orElse("nobody"));
                } catch (BackendUnavailableException | OutcomeUnknownException e) {
                    say("who " + words[1] + " unknown");
                }
            }
            default -> say("what is " + words[0]);
        }
    }

    private static void write(RaftBackend backend, String session) {
        for (int i = 0; ; i++) {
            IdRange range = untilKnown(() -> backend.ranges().next("ids", 3));
            say("range " + range.first() + " " + range.last());
            String name = session + ":" + i;
            say("held " + name + " " + take(backend, session, name));
            LockSupport.parkNanos(PACE_NANOS);
        }
    }

    private static long take(RaftBackend backend, String session, String name) {
        Acquire request =
                new Acquire(name, session, UUID.randomUUID().toString(), "w", Optional.of(LONG), Duration.ZERO);
        Outcome outcome = untilKnown(
                () -> backend.lockStore().acquire(request).toCompletableFuture().join());
        return ((Outcome.Granted) outcome).token();
    }

    private interface Call<T> {
        T run();
    }

    /** Repeats what failed, and what may have; a repeated range takes another one, a repeated lock the same. */
    private static <T> T untilKnown(Call<T> call) {
        for (int i = 0; ; i++) {
            if (i > 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            try {
                return call.run();
            } catch (BackendUnavailableException | OutcomeUnknownException e) {
                say("again " + e.getMessage());
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof BackendUnavailableException
                        || e.getCause() instanceof OutcomeUnknownException)) {
                    throw e;
                }
                say("again " + e.getCause().getMessage());
            }
        }
    }

    private static void say(String line) {
        synchronized (OUT) {
            System.out.println(line);
            System.out.flush();
        }
    }
}
