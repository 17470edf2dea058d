@NullMarked
package dev.tenon.server.locks;

import org.jspecify.annotations.NullMarked;
