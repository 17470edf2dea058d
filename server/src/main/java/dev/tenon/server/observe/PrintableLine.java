package dev.tenon.server.observe;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.pattern.CompositeConverter;
import dev.tenon.Printable;
import dev.tenon.server.access.Audit;

/**
 * <code>%printable(…){MAX}</code> in a pattern: what is within stays one line, whatever it holds, of so many characters
 * at most. Lines of the audit log are whole, as they are JSON. Thread-safe once it is started.
 */
public final class PrintableLine extends CompositeConverter<ILoggingEvent> {
    /** How many characters of a line are logged, unless the pattern says it. */
    static final int LINE_MAX = 16_384;

    private int lineMax = LINE_MAX;

    @Override
    public void start() {
        String option = getFirstOption();
        if (option != null) {
            lineMax = Integer.parseInt(option);
        }
        super.start();
    }

    @Override
    protected String transform(ILoggingEvent event, String in) {
        int max = event.getLoggerName().equals(Audit.LOGGER) ? Integer.MAX_VALUE : lineMax;
        return Printable.of(in.stripTrailing(), max);
    }
}
