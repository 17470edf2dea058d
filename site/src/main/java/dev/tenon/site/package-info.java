/** Makes a site of the repository's own Markdown: {@link dev.tenon.site.TenonSite}. */
@NullMarked
package dev.tenon.site;

import org.jspecify.annotations.NullMarked;
