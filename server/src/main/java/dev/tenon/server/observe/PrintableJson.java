package dev.tenon.server.observe;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.tenon.Printable;
import java.nio.charset.StandardCharsets;

/** A JSON document a line, in which nothing acts on the terminal that shows it. Logback escapes C0 alone. */
final class PrintableJson extends JsonEncoder {
    @Override
    public byte[] encode(ILoggingEvent event) {
        String document = new String(super.encode(event), StandardCharsets.UTF_8).stripTrailing();
        return (Printable.of(document) + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
    }
}
