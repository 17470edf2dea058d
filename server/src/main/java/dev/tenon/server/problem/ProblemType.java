package dev.tenon.server.problem;

import java.util.Locale;

/**
 * Every kind of refusal that the HTTP interface knows; {@code docs/server/README.md} lists them. The {@code type} of a
 * problem is its {@link #uri()}.
 */
public enum ProblemType {
    BAD_REQUEST(400, "The request is not valid"),
    MALFORMED_JSON(400, "The body is not the JSON that was expected"),
    BAD_NAME(400, "The name is not valid"),
    BAD_COUNT(400, "The count is not valid"),
    BAD_DURATION(400, "The duration is not valid"),
    BAD_DEFINITION(400, "The definition is not valid"),
    BAD_ID(400, "This is not an ID of that name"),
    BAD_TRANSACTION(400, "The transaction is not valid"),
    UNAUTHENTICATED(401, "Authentication is required"),
    FORBIDDEN(403, "The caller is not allowed to do this"),
    CROSS_SITE(403, "Web pages of other sites may not do this"),
    UNKNOWN_PATH(404, "The path is unknown"),
    UNKNOWN_ID_NAME(404, "No IDs are defined under this name"),
    UNKNOWN_CODE(404, "No IDs are defined under this code"),
    UNKNOWN_SESSION(404, "The session is unknown"),
    UNKNOWN_MEMBER(404, "The node is unknown"),
    UNKNOWN_TRANSACTION(404, "The transaction is unknown"),
    UNKNOWN_MESSAGE(404, "The message is unknown"),
    METHOD_NOT_ALLOWED(405, "The method is not allowed"),
    REQUEST_TIMEOUT(408, "The request was not complete in time"),
    DEFINITION_CONFLICT(409, "The definition conflicts with one that exists"),
    RANGE_EXHAUSTED(409, "The numbers are used up"),
    WRONG_KIND(409, "IDs of this kind do not support this"),
    IDS_ISSUED(409, "IDs of this name may have been issued"),
    NO_BACKUP(409, "This server has no data of its own"),
    LOCK_NOT_ACQUIRED(409, "The lock was not acquired in time"),
    LOCK_NOT_HELD(409, "The lock is not held under that session and token"),
    REQUEST_ID_REUSED(409, "The request ID belongs to another request"),
    NO_CLUSTER(409, "This server is not a node of a cluster"),
    CLUSTER_UNCHANGED(409, "The cluster could not be changed"),
    TRANSACTION_CONFLICT(409, "The transaction differs, or is decided otherwise"),
    TRANSACTION_ABORTED(409, "The transaction was aborted"),
    NO_DEAD_LETTER(409, "The message is not a dead letter"),
    BODY_TOO_LARGE(413, "The body is too large"),
    URI_TOO_LONG(414, "The path is too long"),
    SESSION_OF_ANOTHER_SERVER(421, "The session belongs to another server"),
    RATE_LIMITED(429, "Too many requests in this second"),
    TOO_MANY_SESSIONS(429, "Too many sessions are open"),
    TOO_MANY_WAITERS(429, "Too many requests wait"),
    TOO_MANY_LOCKS(429, "Too many locks are held or waited for"),
    TOO_MANY_TRANSACTIONS(429, "Too many transactions are open"),
    TOO_MANY_DEFINITIONS(429, "Too many names are in use"),
    TOO_MUCH_STATE(429, "The memory limit is reached"),
    HEADERS_TOO_LARGE(431, "The headers are too large"),
    INTERNAL(500, "The server failed"),
    NO_TRANSACTIONS(501, "This server does not support transactions"),
    NO_OUTBOX(501, "This server has no outbox"),
    OVERLOADED(503, "The server is overloaded"),
    STOPPING(503, "The server is stopping"),
    STORE_UNAVAILABLE(503, "The store does not answer"),
    IDS_UNAVAILABLE(503, "IDs can't be issued safely now"),
    SEQUENCE_REGRESSED(503, "The store has gone back, and numbers would repeat"),
    OUTCOME_UNKNOWN(504, "The outcome is unknown");

    private final int status;
    private final String title;

    ProblemType(int status, String title) {
        this.status = status;
        this.title = title;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** What went wrong, without the particulars. */
    public String title() {
        return title;
    }

    /** The name of this kind on the wire, such as {@code urn:tenon:problem:unknown-id-name}. */
    public String uri() {
        return "urn:tenon:problem:" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
