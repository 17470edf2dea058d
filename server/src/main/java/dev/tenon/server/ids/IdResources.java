package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.server.backend.ServerBackend;
import java.time.Instant;

/** What generators are made of. Thread-safe. */
public final class IdResources {
    private final ServerBackend backend;
    private final TimeSource time;
    private final PublicKeys publicKeys;
    private final ForgottenWorkerIds forgotten;

    /** Ranges, worker IDs and secrets of a backend, and a clock. */
    public IdResources(ServerBackend backend, TimeSource time) {
        this.backend = backend;
        this.time = time;
        this.forgotten = new ForgottenWorkerIds(time);
        this.publicKeys = new PublicKeys(backend::definitions, time);
    }

    DefinitionStore definitions() {
        return backend.definitions();
    }

    RangeStore ranges() {
        return backend.ranges();
    }

    /** The worker IDs of a group, for generators of this server. */
    WorkerIdSource workerIds(String group) {
        return backend.ownWorkerIds(group);
    }

    ForgottenWorkerIds forgotten() {
        return forgotten;
    }

    TimeSource time() {
        return time;
    }

    Instant now() {
        return Instant.ofEpochMilli(time.epochMillis());
    }

    PublicKeys publicKeys() {
        return publicKeys;
    }
}
