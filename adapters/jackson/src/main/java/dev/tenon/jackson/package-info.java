/**
 * Public IDs in JSON, for Jackson 3 ({@link dev.tenon.jackson.PublicIdModule}) and Jackson 2 ({@link
 * dev.tenon.jackson.PublicIdModule2}).
 */
@NullMarked
package dev.tenon.jackson;

import org.jspecify.annotations.NullMarked;
