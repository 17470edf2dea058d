/** IDs by name: definitions, and the generators that follow them. Start at {@link dev.tenon.server.ids.IdCatalog}. */
@NullMarked
package dev.tenon.server.ids;

import org.jspecify.annotations.NullMarked;
