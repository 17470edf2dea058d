package dev.tenon.testkit.faults;

import dev.tenon.lock.StaleTokenException;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.TestServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * How the suites of this package reach one kind of store. An implementation has a public constructor without arguments
 * and no state: other JVMs make one by the name of its class.
 */
public interface LockStoreFixture {
    /** A server of the suite's own. What it has answered survives a kill. */
    TestServer start();

    /**
     * A new, empty place on the server, such as a database, as text that {@link #open} takes. It must have the server's
     * address as {@code 127.0.0.1:port} in it, which {@link #through} replaces by that of a proxy.
     */
    String newPlace(TestServer server);

    /** Connects as one process does. It should give up on a silent server after some five seconds. */
    Backend open(String place);

    /**
     * A number in the place, or beside it, that lets only those change it who show the newest token.
     *
     * @param folder an empty folder, the same for each process of a test
     */
    default Register register(String place, Path folder) {
        return new FileRegister(folder.resolve("register"));
    }

    /** The same place by another way. */
    static String through(InetSocketAddress way, String place, InetSocketAddress server) {
        String address = server.getHostString() + ":" + server.getPort();
        if (!place.contains(address)) {
            throw new IllegalArgumentException("no " + address + " in " + place);
        }
        return place.replace(address, way.getHostString() + ":" + way.getPort());
    }

    /**
     * A backend, as far as locks go.
     *
     * @param store its locks
     * @param end closes it with all that it owns; must not fail
     */
    record Backend(LockStore store, Runnable end) implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    /** A number that a lock protects; it begins at zero. An empty token asks nothing: the way it is without fencing. */
    interface Register extends AutoCloseable {
        /**
         * Shows the token, if there is one, and then reads.
         *
         * @throws StaleTokenException if a greater one was shown before
         */
        long read(OptionalLong token);

        /**
         * Shows the token, if there is one, and writes, in one step.
         *
         * @throws StaleTokenException if a greater one was shown before; nothing is written
         */
        void write(long value, OptionalLong token);

        @Override
        default void close() {}
    }
}
