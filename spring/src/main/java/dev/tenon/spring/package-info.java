/**
 * IDs and locks in a Spring Boot application: beans from {@code application.yml}, {@link dev.tenon.spring.Locked} and
 * {@link dev.tenon.spring.LeaderOnly} methods, {@link dev.tenon.jackson.PublicId} numbers. How to use it:
 * docs/spring/README.md.
 */
@NullMarked
package dev.tenon.spring;

import org.jspecify.annotations.NullMarked;
