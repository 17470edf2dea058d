package dev.tenon.etcd;

import dev.tenon.Names;
import java.time.Instant;
import java.util.Locale;

/**
 * The keys of one worker group, and how instants stand in them.
 *
 * <pre>
 * PREFIX/workers/GROUP/group              capacity and layout, for ever
 * PREFIX/workers/GROUP/mark               etcd as of the last claim ({@link EtcdSettling}): cluster, term, index,
 *                                         seconds of the longest lease, for ever
 * PREFIX/workers/GROUP/settling           there while etcd may have forgotten who holds what
 * PREFIX/workers/GROUP/slots/0000042      request, owner, since, floor, number of the latest claim, for ever
 * PREFIX/workers/GROUP/fences/0000042     up to where timestamps may have been used, for ever
 * PREFIX/workers/GROUP/holders/0000042    seconds, request, number of the claim; there while the slot is leased
 * PREFIX/workers/GROUP/requests/REQUEST   the slot of a request, while that is leased
 * </pre>
 */
final class EtcdSlotKeys {
    private final String group;
    private final String base;

    EtcdSlotKeys(String keyPrefix, String group) {
        this.group = Names.requireValid("worker group", group);
        // One group's keys must not begin with another's, though a name may have a slash in it.
        this.base = keyPrefix + "/workers/" + group.replace("%", "%25").replace("/", "%2F") + "/";
    }

    String groupName() {
        return group;
    }

    String group() {
        return base + "group";
    }

    String mark() {
        return base + "mark";
    }

    String settling() {
        return base + "settling";
    }

    String slot(int workerId) {
        return base + "slots/" + digits(workerId);
    }

    String fence(int workerId) {
        return base + "fences/" + digits(workerId);
    }

    String holder(int workerId) {
        return base + "holders/" + digits(workerId);
    }

    String request(String requestId) {
        return base + "requests/" + requestId;
    }

    /** What comes behind every slot, fence or holder: 0 is the character after the slash. */
    String end(String key) {
        return key.substring(0, key.lastIndexOf('/')) + "0";
    }

    static int workerId(String key) {
        return Integer.parseInt(key.substring(key.lastIndexOf('/') + 1));
    }

    /** A fence in a fixed width, so that etcd, which compares bytes, compares moments. No fence is before 1970. */
    static String text(Instant fence) {
        return String.format(Locale.ROOT, "%019d", millisUp(fence));
    }

    static Instant instant(String fence) {
        return Instant.ofEpochMilli(Long.parseLong(fence));
    }

    static Instant roundUp(Instant instant) {
        return Instant.ofEpochMilli(millisUp(instant));
    }

    private static long millisUp(Instant instant) {
        long millis = instant.toEpochMilli();
        return Instant.ofEpochMilli(millis).isBefore(instant) ? millis + 1 : millis;
    }

    private static String digits(int workerId) {
        return String.format(Locale.ROOT, "%07d", workerId);
    }
}
