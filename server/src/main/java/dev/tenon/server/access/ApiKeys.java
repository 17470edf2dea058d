package dev.tenon.server.access;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.security.auth.x500.X500Principal;

/** A set of keys, none of which has the ID, the name or the certificate of another. Immutable. */
public final class ApiKeys {
    private final List<ApiKey> all;
    private final Map<String, ApiKey> byId = new HashMap<>();
    private final Map<String, ApiKey> bySubject = new HashMap<>();

    /**
     * These keys.
     *
     * @throws IllegalArgumentException if two are the same; the message says which
     */
    public ApiKeys(List<ApiKey> all) {
        this.all = List.copyOf(all);
        Set<String> names = new HashSet<>();
        for (ApiKey key : all) {
            if (!names.add(key.name())) {
                throw new IllegalArgumentException("two keys are named \"" + key.name() + "\"");
            }
            if (byId.put(key.id(), key) != null) {
                throw new IllegalArgumentException("two keys have the ID " + key.id());
            }
            if (key.proof() instanceof ApiKey.Proof.Certificate certificate
                    && bySubject.put(canonical(certificate.subject()), key) != null) {
                throw new IllegalArgumentException("two keys have the certificate " + certificate.subject());
            }
        }
    }

    /** All of them, in the order in which they were made. */
    public List<ApiKey> all() {
        return all;
    }

    /** The key with this text. */
    Optional<ApiKey> find(String text) {
        return ApiKey.idOf(text).map(byId::get).filter(key -> key.isProvedBy(text));
    }

    /** The key for a certificate. */
    Optional<ApiKey> findSubject(String subject) {
        return Optional.ofNullable(bySubject.get(canonical(subject)));
    }

    /**
     * A subject in the one form in which equal ones are equal texts.
     *
     * @throws IllegalArgumentException if it is none
     */
    static String canonical(String subject) {
        return new X500Principal(subject).getName(X500Principal.CANONICAL);
    }
}
