/** How much of a server's room one API key, and all of them together, may take. */
@NullMarked
package dev.tenon.server.quota;

import org.jspecify.annotations.NullMarked;
