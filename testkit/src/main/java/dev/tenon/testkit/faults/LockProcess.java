package dev.tenon.testkit.faults;

import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.Operation;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A process that holds locks, to be killed and stopped. It does what the lines of its standard input say, one after the
 * other, and answers each with a line:
 *
 * <pre>
 * hold LOCK LEASE_MS        held TOKEN
 * state LOCK                state STATE             of the lease of that hold
 * close LOCK                closed
 * read LOCK guarded|plain   read VALUE              from the register, after showing the token if guarded
 * write VALUE               written | stale
 * random PREFIX SEED MS     operation …, done       {@link RandomHolder}
 * </pre>
 */
final class LockProcess {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Locks locks;
    private final LockStoreFixture.Register register;
    private final PrintStream answers;
    private final Map<String, Lease> held = new HashMap<>();
    private OptionalLong token = OptionalLong.empty();

    private LockProcess(Locks locks, LockStoreFixture.Register register, PrintStream answers) {
        this.locks = locks;
        this.register = register;
        this.answers = answers;
    }

    /** Starts one and returns at once. */
    static ForkedJvm launch(LockStoreFixture fixture, String place, Path folder) {
        return ForkedJvm.start(LockProcess.class, fixture.getClass().getName(), place, folder.toString());
    }

    /** Waits until it is connected. */
    static void awaitReady(ForkedJvm jvm) {
        jvm.nextLine("ready"::equals, PATIENCE);
    }

    /** What it has told of its locks until it was killed: what it was in may have ended at any time since. */
    static List<String> operationsOf(ForkedJvm killed) {
        killed.awaitExit(PATIENCE);
        return withEndings(killed.lines());
    }

    /** It may have given back what it held, or left what it had entered, without having had the time to say so. */
    static List<String> withEndings(List<String> told) {
        List<String> lines = new ArrayList<>(told);
        History history = new History();
        told.forEach(history::add);
        history.byLock()
                .forEach((lock, operations) ->
                        endings(operations).forEach(ending -> lines.add(History.line(lock, ending))));
        return lines;
    }

    private static List<Operation> endings(List<Operation> operations) {
        List<Operation> endings = new ArrayList<>();
        Deque<Operation> entered = new ArrayDeque<>();
        for (Operation operation : operations) {
            if (operation.change() instanceof Operation.Granted granted) {
                Operation.Freed end = new Operation.Freed(granted.token());
                endings.add(Operation.perhaps("killed", end, operation.invoked()));
            } else if (operation.change() instanceof Operation.Entered) {
                entered.push(operation);
            } else if (operation.change() instanceof Operation.Left) {
                entered.pop();
            }
        }
        entered.forEach(in -> endings.add(Operation.perhaps(in.process(), new Operation.Left(), in.invoked())));
        return endings;
    }

    /** Sends a line and takes the answer. */
    static String ask(ForkedJvm jvm, String line) {
        jvm.send(line);
        return jvm.nextLine(PATIENCE);
    }

    /**
     * Serves until its input ends.
     *
     * @param arguments the class of the fixture, the place, and the register's folder
     */
    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Object fixture = Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        LockStoreFixture kind = (LockStoreFixture) fixture;
        try (LockStoreFixture.Backend backend = FaultScenario.opened(kind, arguments[1]);
                Locks locks = Locks.over(backend.store());
                LockStoreFixture.Register register = kind.register(arguments[1], Path.of(arguments[2]))) {
            locks.lock("warm:" + ProcessHandle.current().pid())
                    .acquire(PATIENCE)
                    .close();
            answers.println("ready");
            new LockProcess(locks, register, answers).serve();
        }
    }

    private void serve() throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("random")) {
                random(words);
            } else {
                answers.println(answer(words));
            }
        }
    }

    private String answer(String[] words) throws InterruptedException {
        switch (words[0]) {
            case "hold" -> {
                LockOptions options = LockOptions.DEFAULT.withLease(Duration.ofMillis(Long.parseLong(words[2])));
                Lease lease = locks.lock(words[1], options).acquire(PATIENCE);
                held.put(words[1], lease);
                return "held " + lease.token();
            }
            case "state" -> {
                return "state " + lease(words[1]).state();
            }
            case "close" -> {
                lease(words[1]).close();
                return "closed";
            }
            case "read" -> {
                token = words[2].equals("guarded")
                        ? OptionalLong.of(lease(words[1]).token())
                        : OptionalLong.empty();
                return "read " + register.read(token);
            }
            case "write" -> {
                try {
                    register.write(Long.parseLong(words[1]), token);
                    return "written";
                } catch (StaleTokenException e) {
                    return "stale";
                }
            }
            default -> throw new IllegalArgumentException(String.join(" ", words));
        }
    }

    private Lease lease(String lock) {
        return Objects.requireNonNull(held.get(lock), lock);
    }

    private void random(String[] words) throws InterruptedException {
        long seed = Long.parseLong(words[2]);
        long end =
                System.nanoTime() + Duration.ofMillis(Long.parseLong(words[3])).toNanos();
        String process = "jvm-" + ProcessHandle.current().pid();
        RandomHolder holder = new RandomHolder(
                locks, process, words[1], seed, (lock, done) -> answers.println(History.line(lock, done)));
        holder.runUntil(() -> System.nanoTime() - end > 0);
        answers.println("done");
    }
}
