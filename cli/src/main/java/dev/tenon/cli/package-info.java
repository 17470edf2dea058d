/** The command line: one class per command, over the public HTTP interface. Start at {@link dev.tenon.cli.TenonCli}. */
@NullMarked
package dev.tenon.cli;

import org.jspecify.annotations.NullMarked;
