package dev.tenon.zookeeper;

import org.apache.zookeeper.KeeperException.Code;

/** ZooKeeper refused a change, as somebody else was faster: the node is there already, or no more, or was changed. */
final class ZooKeeperConflict extends RuntimeException {
    private final Code code;

    ZooKeeperConflict(Code code, Throwable cause) {
        super(cause.getMessage(), cause);
        this.code = code;
    }

    Code code() {
        return code;
    }
}
