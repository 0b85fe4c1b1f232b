// Decides variables of Rollkey inside a program (docs/in-process.md), with the standard library alone.
//
// java Rollkey.java NAME [SEED…]  prints the value for each seed, of the stage that ROLLKEY_URL, _TOKEN, _ORG, _PROJECT, _STAGE name
// java Rollkey.java --cases       prints the decision for each line {variable, salt, seed, key, context} of its input
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decisions of one stage. Its methods may be called at the same time. */
public class Rollkey {
    private record Ruleset(String etag, String salt, Map<String, Map<String, Object>> variables) {}
    private record Report(String key, String rows, long sinceNs) {}
    private record Answer(int status, String body, String etag) {}

    private static final Ruleset NONE = new Ruleset("", "", Map.of());
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final String url, token, stage;
    private volatile Ruleset ruleset = NONE;
    /** Numbers of decisions, by the beginning of their JSON. */
    private final Map<String, Long> counts = new ConcurrentHashMap<>();
    private Report unanswered;

    public Rollkey(String url, String token, String org, String project, String stage) {
        this.url = url;
        this.token = token;
        this.stage = "\"orgSlug\":%s,\"projectSlug\":%s,\"stageSlug\":%s"
                .formatted(Json.quoted(org), Json.quoted(project), Json.quoted(stage));
    }

    /** Fetches the ruleset if it has changed. Call it at the start, then every 30 seconds: only a change is billed. */
    public synchronized void refresh() throws IOException, InterruptedException {
        var answer = post("ruleset", "", "If-None-Match", ruleset.etag);
        // What the token may not read any more, the program may not use.
        if (answer.status == 401 || answer.status == 403) ruleset = NONE;
        if (answer.status == 304) return;
        if (answer.status != 200) throw new IOException(answer.status + " " + answer.body);
        var fetched = Json.object(new Json(answer.body).value());
        var variables = new LinkedHashMap<String, Map<String, Object>>();
        for (var each : (List<?>) fetched.get("variables")) variables.put((String) Json.object(each).get("name"), Json.object(each));
        ruleset = new Ruleset(answer.etag, (String) fetched.get("salt"), variables);
    }

    /** Returns the text of a value, and counts the decision. */
    public String get(String name, String seed, String key, Map<String, ?> context) {
        var current = ruleset;
        var variable = current.variables.get(name);
        if (variable == null) {
            var expected = " is not in the ruleset (expected a roll or a variable that is not secret): check the name";
            throw new IllegalArgumentException(name + expected);
        }
        var row = "{\"name\":" + Json.quoted(name);
        var value = variable.get("value");
        if (variable.get("kind").equals("ab_roll")) {
            var decision = Rules.decide(variable, current.salt, seed, key, context);
            value = variable.get(decision.side.equals("a") ? "valueA" : "valueB");
            row = decision.row;
        }
        counts.merge(row, 1L, Long::sum);
        return (String) value;
    }

    /**
     * Reports what was decided. Call it every ten seconds, and at the end. If it throws because there is no answer, the next call sends
     * the same report under the same key, so that the service counts it once.
     */
    public synchronized void report() throws IOException, InterruptedException {
        while (true) {
            // The service forgets the key after an hour.
            if (unanswered != null && System.nanoTime() - unanswered.sinceNs > Duration.ofMinutes(30).toNanos()) unanswered = null;
            if (unanswered == null) {
                var rows = counts.keySet().stream().limit(1_000).map(row -> row + ",\"count\":" + counts.remove(row) + "}").toList();
                if (rows.isEmpty()) return;
                unanswered = new Report(UUID.randomUUID().toString(), String.join(",", rows), System.nanoTime());
            }
            var answer = post("report", ",\"decisions\":[" + unanswered.rows + "]", "X-Service-Request-Key", unanswered.key);
            if (answer.status < 500 && answer.status != 408 && answer.status != 429) unanswered = null;
            if (answer.status != 200) throw new IOException(answer.status + " " + answer.body);
        }
    }

    private Answer post(String path, String more, String header, String value) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(url + "/v1/env/" + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .timeout(Duration.ofSeconds(5))
                .POST(HttpRequest.BodyPublishers.ofString("{" + stage + more + "}"));
        if (!value.isEmpty()) request.header(header, value);
        var response = client.send(request.build(), BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body(), response.headers().firstValue("ETag").orElse(""));
    }

    /** A side, and the beginning of the JSON that reports it, with what decided: the pin of the seed, a rule, or the chance. */
    public record Decision(String side, String row) {}

    /** How a roll decides. */
    static class Rules {
        static Decision decide(Map<String, Object> variable, String salt, String seed, String key, Map<String, ?> context) {
            var name = (String) variable.get("name");
            if (variable.get("pins") instanceof Map<?, ?> pins && !seed.isEmpty()) {
                var pin = HexFormat.of().formatHex(sha256(salt + seed), 0, 16);
                for (var side : List.of("a", "b"))
                    if (((List<?>) pins.get(side)).contains(pin)) return decision(name, side, "\"pin\"");
            }
            var rules = variable.get("rules") instanceof List<?> some ? some : List.of();
            int at = 0;
            while (at < rules.size() && !matches(Json.object(rules.get(at)).get("when"), context)) at++;
            boolean isRule = at < rules.size();
            var chance = isRule ? Json.object(rules.get(at)).get("then") : variable.get("chance");
            var step = isRule ? "\"rule\",\"rule\":" + (at + 1) : "\"chance\",\"chance\":" + chance;
            if (chance instanceof String side) return decision(name, side, step);
            boolean isRandom = seed.isEmpty() && key.isEmpty();
            double unit = isRandom ? ThreadLocalRandom.current().nextDouble() : bucket(name, seed, key);
            return decision(name, unit < (double) chance ? "a" : "b", step);
        }

        private static Decision decision(String name, String side, String step) {
            return new Decision(side, "{\"name\":%s,\"decision\":\"%s\",\"step\":%s".formatted(Json.quoted(name), side, step));
        }

        /** Returns 0 <= u < 1: the top 53 bits of the hash. */
        static double bucket(String name, String seed, String key) {
            return (ByteBuffer.wrap(sha256("ab_roll:" + name + ":" + seed + ":" + key)).getLong() >>> 11) * 0x1p-53;
        }

        private static byte[] sha256(String text) {
            try {
                return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
            } catch (GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        }

        /** Returns a Boolean, a finite Double or a well-formed text. Returns null for all else, which fulfils nothing. */
        private static Object scalar(Object value) {
            if (value instanceof Number number) return Double.isFinite(number.doubleValue()) ? number.doubleValue() + 0.0 : null;
            return value instanceof Boolean || (value instanceof String text && UTF_8.newEncoder().canEncode(text)) ? value : null;
        }

        private static boolean matches(Object when, Map<String, ?> context) {
            return Json.object(when).entrySet().stream().allMatch(each -> {
                var value = scalar(context == null ? null : context.get(each.getKey()));
                var condition = Json.object(each.getValue()).entrySet();
                return value != null && condition.stream().allMatch(one -> holds(one.getKey(), value, one.getValue()));
            });
        }

        private static boolean holds(String operator, Object value, Object operand) {
            var operands = operand instanceof List<?> some ? some : List.of(operand);
            return switch (operator) {
                case "in", "equals" -> operands.stream().anyMatch(each -> value.equals(scalar(each)));
                case "notIn" -> operands.stream().noneMatch(each -> value.equals(scalar(each)));
                case "startsWith" -> value instanceof String text && operands.stream().anyMatch(each -> text.startsWith((String) each));
                case "endsWith" -> value instanceof String text && operands.stream().anyMatch(each -> text.endsWith((String) each));
                case "greaterThan" -> value instanceof Double number && number > (double) operand;
                case "lessThan" -> value instanceof Double number && number < (double) operand;
                case "semver" -> value instanceof String text && isVersionIn(text, (String) operand);
                case "before" -> timeOf(value) < timeOf(operand);
                case "after" -> timeOf(value) > timeOf(operand);
                default -> false;
            };
        }

        private static final Pattern DATE = Pattern.compile(
                "(\\d{4})-(\\d{2})-(\\d{2})(?:[Tt](\\d{2}):(\\d{2}):(\\d{2})(?:\\.(\\d+))?(?:[Zz]|([+-])(\\d{2}):(\\d{2})))?");

        /** Returns a date or time of RFC 3339 in milliseconds since 1970, or NaN, which is neither before nor after anything. */
        private static double timeOf(Object text) {
            var match = DATE.matcher(text instanceof String some ? some : "");
            if (!match.matches()) return Double.NaN;
            var part = new int[11];
            for (int at : new int[] {1, 2, 3, 4, 5, 6, 9, 10}) part[at] = match.group(at) == null ? 0 : Integer.parseInt(match.group(at));
            if (part[4] > 23 || part[5] > 59 || part[6] > 60 || part[9] > 23 || part[10] > 59) return Double.NaN;
            int east = (part[9] * 60 + part[10]) * ("-".equals(match.group(8)) ? -1 : 1);
            try {
                var date = LocalDate.of(part[1], part[2], part[3]).atStartOfDay();
                var time = date.plusMinutes(part[4] * 60 + part[5] - east).plusSeconds(part[6]);
                // A leap second ends June or December in UTC.
                boolean endsHalfYear = time.equals(time.toLocalDate().withDayOfMonth(1).atStartOfDay()) && time.getMonthValue() % 6 == 1;
                if (part[6] == 60 && !endsHalfYear) return Double.NaN;
                var fraction = match.group(7) == null ? "" : match.group(7);
                return time.toEpochSecond(ZoneOffset.UTC) * 1_000 + Integer.parseInt((fraction + "000").substring(0, 3));
            } catch (DateTimeException error) {
                return Double.NaN;
            }
        }

        private static final String NUMBER = "(0|[1-9]\\d{0,14})";
        private static final String IDENTIFIER = "(?:0|[1-9]\\d{0,14}|\\d*[A-Za-z-][\\dA-Za-z-]*)";
        private static final String BUILD = "(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?";
        private static final String SUFFIX = "(?:-(" + IDENTIFIER + "(?:\\." + IDENTIFIER + ")*))?" + BUILD;
        private static final Pattern VERSION = Pattern.compile("v?" + NUMBER + "\\." + NUMBER + "\\." + NUMBER + SUFFIX);
        private static final String PATCH = "(?:\\.(?:[xX*]|" + NUMBER + SUFFIX + "))?";
        private static final String MINOR = "(?:\\.(?:[xX*](?:\\.[xX*])?|" + NUMBER + PATCH + "))?";
        private static final Pattern COMPARATOR =
                Pattern.compile("(\\^|~|<=|>=|<|>|=)?v?(?:[xX*](?:\\.[xX*]){0,2}|" + NUMBER + MINOR + ")");
        private static final String SPACE = "[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+";

        /** The first version that a word of a range contains, and the first after those. */
        private record Interval(String from, String to) {
            boolean contains(String version) {
                return from.compareTo(version) <= 0 && version.compareTo(to) < 0;
            }
        }

        /** Returns a text that sorts as the version does: 51 characters of numbers, then the pre-release, or "~" for a release. */
        private static String versionKey(List<Long> core, String pre) {
            var numbers = Stream.concat(core.stream(), Stream.of(0L, 0L, 0L)).limit(3).map(each -> String.format("%016d.", each));
            var identifiers = Arrays.stream((pre == null ? "" : pre).split("\\."))
                    .map(each -> each.matches("\\d+") ? String.format("0%015d", Long.valueOf(each)) : "1" + each);
            return numbers.collect(Collectors.joining()) + (pre == null ? "~" : identifiers.collect(Collectors.joining("\u0001")));
        }

        /** Returns null if the word is malformed. */
        private static Interval interval(String word) {
            var match = COMPARATOR.matcher(word);
            if (!match.matches()) return null;
            var sign = match.group(1) == null ? "=" : match.group(1);
            var core = Stream.of(2, 3, 4).map(match::group).filter(Objects::nonNull).map(Long::valueOf).toList();
            String start = versionKey(core, match.group(5)), lowest = versionKey(core, "0"), last = "~";
            int length = core.size(), kept = length;
            if (length == 0) return sign.equals("<") || sign.equals(">") ? new Interval("", lowest) : new Interval(start, last);
            if (sign.equals("^")) for (kept = 1; kept < length && core.get(kept - 1) == 0; ) kept++;
            if (sign.equals("~")) kept = Math.min(length, 2);
            var following = Stream.concat(core.stream().limit(kept - 1), Stream.of(core.get(kept - 1) + 1)).toList();
            String above = versionKey(following, null), stop = versionKey(following, "0");
            if (length == 3 && !sign.equals("^") && !sign.equals("~")) {
                lowest = start;
                above = stop = start + "\0";
            }
            return switch (sign) {
                case "<" -> new Interval("", lowest);
                case "<=" -> new Interval("", stop);
                case ">" -> new Interval(above, last);
                case ">=" -> new Interval(start, last);
                default -> new Interval(start, stop);
            };
        }

        /** Returns whether a text is a version in a range. A pre-release must be compared with one of the same version. */
        private static boolean isVersionIn(String text, String range) {
            var match = VERSION.matcher(text);
            if (text.length() > 256 || !match.matches()) return false;
            var version = versionKey(Stream.of(1, 2, 3).map(match::group).map(Long::valueOf).toList(), match.group(4));
            boolean isIn = false;
            for (var alternative : range.split("\\|\\|", -1)) {
                var words = alternative.replaceAll("([<>=^~])" + SPACE, "$1").split(SPACE);
                var all = Arrays.stream(words).filter(word -> !word.isEmpty()).map(Rules::interval).collect(Collectors.toList());
                if (all.isEmpty() || all.contains(null)) return false;
                boolean isAllowed = match.group(4) == null || all.stream().flatMap(each -> Stream.of(each.from, each.to))
                        .anyMatch(other -> other.startsWith(version.substring(0, 51)) && other.charAt(51) != '~');
                isIn = isIn || (isAllowed && all.stream().allMatch(each -> each.contains(version)));
            }
            return isIn;
        }
    }

    /** Reads JSON as maps, lists, texts, Double, Boolean and null. It checks nothing, since the service writes it. */
    static class Json {
        private final String text;
        private int at = 0;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            return value(token());
        }

        @SuppressWarnings("unchecked")
        static Map<String, Object> object(Object value) {
            return (Map<String, Object>) value;
        }

        private Object value(String token) {
            if (token.equals("{")) {
                var object = new LinkedHashMap<String, Object>();
                for (var name = token(); !name.equals("}"); name = token()) object.put((String) value(name), value());
                return object;
            }
            if (token.equals("[")) {
                var list = new ArrayList<Object>();
                for (var each = token(); !each.equals("]"); each = token()) list.add(value(each));
                return list;
            }
            if (token.startsWith("\"")) return unescaped(token);
            if (token.equals("true") || token.equals("false")) return token.equals("true");
            return token.equals("null") ? null : Double.valueOf(token);
        }

        private String token() {
            while (" \t\r\n,:".indexOf(text.charAt(at)) >= 0) at++;
            int from = at++;
            if (text.charAt(from) == '"') {
                while (text.charAt(at++) != '"') if (text.charAt(at - 1) == '\\') at++;
            } else if ("{}[]".indexOf(text.charAt(from)) < 0) {
                while (at < text.length() && " \t\r\n,:{}[]".indexOf(text.charAt(at)) < 0) at++;
            }
            return text.substring(from, at);
        }

        private static String unescaped(String token) {
            var text = new StringBuilder();
            for (int at = 1; at < token.length() - 1; at++) {
                char c = token.charAt(at);
                if (c == '\\') {
                    c = token.charAt(++at);
                    int special = "bfnrt".indexOf(c);
                    if (special >= 0) c = "\b\f\n\r\t".charAt(special);
                    if (token.charAt(at) == 'u') {
                        c = (char) Integer.parseInt(token.substring(at + 1, at + 5), 16);
                        at += 4;
                    }
                }
                text.append(c);
            }
            return text.toString();
        }

        static String quoted(String text) {
            var escaped = new StringBuilder("\"");
            for (char c : text.toCharArray())
                escaped.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
            return escaped.append('"').toString();
        }
    }

    private static void decideCases(PrintStream out) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            var each = Json.object(new Json(line).value());
            String salt = (String) each.get("salt"), seed = (String) each.get("seed"), key = (String) each.get("key");
            out.println(Rules.decide(Json.object(each.get("variable")), salt, seed, key, Json.object(each.get("context"))).row + "}");
        }
    }

    public static void main(String[] args) throws Exception {
        var out = new PrintStream(System.out, true, UTF_8);
        var rest = List.of(args).subList(1, args.length);
        if (args[0].equals("--cases")) {
            decideCases(out);
            return;
        }
        var env = Stream.of("URL", "TOKEN", "ORG", "PROJECT", "STAGE").map(part -> System.getenv("ROLLKEY_" + part)).toList();
        var rollkey = new Rollkey(env.get(0), env.get(1), env.get(2), env.get(3), env.get(4));
        for (var seed : rest.isEmpty() ? List.of("") : rest) {
            rollkey.refresh();
            out.println(rollkey.get(args[0], seed, "", Map.of()));
        }
        try {
            rollkey.report();
        } catch (IOException error) {
            rollkey.report();
        }
    }
}
