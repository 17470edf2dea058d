package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A running child of this JVM, which does not outlive it. Threads may share it. */
final class ChildProcess {
    private static final Duration SIGNAL_LIMIT = Duration.ofSeconds(60);

    /** Whom signals reach. */
    enum Reach {
        /** The process alone: a JVM, whose own children have their own guard, and must see how it dies. */
        ALONE,
        /** Its children as well: a PostgreSQL server is a family of processes that crashes and stands still as one. */
        FAMILY
    }

    private final Process process;
    private final Reach reach;

    private ChildProcess(Process process, Reach reach) {
        this.process = process;
        this.reach = reach;
    }

    /** Starts the builder's command under the guard. */
    static ChildProcess start(Path folder, Reach reach, ProcessBuilder builder) {
        builder.command(Guard.ofThisJvm().guarded(folder, reach, builder.command()));
        try {
            return new ChildProcess(builder.start(), reach);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + builder.command(), e);
        }
    }

    Process process() {
        return process;
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Sends a signal such as {@code "INT"} to the process itself. */
    void signal(String name) {
        signal(name, List.of(process.toHandle()));
    }

    /** Waits for the end of the process; false when the time is over first. */
    boolean waitFor(Duration limit) {
        try {
            return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the end of process " + pid(), e);
        }
    }

    /** Kill -9 ; returns when all that it reaches are gone. */
    void kill() {
        List<ProcessHandle> family = family();
        family.forEach(ProcessHandle::destroyForcibly);
        awaitEnd(family);
    }

    /** Sends the signal that asks for an orderly end, and kills what is still there after the limit. */
    void end(String signal, Duration limit) {
        List<ProcessHandle> family = family();
        // Whoever is paused hears nothing.
        signal("CONT", family);
        signal(signal);
        if (!waitFor(limit)) {
            family.forEach(ProcessHandle::destroyForcibly);
        }
        awaitEnd(family);
    }

    /** SIGSTOP; returns when every thread that it reaches stands still. */
    void pause() {
        // The parent first, so that it cannot start another child behind our back.
        signal("STOP", List.of(process.toHandle()));
        List<ProcessHandle> family = family();
        signal("STOP", family);
        if (Files.isDirectory(Path.of("/proc/self/task"))) {
            Awaitility.await()
                    .atMost(SIGNAL_LIMIT)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> family.stream().allMatch(ChildProcess::standsStill));
        }
    }

    /** SIGCONT. */
    void resume() {
        signal("CONT", family());
    }

    /** Sets the soft limit (RLIMIT_FSIZE) of all that it reaches; those who are started by them have it too. */
    void limitFiles(String bytes) {
        for (ProcessHandle each : family()) {
            List<String> command = new ArrayList<>();
            // Only its own user may: a server that refuses to run as root has another one.
            each.info()
                    .user()
                    .filter(user -> !user.equals(System.getProperty("user.name")))
                    .ifPresent(user -> command.addAll(List.of("setpriv", "--reuid=" + user, "--clear-groups", "--")));
            command.addAll(List.of("prlimit", "--pid", Long.toString(each.pid()), "--fsize=" + bytes + ":"));
            int exit = run(command);
            if (exit != 0 && !gone(each)) {
                throw new IllegalStateException("prlimit (Debian: util-linux) failed with exit code " + exit);
            }
        }
    }

    private List<ProcessHandle> family() {
        List<ProcessHandle> all = new ArrayList<>();
        all.add(process.toHandle());
        if (reach == Reach.FAMILY) {
            process.descendants().forEach(all::add);
        }
        return all;
    }

    private void awaitEnd(List<ProcessHandle> family) {
        if (!waitFor(SIGNAL_LIMIT)) {
            throw new IllegalStateException("process " + pid() + " does not end");
        }
        Awaitility.await()
                .atMost(SIGNAL_LIMIT)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> family.stream().allMatch(ChildProcess::gone));
    }

    private static void signal(String name, List<ProcessHandle> targets) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -s \"$@\" 2>/dev/null", "sh", name));
        // The ID of one that is gone may be a stranger's by now; a handle knows which of the two it is.
        List<ProcessHandle> alive =
                targets.stream().filter(ProcessHandle::isAlive).toList();
        alive.forEach(target -> command.add(Long.toString(target.pid())));
        if (!alive.isEmpty()) {
            run(command);
        }
    }

    private static int run(List<String> command) {
        try {
            Process sender = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return sender.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + command, e);
        }
    }

    /** A zombie that nobody has collected yet (often so where process 1 is no init) is as good as gone. */
    static boolean gone(ProcessHandle process) {
        if (!process.isAlive()) {
            return true;
        }
        try {
            return "ZX".indexOf(state(Path.of("/proc", Long.toString(process.pid()), "stat"))) >= 0;
        } catch (IOException e) {
            return !process.isAlive();
        }
    }

    private static boolean standsStill(ProcessHandle process) {
        Path tasks = Path.of("/proc", Long.toString(process.pid()), "task");
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                if ("TtZX".indexOf(state(thread.resolve("stat"))) < 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            // The process, or one of its threads, has ended in between.
            return !process.isAlive();
        }
    }

    private static char state(Path stat) throws IOException {
        String line = Files.readString(stat);
        return line.charAt(line.lastIndexOf(')') + 2);
    }
}
