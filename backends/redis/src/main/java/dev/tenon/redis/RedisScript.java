package dev.tenon.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script and the digest under which Redis remembers it.
 *
 * @param source the whole text
 * @param digest SHA-1 of it, in hexadecimal
 */
record RedisScript(String source, String digest) {
    /** The script made of these resources of this package, one after the other. */
    static RedisScript of(String... files) {
        StringBuilder source = new StringBuilder();
        for (String file : files) {
            source.append(read(file + ".lua")).append('\n');
        }
        return ofSource(source.toString());
    }

    static RedisScript ofSource(String source) {
        try {
            byte[] sha1 = MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8));
            return new RedisScript(source, HexFormat.of().formatHex(sha1));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-1", e);
        }
    }

    private static String read(String file) {
        try (InputStream in = RedisScript.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The jar of this backend lacks " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
