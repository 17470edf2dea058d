package dev.tenon.raft;

import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionFootprint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The commands of the log of transactions; one record a method of {@link dev.tenon.tx.spi.TransactionStore}. */
sealed interface TransactionCommand<R> extends Command<R> {
    /** What an update may add to a transaction at any time, as it is how one goes on. */
    long STEP = 16 << 10;

    /** How many lines the history of one transaction may have when there is no room. */
    int LINES = 100;

    record BeginTransaction(TransactionDraft draft, Optional<String> owner, Duration lease)
            implements TransactionCommand<Begun> {
        @Override
        public Begun applyTo(ReplicaState state) {
            return state.transactions().begin(draft, owner, lease, state.now());
        }

        @Override
        public long growth() {
            return TransactionFootprint.of(draft);
        }

        @Override
        public boolean adds(ReplicaState state) {
            return state.transactions().find(draft.gid()).isEmpty();
        }
    }

    record FindTransaction(TransactionId gid) implements TransactionCommand<Optional<TransactionRecord>> {
        @Override
        public Optional<TransactionRecord> applyTo(ReplicaState state) {
            return state.transactions().find(gid);
        }
    }

    /**
     * Carries what has changed alone: what a branch is given stands in the log once, with the begin.
     *
     * @param progress with the version that was read
     */
    record UpdateTransaction(
            TransactionId gid,
            TransactionRecord.Progress progress,
            List<BranchChange> changes,
            List<TransactionEvent> events)
            implements TransactionCommand<Optional<TransactionRecord>> {
        public UpdateTransaction {
            changes = List.copyOf(changes);
            events = List.copyOf(events);
        }

        static UpdateTransaction of(TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
            List<BranchChange> changes = new ArrayList<>();
            for (int i = 0;
                    i < Math.max(before.branches().size(), after.branches().size());
                    i++) {
                if (i >= after.branches().size()) {
                    changes.add(new BranchChange.Dropped(i));
                } else if (i >= before.branches().size()) {
                    changes.add(new BranchChange.Written(i, after.branches().get(i)));
                } else {
                    change(i, before.branches().get(i), after.branches().get(i)).ifPresent(changes::add);
                }
            }
            return new UpdateTransaction(after.gid(), after.progress(), changes, events);
        }

        private static Optional<BranchChange> change(int index, BranchRecord before, BranchRecord after) {
            if (before.equals(after)) {
                return Optional.empty();
            }
            BranchChange.Moved moved = new BranchChange.Moved(
                    index, after.state(), after.attempts(), after.dueAt(), after.result(), after.lastError());
            return Optional.of(moved.applyTo(before).equals(after) ? moved : new BranchChange.Written(index, after));
        }

        @Override
        public Optional<TransactionRecord> applyTo(ReplicaState state) {
            TransactionRecord before = state.transactions().find(gid).orElse(null);
            if (before == null || before.progress().version() != progress.version()) {
                return Optional.empty();
            }
            List<BranchRecord> branches = new ArrayList<>(before.branches());
            changes.forEach(change -> change.applyTo(branches));
            return state.transactions().update(before.withBranches(branches).with(progress), events, state.now());
        }

        @Override
        public long growth() {
            long bytes = TransactionFootprint.of(events);
            for (BranchChange change : changes) {
                bytes += change.growth();
            }
            return bytes;
        }

        /** A decision never does, nor does a step of a transaction that is under way. */
        @Override
        public boolean adds(ReplicaState state) {
            TransactionRecord before = state.transactions().find(gid).orElse(null);
            if (before == null || before.state() != progress.state()) {
                return false;
            }
            boolean more = changes.stream()
                    .anyMatch(change -> change instanceof BranchChange.Written
                            && change.index() >= before.branches().size());
            boolean tells =
                    !events.isEmpty() && state.transactions().history(gid).size() + events.size() > LINES;
            return more || tells || growth() > STEP;
        }
    }

    /** What an update does to the branch at one place. */
    sealed interface BranchChange {
        int index();

        /** By how many bytes it may make the branch grow, roughly. */
        long growth();

        void applyTo(List<BranchRecord> branches);

        /** Another branch, or one more. */
        record Written(int index, BranchRecord branch) implements BranchChange {
            @Override
            public long growth() {
                return TransactionFootprint.of(branch);
            }

            @Override
            public void applyTo(List<BranchRecord> branches) {
                if (index == branches.size()) {
                    branches.add(branch);
                } else {
                    branches.set(index, branch);
                }
            }
        }

        /** The same branch, further on. */
        record Moved(
                int index,
                BranchState state,
                int attempts,
                Optional<Instant> dueAt,
                Optional<String> result,
                Optional<String> lastError)
                implements BranchChange {
            @Override
            public long growth() {
                return 2L * result.map(String::length).orElse(0);
            }

            @Override
            public void applyTo(List<BranchRecord> branches) {
                branches.set(index, applyTo(branches.get(index)));
            }

            BranchRecord applyTo(BranchRecord branch) {
                return new BranchRecord(
                        branch.name(),
                        branch.after(),
                        branch.pivot(),
                        branch.targets(),
                        branch.payload(),
                        state,
                        attempts,
                        dueAt,
                        result,
                        lastError);
            }
        }

        /** No branch from here on. */
        record Dropped(int index) implements BranchChange {
            @Override
            public long growth() {
                return 0;
            }

            @Override
            public void applyTo(List<BranchRecord> branches) {
                if (index < branches.size()) {
                    branches.subList(index, branches.size()).clear();
                }
            }
        }
    }

    record ClaimTransactions(Claim claim) implements TransactionCommand<List<TransactionRecord>> {
        @Override
        public List<TransactionRecord> applyTo(ReplicaState state) {
            return state.transactions().claim(claim, state.now());
        }
    }

    record ListTransactions(TransactionFilter filter, String after, int limit)
            implements TransactionCommand<TransactionPage> {
        @Override
        public TransactionPage applyTo(ReplicaState state) {
            return state.transactions().list(filter, after, limit, state.now());
        }
    }

    record FindHistory(TransactionId gid) implements TransactionCommand<List<TransactionEvent>> {
        @Override
        public List<TransactionEvent> applyTo(ReplicaState state) {
            return state.transactions().history(gid);
        }
    }

    record PurgeTransactions(Duration retention, int limit) implements TransactionCommand<Integer> {
        @Override
        public Integer applyTo(ReplicaState state) {
            return state.transactions().purge(retention, limit, state.now());
        }
    }

    /** {@link dev.tenon.tx.spi.TransactionStore#purge(String, Duration, int)}. */
    record PurgeService(String service, Duration retention, int limit) implements TransactionCommand<Integer> {
        @Override
        public Integer applyTo(ReplicaState state) {
            return state.transactions().purge(service, retention, limit, state.now());
        }
    }
}
