package dev.tenon.raft.ratis;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/**
 * A Ratis server that takes from other servers only what is addressed to its own identity. Ratis looks at the group
 * alone. A node that has lost its disk waits at the address of the member that it was; without this it would confirm
 * entries, and be asked for votes, in that one's place. Entries go through {@link OrderedEntries}, and votes through
 * {@link PreVotes}. Thread-safe.
 *
 * <p>Bends {@code RaftServer} by a proxy, which knows {@code appendEntriesAsync} by its name and votes by their type.
 * Why: ADR 17. Goes when Ratis compares {@code RaftRpcRequestProto.replyId} with its own, and when {@link
 * OrderedEntries}, {@link PreVotes} and {@link OlderCopy} are gone, for which it is the way in.
 */
final class AddressCheckingServer implements InvocationHandler {
    private final RaftServer server;

    private final OrderedEntries entries;
    private final PreVotes votes;
    private final OlderCopy copy;

    private AddressCheckingServer(RaftServer server, Consumer<String> trouble) {
        this.server = server;
        this.copy = new OlderCopy(server, trouble);
        this.entries = new OrderedEntries(server::appendEntriesAsync, append -> flushed(server, append));
        this.votes = new PreVotes(server, System::nanoTime);
    }

    /** @param trouble told why this node must not take part */
    static RaftServer of(RaftServer server, Consumer<String> trouble) {
        return (RaftServer) Proxy.newProxyInstance(
                AddressCheckingServer.class.getClassLoader(),
                new Class<?>[] {RaftServer.class},
                new AddressCheckingServer(server, trouble));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (arguments != null && arguments.length == 1) {
            Optional<RaftRpcRequestProto> request = header(arguments[0]);
            if (request.isPresent()
                    && !request.get().getReplyId().equals(server.getId().toByteString())) {
                throw refusal("This is " + server.getId() + ", and not "
                        + request.get().getReplyId().toStringUtf8());
            }
            if (copy.isOlder() && !(arguments[0] instanceof AppendEntriesRequestProto)) {
                throw refusal(server.getId() + " has an older copy of its folder, and does not vote");
            }
        }
        try {
            if (arguments != null && arguments.length == 1) {
                if (arguments[0] instanceof AppendEntriesRequestProto append
                        && method.getName().equals("appendEntriesAsync")) {
                    return take(append);
                }
                if (arguments[0] instanceof RequestVoteRequestProto vote) {
                    return votes.take(vote);
                }
            }
            return method.invoke(server, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private CompletableFuture<AppendEntriesReplyProto> take(AppendEntriesRequestProto append) throws IOException {
        if (!copy.is(append)) {
            return entries.take(append).thenApply(reply -> copy.honest(append, reply));
        }
        try {
            return CompletableFuture.completedFuture(copy.refusal(append));
        } catch (IllegalStateException e) {
            throw refusal(server.getId() + " has an older copy of its folder, and is closed");
        }
    }

    /** Both sides log it, again and again: where it was thrown says nothing. */
    private static IOException refusal(String why) {
        IOException refusal = new IOException(why);
        refusal.setStackTrace(new StackTraceElement[0]);
        return refusal;
    }

    private static long flushed(RaftServer server, AppendEntriesRequestProto append) throws IOException {
        var group = append.getServerRequest().getRaftGroupId().getId();
        return server.getDivision(RaftGroupId.valueOf(group)).getRaftLog().getFlushIndex();
    }

    private static Optional<RaftRpcRequestProto> header(Object request) {
        if (request instanceof AppendEntriesRequestProto append) {
            return Optional.of(append.getServerRequest());
        }
        if (request instanceof RequestVoteRequestProto vote) {
            return Optional.of(vote.getServerRequest());
        }
        if (request instanceof InstallSnapshotRequestProto snapshot) {
            return Optional.of(snapshot.getServerRequest());
        }
        return request instanceof StartLeaderElectionRequestProto election
                ? Optional.of(election.getServerRequest())
                : Optional.empty();
    }
}
