package dev.tenon.server.grpc;

import dev.tenon.server.backend.ClusterAdmin;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;

/**
 * Ends the push streams of a node that knows no leader, as one that is cut off from the others: it would hear of no
 * grant, and who waits for one asks it nothing, and so would wait on. One thread at a time.
 */
final class StreamsWithoutLeader {
    /** Between two looks. */
    static final long PAUSE_MILLIS = 250;
    /** So many in a row without one: an election is over by then, mostly. */
    private static final int LOOKS = 3;

    private final ClusterAdmin cluster;
    private final EventStreams streams;
    private int looks;

    StreamsWithoutLeader(ClusterAdmin cluster, EventStreams streams) {
        this.cluster = cluster;
        this.streams = streams;
    }

    /** One look. */
    void runOnce() {
        if (cluster.view().leader().isPresent()) {
            looks = 0;
        } else if (++looks >= LOOKS) {
            streams.endAll(new ProblemException(
                    ProblemType.STORE_UNAVAILABLE,
                    "This node can't reach a majority of the cluster: open a stream at another node, "
                            + "and resume the sessions there."));
        }
    }
}
