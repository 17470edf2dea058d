package dev.tenon.raft.ratis;

/** Is told of data folders that are older copies. Called on threads of the engine. */
public interface FolderListener {
    /** That of this node; {@code trouble} says so to people. Called once. */
    void isOlder(String trouble);

    /**
     * That of a follower of this node.
     *
     * @param follower its identity
     * @param trouble says so to people
     */
    void isOlder(String follower, String trouble);
}
