/** Connections of the public port, whatever protocol they speak: TLS, limits, slow clients, admission. */
@NullMarked
package dev.tenon.server.transport;

import org.jspecify.annotations.NullMarked;
