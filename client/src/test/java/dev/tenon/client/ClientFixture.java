package dev.tenon.client;

import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.testkit.TenonTestServer;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockStoreFixture;
import java.time.Duration;

/** A Tenon server, for the suites that break it; its place is its address. Public, as other JVMs make one too. */
public final class ClientFixture implements LockStoreFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    @Override
    public TestServer start() {
        return TenonTestServer.start();
    }

    @Override
    public String newPlace(TestServer server) {
        return ((TenonTestServer) server).address();
    }

    @Override
    public Backend open(String place) {
        ClientOptions options = ClientOptions.of(place).withCallTimeout(TIMEOUT);
        // A server that has just started may load its classes for longer than that on a busy machine.
        TenonClient client = await().atMost(Clients.PATIENCE.multipliedBy(2))
                .ignoreExceptionsInstanceOf(BackendUnavailableException.class)
                .until(() -> TenonClient.connect(options), connected -> true);
        return new Backend(client.lockStore(), client::close);
    }
}
