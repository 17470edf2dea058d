package dev.tenon.spring;

import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.http.BarrierHandler;
import dev.tenon.tx.http.CallSignature;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Lets requests that say so take part in the transaction of their caller, and takes its decision. A response of 400 and
 * more, an exception, and a request that would go on after its thread have the whole rolled back. Thread-safe.
 */
final class GlobalTransactionFilter extends OncePerRequestFilter {
    private static final int BODY_BYTES_MAX = 1024;

    private final Supplier<GlobalTransactions> transactions;
    private final @Nullable CallSignature signature;

    GlobalTransactionFilter(Supplier<GlobalTransactions> transactions, @Nullable CallSignature signature) {
        this.transactions = transactions;
        this.signature = signature;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String path = request.getRequestURI().substring(request.getContextPath().length());
        String header = request.getHeader(GlobalTransactions.HEADER);
        if (path.equals(GlobalTransactions.PATH) && request.getMethod().equals("POST")) {
            decided(request, response);
        } else if (header == null) {
            chain.doFilter(request, response);
        } else {
            join(header, request, response, chain);
        }
    }

    /** The caller has decided. */
    private void decided(HttpServletRequest request, HttpServletResponse response) throws IOException {
        BarrierHandler handler = BarrierHandler.of(transactions.get().participant());
        CallSignature signed = signature;
        String body = new String(request.getInputStream().readNBytes(BODY_BYTES_MAX), StandardCharsets.UTF_8);
        BarrierHandler.Answer answer =
                (signed == null ? handler : handler.verifying(signed)).handle(request::getHeader, body);
        byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
        response.setStatus(answer.status());
        response.setContentType("text/plain;charset=UTF-8");
        response.setContentLength(text.length);
        response.getOutputStream().write(text);
    }

    private void join(String header, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        JoinedScope joined;
        try {
            joined = transactions.get().join(header);
        } catch (IllegalArgumentException e) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, e.getMessage());
            return;
        }
        // The answer is known when the work is done, and stands before the body.
        ContentCachingResponseWrapper kept = new ContentCachingResponseWrapper(response);
        try (joined) {
            chain.doFilter(new InOneThread(request), kept);
            if (kept.getStatus() >= HttpServletResponse.SC_BAD_REQUEST) {
                joined.failed("it was answered with " + kept.getStatus());
            }
            joined.answer().ifPresent(answer -> kept.setHeader(GlobalTransactions.HEADER, answer));
            kept.copyBodyToResponse();
        }
    }

    /** What goes on in another thread would not take part. */
    private static final class InOneThread extends HttpServletRequestWrapper {
        InOneThread(HttpServletRequest request) {
            super(request);
        }

        @Override
        public boolean isAsyncSupported() {
            return false;
        }

        @Override
        public AsyncContext startAsync() {
            throw new IllegalStateException(
                    "A request that takes part in a global transaction is answered by the thread that it came to");
        }

        @Override
        public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
            return startAsync();
        }
    }
}
