/** Identifiers of entities, for Hibernate 6.6 and 7: {@link dev.tenon.hibernate.TenonId}. */
@NullMarked
package dev.tenon.hibernate;

import org.jspecify.annotations.NullMarked;
