package dev.tenon.server.access;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.tenon.server.json.Json;
import dev.tenon.server.problem.ProblemException;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The file that a server reads its keys from: JSON, one key a line, and none of the keys themselves. It is replaced as
 * a whole, so that a reader never sees half of it.
 */
public final class ApiKeyFile {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}");
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-f]{64}");

    private ApiKeyFile() {}

    private record FileDocument(@Nullable List<KeyDocument> keys) {}

    private record KeyDocument(
            @Nullable String id,
            @Nullable String name,
            @Nullable String role,
            @JsonProperty("for") @Nullable List<String> scopes,
            @Nullable List<String> prefixes,
            @Nullable String sha256,
            @Nullable String certificate,
            @Nullable String created,
            @Nullable String createdBy) {}

    /**
     * The keys in the text of such a file.
     *
     * @throws IllegalArgumentException if it is none; the message says why
     */
    public static ApiKeys parse(byte[] text) {
        FileDocument document;
        try {
            document = Json.read(Buffer.buffer(text), FileDocument.class);
        } catch (ProblemException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        List<ApiKey> keys = new ArrayList<>();
        for (KeyDocument key : required("keys", document.keys())) {
            keys.add(key(key));
        }
        return new ApiKeys(keys);
    }

    /**
     * The keys in a file.
     *
     * @throws IllegalArgumentException if there are none to be had; the message names the file and says why
     */
    public static ApiKeys read(Path file) {
        try {
            return parse(Files.readAllBytes(file));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    file + " can't be read (" + e.getClass().getSimpleName() + ")", e);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Changes the keys in a file, which is made if it is not there, for its owner only. Two who do so at the same time
     * do it one after the other.
     *
     * @throws IllegalArgumentException if the file holds something else, or can't be written
     */
    public static void change(Path file, UnaryOperator<List<ApiKey>> change) {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(beside, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock(); // until it is closed
            List<ApiKey> before = Files.exists(file) ? read(file).all() : List.of();
            ApiKeys after = new ApiKeys(change.apply(before));
            replace(file, text(after));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    file + " can't be written (" + e.getClass().getSimpleName() + ": " + e.getMessage() + ")", e);
        }
    }

    private static void replace(Path file, String text) throws IOException {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] mine = posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
        Path folder = file.toAbsolutePath().getParent();
        Path fresh = Files.createTempFile(folder, file.getFileName().toString(), ".new", mine);
        try {
            if (posix && Files.exists(file)) { // whoever may read it, the server's own user above all, still may
                Files.setPosixFilePermissions(fresh, Files.getPosixFilePermissions(file));
            }
            Files.writeString(fresh, text);
            try (FileChannel written = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
                written.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static String text(ApiKeys keys) {
        return keys.all().stream()
                .map(key -> Json.text(document(key)))
                .collect(Collectors.joining(",\n", "{\"keys\":[\n", "\n]}\n"));
    }

    private static KeyDocument document(ApiKey key) {
        return new KeyDocument(
                key.id(),
                key.name(),
                word(key.role()),
                key.scopes().stream().map(ApiKeyFile::word).sorted().toList(),
                key.prefixes(),
                key.proof() instanceof ApiKey.Proof.Secret secret ? secret.sha256() : null,
                key.proof() instanceof ApiKey.Proof.Certificate certificate ? certificate.subject() : null,
                key.created().toString(),
                key.createdBy());
    }

    private static ApiKey key(KeyDocument document) {
        String name = required("name", document.name());
        try {
            String id = matching("id", ID, required("id", document.id()));
            Set<Need.Scope> scopes = EnumSet.noneOf(Need.Scope.class);
            required("for", document.scopes()).forEach(word -> scopes.add(scope(word)));
            return new ApiKey(
                    id,
                    name,
                    role(required("role", document.role())),
                    scopes,
                    List.copyOf(required("prefixes", document.prefixes())),
                    proof(document),
                    Instant.parse(required("created", document.created())),
                    document.createdBy() == null ? "unknown" : document.createdBy());
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw new IllegalArgumentException("key \"" + name + "\": " + e.getMessage(), e);
        }
    }

    private static ApiKey.Proof proof(KeyDocument document) {
        if ((document.sha256() == null) == (document.certificate() == null)) {
            throw new IllegalArgumentException("it needs either \"sha256\" or \"certificate\"");
        }
        if (document.certificate() != null) {
            return new ApiKey.Proof.Certificate(document.certificate());
        }
        return new ApiKey.Proof.Secret(matching("sha256", SHA_256, required("sha256", document.sha256())));
    }

    /**
     * A role by its word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Right role(String word) {
        for (Right right : Right.values()) {
            if (word(right).equals(word)) {
                return right;
            }
        }
        throw new IllegalArgumentException("\"" + word + "\" is not a role: use read, use or admin");
    }

    /**
     * What a key may be for, by its word.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Need.Scope scope(String word) {
        return switch (word) {
            case "ids" -> Need.Scope.IDS;
            case "locks" -> Need.Scope.LOCKS;
            case "transactions" -> Need.Scope.TRANSACTIONS;
            default ->
                throw new IllegalArgumentException("a key is for ids, locks or transactions, not for \"" + word + "\"");
        };
    }

    /** The word of a role or scope. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String matching(String field, Pattern pattern, String value) {
        if (!pattern.matcher(value).matches()) {
            throw new IllegalArgumentException("\"" + field + "\" must match " + pattern);
        }
        return value;
    }

    private static <T> T required(String field, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("\"" + field + "\" is missing");
        }
        return value;
    }
}
