package dev.tenon.servlet;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.LocalParticipant;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Reply;
import dev.tenon.tx.http.BarrierHandler;
import dev.tenon.tx.http.CallSignature;
import dev.tenon.tx.http.HttpParticipants;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Makes a participant of the servlets, or controllers, behind it: each call runs in a local transaction of the
 * participant's database, behind the barrier. The code behind it works on {@link #connection}, and neither commits nor
 * rolls it back; its status decides:
 *
 * <ul>
 *   <li>2xx: the transaction is committed, and the body kept as the result. A repeated call gets it again, and the code
 *       is not run.
 *   <li>409, 425: rolled back, and answered as it is.
 *   <li>Anything else, or an exception: rolled back, and answered with that status, or 500. The call comes again.
 * </ul>
 *
 * <p>What the code writes goes out after the commit. A cancel that comes before its try, and a check-back, are answered
 * here. A request without the headers of a call ({@link HttpParticipants}) is answered with 400: map the filter to the
 * paths of participants, and to no others. Asynchronous requests are not supported. Thread-safe.
 */
public final class BarrierFilter extends HttpFilter {
    private static final long serialVersionUID = 1L;
    private static final String CONNECTION = BarrierFilter.class.getName() + ".connection";
    private static final String CALL = BarrierFilter.class.getName() + ".call";
    /** The most bytes of a body that are read before it is known who sent it. */
    private static final int BODY_BYTES_MAX = 1 << 20;

    private static final int CONFLICT = 409;
    private static final int TOO_EARLY = 425;

    private final transient LocalTransactions local;
    private final transient Barrier barrier;
    private final transient @Nullable CallSignature signature;

    private BarrierFilter(LocalTransactions local, Barrier barrier, @Nullable CallSignature signature) {
        this.local = Objects.requireNonNull(local, "local");
        this.barrier = Objects.requireNonNull(barrier, "barrier");
        this.signature = signature;
    }

    /**
     * A filter.
     *
     * @param local the local transactions of the participant's database
     * @param barrier of the same database
     */
    public static BarrierFilter of(LocalTransactions local, Barrier barrier) {
        return new BarrierFilter(local, barrier, null);
    }

    /**
     * This, for calls that were signed lately ({@link dev.tenon.tx.http.HttpTargets#signedWith}): others are answered
     * with 401 before anything else is done with them, and bodies of more than 1 MiB with 413. One that was caught and
     * is sent again is a repeated call, which the barrier answers.
     */
    public BarrierFilter verifying(CallSignature signed) {
        return new BarrierFilter(local, barrier, Objects.requireNonNull(signed, "signed"));
    }

    /**
     * The connection that a request is to work on.
     *
     * @throws IllegalStateException if it did not come through this filter
     */
    public static Connection connection(ServletRequest request) {
        return attribute(request, CONNECTION, Connection.class);
    }

    /**
     * The call that a request is.
     *
     * @throws IllegalStateException if it did not come through this filter
     */
    public static BranchCall call(ServletRequest request) {
        return attribute(request, CALL, BranchCall.class);
    }

    private static <T> T attribute(ServletRequest request, String name, Class<T> type) {
        Object value = request.getAttribute(name);
        if (!type.isInstance(value)) {
            throw new IllegalStateException(
                    "This request did not come through a " + BarrierFilter.class.getSimpleName());
        }
        return type.cast(value);
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        CallSignature signed = signature;
        if (signed == null) {
            called(request, response, chain);
            return;
        }
        byte[] body = request.getInputStream().readNBytes(BODY_BYTES_MAX + 1);
        if (body.length > BODY_BYTES_MAX) {
            send(
                    response,
                    new BarrierHandler.Answer(
                            HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
                            "a call has " + BODY_BYTES_MAX + " bytes at most"));
            return;
        }
        Optional<String> unsigned = signed.against(request::getHeader, body);
        if (unsigned.isPresent()) {
            send(response, new BarrierHandler.Answer(HttpServletResponse.SC_UNAUTHORIZED, unsigned.get()));
            return;
        }
        called(new ReadRequest(request, body), response, chain);
    }

    private void called(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        KeptResponse kept = new KeptResponse(response);
        BarrierHandler handler = BarrierHandler.of(
                LocalParticipant.of(local, barrier, (connection, call) -> run(request, kept, chain, connection, call)));
        BarrierHandler.Answer answer = handler.handle(request::getHeader, "");
        if (kept.wasRun()) {
            boolean committed = answer.status() == HttpServletResponse.SC_OK;
            boolean said = kept.isDone() == committed;
            if (said) {
                kept.send();
                return;
            }
            response.reset(); // what it said did not come true: the commit has failed
        }
        send(response, answer);
    }

    /** What the code behind this does, as a reply. The body of the request is its to read. */
    private static Reply run(
            HttpServletRequest request, KeptResponse kept, FilterChain chain, Connection connection, BranchCall call)
            throws IOException, ServletException {
        request.setAttribute(CONNECTION, connection);
        request.setAttribute(CALL, call);
        try {
            kept.runs();
            chain.doFilter(new SynchronousRequest(request), kept);
        } finally {
            request.removeAttribute(CONNECTION);
            request.removeAttribute(CALL);
        }
        int status = kept.getStatus();
        if (kept.isDone()) {
            return Reply.done(HttpParticipants.kept(kept.text()));
        }
        return switch (status) {
            case CONFLICT -> Reply.refused(kept.text());
            case TOO_EARLY -> Reply.notYet(kept.text());
            default -> throw new ServletException("answered " + status);
        };
    }

    private static void send(HttpServletResponse response, BarrierHandler.Answer answer) throws IOException {
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        response.setStatus(answer.status());
        response.setContentType("text/plain;charset=UTF-8");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
