package dev.tenon.benchmarks;

import java.util.List;
import java.util.Locale;

/** Ratios as horizontal bars on a logarithmic scale, to the right of 1 or to the left of it, as an SVG. */
final class BarChart {
    private static final int ROW = 20;
    private static final int TOP = 56;
    private static final int LABELS = 450;
    private static final int WIDTH = 940;
    /** Pixels for a factor of two. */
    private static final double OCTAVE = 60;

    private static final double LEFT_OCTAVES = 2;
    private static final double RIGHT_OCTAVES = 5;

    private BarChart() {}

    /**
     * One bar.
     *
     * @param label what was compared
     * @param ratio more than 1: ours is better
     */
    record Bar(String label, double ratio) {}

    static String svg(String title, List<Bar> bars) {
        int height = TOP + ROW * bars.size() + 12;
        StringBuilder svg = new StringBuilder();
        line(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">",
                WIDTH,
                height);
        line(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        line(svg, "<text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\">%s</text>", escape(title));
        for (int octave = (int) -LEFT_OCTAVES; octave <= RIGHT_OCTAVES; octave++) {
            double x = x(Math.pow(2, octave));
            String colour = octave == 0 ? "#333333" : "#dddddd";
            line(svg, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"48\" y2=\"%d\" stroke=\"%s\"/>", x, x, height - 8, colour);
            String factor = octave < 0 ? "1/" + (1 << -octave) : Integer.toString(1 << octave);
            line(svg, "<text x=\"%.1f\" y=\"42\" text-anchor=\"middle\" fill=\"#666666\">%s ×</text>", x, factor);
        }
        int y = TOP;
        for (Bar bar : bars) {
            row(svg, bar, y);
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }

    private static void row(StringBuilder svg, Bar bar, int y) {
        double from = Math.min(x(1), x(bar.ratio()));
        double to = Math.max(x(1), x(bar.ratio()));
        String colour = bar.ratio() >= 1 ? "#2b6cb0" : "#c05621";
        line(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>", LABELS, y + 13, escape(bar.label()));
        line(
                svg,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>",
                from,
                y + 2,
                to - from,
                ROW - 5,
                colour);
        line(svg, "<text x=\"%.1f\" y=\"%d\">%s</text>", Math.max(to, x(1)) + 5, y + 13, ratio(bar.ratio()));
    }

    static String ratio(double ratio) {
        return String.format(Locale.ROOT, ratio < 10 ? "%.2f ×" : "%.0f ×", ratio);
    }

    private static double x(double ratio) {
        double octaves = Math.log(ratio) / Math.log(2);
        double shown = Math.max(-LEFT_OCTAVES, Math.min(RIGHT_OCTAVES, octaves));
        return LABELS + 12 + (LEFT_OCTAVES + shown) * OCTAVE;
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static void line(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }
}
