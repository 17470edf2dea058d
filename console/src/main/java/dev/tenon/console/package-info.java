/** The files of the page that a server shows at its root. Start at {@link dev.tenon.console.ConsoleFiles}. */
@NullMarked
package dev.tenon.console;

import org.jspecify.annotations.NullMarked;
