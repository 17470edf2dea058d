/** What the server needs of the store under it. Start at {@link dev.tenon.server.backend.ServerBackend}. */
@NullMarked
package dev.tenon.server.backend;

import org.jspecify.annotations.NullMarked;
