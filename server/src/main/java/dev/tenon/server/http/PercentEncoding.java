package dev.tenon.server.http;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import dev.tenon.server.problem.QuotedText;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Percent-decoding that refuses what is not valid (RFC 3986, 2.1). */
final class PercentEncoding {
    private PercentEncoding() {}

    /** Decodes {@code %XX} as UTF-8. In a query, {@code plusIsSpace}. */
    static String decoded(String raw, boolean plusIsSpace) {
        if (raw.indexOf('%') < 0 && (!plusIsSpace || raw.indexOf('+') < 0)) {
            return raw;
        }
        byte[] in = raw.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream out = new ByteArrayOutputStream(in.length);
        for (int i = 0; i < in.length; i++) {
            if (in[i] == '%') {
                int high = i + 2 < in.length ? Character.digit(in[i + 1], 16) : -1;
                int low = i + 2 < in.length ? Character.digit(in[i + 2], 16) : -1;
                if (high < 0 || low < 0) {
                    throw unreadable(raw);
                }
                out.write(high * 16 + low);
                i += 2;
            } else {
                out.write(in[i] == '+' && plusIsSpace ? ' ' : in[i]);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(out.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw unreadable(raw);
        }
    }

    private static ProblemException unreadable(String raw) {
        return new ProblemException(
                ProblemType.BAD_REQUEST,
                "\"" + QuotedText.shortened(raw)
                        + "\" is not percent-encoded UTF-8; encode a name as %XX bytes of UTF-8.");
    }
}
