/**
 * Step of the build: the notices of what others wrote, from the distribution's bill of materials. Not part of the
 * release.
 */
@NullMarked
package dev.tenon.dist.notices;

import org.jspecify.annotations.NullMarked;
