@NullMarked
package dev.tenon.server.transport;

import org.jspecify.annotations.NullMarked;
