/** How the services talk to each other. */
@NullMarked
package dev.tenon.examples.shop.wire;

import org.jspecify.annotations.NullMarked;
