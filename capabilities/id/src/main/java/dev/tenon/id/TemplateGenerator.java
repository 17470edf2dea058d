package dev.tenon.id;

import dev.tenon.TimeSource;
import dev.tenon.id.spi.RangeStore;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Texts after a template, such as {@code ORD20261121000042} after {@code ORD{yyyyMMdd}{seq:6}}: serial numbers that
 * people read, with a counter that begins anew each day, month, year or fiscal year, or never.
 *
 * <p>In a template stand {@code {seq}} or {@code {seq:6}} (the counter, padded to six digits); a date of {@code yyyy},
 * {@code yy}, {@code MM}, {@code dd}, {@code DDD}, {@code Q} and separators; {@code {machine}} or {@code {machine:4}};
 * {@code {biz}}; and text, in which a brace is written twice. A template whose texts could come twice is refused.
 *
 * <ul>
 *   <li><b>Unique</b> among all generators of one template and one sequence of one store, whatever their clocks say.
 *       {@code {machine}} and {@code {biz}} only tell; they are not what makes a text unique.
 *   <li><b>Order:</b> of the store, over all processes: neither the date nor, within a date, the counter ever goes
 *       back. As text, only with a fixed width. Without reset: that of the generator below.
 *   <li><b>Rate limit:</b> one round trip to the store a call, or a {@link #fill}; three for the first of a period.
 *       Without reset: that of the generator below.
 *   <li><b>Clock:</b> it says when to begin a new period, in the stated zone; the date in a text is that of its number
 *       in the store. The first process that finds the store's period over turns the page for all, and there is no way
 *       back; a process whose clock is behind follows. A clock that is ahead by minutes so begins a period minutes
 *       early. When the store's period begins later than this clock by more than {@link Builder#clockBehindMax} (an
 *       hour), nothing is issued: {@link ClockMovedBackwardsException}. When no page was turned for more than {@link
 *       Builder#idleMax} (400 days), the clock is rather wrong: nothing is issued until an operator says otherwise. A
 *       clock that is ahead by less can't be told from a right one: keep clocks in step.
 *   <li><b>Store:</b> what it throws is thrown, and nothing is kept at hand. A number that is not above those seen
 *       before is not issued: {@link SequenceRegressedException}.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class TemplateGenerator {
    private final Template template;
    private final @Nullable WatchedRanges ranges;
    private final @Nullable PagedSequence pages;
    private final IdGenerator ids;
    private final int countFrom;

    /** @param pages of the ranges; without them, texts show the IDs as they are */
    private TemplateGenerator(
            Template template,
            @Nullable WatchedRanges ranges,
            @Nullable PagedSequence pages,
            IdGenerator ids,
            int countFrom) {
        this.template = template;
        this.ranges = ranges;
        this.pages = pages;
        this.ids = ids;
        this.countFrom = countFrom;
    }

    /** Begins a generator of a template's texts. */
    public static Builder builder(String template) {
        return new Builder(template);
    }

    /**
     * The next text.
     *
     * @throws RangeExhaustedException if the counter is too wide for the template, or the sequence has reached its max
     * @throws ClockMovedBackwardsException if this clock is far behind the store's period
     * @throws SequenceRegressedException if the store went back
     * @throws DefinitionConflictException if the sequence is defined with a step other than 1
     * @throws dev.tenon.BackendUnavailableException if the store could not be asked
     * @throws dev.tenon.OutcomeUnknownException if its reply was lost: a number may be missing
     */
    public String nextId() {
        String[] one = new String[1];
        fill(one);
        return one[0];
    }

    /**
     * Fills an array with the next texts, whole in one round trip. If it throws, nothing of the array may be used.
     * Throws as {@link #nextId} does.
     */
    public void fill(String[] texts) {
        if (pages == null) {
            long[] numbers = new long[texts.length];
            ids.fill(numbers);
            for (int i = 0; i < numbers.length; i++) {
                texts[i] = template.text(0, numbers[i]);
            }
            return;
        }
        int filled = 0;
        while (filled < texts.length) {
            PagedSequence.Page page = pages.next(texts.length - filled);
            for (int i = 0; i < page.count(); i++) {
                texts[filled++] = template.text(page.period(), countFrom + page.first() + i);
            }
        }
    }

    /**
     * What a text says.
     *
     * @throws IllegalArgumentException if no generator of this template, whatever its machine, issues it
     */
    public TemplateParts parts(String text) {
        TemplateParts parts = template.parts(text);
        if (pages != null && parts.counter() < countFrom) {
            throw new IllegalArgumentException("The counter begins with " + countFrom + ": " + text);
        }
        return parts;
    }

    /**
     * The greatest number that this generator has seen of its store: how far {@link RangeStore#raiseTo} must raise a
     * store that went back, as far as this generator knows. Empty over an {@link IdGenerator}.
     */
    public OptionalLong highestSeen() {
        return ranges == null ? OptionalLong.empty() : ranges.highestSeen();
    }

    /**
     * Says that the store went back, as {@link SequenceGenerator#regression} does. Empty over an {@link IdGenerator}.
     */
    public Optional<SequenceRegressedException> regression() {
        return ranges == null ? Optional.empty() : ranges.regression();
    }

    /** Options of a generator of texts. Not thread-safe. */
    public static final class Builder {
        private static final Duration LIMIT_MAX = Duration.ofDays(100_000);

        private final String template;
        private TemplateReset reset = TemplateReset.never();
        private @Nullable ZoneId zone;
        private OptionalInt machine = OptionalInt.empty();
        private Optional<String> biz = Optional.empty();
        private OptionalInt countFrom = OptionalInt.empty();
        private TimeSource time = TimeSource.system();
        private Duration clockBehindMax = Duration.ofHours(1);
        private Duration idleMax = Duration.ofDays(400);

        private Builder(String template) {
            this.template = Objects.requireNonNull(template, "template");
        }

        /** When the counter begins anew, and in which time zone it is then midnight. Never, unless said so. */
        public Builder reset(TemplateReset when, ZoneId in) {
            this.reset = Objects.requireNonNull(when, "when");
            this.zone = Objects.requireNonNull(in, "in");
            return this;
        }

        /**
         * As {@link #reset(TemplateReset, ZoneId)}.
         *
         * @throws IllegalArgumentException if no time zone is called so
         */
        public Builder reset(TemplateReset when, String zoneId) {
            try {
                return reset(when, ZoneId.of(Objects.requireNonNull(zoneId, "zoneId")));
            } catch (DateTimeException e) {
                throw new IllegalArgumentException(
                        "Unknown time zone \"" + zoneId + "\"; use one such as Europe/Berlin or UTC", e);
            }
        }

        /** What {@code {machine}} stands for, 0 or more. */
        public Builder machine(int index) {
            if (index < 0) {
                throw new IllegalArgumentException("Machine must be 0 or more: " + index);
            }
            this.machine = OptionalInt.of(index);
            return this;
        }

        /** What {@code {biz}} stands for: 1 to 64 characters. */
        public Builder biz(String code) {
            if (code.isEmpty() || code.length() > 64 || code.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException(
                        "A biz code has 1 to 64 characters, none of them a control character: " + code);
            }
            this.biz = Optional.of(code);
            return this;
        }

        /**
         * The first number of a period, 0 or 1 (the default). All generators of a sequence must agree. Only with reset:
         * without it, the sequence's own definition says where it begins.
         */
        public Builder countFrom(int first) {
            if (first != 0 && first != 1) {
                throw new IllegalArgumentException("Count from 0 or 1, not " + first);
            }
            this.countFrom = OptionalInt.of(first);
            return this;
        }

        /** How far the store's period may begin ahead of this clock, so that it is followed; an hour unless said so. */
        public Builder clockBehindMax(Duration max) {
            this.clockBehindMax = limit(max);
            return this;
        }

        /** For how long the counter may have rested; 400 days unless said so. */
        public Builder idleMax(Duration max) {
            this.idleMax = limit(max);
            return this;
        }

        /** The clock; that of this machine unless said so. */
        public Builder time(TimeSource source) {
            this.time = Objects.requireNonNull(source, "source");
            return this;
        }

        /**
         * A generator whose counter is a sequence of a store. A name is for one template: with reset, its numbers carry
         * the period. It asks the store when the first text is wanted.
         *
         * @throws IllegalArgumentException if the template can't be read, or if its texts would not be unique
         */
        public TemplateGenerator build(RangeStore store, String name) {
            Template checked = checked();
            WatchedRanges ranges = new WatchedRanges(store, name);
            ZoneId in = zone;
            PagedSequence pages = in == null || reset.isNever()
                    ? null
                    : new PagedSequence(ranges, reset, in, time, new PagedSequence.Limits(clockBehindMax, idleMax));
            return new TemplateGenerator(checked, ranges, pages, new SequenceGenerator(ranges), countFrom.orElse(1));
        }

        /**
         * A generator that shows another one's IDs, such as those of a {@link SegmentGenerator}, for speed; only
         * without reset.
         *
         * @throws IllegalArgumentException if the template can't be read, if its texts would not be unique, or if it
         *     resets
         */
        public TemplateGenerator build(IdGenerator ids) {
            if (!reset.isNever()) {
                throw new IllegalArgumentException(
                        "A counter that resets needs a store, in which all processes see the same day: " + template);
            }
            return new TemplateGenerator(checked(), null, null, Objects.requireNonNull(ids, "ids"), 0);
        }

        private Template checked() {
            if (reset.isNever() && countFrom.isPresent()) {
                throw new IllegalArgumentException(
                        "Without reset the sequence begins where its definition says: define it so: " + template);
            }
            return Template.of(template, reset, machine, biz);
        }

        private static Duration limit(Duration max) {
            if (max.isNegative() || max.compareTo(LIMIT_MAX) > 0) {
                throw new IllegalArgumentException("Limit must be between 0 and " + LIMIT_MAX + ": " + max);
            }
            return max;
        }
    }
}
