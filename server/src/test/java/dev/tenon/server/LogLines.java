package dev.tenon.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What a class logs, from now until this is closed. */
final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final ListAppender<ILoggingEvent> heard = new ListAppender<>();

    private LogLines(Logger logger) {
        this.logger = logger;
        heard.start();
        logger.addAppender(heard);
    }

    static LogLines of(Class<?> speaker) {
        return new LogLines((Logger) LoggerFactory.getLogger(speaker));
    }

    List<String> warnings() {
        return heard.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(heard);
    }
}
