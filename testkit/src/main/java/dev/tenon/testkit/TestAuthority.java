package dev.tenon.testkit;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;

/**
 * A certificate authority that lives as long as a test: X.509 v3 (RFC 5280) on P-256, written down in DER by hand, so
 * that a test of TLS needs no program and no library. Thread-safe.
 */
public final class TestAuthority {
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final byte[] ECDSA_SHA256 =
            der(SEQUENCE, bytes(0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
    private static final byte[] BASIC_CONSTRAINTS = bytes(0x06, 0x03, 0x55, 0x1d, 0x13);
    private static final int DNS_NAME = 0x82;
    private static final byte[] SUBJECT_ALT_NAME = bytes(0x06, 0x03, 0x55, 0x1d, 0x11);
    private static final byte[] TRUE = bytes(0x01, 0x01, 0xff);
    private static final byte[] LOOPBACK = bytes(0x87, 0x04, 127, 0, 0, 1);
    private static final DateTimeFormatter UTC =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private final AtomicLong serial = new AtomicLong(1);
    private final String name;
    private final KeyPair keys = pair();

    /** An authority called {@code CN=name}. */
    public TestAuthority(String name) {
        this.name = "CN=" + name;
    }

    /**
     * A certificate, and its key.
     *
     * @param certificate PEM
     * @param key PKCS#8 PEM
     */
    public record Identity(String certificate, String key) {}

    /** Its own certificate, PEM. */
    public String certificate() {
        byte[] authority = der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE)));
        return signed(name, keys, authority);
    }

    /**
     * A certificate for 127.0.0.1, for hosts of these names, and for whoever this subject is, that is valid for a day.
     *
     * @param subject RFC 2253, such as {@code CN=shop,O=Example}
     * @param hosts DNS names, such as {@code ids.example.com} or {@code *.example.com}
     */
    public Identity issue(String subject, String... hosts) {
        KeyPair pair = pair();
        List<byte[]> names = new ArrayList<>(List.of(LOOPBACK));
        for (String host : hosts) {
            names.add(der(DNS_NAME, host.getBytes(StandardCharsets.US_ASCII)));
        }
        byte[] all = der(SEQUENCE, names.toArray(new byte[0][]));
        byte[] here = der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, all));
        return new Identity(
                signed(subject, pair, here),
                pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
    }

    private String signed(String subject, KeyPair pair, byte[] extension) {
        try {
            byte[] version = der(0xa0, bytes(INTEGER, 1, 2));
            byte[] number =
                    der(INTEGER, BigInteger.valueOf(serial.getAndIncrement()).toByteArray());
            byte[] toBeSigned = der(
                    SEQUENCE,
                    version,
                    number,
                    ECDSA_SHA256,
                    new X500Principal(name).getEncoded(),
                    der(SEQUENCE, time(-3600), time(86_400)),
                    new X500Principal(subject).getEncoded(),
                    pair.getPublic().getEncoded(),
                    der(0xa3, der(SEQUENCE, extension)));
            Signature signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(keys.getPrivate());
            signature.update(toBeSigned);
            byte[] certificate = der(SEQUENCE, toBeSigned, ECDSA_SHA256, der(BIT_STRING, bytes(0), signature.sign()));
            return pem("CERTIFICATE", certificate);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] time(long secondsFromNow) {
        return der(
                UTC_TIME, UTC.format(Instant.now().plusSeconds(secondsFromNow)).getBytes(StandardCharsets.US_ASCII));
    }

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(256);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String pem(String kind, byte[] der) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der) + "\n-----END " + kind + "-----\n";
    }

    private static byte[] der(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(tag);
        int length = content.size();
        if (length < 0x80) {
            whole.write(length);
        } else if (length < 0x100) {
            whole.write(0x81);
            whole.write(length);
        } else {
            whole.write(0x82);
            whole.write(length >> 8);
            whole.write(length);
        }
        whole.writeBytes(content.toByteArray());
        return whole.toByteArray();
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}
