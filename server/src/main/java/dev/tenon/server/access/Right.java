package dev.tenon.server.access;

/** What a caller may do. Each right includes those before it. */
public enum Right {
    /** Look. */
    READ,
    /** Take IDs, hold locks. */
    USE,
    /** Define, take away, change the server. */
    ADMIN
}
