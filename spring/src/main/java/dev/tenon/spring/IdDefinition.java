package dev.tenon.spring;

import dev.tenon.id.IdLayout;
import dev.tenon.id.Lane;
import java.time.Instant;
import java.time.ZoneId;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What {@code tenon.ids.<name>} says.
 *
 * @param kind What kind of IDs.
 * @param layout Layout of a snowflake.
 * @param epoch When the time of a snowflake begins. The one of the layout, if not set.
 * @param lane How threads share a snowflake: strict or striped.
 * @param workerId Worker ID of a snowflake. Leased from the backend, if not set.
 * @param newStore Whether a leased worker ID need not wait for a lease when the backend does not know the group, as it
 *     is new. For tests and the first start ever: with it, a backend that was emptied repeats the worker IDs of
 *     processes that run.
 * @param group Which IDs share worker IDs or a sequence. The name, if not set.
 * @param size Numbers in a segment. By demand, if not set.
 * @param start First number of a sequence or its segments.
 * @param template Text of a template, such as ORD{yyyyMMdd}{seq:6}.
 * @param reset When the numbers of a template begin again.
 * @param zone Time zone of a template.
 */
record IdDefinition(
        Kind kind,
        @DefaultValue("twitter") Layout layout,
        @Nullable Instant epoch,
        @DefaultValue("strict") Lane lane,
        @Nullable Integer workerId,
        @DefaultValue("false") boolean newStore,
        @Nullable String group,
        @Nullable Long size,
        @DefaultValue("1") long start,
        @Nullable String template,
        @DefaultValue("never") Reset reset,
        @DefaultValue("UTC") ZoneId zone) {

    /** Kinds of IDs. */
    enum Kind {
        /** Time, worker and counter in a number; no store is asked. */
        SNOWFLAKE,
        /** Numbers from segments that are taken in advance. */
        SEGMENT,
        /** The same, each segment in an unguessable order. */
        SHUFFLED,
        /** Contiguous numbers; each call is one to the store. */
        SEQUENCE,
        /** Text with a date and a counter. */
        TEMPLATE,
        /** UUIDs of version 7. */
        UUID,
        /** ULIDs. */
        ULID;

        /** Whether it makes numbers, which are counted. */
        boolean isNumber() {
            return this != TEMPLATE && this != UUID && this != ULID;
        }
    }

    /** Layouts of a snowflake. */
    enum Layout {
        /** 41 bits of milliseconds, 10 of worker, 12 of counter. */
        TWITTER(IdLayout::twitter),
        /** 39 bits of 10 ms, 8 of counter, 16 of worker. */
        SONYFLAKE(IdLayout::sonyflake),
        /** 28 bits of seconds, 22 of worker, 13 of counter. */
        BAIDU(IdLayout::baidu),
        /** 53 bits, which JavaScript can count with. */
        JS_SAFE(IdLayout::jsSafe);

        private final Supplier<IdLayout> bits;

        Layout(Supplier<IdLayout> bits) {
            this.bits = bits;
        }
    }

    /** When the numbers of a template begin again. */
    enum Reset {
        /** They go on. */
        NEVER,
        /** Each day. */
        DAILY,
        /** Each month. */
        MONTHLY,
        /** Each year. */
        YEARLY
    }

    /** The bits of a snowflake. */
    IdLayout bits() {
        IdLayout bits = layout.bits.get();
        return epoch == null ? bits : bits.withEpoch(epoch);
    }

    /** Whether a store gives it its worker ID. */
    boolean leasesWorkerId() {
        return kind == Kind.SNOWFLAKE && workerId == null;
    }

    /** Under which name the store keeps it. */
    String groupOf(String name) {
        return group == null ? name : group;
    }
}
