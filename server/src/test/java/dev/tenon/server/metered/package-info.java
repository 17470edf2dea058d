@NullMarked
package dev.tenon.server.metered;

import org.jspecify.annotations.NullMarked;
