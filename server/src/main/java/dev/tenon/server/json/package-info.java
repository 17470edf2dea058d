/** JSON, read strictly. */
@NullMarked
package dev.tenon.server.json;

import org.jspecify.annotations.NullMarked;
