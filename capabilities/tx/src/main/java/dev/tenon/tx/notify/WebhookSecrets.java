package dev.tenon.tx.notify;

import dev.tenon.Names;
import java.util.Optional;

/**
 * The secrets of webhooks, each under a name. The name stands in the log of transactions, and so in its backups; the
 * secret is looked up when a call is made, and is kept where the application keeps its secrets. A secret is replaced by
 * giving another signature under the same name: the next try of what is on its way already is signed with it.
 *
 * <p>Implementations are thread-safe, and don't block: they are asked before each call.
 */
@FunctionalInterface
public interface WebhookSecrets {
    /** Knows none. */
    WebhookSecrets NONE = name -> Optional.empty();

    /**
     * What signs under a name from now on.
     *
     * @param name 1 to {@value dev.tenon.Names#LENGTH_MAX} characters
     * @return empty if there is none: the call is not made, and tried again later
     */
    Optional<WebhookSignature> find(String name);

    /**
     * Returns {@code name} if it can be the name of a secret. What begins as a secret of the specification does is
     * refused: it was to be kept out of the log. No message repeats it.
     *
     * @throws IllegalArgumentException if it can't
     */
    static String requireName(String name) {
        if (name.startsWith(WebhookSignature.PREFIX)) {
            throw new IllegalArgumentException("A webhook secret is meant by its name, and this is a secret itself ("
                    + WebhookSignature.PREFIX + "…), which would be kept in the log");
        }
        return Names.requireValid("name of a webhook secret", name);
    }
}
