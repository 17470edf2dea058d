package dev.tenon.raft.ratis;

import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A follower {@code n1}, by Ratis' own transport or by ours, and its leader {@code n2}, which is the test. */
@Timeout(180)
abstract class FollowerBends {
    @TempDir
    private Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();

    /** What the node has said of its own folder. */
    final List<String> troubles = new CopyOnWriteArrayList<>();

    Engine engine;
    Caller leader;

    void open(String transport) throws IOException {
        open(transport, false);
    }

    void open(String transport, boolean composing) throws IOException {
        TestPort port = TestPort.reserve();
        Followers followers = new Followers(new FolderListener() {
            @Override
            public void isOlder(String trouble) {
                troubles.add(trouble);
            }

            @Override
            public void isOlder(String follower, String trouble) {
                throw new AssertionError(follower);
            }
        });
        engine = new Engine(folder.resolve(transport), transport, port).with(followers);
        opened.add(engine);
        (composing ? engine.composing() : engine).startAsFollower();
        leader = new Caller(port);
        opened.add(leader);
    }

    static <T> T get(CompletableFuture<T> answer) throws Exception {
        return answer.get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }
}
