package dev.tenon.server;

import dev.tenon.testkit.ForkedJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a process of its own, on a data folder. */
final class ServerProcess implements AutoCloseable {
    static final Duration START_LIMIT = Duration.ofSeconds(180);
    /** A line of the log with the collections of that time, if any, below. */
    private static final Pattern STOOD_STILL =
            Pattern.compile(" WARN  JvmPauseMonitor: |^GC pool '.*' had collection|^No GCs detected");

    private static final Pattern LISTENS = Pattern.compile("Tenon listens on http://127\\.0\\.0\\.1:(\\d+) .*");

    private final ForkedJvm jvm;
    private final int port;

    private ServerProcess(ForkedJvm jvm, int port) {
        this.jvm = jvm;
        this.port = port;
    }

    /**
     * Starts a server and waits until it listens.
     *
     * @param port 0: any free one
     */
    static ServerProcess start(Path data, int port) {
        return started(launch("--data", data.toString(), "--port", String.valueOf(port)));
    }

    /** Starts a server over a store and waits until it listens. */
    static ServerProcess start(StoreLocation store) {
        return start(store, 0);
    }

    /** Starts a server over a store on a port and waits until it listens. */
    static ServerProcess start(StoreLocation store, int port, String... jvmOptions) {
        List<String> arguments = new ArrayList<>(List.of("--port", String.valueOf(port), "--store", store.uri()));
        store.user().ifPresent(user -> arguments.addAll(List.of("--store-user", user)));
        store.password().ifPresent(password -> arguments.addAll(List.of("--store-password", password)));
        return started(launch(List.of(jvmOptions), arguments.toArray(String[]::new)));
    }

    /** Waits until a server listens that was launched. */
    static ServerProcess started(ForkedJvm jvm) {
        String line = jvm.nextLine(l -> l.startsWith("Tenon listens"), START_LIMIT);
        Matcher listens = LISTENS.matcher(line);
        if (!listens.matches()) {
            throw new IllegalStateException(line);
        }
        return new ServerProcess(jvm, Integer.parseInt(listens.group(1)));
    }

    /** What a server said on stderr, but what the Raft engine says when the machine stood still. */
    static List<String> errorsOf(ForkedJvm jvm) {
        return jvm.errors()
                .strip()
                .lines()
                .filter(line -> !STOOD_STILL.matcher(line).find())
                .toList();
    }

    /** Starts a server with these arguments and waits for nothing. */
    static ForkedJvm launch(String... arguments) {
        return launch(List.of(), arguments);
    }

    static ForkedJvm launch(List<String> jvmOptions, String... arguments) {
        return ForkedJvm.start(TenonServer.class, options(jvmOptions), arguments);
    }

    private static List<String> options(List<String> jvmOptions) {
        List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(ForkedJvm.withoutWarnings());
        return options;
    }

    int port() {
        return port;
    }

    TestClient client() {
        return new TestClient(port);
    }

    ForkedJvm jvm() {
        return jvm;
    }

    /** Kill -9. */
    void kill() {
        jvm.kill();
    }

    @Override
    public void close() {
        jvm.close();
    }
}
