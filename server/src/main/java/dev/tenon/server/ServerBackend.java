package dev.tenon.server;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import java.util.concurrent.CompletionStage;

/** What the server needs of the backend under it. Implementations are thread-safe. */
public interface ServerBackend extends AutoCloseable {
    /** Locks and sessions. */
    LockStore lockStore();

    /** Number ranges. */
    RangeStore ranges();

    /** The worker IDs of one group. */
    WorkerIdSource workerIds(String group);

    /** ID definitions. */
    DefinitionStore definitions();

    /**
     * Sends the events of an open session to {@code events} from now on, at once when this is called: sessions outlive the
     * process that opened them.
     *
     * @return whether there is such a session
     */
    CompletionStage<Boolean> attach(String sessionId, StoreEvents events);

    /** Gives up the store, with everything in it kept. */
    @Override
    void close();
}
