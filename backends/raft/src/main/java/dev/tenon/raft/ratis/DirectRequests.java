package dev.tenon.raft.ratis;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.server.RaftServer;

/**
 * Requests to the leader in this process, on the caller's thread. {@code RaftServer.submitClientRequestAsync} hands
 * each to another thread, for which the caller waits.
 *
 * <p>Bends {@code RaftServer.Division} by a cast to an interface that its only implementation has. Why: ADR 2 (the
 * table of measures). Goes when a division takes requests by its own interface. Source: {@code
 * RaftServerImpl.executeSubmitClientRequestAsync} of Ratis 3.3.0.
 */
public final class DirectRequests {
    private DirectRequests() {}

    /**
     * Sends a request to a division in this process. What the log does first runs on this thread, and does not wait for
     * the disk.
     *
     * @return the answer; it is there already if the request is refused at the door. Completed on threads of the engine
     * @throws IOException if the request does not come that far
     */
    public static CompletableFuture<RaftClientReply> send(RaftServer.Division here, RaftClientRequest request)
            throws IOException {
        return ((RaftClientAsynchronousProtocol) (Object) here).submitClientRequestAsync(request);
    }
}
