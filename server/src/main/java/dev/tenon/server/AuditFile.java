package dev.tenon.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import dev.tenon.server.access.Audit;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** The audit log in a file of its own: each line a JSON object, written through at once. */
final class AuditFile {
    private static final String LINE = "%msg%n";

    private AuditFile() {}

    /**
     * Appends what is told to {@link Audit#LOG} to a file from now on, which is made if it is not there, and is for the
     * server's user alone.
     *
     * @throws StartException if it can't be written
     */
    static void attach(Path file) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            throw new StartException(
                    ServerExitCode.USAGE, "--audit-log needs Logback, which is not on the class path.", null);
        }
        try {
            PrivateFile.own(file);
        } catch (IOException e) {
            throw new StartException(ServerExitCode.USAGE, "--audit-log " + file + " can't be written.", e);
        }
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(LINE);
        encoder.start();
        FileAppender<ILoggingEvent> appender = new FileAppender<>();
        appender.setContext(context);
        appender.setName("audit " + file);
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        appender.start();
        if (!appender.isStarted()) {
            throw new StartException(ServerExitCode.USAGE, "--audit-log " + file + " can't be written.", null);
        }
        Logger audit = context.getLogger(Audit.LOGGER);
        audit.setLevel(Level.INFO); // whatever else is logged
        audit.addAppender(appender);
    }
}
