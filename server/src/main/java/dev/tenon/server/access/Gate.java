package dev.tenon.server.access;

/** Decides who may do what. Every operation, of every interface, passes it. Thread-safe; nothing blocks. */
@FunctionalInterface
public interface Gate {
    /** Everyone may do everything. */
    Gate OPEN = (visitor, need, name) -> Caller.anyone(visitor.address());

    /**
     * Lets a visitor in.
     *
     * @param name of the ID or lock; empty where the operation has none, or many: what it shows then is for it to
     *     choose, by {@link Caller#sees}
     * @throws dev.tenon.server.problem.ProblemException if not
     */
    Caller admit(Visitor visitor, Need need, String name);

    /**
     * Whether nothing but what is open to all is done for a request that shows no API key, or certificate in its stead.
     */
    default boolean asksForKeys() {
        return false;
    }
}
