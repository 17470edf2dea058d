/** Which node does a key belong to, without a table of keys: consistent hashing in three forms. JDK only. */
@NullMarked
package dev.tenon.ring;

import org.jspecify.annotations.NullMarked;
