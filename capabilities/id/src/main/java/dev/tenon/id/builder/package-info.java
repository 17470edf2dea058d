/**
 * The ID-builder service: numbers by code, out of the table {@code t_id_builder_config}. Start at {@link
 * dev.tenon.id.builder.LocalIdBuilder}.
 */
@NullMarked
package dev.tenon.id.builder;

import org.jspecify.annotations.NullMarked;
