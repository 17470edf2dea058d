package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.client.HttpNode.Answer;
import dev.tenon.server.ServerExitCode;
import dev.tenon.testkit.ForkedJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three server processes under load, of which one or two are killed, or left without a disk. Whatever was answered
 * stays true ({@link ClusterLoad}), and as long as a majority is there every call is answered in the end.
 *
 * <p>The leader is killed here, and then another node, to keep {@code scripts/soak-faults} short;
 * {@code scripts/soak-server --cluster} kills 500 times.
 */
@Tag("soak")
class ClusterFaultsTest extends FaultyCluster {
    private static final int ROUNDS = Integer.getInteger("tenon.cluster.kills", 2);

    @Override
    ServerCluster start(Path folder) {
        return ServerCluster.start(folder);
    }

    private void restart(String name) {
        cluster.start(name);
        cluster.awaitReady(name);
    }

    @Test
    void eachNodeIsKilledInTurn() {
        for (int round = 0; round < ROUNDS; round++) {
            int turn = round % 4;
            String name = turn == 0 ? cluster.leader() : ServerCluster.NAMES.get(turn - 1);
            cluster.kill(name);
            load.awaitAnswers(ANSWERS_LEAST);
            restart(name);
        }
        load.check();
    }

    @Test
    void twoAreKilledAndTheLastOneWritesNothing() {
        String left = cluster.follower();
        ServerCluster.others(left).forEach(cluster::kill);
        cluster.awaitUnready(left);
        await().atMost(PATIENCE)
                .until(() -> cluster.client(left)
                        .fetch("/v1/cluster")
                        .json()
                        .path("leader")
                        .isMissingNode());
        Answer refused = cluster.client(left).post("/v1/ids/seq/next", "");
        assertThat(refused.status()).as(refused.text()).isIn(503, 504);
        assertThat(cluster.client(left).fetch("/healthz").status()).isEqualTo(200);
        ServerCluster.others(left).forEach(this::restart);
        load.awaitAnswers(ANSWERS_LEAST);
        load.check();
    }

    @Test
    void aDiskIsFull() {
        String full = cluster.leader();
        cluster.process(full).limitFiles(1);
        load.awaitAnswers(3 * ANSWERS_LEAST);
        cluster.kill(full);
        load.awaitAnswers(ANSWERS_LEAST);
        restart(full);
        load.awaitAnswers(ANSWERS_LEAST);
        load.check();
    }

    @Test
    void aTornLogIsMendedAndADamagedOneReplaced() throws IOException {
        String name = cluster.follower();
        cluster.kill(name);
        Path log = logOf(name);
        byte[] whole = Files.readAllBytes(log);
        // Behind what it had told the leader to have, of which nothing may be missing: the beginning of an entry of 100
        // bytes.
        int end = endOf(whole);
        byte[] torn = Arrays.copyOf(whole, end + 3);
        torn[end] = 100;
        torn[end + 1] = 0x08;
        torn[end + 2] = 1;
        Files.write(log, torn);
        restart(name);
        load.awaitAnswers(ANSWERS_LEAST);

        cluster.kill(name);
        log = logOf(name);
        whole = Files.readAllBytes(log);
        assertThat(endOf(whole)).as("it has more than the entry to be damaged").isGreaterThan(1000);
        whole[100] ^= 0x55;
        Files.write(log, whole);
        try (ForkedJvm refused = cluster.launch(name)) {
            assertThat(refused.awaitExit(PATIENCE)).isEqualTo(ServerExitCode.DATA_FOLDER.code());
            assertThat(refused.errors()).contains("damaged");
        }
        load.awaitAnswers(ANSWERS_LEAST);

        Files.move(cluster.data(name), cluster.data(name + ".damaged"));
        cluster.start(name);
        String node = "{\"name\":\"" + name + "\",\"address\":\"" + cluster.address(name) + "\"}";
        ClusterClient client = new ClusterClient(cluster.clients(PATIENCE), 0, PATIENCE);
        Answer added = await().atMost(PATIENCE) // it may be starting still
                .until(
                        () -> client.call("POST", "/v1/cluster/members", node).answer(),
                        answer -> answer.status() == 200);
        assertThat(added.json().path("members")).hasSize(3);
        cluster.awaitReady(name);
        load.awaitAnswers(ANSWERS_LEAST);
        load.check();
    }

    /**
     * Behind the last entry of a segment: a header of 8 bytes, then entries, then zeros. An entry: length, bytes, 4 of
     * a checksum.
     */
    private static int endOf(byte[] segment) {
        int at = 8;
        while (at < segment.length && segment[at] != 0) {
            int length = 0;
            int shift = 0;
            byte next;
            do {
                next = segment[at++];
                length |= (next & 0x7F) << shift;
                shift += 7;
            } while (next < 0);
            at += length + 4;
        }
        return at;
    }

    private Path logOf(String name) throws IOException {
        try (Stream<Path> files = Files.walk(cluster.data(name))) {
            return files.filter(file -> file.getFileName().toString().startsWith("log_inprogress"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
