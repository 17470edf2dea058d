package dev.tenon.client;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.access.Gate;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.observe.Observer;
import dev.tenon.testkit.TenonTestServer;
import dev.tenon.tx.spi.TransactionStore;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Clients of the servers that tests use. */
final class Clients {
    /** A machine that is busy with other tests must not be taken for a server that is down. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private Clients() {}

    /** Of the server that the tests of this JVM share: one durable node in a process of its own. */
    static TenonClient ofSharedServer() {
        return of(TenonTestServer.shared().address());
    }

    static TenonClient of(String servers) {
        return TenonClient.connect(ClientOptions.of(servers).withCallTimeout(PATIENCE));
    }

    /** A node in this process, over memory. */
    static Node memoryNode() {
        return memoryNode(NodeOptions.at("127.0.0.1", 0));
    }

    static Node memoryNode(NodeOptions options) {
        return Node.start(options, new InMemory(MemoryBackend.create()));
    }

    /** A node in this process over a backend in memory, with a gate and an observer of the test's. */
    static Node node(MemoryBackend memory, Gate gate, Observer observer) {
        Map<Class<?>, Object> chosen = Map.of(Gate.class, gate, Observer.class, observer);
        NodeOptions usual = NodeOptions.at("127.0.0.1", 0);
        try {
            // Whatever else the options come to have stays as it is.
            RecordComponent[] parts = NodeOptions.class.getRecordComponents();
            Class<?>[] types = new Class<?>[parts.length];
            Object[] values = new Object[parts.length];
            for (int i = 0; i < parts.length; i++) {
                types[i] = parts[i].getType();
                values[i] = chosen.getOrDefault(types[i], parts[i].getAccessor().invoke(usual));
            }
            NodeOptions options =
                    NodeOptions.class.getDeclaredConstructor(types).newInstance(values);
            return Node.start(options, new InMemory(memory));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static TenonClient of(Node node) {
        return of("127.0.0.1:" + node.port());
    }

    private record InMemory(MemoryBackend memory) implements ServerBackend {
        @Override
        public LockStore lockStore() {
            return memory.lockStore();
        }

        @Override
        public RangeStore ranges() {
            return memory.ranges();
        }

        @Override
        public WorkerIdSource workerIds(String group) {
            return memory.workerIds(group);
        }

        @Override
        public DefinitionStore definitions() {
            return memory.definitions();
        }

        @Override
        public Optional<TransactionStore> transactions() {
            return Optional.of(memory.transactions());
        }

        @Override
        public CompletionStage<Boolean> attach(String sessionId, StoreEvents events) {
            return memory.lockStore()
                    .keepAlive(sessionId)
                    .thenCompose(alive -> alive
                            ? memory.lockStore()
                                    .open(new SessionSpec(sessionId, "attached", Duration.ofMinutes(1)), events)
                                    .thenApply(session -> true)
                            : CompletableFuture.completedStage(false));
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
