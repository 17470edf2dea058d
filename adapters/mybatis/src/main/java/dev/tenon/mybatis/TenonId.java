package dev.tenon.mybatis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says from which generator an identifier comes. With {@link TenonIdInterceptor} on the field that is filled before an
 * insert: a {@code long}, {@code Long}, {@code int}, {@code Integer}, {@link java.math.BigInteger} or {@code String}
 * that is still null or 0. With {@link TenonIdentifierGenerator} on the class of the entity (or one above it).
 */
@Documented
@Target({ElementType.FIELD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface TenonId {
    /** The name of the generator. */
    String value();
}
