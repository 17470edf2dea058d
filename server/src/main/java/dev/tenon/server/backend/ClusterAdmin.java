package dev.tenon.server.backend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The nodes that keep everything together, and changes of who they are. Every call but {@link #view} may block.
 * Thread-safe.
 */
public interface ClusterAdmin {
    /**
     * The cluster, as this node sees it: without a majority it may be old.
     *
     * @param node this one
     * @param leader the node that orders all writes; empty: none is known, and nothing can be answered now
     * @param term how many elections there have been, at least
     * @param applied the latest entry of the log that this node has applied
     * @param snapshot the latest entry in this node's latest snapshot; empty: it has taken none
     * @param members in the order of their names
     */
    record View(
            String node,
            Optional<String> leader,
            long term,
            long applied,
            OptionalLong snapshot,
            List<Member> members) {
        public View {
            members = List.copyOf(members);
        }

        /** Why the node that was asked serves nobody, and will not by itself. */
        public Optional<String> trouble() {
            return member(node).flatMap(Member::trouble);
        }

        /** The member of this name. */
        public Optional<Member> member(String name) {
            return members.stream().filter(m -> m.name().equals(name)).findFirst();
        }
    }

    /**
     * One node.
     *
     * @param address at which the other nodes find it; empty: it is alone, and opens no port for others
     * @param committed the latest entry that it knows to be on a majority, as far as this node knows
     * @param trouble why it serves nobody, and will not by itself, as far as this node knows
     */
    record Member(String name, String address, OptionalLong committed, Optional<String> trouble) {
        /** One of which nothing bad is known. */
        public Member(String name, String address, OptionalLong committed) {
            this(name, address, committed, Optional.empty());
        }
    }

    /** What this node knows, at once. */
    View view();

    /** Whether there can be other nodes: one that is alone can have none. */
    boolean takesMembers();

    /**
     * Takes a node in that runs already, with an empty folder of its own, and waits until it has caught up.
     *
     * @throws IllegalArgumentException if the name or the address is none, or a member has this name and another
     *     address
     * @throws dev.tenon.TenonException if it can't be reached or does not catch up
     */
    void add(String name, String address);

    /**
     * Lets a node go, up or down.
     *
     * @throws IllegalArgumentException if it is the last one
     */
    void remove(String name);

    /**
     * Makes a member the leader.
     *
     * @throws IllegalArgumentException if it is none
     */
    void transfer(String name);

    /**
     * If this node leads: lets another one lead, as far as that can be done soon. Never throws: it is done on the way
     * out.
     */
    void handOver();
}
