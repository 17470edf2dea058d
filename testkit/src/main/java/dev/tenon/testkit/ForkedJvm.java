package dev.tenon.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * A main class of the test's class path in a JVM of its own, to be killed or frozen at will, with which the test talks
 * by lines of text. It ends with this JVM at the latest, however this one ends. Several may run at once; threads may
 * share one.
 */
public final class ForkedJvm implements AutoCloseable {
    /** Quick to start and small: many of them share a machine with the test and its servers. */
    private static final List<String> OPTIONS = List.of(
            "-Xmx160m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            // Classes of one's own build need no verifier; hundreds of starts are a third quicker without.
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-Dfile.encoding=UTF-8");

    private static final int WARNS_SINCE = 24;

    private static final String CLOCK = "clock";
    /** Longer than any test waits. */
    private static final Duration FOR_EVER = Duration.ofMinutes(30);

    private final Path folder;
    private final ChildProcess child;
    private final Writer input;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private int taken;
    private boolean outputEnded;

    private ForkedJvm(Path folder, ChildProcess child) {
        this.folder = folder;
        this.child = child;
        this.input = child.process().outputWriter(StandardCharsets.UTF_8);
    }

    /**
     * Options by which a JVM does not warn on stderr of what libraries do, as Tenon's launchers have them: Netty's
     * native code, and the memory interface of Ratis' protobuf. None before JDK 24, which warns of neither.
     */
    public static List<String> withoutWarnings() {
        return Runtime.version().feature() < WARNS_SINCE
                ? List.of()
                : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    }

    /**
     * Starts a JVM and returns at once; wait for a line that it prints when it must be up.
     *
     * @param main a class with a main method
     * @param arguments its arguments
     */
    public static ForkedJvm start(Class<?> main, String... arguments) {
        return start(main, List.of(), arguments);
    }

    /**
     * Starts a JVM with options of its own, such as {@code -Xmx512m} or {@code -Dkey=value}, which win over the usual
     * ones (serial collector, first compiler only, no verifier, 160 MB).
     */
    public static ForkedJvm start(Class<?> main, List<String> jvmOptions, String... arguments) {
        return start(Guard.ofThisJvm().newFolder("jvm"), List.of(), main, jvmOptions, arguments);
    }

    /**
     * As {@link #start(Class, List, String...)}, with a wall clock of its own, for {@link #setClock}. Its monotonic
     * clock is that of the machine.
     *
     * @throws IllegalStateException if there is no libfaketime (Debian: libfaketime)
     */
    public static ForkedJvm startWithClock(Class<?> main, List<String> jvmOptions, String... arguments) {
        Path folder = Guard.ofThisJvm().newFolder("jvm");
        FakedTime.write(folder.resolve(CLOCK), Duration.ZERO);
        return start(folder, FakedTime.ofJvm(folder.resolve(CLOCK)), main, jvmOptions, arguments);
    }

    /**
     * As {@link #start(Class, List, String...)}, on a disk that is slow: each flush of a file (fsync, fdatasync) takes
     * longer by so much, from its first one to its last. Nothing else of it is slower.
     *
     * @throws IllegalStateException if there is no strace (Debian: strace)
     */
    public static ForkedJvm startWithSlowDisk(
            Duration flush, Class<?> main, List<String> jvmOptions, String... arguments) {
        return start(Guard.ofThisJvm().newFolder("jvm"), SlowDisk.ofJvm(flush, 0), main, jvmOptions, arguments);
    }

    /**
     * As {@link #start(Class, List, String...)}, on a disk that will hang: a thread's flush of a file (fsync,
     * fdatasync) does not return once that thread has done so many, until {@link #freeDisk}.
     *
     * @throws IllegalStateException if there is no strace (Debian: strace)
     */
    public static ForkedJvm startWithHangingDisk(
            int flushes, Class<?> main, List<String> jvmOptions, String... arguments) {
        return start(
                Guard.ofThisJvm().newFolder("jvm"), SlowDisk.ofJvm(FOR_EVER, flushes), main, jvmOptions, arguments);
    }

    /** As {@link #start(Class, List, String...)}, under a umask, such as {@code 000}. */
    public static ForkedJvm startWithUmask(String umask, Class<?> main, List<String> jvmOptions, String... arguments) {
        return start(
                Guard.ofThisJvm().newFolder("jvm"),
                List.of("sh", "-c", "umask " + umask + " && exec \"$@\"", "sh"),
                main,
                jvmOptions,
                arguments);
    }

    private static ForkedJvm start(
            Path folder, List<String> before, Class<?> main, List<String> jvmOptions, String... arguments) {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(jvmOptions);
        command.addAll(SharedClasses.optionsFor(main.getName(), List.of(arguments)));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectError(folder.resolve("err").toFile());
        ForkedJvm jvm = new ForkedJvm(folder, ChildProcess.start(folder, ChildProcess.Reach.ALONE, builder));
        FaultProxy.daemon("tenon-test-jvm-" + jvm.pid(), jvm::readOutput);
        return jvm;
    }

    /** The process's ID. */
    public long pid() {
        return child.pid();
    }

    /** Whether the process runs; a paused one does. */
    public boolean running() {
        return child.alive();
    }

    /**
     * Sends one line to its standard input.
     *
     * @throws IllegalStateException if it no longer takes any
     */
    public void send(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new IllegalStateException("the JVM takes no more input; its errors:\n" + errors(), e);
        }
    }

    /** Closes its standard input. */
    public void closeInput() {
        try {
            input.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Takes the next line of its standard output, waiting for it if need be.
     *
     * @throws IllegalStateException if the output ends, or the time is over first; the message shows its errors
     */
    public String nextLine(Duration limit) {
        return nextLine(line -> true, limit);
    }

    /**
     * Takes the next line that is like this, passing over others.
     *
     * @throws IllegalStateException if the output ends, or the time is over first; the message shows its errors
     */
    public String nextLine(Predicate<String> like, Duration limit) {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (true) {
                while (taken < lines.size()) {
                    String line = lines.get(taken++);
                    if (like.test(line)) {
                        return line;
                    }
                }
                if (outputEnded || left <= 0) {
                    throw new IllegalStateException(
                            (outputEnded ? "the JVM's output ended" : "no such line in " + limit) + "; it printed "
                                    + lines + " and these errors:\n" + errors());
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a line", e);
        } finally {
            lock.unlock();
        }
    }

    /** All lines of its standard output so far, taken or not. */
    public List<String> lines() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }

    /** The end of what it has written to its standard error so far. */
    public String errors() {
        return LocalHost.tail(folder.resolve("err"));
    }

    /** Kill -9; returns when the process is gone. */
    public void kill() {
        freeDisk();
        child.kill();
    }

    /** Lets a hanging disk take what it is asked to, from now on without delay. Nothing, if it does not hang. */
    public void freeDisk() {
        SlowDisk.endOf(child.pid());
    }

    /**
     * Freezes it (SIGSTOP), as a long pause of the collector or the host would; returns when every thread stands still.
     */
    public void pause() {
        child.pause();
    }

    /** Lets it go on (SIGCONT). */
    public void resume() {
        child.resume();
    }

    /**
     * Lets no file of it grow beyond a size from now on, as a full disk would (RLIMIT_FSIZE; writes fail with EFBIG).
     */
    public void limitFiles(long bytes) {
        child.limitFiles(Long.toString(bytes));
    }

    /** Lifts {@link #limitFiles}. */
    public void unlimitFiles() {
        child.limitFiles("unlimited");
    }

    /**
     * Sets the wall clock of one that was {@linkplain #startWithClock started with its own}, at once.
     *
     * @param ahead of the machine's; negative: behind
     */
    public void setClock(Duration ahead) {
        Path clock = folder.resolve(CLOCK);
        if (!Files.exists(clock)) {
            throw new IllegalStateException("this JVM was not started with a clock of its own");
        }
        FakedTime.write(clock, ahead);
    }

    /** Asks for an orderly end (SIGTERM): shutdown hooks run. Does not wait. */
    public void terminate() {
        child.signal("TERM");
    }

    /** Its exit code; empty while it runs. */
    public OptionalInt exitCode() {
        return running() ? OptionalInt.empty() : OptionalInt.of(child.process().exitValue());
    }

    /**
     * Waits until it ends, and until all that it printed is in {@link #lines()}.
     *
     * @return the exit code; 128 + 9 after {@link #kill()}
     * @throws IllegalStateException if it still runs when the time is over
     */
    public int awaitExit(Duration limit) {
        if (!child.waitFor(limit)) {
            throw new IllegalStateException("the JVM still runs after " + limit + "; it printed " + lines());
        }
        lock.lock();
        try {
            while (!outputEnded) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the end of the output", e);
        } finally {
            lock.unlock();
        }
        return child.process().exitValue();
    }

    /** Kills it if it still runs. Harmless when done twice. */
    @Override
    public void close() {
        kill();
        ServerData.delete(folder);
    }

    private void readOutput() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(child.process().getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                publish(line);
            }
        } catch (IOException e) {
            // The process was killed: what it printed until then is all there is.
        } finally {
            end();
        }
    }

    private void publish(String line) {
        lock.lock();
        try {
            lines.add(line);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            outputEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
