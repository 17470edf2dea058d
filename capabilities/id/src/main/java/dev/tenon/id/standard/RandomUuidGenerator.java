package dev.tenon.id.standard;

import java.security.SecureRandom;
import java.util.Objects;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * UUIDs of version 4: 122 random bits.
 *
 * <ul>
 *   <li><b>Unique</b> everywhere, by chance: among 10¹⁵ of them the odds of one pair are about 1 in 10⁷.
 *   <li><b>Order:</b> none, which makes it a poor primary key: rows go to random places of the index.
 *   <li><b>Rate limit:</b> that of the random numbers; some 1 to 3 million a second.
 *   <li><b>Clock, store:</b> none.
 * </ul>
 *
 * <p>Nothing can be guessed, with the default source. Source: RFC 9562, section 5.4. As thread-safe as the source.
 */
public final class RandomUuidGenerator implements UuidGenerator {
    private final RandomGenerator random;

    private RandomUuidGenerator(RandomGenerator random) {
        this.random = Objects.requireNonNull(random, "random");
    }

    /** A generator over a {@link SecureRandom}. */
    public static RandomUuidGenerator create() {
        return create(new SecureRandom());
    }

    /**
     * A generator over other random numbers: repeatable ones in a test, say.
     *
     * @param random thread-safe if the generator is to be
     */
    public static RandomUuidGenerator create(RandomGenerator random) {
        return new RandomUuidGenerator(random);
    }

    @Override
    public UUID nextUuid() {
        long high = random.nextLong() & ~0xf000L | 4 << 12;
        return new UUID(high, random.nextLong() & Rfc9562.CUSTOM_C_MASK | Rfc9562.VARIANT_BIT);
    }
}
