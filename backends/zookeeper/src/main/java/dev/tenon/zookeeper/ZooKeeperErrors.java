package dev.tenon.zookeeper;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;

/** Says what a failure of the client means for the caller: did something happen in the store, or not? */
final class ZooKeeperErrors {
    private ZooKeeperErrors() {}

    /** @param writes whether the request would have changed something */
    static RuntimeException translate(Throwable failure, boolean writes, String address) {
        if (failure instanceof TenonException known) {
            return known;
        }
        if (!(failure instanceof KeeperException refusal)) {
            return failure instanceof TimeoutException
                    ? lost(failure, writes, "ZooKeeper at " + address + " did not answer in time")
                    : new TenonException("ZooKeeper at " + address + " failed: " + failure, failure);
        }
        return switch (refusal.code()) {
            case BADVERSION, NODEEXISTS, NONODE -> new ZooKeeperConflict(refusal.code(), refusal);
            // The request may have been on its way, or carried out, when the connection or the session ended.
            case CONNECTIONLOSS, SESSIONEXPIRED, SESSIONMOVED, OPERATIONTIMEOUT, REQUESTTIMEOUT ->
                lost(refusal, writes, "The connection to ZooKeeper at " + address + " was lost");
            case NOAUTH,
                    AUTHFAILED,
                    INVALIDACL,
                    SESSIONCLOSEDREQUIRESASLAUTH,
                    NOTREADONLY,
                    THROTTLEDOP,
                    QUOTAEXCEEDED ->
                new BackendUnavailableException(
                        "ZooKeeper at " + address + " refuses: " + refusal.getMessage(), refusal);
            default -> new TenonException("ZooKeeper at " + address + " failed: " + refusal.getMessage(), refusal);
        };
    }

    /** A node is gone that this process made or found when it connected. */
    static TenonException dataLost(String path, Throwable cause) {
        return new TenonException(
                path + " is gone: ZooKeeper has lost data, or somebody deleted it; connect again to begin anew", cause);
    }

    private static TenonException lost(Throwable failure, boolean writes, String what) {
        return writes
                ? new OutcomeUnknownException(what + ": the change may have been made", failure)
                : new BackendUnavailableException(what, failure);
    }
}
