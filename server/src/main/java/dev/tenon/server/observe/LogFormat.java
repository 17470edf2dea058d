package dev.tenon.server.observe;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import java.util.Iterator;
import org.slf4j.LoggerFactory;

/** How a line of the log looks. */
public enum LogFormat {
    /** For people, as {@code logback.xml} says. */
    TEXT,
    /** A JSON document a line. */
    JSON;

    /** Has everything that is logged from now on, in this process, look so. */
    public void apply() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            apply(context);
        }
    }

    /** As {@link #apply()}, for what this context logs. */
    public void apply(LoggerContext context) {
        if (this == JSON) {
            Iterator<Appender<ILoggingEvent>> appenders =
                    context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders();
            appenders.forEachRemaining(appender -> {
                if (appender instanceof OutputStreamAppender<ILoggingEvent> stream) {
                    asJson(stream, context);
                }
            });
        }
    }

    private static void asJson(OutputStreamAppender<ILoggingEvent> stream, LoggerContext context) {
        JsonEncoder encoder = new PrintableJson();
        encoder.setContext(context);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithFormattedMessage(true);
        encoder.start();
        stream.stop();
        stream.setEncoder(encoder);
        stream.start();
    }
}
