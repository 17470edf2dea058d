package dev.tenon.server.observe;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import dev.tenon.Printable;
import org.jspecify.annotations.Nullable;

/**
 * {@code %printableEx} in a pattern: a stack trace in which each message is one line, so that none looks like another
 * entry of the log. Stateless, thread-safe.
 */
public final class PrintableStackTrace extends ThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy proxy) {
        return super.throwableProxyToString(new Shown(proxy));
    }

    /** An exception, with its message and those of its causes shown. */
    private record Shown(IThrowableProxy proxy) implements IThrowableProxy {
        private static @Nullable String shown(@Nullable String message) {
            return message == null ? null : Printable.of(message, PrintableLine.LINE_MAX);
        }

        @Override
        public @Nullable String getMessage() {
            return shown(proxy.getMessage());
        }

        @Override
        public @Nullable String getOverridingMessage() {
            return shown(proxy.getOverridingMessage());
        }

        @Override
        public String getClassName() {
            return proxy.getClassName();
        }

        @Override
        public StackTraceElementProxy[] getStackTraceElementProxyArray() {
            return proxy.getStackTraceElementProxyArray();
        }

        @Override
        public int getCommonFrames() {
            return proxy.getCommonFrames();
        }

        @Override
        public @Nullable IThrowableProxy getCause() {
            IThrowableProxy cause = proxy.getCause();
            return cause == null ? null : new Shown(cause);
        }

        @Override
        public IThrowableProxy @Nullable [] getSuppressed() {
            IThrowableProxy[] suppressed = proxy.getSuppressed();
            if (suppressed == null) {
                return null;
            }
            IThrowableProxy[] all = new IThrowableProxy[suppressed.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = new Shown(suppressed[i]);
            }
            return all;
        }

        @Override
        public boolean isCyclic() {
            return proxy.isCyclic();
        }
    }
}
