package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A group of one, which leads. */
@Timeout(180)
class DirectRequestsBendTest {
    @TempDir
    private Path folder;

    private Engine engine;

    @BeforeEach
    void lead() throws IOException {
        engine = new Engine(folder, LocalRpc.class.getName(), TestPort.reserve())
                .standing()
                .start(RaftPeer.newBuilder().setId("n1").build());
        Engine.soon().until(() -> engine.division().getInfo().isLeaderReady());
    }

    @AfterEach
    void close() throws IOException {
        engine.close();
    }

    @Test
    void ratisHandsARequestToAnotherThread() throws Exception {
        assertThat(engine.server()
                        .submitClientRequestAsync(engine.request())
                        .get(60, TimeUnit.SECONDS)
                        .isSuccess())
                .isTrue();

        assertThat(engine.machine().starter()).isNotSameAs(Thread.currentThread());
    }

    @Test
    void oursIsBegunOnTheCallersThread() throws Exception {
        assertThat(DirectRequests.send(engine.division(), engine.request())
                        .get(60, TimeUnit.SECONDS)
                        .isSuccess())
                .isTrue();

        assertThat(engine.machine().starter()).isSameAs(Thread.currentThread());
    }

    @Test
    void aDivisionOfRatisTakesNoRequestsByItsOwnInterface() {
        assertThat(RaftClientAsynchronousProtocol.class.isAssignableFrom(RaftServer.Division.class))
                .isFalse();
    }
}
