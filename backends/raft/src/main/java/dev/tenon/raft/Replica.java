package dev.tenon.raft;

import dev.tenon.raft.Command.Answer;
import dev.tenon.raft.Command.Applied;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The replicated state machine: the same entries in the same order lead to the same state and the same answers on every
 * node, through any number of snapshots. It has no clock and does no I/O. One thread at a time may use it;
 * {@link #nextDeadline}, {@link #now} and {@link #look} are for any.
 */
final class Replica {
    /** Nobody looks in the middle of an entry. */
    private final ReentrantLock mutex = new ReentrantLock();

    private ReplicaState state = new ReplicaState();
    private volatile StateUsage usage = StateUsage.NONE;
    private volatile Instant now = Instant.EPOCH;
    private volatile Optional<Instant> nextDeadline = Optional.empty();

    /**
     * Applies one entry.
     *
     * @throws IllegalStateException if it can't be read; nothing was done, and no later entry may be applied
     */
    Applied apply(long index, ByteBuffer bytes) {
        mutex.lock();
        try {
            return applied(index, bytes);
        } finally {
            mutex.unlock();
        }
    }

    private Applied applied(long index, ByteBuffer bytes) {
        EntryCodec.Entry entry = EntryCodec.decode(bytes);
        state.begin(entry.time(), index);
        List<Answer> answers = new ArrayList<>(entry.commands().size());
        boolean repeated = entry.sender().filter(sender -> !state.isNew(sender)).isPresent();
        if (!repeated) {
            for (Command<?> command : entry.commands()) {
                answers.add(answer(command));
            }
        }
        publish();
        return new Applied(entry.sender(), repeated, answers, state.grants(), state.revocations(), state.ended());
    }

    /** The time of the latest entry, or the latest time that any entry had. */
    Instant now() {
        return now;
    }

    /** When time alone will next change the state. */
    Optional<Instant> nextDeadline() {
        return nextDeadline;
    }

    /** How much is kept as of the latest entry. */
    StateUsage usage() {
        return usage;
    }

    /** The whole state, for {@link #restore}. */
    byte[] snapshot() {
        return SnapshotCodec.encode(state);
    }

    /** Writes the whole state, for {@link #restore}. */
    void snapshot(OutputStream out) throws IOException {
        SnapshotCodec.encode(state, out);
    }

    /** Takes over a state. */
    void restore(byte[] snapshot) {
        restore(ByteBuffer.wrap(snapshot), HeapCheck.NONE);
    }

    /**
     * Takes over a state.
     *
     * @throws IllegalStateException if it is damaged; the one before is kept then
     * @throws DataFolderException if it does not fit the heap
     */
    void restore(ByteBuffer snapshot, HeapCheck heap) {
        mutex.lock();
        try {
            SnapshotCodec.requireIntact(snapshot);
            state = new ReplicaState(); // the one before would need as much room again
            state = SnapshotCodec.decode(snapshot, heap);
            publish();
        } finally {
            mutex.unlock();
        }
    }

    /** Those of these sessions that are open. */
    List<String> openAmong(Collection<String> sessions) {
        return look(state -> sessions.stream().filter(state.locks()::hasSession).toList());
    }

    /** What {@code view} finds in the state between two entries, which wait meanwhile. It must change nothing. */
    <T> T look(Function<ReplicaState, T> view) {
        mutex.lock();
        try {
            return view.apply(state);
        } finally {
            mutex.unlock();
        }
    }

    private Answer answer(Command<?> command) {
        try {
            return new Answer(command.applyTo(state), null);
        } catch (RuntimeException e) {
            // Refusals are answers: a state machine that stopped at one would stop again at every restart.
            return new Answer(null, e);
        }
    }

    private void publish() {
        now = state.now();
        usage = StateUsage.of(state);
        nextDeadline = state.locks().nextDeadline();
    }
}
