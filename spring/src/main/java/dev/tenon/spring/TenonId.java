package dev.tenon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Beside Spring Data's {@code @Id}: where this identifier comes from when an entity without one is saved by Spring Data
 * JDBC, for a {@code long}, {@code Long}, {@code int}, {@code Integer}, {@link java.math.BigInteger} or {@code String}
 * that is null or 0. Records and other immutable entities are saved as copies, as Spring Data does it itself.
 */
@Documented
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.RECORD_COMPONENT, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
public @interface TenonId {
    /** The name under {@code tenon.ids}, or of another bean of type {@link dev.tenon.id.IdGenerator}. */
    String value();
}
