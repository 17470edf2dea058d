package dev.tenon.examples;

import dev.tenon.id.codec.IdCodec;
import dev.tenon.id.codec.PublicId;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/** Numbers as text: in a base, or hidden from whoever reads them. */
public final class PublicIds {
    private PublicIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        publicIds();
        codecs();
    }

    private static void publicIds() {
        byte[] oldKey = key();
        byte[] newKey = key();
        // tag::public[]
        PublicId orders = PublicId.builder("ord").key(1, oldKey).build(); // 32 random bytes, kept as a secret
        String shown = orders.encode(1_000_017); // ord_2… and 12 symbols that say nothing of it
        System.out.println(shown + " is order " + orders.decode(shown));
        // end::public[]

        // tag::mistyped[]
        try {
            orders.decode(shown.substring(0, 5) + (shown.charAt(5) == 'a' ? 'b' : 'a') + shown.substring(6));
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage()); // … has a check symbol that does not fit the others; …
        }
        // end::mistyped[]

        // tag::rotate[]
        PublicId ready = PublicId.builder("ord") // first everywhere: know the new key, go on with the old one
                .key(1, oldKey)
                .key(2, newKey)
                .writeWith(1)
                .build();
        PublicId rotated =
                PublicId.builder("ord").key(1, oldKey).key(2, newKey).build(); // then: write with the new one
        System.out.println(ready.decode(rotated.encode(17)) + " " + rotated.decode(shown));
        // end::rotate[]
    }

    private static void codecs() {
        // tag::codec[]
        IdCodec base62 = IdCodec.base62();
        System.out.println(base62.encode(1541815603606036480L)); // 1ptWyK4WgZU
        System.out.println(base62.decode("1ptWyK4WgZU"));

        IdCodec sortable = IdCodec.crockford32().fixedWidth(); // 13 symbols each; texts sort as their numbers do
        System.out.println(sortable.encode(7).compareTo(sortable.encode(70)) < 0);
        System.out.println(sortable.decode(sortable.tidy("oooo-oooo-oooo-7"))); // typed by a person: 7

        byte[] bytes = "any bytes".getBytes(StandardCharsets.UTF_8);
        System.out.println(IdCodec.base58().encodeBytes(bytes));
        // end::codec[]
    }

    private static byte[] key() {
        byte[] key = new byte[PublicId.KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return key;
    }
}
