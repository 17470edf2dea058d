package dev.tenon.server.problem;

import dev.tenon.Printable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A request is refused, with an RFC 9457 problem document for an answer. Carries no stack trace: it is an answer, not a
 * fault.
 */
public final class ProblemException extends RuntimeException {
    /** However much of a request it quotes. */
    private static final int DETAIL_MAX = 1_000;

    private final ProblemType type;
    private final transient Map<String, Object> members;
    private final transient Optional<Duration> retryAfter;

    /**
     * A refusal.
     *
     * @param detail what is wrong with this request, and what to do about it
     */
    public ProblemException(ProblemType type, String detail) {
        this(type, detail, Map.of());
    }

    /**
     * A refusal that says more.
     *
     * @param members further members of the problem document
     */
    public ProblemException(ProblemType type, String detail, Map<String, Object> members) {
        this(type, detail, members, Optional.empty());
    }

    /** A refusal of what can be had after {@code retryAfter}, which the document says too. */
    public ProblemException(ProblemType type, String detail, Duration retryAfter) {
        this(type, detail, Map.of("retryAfter", retryAfter.toString()), Optional.of(retryAfter));
    }

    private ProblemException(
            ProblemType type, String detail, Map<String, Object> members, Optional<Duration> retryAfter) {
        super(detail, null, false, false);
        this.type = type;
        this.members = members;
        this.retryAfter = retryAfter;
    }

    /** The kind of refusal. */
    public ProblemType type() {
        return type;
    }

    /** When the same request can succeed, where that is known. */
    public Optional<Duration> retryAfter() {
        return retryAfter;
    }

    /** The problem document. */
    public Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("type", type.uri());
        document.put("title", type.title());
        document.put("status", type.status());
        document.put("detail", Printable.of(String.valueOf(getMessage()), DETAIL_MAX));
        document.putAll(members);
        return document;
    }
}
