package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.LockView;
import dev.tenon.testkit.ForkedJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node whose disk is full says so and stops; once there is space and it is started again, what was answered is there.
 */
class RaftFullDiskTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    @Test
    void aFullDiskIsSaidAndNothingThatWasAnsweredIsLost() {
        Map<String, Long> held = new HashMap<>();
        long greatest = 0;
        try (ForkedJvm writer = ForkedJvm.start(RaftWriter.class, folder.toString())) {
            for (int i = 0; i < 5; i++) {
                writer.nextLine(line -> line.startsWith("held "), PATIENCE);
            }
            writer.limitFiles(1);
            // By its standard output, a pipe: what it writes to files, its errors too, goes nowhere now.
            String failure = writer.nextLine(line -> line.startsWith("failed "), PATIENCE);
            assertThat(failure).contains("free space").containsPattern("(OutcomeUnknown|BackendUnavailable)Exception");
            writer.kill();
            writer.awaitExit(PATIENCE);
            for (String line : writer.lines()) {
                String[] words = line.split(" ");
                if (words[0].equals("held") || words[0].equals("freed")) {
                    greatest = Math.max(greatest, Long.parseLong(words[2]));
                }
                if (words[0].equals("held")) {
                    held.put(words[1], Long.parseLong(words[2]));
                }
            }
        }
        try (RaftBackend backend = RaftBackend.open(folder, RaftOptions.DEFAULT)) {
            held.forEach((name, token) -> {
                LockView view = backend.locks().inspect(name).orElseThrow();
                assertThat(view.isHeldUnder(token)).isTrue();
            });
            assertThat(backend.locks().lock("after").tryAcquire().orElseThrow().token())
                    .isGreaterThan(greatest);
        }
        assertThat(held).hasSizeGreaterThanOrEqualTo(5);
    }
}
