package dev.tenon.tx.engine;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.Participants;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.UnknownParticipantException;
import dev.tenon.tx.spi.TransactionStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Searches a log for targets that this process has no participant for. */
final class UnknownTargets {
    private static final List<TransactionState> OPEN =
            List.of(TransactionState.ACTIVE, TransactionState.COMMITTING, TransactionState.ABORTING);
    private static final int PAGES_MAX = 10;
    private static final int PAGE = 1000;

    private UnknownTargets() {}

    static void require(TransactionStore store, Participants participants, String service) {
        Map<String, TransactionId> unknown = new TreeMap<>();
        for (TransactionState state : OPEN) {
            TransactionFilter filter = TransactionFilter.ALL.in(state).ofService(service);
            String after = "";
            boolean more = true;
            for (int page = 0; more && page < PAGES_MAX; page++) {
                TransactionPage found = store.list(filter, after, PAGE);
                found.transactions().forEach(tx -> look(tx, participants, unknown));
                more = found.more();
                after = found.next();
            }
        }
        if (!unknown.isEmpty()) {
            throw new UnknownParticipantException(service, unknown, participants.names());
        }
    }

    private static void look(TransactionRecord tx, Participants participants, Map<String, TransactionId> unknown) {
        for (BranchRecord branch : tx.branches()) {
            for (String target : branch.targets().values()) {
                if (!unknown.containsKey(target) && participants.find(target).isEmpty()) {
                    unknown.put(target, tx.gid());
                }
            }
        }
    }
}
