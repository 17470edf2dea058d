package dev.tenon.server.http;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Optional;

/**
 * Where a request ends must be the same to everyone on its way: what a proxy in front could read otherwise is refused, and
 * the connection closed after it (RFC 9112, 6.3 and 11.2; request smuggling).
 */
final class Framing {
    private Framing() {}

    /** What is unclear about a request; it is to be answered so, and the connection closed. */
    static Optional<ProblemException> problem(HttpServerRequest request) {
        HttpVersion version = request.version();
        if (version == HttpVersion.HTTP_2) {
            return Optional.empty(); // it has frames
        }
        List<String> coding = request.headers().getAll("Transfer-Encoding");
        boolean chunked = coding.size() == 1 && coding.get(0).equalsIgnoreCase("chunked");
        if (!coding.isEmpty() && (!chunked || version == HttpVersion.HTTP_1_0)) {
            return Optional.of(unclear("The only Transfer-Encoding that is read here is chunked, in HTTP/1.1."));
        }
        if (request.headers().getAll("Content-Length").size() > 1) {
            return Optional.of(unclear("Content-Length is given twice."));
        }
        int hosts = request.headers().getAll("Host").size();
        if (hosts > 1 || (hosts == 0 && version == HttpVersion.HTTP_1_1)) {
            return Optional.of(unclear("A request has one Host header."));
        }
        return Optional.empty();
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
