/**
 * IDs as text: {@link dev.tenon.id.codec.IdCodec} writes numbers and bytes in the usual bases, {@link
 * dev.tenon.id.codec.PublicId} hides a number before it is shown.
 */
@NullMarked
package dev.tenon.id.codec;

import org.jspecify.annotations.NullMarked;
