package dev.tenon.jackson;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A number that the outside sees as text, such as {@code ord_2EFawSzpJANfj}: a property in JSON of type {@code long} or
 * {@code Long}, or a collection, map or array with {@code Long} as its values. With Tenon's Spring Boot starter also a
 * {@code long} or {@code Long} argument of a Spring MVC handler (path variable, request parameter, header, cookie); not
 * in form objects, and not in WebFlux. What is not exactly such a text is refused: an exception of Jackson's, and 400
 * in Spring MVC. It is no access control: docs/ids/public-id.md.
 */
@Documented
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT})
@Retention(RetentionPolicy.RUNTIME)
public @interface PublicId {
    /** Which public IDs: the name that the module was given, with the starter that under {@code tenon.public-ids}. */
    String value();
}
