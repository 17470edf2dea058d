package dev.tenon.client;

import dev.tenon.lock.spi.LockMode;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.Operation.Freed;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Seen;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Holds that were seen, and of which nobody was told that he had them: somebody who had asked must have got them, and
 * have missed the answer. That is one who never heard that he had got the lock; or one who did, with a later token: he
 * heard of the first too late, when the time to claim it was over, and asked anew within the same call; or one whose
 * request was sent twice ({@link ClusterCaller.Told#twice}).
 */
final class UntoldHolds {
    /** So many operations are told with one that is wrong. */
    private static final int LAST = 40;

    private UntoldHolds() {}

    /**
     * Adds them to a lock's history, as what may have happened.
     *
     * @param asked when those began to ask who may have got it and never have heard of it
     * @throws AssertionError if nobody had asked
     */
    static void addTo(History history, String lock, List<Operation> operations, Collection<Long> asked) {
        Set<Long> told = new HashSet<>();
        for (Operation operation : operations) {
            if (operation.change() instanceof Granted granted) {
                told.add(granted.token());
            }
        }
        for (Operation operation : operations) {
            if (operation.change() instanceof Seen seen) {
                for (long token : seen.tokens()) {
                    if (told.add(token)) {
                        long since = Stream.concat(asked.stream(), askedAnew(operations, token))
                                .filter(invoked -> invoked < operation.returned())
                                .min(Long::compare)
                                .orElseThrow(() -> new AssertionError(lock + " was seen held under " + token
                                        + ", for which nobody had asked, by " + operation + "; of " + operations.size()
                                        + " operations, the last: "
                                        + operations.subList(
                                                Math.max(0, operations.size() - LAST), operations.size())));
                        history.add(lock, Operation.perhaps("unheard", new Granted(token, LockMode.EXCLUSIVE), since));
                        history.add(lock, Operation.perhaps("unheard", new Freed(token), since));
                    }
                }
            }
        }
    }

    /** When those began to ask who got a later token. */
    private static Stream<Long> askedAnew(List<Operation> operations, long token) {
        return operations.stream()
                .filter(operation -> operation.change() instanceof Granted granted && granted.token() > token)
                .map(Operation::invoked);
    }
}
