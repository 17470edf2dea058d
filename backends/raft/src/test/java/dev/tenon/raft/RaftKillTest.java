package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.lock.spi.LockPage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed with -9 while it writes; whatever it was told must still hold. */
class RaftKillTest {
    private static final int KILLS = 3;
    private static final int LINES_BEFORE_KILL = 1000;

    @TempDir
    Path folder;

    private final Set<Long> ids = new HashSet<>();
    private final Map<String, Long> held = new HashMap<>();
    private long greatestId;
    private long greatestToken;

    @Test
    void nothingThatWasAnsweredIsLostOrGivenTwice() throws Exception {
        for (int kill = 1; kill <= KILLS; kill++) {
            long tokenBefore = greatestToken;
            for (String line : runAndKill()) {
                note(line.split(" "), tokenBefore);
            }
            verify();
        }
        assertThat(held).hasSizeGreaterThan(50);
    }

    private void note(String[] words, long tokenBefore) {
        switch (words[0]) {
            case "range" -> {
                for (long id = Long.parseLong(words[1]); id <= Long.parseLong(words[2]); id++) {
                    assertThat(ids.add(id)).as("ID %s is given once", id).isTrue();
                    greatestId = Math.max(greatestId, id);
                }
            }
            case "held", "freed" -> {
                long token = Long.parseLong(words[2]);
                assertThat(token).isGreaterThan(tokenBefore);
                greatestToken = Math.max(greatestToken, token);
                if (words[0].equals("held")) {
                    held.put(words[1], token);
                }
            }
            default -> throw new AssertionError("Unexpected line: " + String.join(" ", words));
        }
    }

    private void verify() {
        try (RaftBackend backend = RaftBackend.open(folder, RaftOptions.DEFAULT)) {
            assertThat(backend.ranges().raiseTo("ids", 0)).isGreaterThan(greatestId);
            Map<String, Long> found = new HashMap<>();
            Optional<String> next = Optional.of("");
            while (next.isPresent()) {
                LockPage page = backend.lockStore()
                        .list("", next.get(), 1000)
                        .toCompletableFuture()
                        .join();
                page.locks()
                        .forEach(lock -> found.put(
                                lock.name(), lock.holder().orElseThrow().token()));
                next = page.next();
            }
            assertThat(found).containsAllEntriesOf(held);
        }
    }

    private List<String> runAndKill() throws IOException, InterruptedException {
        Process writer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RaftWriter.class.getName(),
                        folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> lines = new ArrayList<>();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(writer.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(line);
                if (lines.size() == LINES_BEFORE_KILL / 2) {
                    assertThatThrownBy(() -> RaftBackend.open(folder, RaftOptions.DEFAULT))
                            .isInstanceOf(DataFolderException.class)
                            .hasMessageContaining("in use by process " + writer.pid());
                }
                if (lines.size() == LINES_BEFORE_KILL) {
                    writer.toHandle().destroyForcibly(); // SIGKILL; unlike Process.destroyForcibly it leaves the pipe
                }
            }
        } finally {
            writer.destroyForcibly().waitFor();
        }
        assertThat(lines).hasSizeGreaterThanOrEqualTo(LINES_BEFORE_KILL);
        return lines;
    }
}
