package dev.tenon.raft.ratis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

/**
 * Those to whom a node sends its entries while it leads; what it shares with its transport, {@link ClusterRpc}.
 * Thread-safe.
 */
public final class Followers {
    private static final String KEY = "dev.tenon.raft.followers";

    private final List<LogAppender> appenders = new CopyOnWriteArrayList<>();
    private final AtomicLong awaited = new AtomicLong(-1);
    private final FolderListener folders;

    /** @param folders told of data folders that are older copies */
    public Followers(FolderListener folders) {
        this.folders = folders;
    }

    /** Those among the parameters of a node; null: there are none. */
    static @Nullable Followers in(@Nullable Parameters parameters) {
        return parameters == null ? null : parameters.get(KEY, Followers.class);
    }

    /** Hands this to the transport that is made with {@code parameters}. */
    public void putInto(Parameters parameters) {
        parameters.put(KEY, this, Followers.class);
    }

    /** The appenders of this node, which leads; of others that it had before, some may be among them. */
    public List<LogAppender> appenders() {
        return appenders.stream().filter(LogAppender::isRunning).toList();
    }

    /** Has every follower told what is committed, and told again when it has written it. */
    public void tellCommit() {
        for (LogAppender appender : appenders) {
            if (appender.isRunning()) {
                awaited.accumulateAndGet(appender.getRaftLog().getLastCommittedIndex(), Math::max);
                appender.triggerHeartbeat();
            } else {
                appenders.remove(appender);
            }
        }
    }

    /** The greatest index of an entry that somebody at a follower waits for. */
    long awaited() {
        return awaited.get();
    }

    void add(LogAppender appender) {
        appenders.add(appender);
    }

    FolderListener folders() {
        return folders;
    }
}
