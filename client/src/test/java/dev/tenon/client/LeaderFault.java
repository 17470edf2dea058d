package dev.tenon.client;

import dev.tenon.testkit.FaultProxy;

/** How a leader falls silent. */
enum LeaderFault {
    /** Kill -9. */
    KILLED("`kill -9`"),
    /** It stands still: its connections stay open. */
    STOPPED("`SIGSTOP`"),
    /** No packet reaches it or leaves it, of clients either. */
    CUT_OFF("black hole: all its lines"),
    /** Clients reach it, and no other node does. */
    PARTED("black hole between nodes; its clients reach it"),
    /** It hears everybody, and nobody hears it. */
    MUTE("one-way silence: hears and is not heard"),
    /** Everybody hears it, and it hears nobody. */
    DEAF("one-way silence: is heard and hears not");

    private final String told;

    LeaderFault(String told) {
        this.told = told;
    }

    /** In the words of the page. */
    String told() {
        return told;
    }

    /**
     * Begins.
     *
     * @param clients the line between the node and its clients
     */
    void begin(ServerCluster cluster, String leader, FaultProxy clients) {
        switch (this) {
            case KILLED -> cluster.kill(leader);
            case STOPPED -> cluster.process(leader).pause();
            case CUT_OFF -> {
                clients.blackhole();
                cluster.isolate(leader);
            }
            case PARTED -> cluster.isolate(leader);
            case MUTE -> {
                clients.dropReplies();
                cluster.mute(leader);
            }
            case DEAF -> {
                clients.blackhole();
                cluster.deafen(leader);
            }
        }
    }

    /** Ends; the node is one of three again. */
    void end(ServerCluster cluster, String leader, FaultProxy clients) {
        if (this == KILLED) {
            cluster.start(leader);
        } else if (this == STOPPED) {
            cluster.process(leader).resume();
        }
        clients.heal();
        cluster.heal();
        ServerCluster.NAMES.forEach(cluster::awaitReady);
    }
}
