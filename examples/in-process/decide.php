<?php
// Decides variables of Rollkey inside a program (docs/in-process.md), with the standard library alone.
//
// php decide.php NAME [SEED…]  prints the value for each seed, of the stage that ROLLKEY_URL, _TOKEN, _ORG, _PROJECT, _STAGE name
// php decide.php --cases       prints the decision for each line {variable, salt, seed, key, context} of its input

/** Decisions of one stage. */
class Rollkey
{
    /** PHP-FPM forgets it after each request, so keep it in APCu and put it back: without an ETag, each refresh is billed. */
    public array $ruleset = ['etag' => '', 'salt' => '', 'variables' => []];
    private array $counts = [];
    private ?array $unanswered = null;

    public function __construct(private string $url, private string $token, private array $stage)
    {
    }

    /** Fetches the ruleset if it has changed. Call it at the start, then every 30 seconds: only a change is billed. */
    public function refresh(): void
    {
        $etag = $this->ruleset['etag'];
        [$status, $body, $etag] = $this->post('ruleset', [], $etag === '' ? [] : ["If-None-Match: $etag"]);
        if ($status === 200) {
            ['salt' => $salt, 'variables' => $variables] = json_decode($body, true);
            $this->ruleset = ['etag' => $etag, 'salt' => $salt, 'variables' => array_column($variables, null, 'name')];
        } elseif ($status === 401 || $status === 403) {
            // What the token may not read any more, the program may not use.
            $this->ruleset = ['etag' => '', 'salt' => '', 'variables' => []];
        }
        if ($status !== 200 && $status !== 304) {
            throw new RuntimeException("$status $body");
        }
    }

    /** Returns the text of a value, and counts the decision. Throws OutOfBoundsException. */
    public function get(string $name, string $seed = '', string $key = '', array $context = []): string
    {
        $variable = $this->ruleset['variables'][$name] ?? throw new OutOfBoundsException(
            "$name is not in the ruleset (expected a roll or a variable that is not secret): check the name"
        );
        [$row, $value] = [['name' => $name], $variable['value'] ?? ''];
        if ($variable['kind'] === 'ab_roll') {
            $row = Rules::decide($variable, $this->ruleset['salt'], $seed, $key, $context);
            $value = $variable[$row['decision'] === 'a' ? 'valueA' : 'valueB'];
        }
        $row = json_encode($row);
        $this->counts[$row] = ($this->counts[$row] ?? 0) + 1;
        return $value;
    }

    /**
     * Reports what was decided. Call it every ten seconds, and at the end. If it throws because there is no answer, the next call sends
     * the same report under the same key, so that the service counts it once.
     */
    public function report(): void
    {
        while ($this->unanswered || $this->counts) {
            // The service forgets the key after an hour.
            if ($this->unanswered && hrtime(true) - $this->unanswered[2] > 1_800e9) {
                $this->unanswered = null;
                continue;
            }
            if (!$this->unanswered) {
                $rows = array_slice($this->counts, 0, 1_000, true);
                $this->counts = array_slice($this->counts, 1_000, null, true);
                $counted = fn(string $row, int $count) => json_decode($row, true) + ['count' => $count];
                $this->unanswered = [bin2hex(random_bytes(16)), array_map($counted, array_keys($rows), $rows), hrtime(true)];
            }
            [$key, $rows] = $this->unanswered;
            [$status, $body] = $this->post('report', ['decisions' => $rows], ["X-Service-Request-Key: $key"]);
            if ($status > 0 && $status < 500 && $status !== 408 && $status !== 429) {
                $this->unanswered = null;
            }
            if ($status !== 200) {
                throw new RuntimeException("$status $body");
            }
        }
    }

    /** Returns status, body and ETag of the answer. Status 0: there is none. */
    private function post(string $path, array $body, array $headers): array
    {
        $options = [
            'method' => 'POST',
            'header' => ["Authorization: Bearer $this->token", 'Content-Type: application/json', ...$headers],
            'content' => json_encode($this->stage + $body),
            'ignore_errors' => true,
            'timeout' => 5,
        ];
        $answer = @file_get_contents("$this->url/v1/env/$path", false, stream_context_create(['http' => $options]));
        $head = implode("\n", $http_response_header ?? []);
        preg_match('/^etag: *(.*)$/im', $head, $etag);
        return [(int) (explode(' ', $head)[1] ?? 0), $answer ?: 'no answer', $etag[1] ?? ''];
    }
}

/** How a roll decides. */
class Rules
{
    /** Returns the side of a roll and what decided, as it is reported: the pin of the seed, the first rule that matches, or the chance. */
    public static function decide(array $variable, string $salt, string $seed, string $key, ?array $context): array
    {
        ['name' => $name, 'chance' => $chance] = $variable;
        $pin = $seed === '' ? '' : substr(hash('sha256', $salt . $seed), 0, 32);
        foreach ($variable['pins'] ?? [] as $side => $pins) {
            if (in_array($pin, $pins, true)) {
                return ['name' => $name, 'decision' => $side, 'step' => 'pin'];
            }
        }
        $step = ['step' => 'chance', 'chance' => $chance];
        foreach ($variable['rules'] ?? [] as $index => ['when' => $when, 'then' => $then]) {
            if (self::matches($when, $context ?? [])) {
                [$step, $chance] = [['step' => 'rule', 'rule' => $index + 1], $then];
                break;
            }
        }
        if (!is_string($chance)) {
            $unit = $seed === '' && $key === '' ? random_int(0, 2 ** 53 - 1) / 2 ** 53 : self::bucket($name, $seed, $key);
            $chance = $unit < $chance ? 'a' : 'b';
        }
        return ['name' => $name, 'decision' => $chance] + $step;
    }

    /** Returns 0 <= u < 1: the top 53 bits of the hash. */
    public static function bucket(string $name, string $seed, string $key): float
    {
        $number = unpack('J', hash('sha256', "ab_roll:$name:$seed:$key", true))[1];
        return (($number >> 11) & (2 ** 53 - 1)) / 2 ** 53;
    }

    /** Returns a boolean, a finite number as float, or a text of UTF-8. Returns null for all else, which fulfils nothing. */
    private static function scalar(mixed $value): bool|float|string|null
    {
        return match (true) {
            is_bool($value) => $value,
            is_int($value), is_float($value) => is_finite($value) ? (float) $value : null,
            is_string($value) => preg_match('//u', $value) ? $value : null,
            default => null,
        };
    }

    private static function matches(array $when, array $context): bool
    {
        foreach ($when as $attribute => $condition) {
            $value = self::scalar($context[$attribute] ?? null);
            foreach ($condition as $operator => $operand) {
                if ($value === null || !self::holds($operator, $value, $operand)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static function holds(string $operator, bool|float|string $value, mixed $operand): bool
    {
        $isIn = fn() => in_array($value, array_map(self::scalar(...), (array) $operand), true);
        $isAny = fn(callable $test) => array_filter((array) $operand, fn($each) => $test($value, $each)) !== [];
        return match ($operator) {
            'in', 'equals' => $isIn(),
            'notIn' => !$isIn(),
            'startsWith' => is_string($value) && $isAny(str_starts_with(...)),
            'endsWith' => is_string($value) && $isAny(str_ends_with(...)),
            'greaterThan' => is_float($value) && $value > (float) $operand,
            'lessThan' => is_float($value) && $value < (float) $operand,
            'semver' => is_string($value) && self::isVersionIn($value, $operand),
            'before' => self::timeOf($value) < self::timeOf($operand),
            'after' => self::timeOf($value) > self::timeOf($operand),
            default => false,
        };
    }

    private const DATE = '/^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d)))?$/D';

    /** Returns a date or time of RFC 3339 in milliseconds since a fixed moment, or NAN, which is neither before nor after anything. */
    private static function timeOf(mixed $text): float
    {
        if (!is_string($text) || !preg_match(self::DATE, $text, $match)) {
            return NAN;
        }
        [, $year, $month, $day, $hour, $minute, $second, $fraction, $sign, $eastHour, $eastMinute] = array_pad($match, 11, '');
        if ((int) $hour > 23 || (int) $minute > 59 || (int) $second > 60 || (int) $eastHour > 23 || (int) $eastMinute > 59) {
            return NAN;
        }
        // PHP has no year 0. The calendar repeats every 400 years.
        if (!checkdate((int) $month, (int) $day, 2000 + $year % 400)) {
            return NAN;
        }
        $east = ((int) $eastHour * 60 + (int) $eastMinute) * ($sign === '-' ? -1 : 1);
        $seconds = gmmktime((int) $hour, (int) $minute - $east, (int) $second, (int) $month, (int) $day, 2000 + $year % 400);
        // A leap second ends June or December in UTC.
        if ($second === '60' && !preg_match('/^0[17]-01 00:00:00$/', gmdate('m-d H:i:s', $seconds))) {
            return NAN;
        }
        return ($seconds + intdiv((int) $year, 400) * 146_097 * 86_400) * 1_000 + (int) substr($fraction . '000', 0, 3);
    }

    private const NUMBER = '(0|[1-9]\d{0,14})';
    private const IDENTIFIER = '(?:0|[1-9]\d{0,14}|\d*[A-Za-z-][\dA-Za-z-]*)';
    private const SUFFIX = '(?:-(' . self::IDENTIFIER . '(?:\.' . self::IDENTIFIER . ')*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?';
    private const VERSION = '/^v?' . self::NUMBER . '\.' . self::NUMBER . '\.' . self::NUMBER . self::SUFFIX . '$/D';
    private const PATCH = '(?:\.(?:[xX*]|' . self::NUMBER . self::SUFFIX . '))?';
    private const MINOR = '(?:\.(?:[xX*](?:\.[xX*])?|' . self::NUMBER . self::PATCH . '))?';
    private const COMPARATOR = '/^(\^|~|<=|>=|<|>|=)?v?(?:[xX*](?:\.[xX*]){0,2}|' . self::NUMBER . self::MINOR . ')$/D';
    private const SPACE = '[\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]+';

    /** Returns a text that sorts as the version does: 51 characters of numbers, then the pre-release, or "~" for a release. */
    private static function versionKey(array $core, ?string $pre): string
    {
        $identifier = fn(string $each) => preg_match('/^\d+$/D', $each) ? sprintf('0%015d', $each) : "1$each";
        $suffix = $pre === null ? '~' : implode("\x01", array_map($identifier, explode('.', $pre)));
        return vsprintf('%016d.%016d.%016d.', [...$core, 0, 0, 0]) . $suffix;
    }

    /** Returns the first version that a word of a range contains, and the first after those; null if the word is malformed. */
    private static function interval(string $word): ?array
    {
        if (!preg_match(self::COMPARATOR, $word, $match, PREG_UNMATCHED_AS_NULL)) {
            return null;
        }
        [$sign, $pre] = [$match[1] ?? '=', $match[5]];
        $core = array_map(intval(...), array_filter(array_slice($match, 2, 3), fn($each) => $each !== null));
        [$start, $lowest, $last] = [self::versionKey($core, $pre), self::versionKey($core, '0'), '~'];
        if ($core === []) {
            return $sign === '<' || $sign === '>' ? ['', $lowest] : [$start, $last];
        }
        $kept = match ($sign) {
            '^' => (array_key_first(array_filter($core)) ?? count($core) - 1) + 1,
            '~' => min(count($core), 2),
            default => count($core),
        };
        $following = [...array_slice($core, 0, $kept - 1), $core[$kept - 1] + 1];
        [$above, $stop] = [self::versionKey($following, null), self::versionKey($following, '0')];
        if (count($core) === 3 && $sign !== '^' && $sign !== '~') {
            [$lowest, $above, $stop] = [$start, "$start\0", "$start\0"];
        }
        return match ($sign) {
            '<' => ['', $lowest],
            '<=' => ['', $stop],
            '>' => [$above, $last],
            '>=' => [$start, $last],
            default => [$start, $stop],
        };
    }

    /** Returns whether a text is a version in a range. A pre-release must be compared with one of the same version. */
    private static function isVersionIn(string $text, string $range): bool
    {
        if (strlen($text) > 256 || !preg_match(self::VERSION, $text, $match)) {
            return false;
        }
        $pre = $match[4] ?? '';
        $version = self::versionKey(array_slice($match, 1, 3), $pre === '' ? null : $pre);
        $isIn = false;
        foreach (explode('||', $range) as $alternative) {
            $words = preg_split('/' . self::SPACE . '/u', preg_replace('/([<>=^~])' . self::SPACE . '/u', '$1', $alternative));
            $lists = array_map(self::interval(...), array_filter($words, fn($word) => $word !== ''));
            if ($lists === [] || in_array(null, $lists, true)) {
                return false;
            }
            [$isWithin, $isAllowed] = [true, $pre === ''];
            foreach ($lists as [$start, $stop]) {
                $isWithin = $isWithin && strcmp($start, $version) <= 0 && strcmp($version, $stop) < 0;
                foreach ([$start, $stop] as $other) {
                    $isAllowed = $isAllowed || (strncmp($version, $other, 51) === 0 && $other[51] !== '~');
                }
            }
            $isIn = $isIn || ($isWithin && $isAllowed);
        }
        return $isIn;
    }
}

function main(string $name, string ...$arguments): void
{
    if ($name === '--cases') {
        while (($line = fgets(STDIN)) !== false) {
            echo json_encode(Rules::decide(...json_decode($line, true))) . "\n";
        }
        return;
    }
    $stage = ['orgSlug' => getenv('ROLLKEY_ORG'), 'projectSlug' => getenv('ROLLKEY_PROJECT'), 'stageSlug' => getenv('ROLLKEY_STAGE')];
    $rollkey = new Rollkey(getenv('ROLLKEY_URL'), getenv('ROLLKEY_TOKEN'), $stage);
    foreach ($arguments ?: [''] as $seed) {
        $rollkey->refresh();
        echo $rollkey->get($name, $seed) . "\n";
    }
    try {
        $rollkey->report();
    } catch (RuntimeException) {
        $rollkey->report();
    }
}

if (realpath($argv[0] ?? '') === __FILE__) {
    main(...array_slice($argv, 1));
}
