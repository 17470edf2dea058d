package dev.tenon.server.problem;

import java.util.Locale;

/** Every kind of refusal that the HTTP interface knows; {@code docs/server.md} lists them. The {@code type} of a problem is its {@link #uri()}. */
public enum ProblemType {
    BAD_REQUEST(400, "The request is not valid"),
    MALFORMED_JSON(400, "The body is not the JSON that was expected"),
    BAD_NAME(400, "The name is not valid"),
    BAD_COUNT(400, "The count is not valid"),
    BAD_DURATION(400, "The duration is not valid"),
    BAD_DEFINITION(400, "The definition is not valid"),
    BAD_ID(400, "This is not an ID of that name"),
    UNKNOWN_PATH(404, "There is nothing at this path"),
    UNKNOWN_ID_NAME(404, "No IDs are defined under this name"),
    UNKNOWN_CODE(404, "No IDs are defined under this code"),
    UNKNOWN_SESSION(404, "There is no such session"),
    METHOD_NOT_ALLOWED(405, "The method is not served here"),
    DEFINITION_CONFLICT(409, "The definition conflicts with one that exists"),
    RANGE_EXHAUSTED(409, "No number is left"),
    WRONG_KIND(409, "IDs of this kind do not offer that"),
    LOCK_NOT_ACQUIRED(409, "The lock was not acquired in time"),
    LOCK_NOT_HELD(409, "The lock is not held under that session and token"),
    REQUEST_ID_REUSED(409, "The request ID belongs to another request"),
    BODY_TOO_LARGE(413, "The body is too large"),
    INTERNAL(500, "The server failed"),
    OVERLOADED(503, "The server has too much to do"),
    STOPPING(503, "The server is stopping"),
    STORE_UNAVAILABLE(503, "The store does not answer"),
    IDS_UNAVAILABLE(503, "IDs can't be issued safely now"),
    OUTCOME_UNKNOWN(504, "It is not known whether this happened");

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
