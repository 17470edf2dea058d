package dev.tenon.server.access;

import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Lets in who has an API key, or a certificate that stands for one, as far as its role, scopes and prefixes go.
 * Thread-safe.
 */
public final class KeyGate implements Gate {
    private static final String BEARER = "bearer ";

    private final Supplier<ApiKeys> keys;

    /**
     * A gate.
     *
     * @param keys those that are valid now; asked at every request
     */
    public KeyGate(Supplier<ApiKeys> keys) {
        this.keys = keys;
    }

    @Override
    public boolean asksForKeys() {
        return true;
    }

    @Override
    public Caller admit(Visitor visitor, Need need, String name) {
        Optional<ApiKey> found = holder(visitor);
        if (need.scope() == Scope.OPEN) {
            return found.map(KeyGate::caller).orElse(Caller.stranger(visitor.address()));
        }
        ApiKey key = found.orElseThrow(() -> unknown(visitor));
        require(key, need);
        Caller caller = caller(key);
        if (!name.isEmpty()) {
            caller.requireSees(name);
        }
        return caller;
    }

    private Optional<ApiKey> holder(Visitor visitor) {
        ApiKeys now = keys.get();
        if (visitor.authorization().isPresent()) {
            return bearer(visitor.authorization().get()).flatMap(now::find);
        }
        return visitor.certificate().flatMap(now::findSubject);
    }

    private static Optional<String> bearer(String authorization) {
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? Optional.of(authorization.substring(BEARER.length()).strip())
                : Optional.empty();
    }

    private static Caller caller(ApiKey key) {
        return new Caller(key.name(), key.id(), key.prefixes(), key.role(), true);
    }

    private static void require(ApiKey key, Need need) {
        if (key.role().compareTo(need.right()) < 0) {
            throw forbidden(key, "has the role " + word(key.role()) + ", and this needs " + word(need.right()));
        }
        // A session is the presence of one who holds locks; the server is nobody's part.
        List<Scope> asked = switch (need.scope()) {
            case IDS -> List.of(Scope.IDS);
            case LOCKS, SESSIONS -> List.of(Scope.LOCKS);
            case TRANSACTIONS, OUTBOXES -> List.of(Scope.TRANSACTIONS);
            case SERVER -> List.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS);
            case OPEN -> List.of();
        };
        for (Scope scope : asked) {
            if (!key.scopes().contains(scope)) {
                throw forbidden(key, "is not for " + word(scope) + ", and this needs it");
            }
        }
        if (need.scope() == Scope.SERVER && !key.prefixes().contains("")) {
            throw forbidden(key, "is restricted to some names, but this concerns all of them");
        }
    }

    private static ProblemException forbidden(ApiKey key, String why) {
        return new ProblemException(
                ProblemType.FORBIDDEN,
                "Your key, \"" + key.name() + "\", " + why + ". Use another key, or have one created: tenon key "
                        + "create.");
    }

    private static ProblemException unknown(Visitor visitor) {
        if (visitor.authorization().isPresent()) {
            return new ProblemException(
                    ProblemType.UNAUTHENTICATED,
                    "This API key is unknown or revoked. Send a key in the header Authorization as \"Bearer "
                            + "tenon_…\"; an administrator creates one with: tenon key create NAME --role use.");
        }
        return new ProblemException(
                ProblemType.UNAUTHENTICATED,
                visitor.certificate()
                                .map(subject -> "Your certificate is not registered: \"" + subject
                                        + "\". Have it registered (tenon key create NAME --role use "
                                        + "--certificate SUBJECT), or send an API key")
                                .orElse("This server requires an API key: send it")
                        + " in the header \"Authorization: Bearer KEY\" (tenon: --api-key, or TENON_API_KEY).");
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
