/** What the server tells of itself. */
@NullMarked
package dev.tenon.server.observe;

import org.jspecify.annotations.NullMarked;
