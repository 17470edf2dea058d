package dev.tenon.spring;

import dev.tenon.tx.global.GlobalTransactions;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses requests that are to take part in the transaction of their caller, where the service does not: what they did
 * would stay when the caller rolls back. In the place of {@link GlobalTransactionFilter}. Thread-safe.
 */
final class GlobalTransactionRefusal extends OncePerRequestFilter {
    private static final String WHY = "This service takes no part in global transactions of its callers. If it is to,"
            + " set tenon.transactions.join to true here; if not, take it out of tenon.transactions.services of the caller";

    private final AtomicBoolean told = new AtomicBoolean();

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String path = request.getRequestURI().substring(request.getContextPath().length());
        if (path.equals(GlobalTransactions.PATH)) {
            refuse(request, response, HttpServletResponse.SC_NOT_FOUND); // a decision, which comes again
        } else if (request.getHeader(GlobalTransactions.HEADER) != null) {
            refuse(request, response, HttpServletResponse.SC_BAD_REQUEST);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void refuse(HttpServletRequest request, HttpServletResponse response, int status) throws IOException {
        if (told.compareAndSet(false, true)) {
            logger.warn(request.getRemoteAddr() + " has sent a request that is part of a global transaction, and it was"
                    + " refused, as all such are; this is said once. " + WHY);
        }
        byte[] text = WHY.getBytes(StandardCharsets.UTF_8);
        response.setStatus(status);
        response.setContentType("text/plain;charset=UTF-8");
        response.setContentLength(text.length);
        response.getOutputStream().write(text);
    }
}
