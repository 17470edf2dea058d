package dev.tenon.server.http;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Where a request ends must be the same to everyone on its way: what a proxy in front could read otherwise is refused,
 * and the connection closed after it (RFC 9112, 6.3 and 11.2; request smuggling).
 */
final class Framing {
    private Framing() {}

    /** What is unclear about a request; it is to be answered so, and the connection closed. */
    static Optional<ProblemException> problem(HttpServerRequest request) {
        HttpVersion version = request.version();
        if (!isOwnTarget(request)) {
            return Optional.of(unclear("Request a path such as /v1/ids, with the host in the header Host."));
        }
        if (version == HttpVersion.HTTP_2) {
            return Optional.empty(); // it has frames
        }
        List<String> coding = request.headers().getAll("Transfer-Encoding");
        boolean chunked = coding.size() == 1 && coding.get(0).equalsIgnoreCase("chunked");
        if (!coding.isEmpty() && (!chunked || version == HttpVersion.HTTP_1_0)) {
            return Optional.of(unclear("The only supported Transfer-Encoding is chunked, in HTTP/1.1."));
        }
        if (request.headers().getAll("Content-Length").size() > 1) {
            return Optional.of(unclear("Content-Length is given twice."));
        }
        int hosts = request.headers().getAll("Host").size();
        if (hosts > 1 || (hosts == 0 && version == HttpVersion.HTTP_1_1)) {
            return Optional.of(unclear("A request must have one Host header."));
        }
        return Optional.empty();
    }

    /**
     * Whether what is asked for is a path here (RFC 9112, 3.2). One with an authority of its own must have that of
     * {@code Host}, which is what everything here goes by.
     */
    private static boolean isOwnTarget(HttpServerRequest request) {
        String target = String.valueOf(request.uri());
        if (target.startsWith("/") || target.equals("*")) {
            return !target.startsWith("//");
        }
        String own = (request.isSSL() ? "https://" : "http://") + request.getHeader(HttpHeaders.HOST);
        return target.regionMatches(true, 0, own, 0, own.length())
                && (target.length() == own.length() || "/?".indexOf(target.charAt(own.length())) >= 0);
    }

    /** Whether a body came to no end because its bytes are not as HTTP has them, and not because its client is gone. */
    static boolean isBroken(Throwable failure) {
        return !(failure instanceof IOException || failure instanceof VertxException);
    }

    /** What was wrong with such a body. */
    static ProblemException malformedBody() {
        return unclear(
                "The body is not valid chunked encoding (RFC 9112, 7.1), or its extensions or trailers are too long.");
    }

    /**
     * Whether a proxy may think that this request ends elsewhere, so that nothing after it on the connection is to be
     * believed: a length that came beside {@code chunked} is removed before anybody here can see it.
     */
    static boolean mayBeReadOtherwise(HttpServerRequest request) {
        return request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
    }

    private static ProblemException unclear(String detail) {
        return new ProblemException(ProblemType.BAD_REQUEST, detail);
    }

    /** What was wrong with bytes that are no request. */
    static ProblemException malformed(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new ProblemException(
                    ProblemType.URI_TOO_LONG, "The path and query are too long; names have 200 characters at most.");
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return new ProblemException(
                    ProblemType.HEADERS_TOO_LARGE,
                    "The headers are too large; send fewer, or raise --max-header-size.");
        }
        return new ProblemException(ProblemType.BAD_REQUEST, "This is not HTTP: see RFC 9112.");
    }
}
