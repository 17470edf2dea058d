package dev.tenon.hibernate;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.hibernate.annotations.IdGeneratorType;

/**
 * Beside {@code @Id}: this identifier is the next number of a generator of Tenon's, given when the entity is persisted
 * and before anything is sent to the database, so that inserts can be batched. The attribute is a {@code long},
 * {@code Long}, {@code int}, {@code Integer}, {@link java.math.BigInteger} or {@code String} (decimal); an {@code int}
 * that is too small for a number ends the persist with an {@link ArithmeticException}.
 *
 * <p>Hibernate finds the generators in its setting {@value #GENERATORS}, a {@code Function<String, IdGenerator>} that
 * is asked for each name once, when the {@code EntityManagerFactory} is made; without it, or with no answer for the
 * name, that fails and says so. What the numbers promise is what their generator promises. An exception of the
 * generator ends the persist.
 */
@Documented
@IdGeneratorType(TenonIdGenerator.class)
@Target({ElementType.FIELD, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface TenonId {
    /** Hibernate's setting with the generators: {@code Function<String, IdGenerator>}. */
    String GENERATORS = "tenon.ids";

    /** The greatest {@link #batch}. */
    int BATCH_MAX = 10_000;

    /** The name of the generator. */
    String value();

    /**
     * How many numbers are taken from the generator in one call, 1 to {@value #BATCH_MAX}. More than one is for
     * generators that ask a store each time, such as {@link dev.tenon.id.SequenceGenerator}: what is left when the
     * process ends is lost, and several processes no longer number in one order.
     */
    int batch() default 1;
}
