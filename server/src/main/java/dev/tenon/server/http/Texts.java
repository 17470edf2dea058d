package dev.tenon.server.http;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Text that comes with a request: percent-decoding that refuses what it can't read, and quoting for error messages. */
final class Texts {
    private static final int QUOTED_MAX = 60;

    private Texts() {}

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

    /** {@code text} cut to what fits an error message. */
    static String shortened(String text) {
        return text.length() <= QUOTED_MAX ? text : text.substring(0, QUOTED_MAX) + "…";
    }

    /** A name as a shell takes it. */
    static String quoted(String name) {
        return name.matches("[A-Za-z0-9._:@-]+") ? name : "'" + name.replace("'", "'\\''") + "'";
    }

    private static ProblemException unreadable(String raw) {
        return new ProblemException(
                ProblemType.BAD_REQUEST,
                "\"" + shortened(raw) + "\" is not percent-encoded UTF-8; encode a name as %XX bytes of UTF-8.");
    }
}
