package dev.tenon.tx.http;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Warns of an address that does not take decisions, and will not by itself: at its first such answer, and not again
 * until it has taken one. Other failures pass mostly, and are reported when they don't. Thread-safe.
 */
final class RefusedDecisions {
    private static final System.Logger LOG = System.getLogger(HttpParticipants.class.getName());

    /** Bounds the memory that refused addresses take. */
    private static final int TOLD_MAX = 100;

    private static final int TEXT_MAX = 200;

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    void answered(BranchCall call, int status, String text) {
        if (call.operation() != Operation.CONFIRM && call.operation() != Operation.CANCEL) {
            return;
        }
        String address = HttpParticipants.shown(call.target());
        switch (status) {
            case 401, 403 ->
                warn(
                        call,
                        address,
                        status,
                        text,
                        "Look at the secrets on both sides (tenon.transactions.secrets, or --sign-calls of a server), and at"
                                + " what asks for a login or a CSRF token before that path");
            case 404, 405 ->
                warn(
                        call,
                        address,
                        status,
                        text,
                        "Look at the address: it is the one below which the service takes its"
                                + " calls, with the path of its context if it has one; and at whether the service takes part"
                                + " (tenon.transactions.join)");
            default -> {
                if (status < 500) {
                    told.remove(address);
                }
            }
        }
    }

    private void warn(BranchCall call, String address, int status, String text, String advice) {
        if (!told.contains(address) && told.size() < TOLD_MAX && told.add(address)) {
            LOG.log(
                    Level.WARNING,
                    address + " answers " + status + " to the decision of transaction " + call.gid()
                            + " and does not take it" + shown(text)
                            + ". It is told again until it does, and what it has"
                            + " changed waits. " + advice + ". Said once, until it takes one");
        }
    }

    /** What others have written makes no lines of its own. */
    private static String shown(String text) {
        String flat = text.replaceAll("\\p{Cntrl}+", " ").strip();
        return flat.isEmpty() ? "" : ": " + flat.substring(0, Math.min(flat.length(), TEXT_MAX));
    }
}
