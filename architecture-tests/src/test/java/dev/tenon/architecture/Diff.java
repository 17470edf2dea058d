package dev.tenon.architecture;

import java.util.List;

/** The lines that went and came between two texts, by their longest common subsequence. */
final class Diff {
    private Diff() {}

    static String of(String before, String after) {
        List<String> old = before.lines().toList();
        List<String> now = after.lines().toList();
        int[][] common = new int[old.size() + 1][now.size() + 1];
        for (int i = old.size() - 1; i >= 0; i--) {
            for (int j = now.size() - 1; j >= 0; j--) {
                common[i][j] = old.get(i).equals(now.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        StringBuilder diff = new StringBuilder();
        int i = 0;
        int j = 0;
        while (i < old.size() || j < now.size()) {
            if (i < old.size() && j < now.size() && old.get(i).equals(now.get(j))) {
                i++;
                j++;
            } else if (j == now.size() || (i < old.size() && common[i + 1][j] >= common[i][j + 1])) {
                diff.append("- ").append(old.get(i++)).append('\n');
            } else {
                diff.append("+ ").append(now.get(j++)).append('\n');
            }
        }
        return diff.toString();
    }
}
