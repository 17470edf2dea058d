package dev.tenon.testkit.history;

import dev.tenon.lock.spi.LockMode;
import dev.tenon.testkit.history.Operation.Change;
import dev.tenon.testkit.history.Operation.Entered;
import dev.tenon.testkit.history.Operation.Freed;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Left;
import dev.tenon.testkit.history.Operation.Read;
import dev.tenon.testkit.history.Operation.Refused;
import dev.tenon.testkit.history.Operation.Seen;
import dev.tenon.testkit.history.Operation.Written;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Collects what happened to locks, or to registers, by name: in this process, and, as lines of text, in others of this
 * machine, whose {@link System#nanoTime} counts from the same moment (on Linux it does: CLOCK_MONOTONIC). Thread-safe.
 */
public final class History {
    private static final String MARK = "operation";

    private final Map<String, Queue<Operation>> byLock = new ConcurrentHashMap<>();
    private final AtomicLong grants = new AtomicLong();

    /** Takes note of one operation. */
    public void add(String lock, Operation operation) {
        byLock.computeIfAbsent(lock, name -> new ConcurrentLinkedQueue<>()).add(operation);
        if (operation.change() instanceof Granted || operation.change() instanceof Entered) {
            grants.incrementAndGet();
        }
    }

    /** Takes note of what a line of another process tells; a line that tells nothing of the kind is passed over. */
    public void add(String line) {
        if (line.startsWith(MARK + " ")) {
            String[] words = line.split(" ");
            long returned = Long.parseLong(words[4]);
            add(
                    words[1],
                    new Operation(
                            words[2], change(words), Long.parseLong(words[3]), returned, returned != Operation.NEVER));
        }
    }

    /**
     * An operation as a line of text, for {@link #add(String)} in another process. No name or value may have blanks.
     */
    public static String line(String lock, Operation operation) {
        return String.join(
                " ",
                MARK,
                lock,
                operation.process(),
                Long.toString(operation.invoked()),
                Long.toString(operation.returned()),
                text(operation.change()));
    }

    /** The operations of each lock, by its name. */
    public Map<String, List<Operation>> byLock() {
        Map<String, List<Operation>> copy = new TreeMap<>();
        byLock.forEach((lock, operations) -> copy.put(lock, List.copyOf(operations)));
        return copy;
    }

    /** How many holds of any lock have begun. */
    public long grants() {
        return grants.get();
    }

    /**
     * Checks each lock's history.
     *
     * @throws AssertionError if one of them is impossible; the message shows it
     */
    public <S> void mustBePossible(Model<S> model) {
        byLock().forEach((lock, operations) -> {
            Linearizability.Verdict verdict = Linearizability.check(model, operations);
            if (!verdict.possible()) {
                throw new AssertionError("What happened to \"" + lock + "\" is impossible. " + verdict.explanation());
            }
        });
    }

    private static String text(Change change) {
        if (change instanceof Granted granted) {
            LockMode mode = granted.mode();
            return "granted " + granted.token() + " " + mode.kind() + " " + mode.permits() + " " + mode.max();
        }
        if (change instanceof Freed freed) {
            return "freed " + freed.token();
        }
        if (change instanceof Seen seen) {
            return "seen"
                    + seen.tokens().stream().sorted().map(token -> " " + token).collect(Collectors.joining());
        }
        if (change instanceof Written written) {
            return "written " + written.version() + " " + written.value();
        }
        if (change instanceof Refused refused) {
            return "refused " + refused.version();
        }
        if (change instanceof Read read) {
            return ("read " + read.version() + " " + read.value()).strip();
        }
        return change instanceof Entered ? "entered" : "left";
    }

    private static Change change(String[] words) {
        return switch (words[5]) {
            case "granted" ->
                new Granted(
                        Long.parseLong(words[6]),
                        new LockMode(
                                LockMode.Kind.valueOf(words[7]),
                                Integer.parseInt(words[8]),
                                Integer.parseInt(words[9])));
            case "freed" -> new Freed(Long.parseLong(words[6]));
            case "seen" ->
                new Seen(
                        Arrays.stream(words, 6, words.length).map(Long::valueOf).collect(Collectors.toSet()));
            case "written" -> new Written(Long.parseLong(words[6]), words[7]);
            case "refused" -> new Refused(Long.parseLong(words[6]));
            case "read" -> new Read(Long.parseLong(words[6]), words.length > 7 ? words[7] : "");
            case "entered" -> new Entered();
            case "left" -> new Left();
            default -> throw new IllegalArgumentException("no operation: " + String.join(" ", words));
        };
    }
}
