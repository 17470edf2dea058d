package dev.tenon.server.ids;

import java.util.List;
import java.util.Map;

/**
 * How the IDs of one name are made. Two definitions are the same if they are equal. A definition is read back from its
 * canonical form for as long as the store lives: a new field must be left out of that form where it has its default.
 */
public interface GeneratorDefinition {
    /** What stands in the {@code kind} field. */
    String kind();

    /** Prefix, code and machine index. */
    Label label();

    /** Whether an ID carries the shard of a key that the caller gives. */
    default boolean hasShards() {
        return false;
    }

    /** Adds the fields that this kind has of its own, with every default filled in. */
    void write(Map<String, Object> fields);

    /** What stands before each ID: prefix and machine index. */
    default String lead() {
        return label().lead();
    }

    /**
     * Refuses what can be read but can't be of use now, such as a layout that has expired.
     *
     * @throws IllegalArgumentException if so
     */
    default void check(IdResources resources) {}

    /** What issues IDs; may block, and fail as the backend does. */
    Issuer issuer(String name, IdResources resources);

    /**
     * What the text of an ID, without its {@link #lead}, says about itself. May block, and fail as the backend does.
     *
     * @throws IllegalArgumentException if this is not an ID of this definition
     */
    Map<String, Object> parts(String text, IdResources resources);

    /** Until when, and how fast, this goes. May block, and fail as the backend does. */
    default Map<String, Object> outlook(String name, IdResources resources) {
        return Map.of();
    }

    /** Who holds its worker IDs since when, if it has any. May block, and fail as the backend does. */
    default List<Map<String, Object>> workers(String name, IdResources resources) {
        return List.of();
    }
}
