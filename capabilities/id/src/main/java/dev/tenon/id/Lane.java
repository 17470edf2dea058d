package dev.tenon.id;

/** How the threads of one {@link SnowflakeGenerator} share its sequence. Both lanes are unique for the same reason. */
public enum Lane {
    /** All threads count on one atomic number: IDs are strictly increasing over the whole generator. */
    STRICT,

    /**
     * While IDs come fast, each thread takes a block of positions at a time and issues from it without a clock or an
     * atomic operation: IDs are strictly increasing in each thread, and those of different threads are in order of time
     * to within 10 ms (or one unit of the layout, if that is longer). At lower rates as {@link #STRICT}.
     */
    STRIPED
}
