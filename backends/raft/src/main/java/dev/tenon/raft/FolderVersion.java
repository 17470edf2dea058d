package dev.tenon.raft;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a data folder's {@code VERSION} file: the format, the node that the folder belongs to, and its group.
 *
 * <p>A node of a cluster is known to the others by its name <em>and</em> its folder ({@code n1~4f0c9a63d2b1}), because
 * a node that has lost its disk has lost its votes with it, and what it had confirmed: under its old identity it could
 * vote twice in one term, or let an entry be outvoted that a majority had. With a new folder it is another member.
 *
 * @param node the identity
 * @param group what the node belongs to; empty as long as it looks for it
 * @param founders address by identity of those with whom the group began, if this node is one of them; needed until the
 *     log says who is in it
 */
record FolderVersion(String node, Optional<UUID> group, Map<String, String> founders) {
    /** The identity of a node that is alone, or was when its folder was made. */
    static final String ALONE = "n1";

    private static final int FORMAT = 3;
    /** It has no node, and one group from the beginning. The first format had log entries of the first version. */
    private static final int FORMAT_OF_ONE_NODE = 2;

    private static final int FOLDER_ID_BYTES = 6;
    private static final Pattern FIRST_LINE = Pattern.compile("tenon-data (\\d{1,9})\n(?s:.*)");
    private static final Pattern TEXT = Pattern.compile("tenon-data \\d+\n(?:node ([A-Za-z0-9.~-]{1,90})\n)?"
            + "(?:group ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n)?((?:member \\S+ \\S+\n)*)");

    FolderVersion {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(group, "group");
        founders = Map.copyOf(founders);
    }

    /** Of a new folder, for a node that is alone. */
    static FolderVersion ofOneNode() {
        return new FolderVersion(ALONE, Optional.of(UUID.randomUUID()), Map.of());
    }

    /** Of a new folder, for a node of a cluster. */
    static FolderVersion ofNewNode(String name) {
        byte[] folder = new byte[FOLDER_ID_BYTES];
        new SecureRandom().nextBytes(folder);
        return new FolderVersion(name + "~" + HexFormat.of().formatHex(folder), Optional.empty(), Map.of());
    }

    /** The name that people gave to the node with this identity. */
    static String nameOf(String identity) {
        int end = identity.indexOf('~');
        return end < 0 ? identity : identity.substring(0, end);
    }

    /** The same node, now in a group. */
    FolderVersion in(UUID newGroup, Map<String, String> newFounders) {
        return new FolderVersion(node, Optional.of(newGroup), newFounders);
    }

    /**
     * Reads what {@link #text} wrote.
     *
     * @return empty if it is damaged
     * @throws UnknownFormatException if another version of Tenon wrote it
     */
    static Optional<FolderVersion> parse(String text) {
        Matcher first = FIRST_LINE.matcher(text);
        if (!first.matches()) {
            return Optional.empty();
        }
        int format = Integer.parseInt(first.group(1));
        if (format != FORMAT && format != FORMAT_OF_ONE_NODE) {
            throw new UnknownFormatException(
                    "format " + format + ", and this Tenon reads formats " + FORMAT_OF_ONE_NODE + " and " + FORMAT);
        }
        Matcher all = TEXT.matcher(text);
        boolean ofOneNode = format == FORMAT_OF_ONE_NODE;
        if (!all.matches() || (all.group(1) == null) != ofOneNode || (ofOneNode && all.group(2) == null)) {
            return Optional.empty();
        }
        Map<String, String> founders = new TreeMap<>();
        all.group(3).lines().map(line -> line.split(" ")).forEach(words -> founders.put(words[1], words[2]));
        return Optional.of(new FolderVersion(
                ofOneNode ? ALONE : all.group(1),
                Optional.ofNullable(all.group(2)).map(UUID::fromString),
                founders));
    }

    /** What goes into the file. */
    String text() {
        boolean ofOneNode = node.equals(ALONE) && founders.isEmpty();
        StringBuilder text = new StringBuilder("tenon-data ").append(ofOneNode ? FORMAT_OF_ONE_NODE : FORMAT);
        if (!ofOneNode) {
            text.append("\nnode ").append(node);
        }
        group.ifPresent(id -> text.append("\ngroup ").append(id));
        new TreeMap<>(founders)
                .forEach((id, address) ->
                        text.append("\nmember ").append(id).append(' ').append(address));
        return text.append('\n').toString();
    }

    /** The folder is of a format that this Tenon does not know. */
    static final class UnknownFormatException extends RuntimeException {
        private static final long serialVersionUID = 1;

        UnknownFormatException(String message) {
            super(message);
        }
    }
}
