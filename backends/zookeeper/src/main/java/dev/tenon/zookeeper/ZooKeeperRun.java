package dev.tenon.zookeeper;

import java.util.OptionalLong;

/**
 * The run of a server, from one start to the next, that a connection leads to.
 *
 * @param connection of the handle, by its number
 * @param session a session that was begun in this run; empty: the server is one of an ensemble, whose epochs say more
 * @param fresh whether that session was begun just now
 */
record ZooKeeperRun(int connection, OptionalLong session, boolean fresh) {
    /** For who does not ask in which incarnation of the store something was seen. */
    static final ZooKeeperRun ANY = new ZooKeeperRun(0, OptionalLong.empty(), true);

    ZooKeeperRun remembered() {
        return new ZooKeeperRun(connection, session, session.isEmpty());
    }
}
