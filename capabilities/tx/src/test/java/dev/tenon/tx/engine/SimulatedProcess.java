package dev.tenon.tx.engine;

import dev.tenon.ManualClock;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionMachine;
import dev.tenon.tx.spi.TransactionStore;
import dev.tenon.tx.spi.TransactionTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that drives the transactions of a table, in the thread of the test, and that can die at any moment: then it
 * writes and calls nothing more.
 */
final class SimulatedProcess implements TransactionStore {
    static final ModeRegistry MODES = ModeRegistry.ofAllModes();

    final TransactionOptions options;
    final TransactionDriver driver;
    private final TransactionTable table;
    private final ManualClock clock;
    private final String owner;
    private boolean dead;
    private Runnable afterUpdate = () -> {};
    private @Nullable TransactionRecord lastWritten;

    /** What this process is told by its log when it is dead. */
    static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Who is called by a process. */
    interface Called {
        Reply call(SimulatedProcess process, BranchCall call) throws Exception;
    }

    SimulatedProcess(String owner, TransactionTable table, ManualClock clock, Called participants) {
        this.owner = owner;
        this.table = table;
        this.clock = clock;
        this.options = TransactionOptions.DEFAULT.withTime(clock).withService("shop");
        Participant all = call -> {
            if (dead) {
                throw new Died();
            }
            return participants.call(this, call);
        };
        Participants participantsOfAll = target -> target.equals("nobody") ? Optional.empty() : Optional.of(all);
        this.driver = new TransactionDriver(
                this, MODES, owner, options, new ParticipantCalls(participantsOfAll, options, new CallingThread()));
    }

    boolean isDead() {
        return dead;
    }

    void die() {
        dead = true;
    }

    /** Happens after each write of this process, before it goes on. */
    void afterUpdate(Runnable happens) {
        afterUpdate = happens;
    }

    /** What this process has written last: the log had it before the calls that followed. */
    TransactionRecord lastWritten() {
        if (lastWritten == null) {
            throw new AssertionError("called before anything was written");
        }
        return lastWritten;
    }

    /** Claims and drives what is due; how many that were. */
    int pass() {
        long asked = clock.nanoTime();
        List<TransactionRecord> claimed = claim(new Claim("shop", owner, options.claim(), 10));
        for (TransactionRecord tx : claimed) {
            try {
                driver.drive(tx, asked);
            } catch (Died e) {
                return claimed.size();
            }
        }
        return claimed.size();
    }

    /** Begins a transaction as {@link Transactions#begin} does. */
    void begin(TransactionDraft draft) {
        TransactionRecord preview = TransactionMachine.begun(draft, Optional.empty(), clock.now(), clock.now());
        TransactionDraft called = new TransactionDraft(
                draft.gid(),
                draft.kind(),
                draft.service(),
                draft.name(),
                draft.payload(),
                draft.parent(),
                draft.state(),
                draft.deadline(),
                draft.retry(),
                driver.firstCalls(preview));
        long asked = clock.nanoTime();
        try {
            if (begin(called, Optional.of(owner), options.claim()) instanceof Begun.Created created) {
                driver.driveBegun(created.transaction(), asked);
            }
        } catch (Died e) {
            // somebody else goes on
        }
    }

    @Override
    public Instant now() {
        return clock.now();
    }

    @Override
    public Begun begin(TransactionDraft draft, Optional<String> by, Duration lease) {
        requireAlive();
        Begun begun = table.begin(draft, by, lease, clock.now());
        lastWritten = begun.transaction();
        return begun;
    }

    @Override
    public Optional<TransactionRecord> find(TransactionId gid) {
        requireAlive();
        return table.find(gid);
    }

    @Override
    public Optional<TransactionRecord> update(
            TransactionRecord before, TransactionRecord after, List<TransactionEvent> events) {
        requireAlive();
        Optional<TransactionRecord> stored = table.update(after, events, clock.now());
        lastWritten = stored.orElse(lastWritten);
        afterUpdate.run();
        return stored;
    }

    @Override
    public List<TransactionRecord> claim(Claim claim) {
        requireAlive();
        return table.claim(claim, clock.now());
    }

    @Override
    public TransactionPage list(TransactionFilter filter, String after, int limit) {
        return table.list(filter, after, limit, clock.now());
    }

    @Override
    public List<TransactionEvent> history(TransactionId gid) {
        return table.history(gid);
    }

    @Override
    public int purge(Duration retention, int limit) {
        return table.purge(retention, limit, clock.now());
    }

    @Override
    public int purge(String service, Duration retention, int limit) {
        return table.purge(service, retention, limit, clock.now());
    }

    private void requireAlive() {
        if (dead) {
            throw new Died();
        }
    }

    /** Runs what it is given at once. */
    private static final class CallingThread extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}
