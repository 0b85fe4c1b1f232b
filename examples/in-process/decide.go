// Decides variables of Rollkey inside a program (docs/in-process.md), with the standard library alone.
//
//	go run decide.go NAME [SEED…]  prints the value for each seed, of the stage that ROLLKEY_URL, _TOKEN, _ORG, _PROJECT, _STAGE name
//	go run decide.go --cases       prints the decision for each line {variable, salt, seed, key, context} of its input
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Variable is one of a ruleset.
type Variable struct {
	Name, Kind, Value, ValueA, ValueB string
	Chance                            float64
	Rules                             []struct {
		When map[string]map[string]any
		Then any
	}
	Pins map[string][]string
}

// Rollkey has the decisions of one stage. Any goroutine may call Get, and one may call Refresh and Report.
type Rollkey struct {
	URL, Token, Org, Project, Stage string

	etag       string
	unanswered []json.RawMessage
	requestKey string
	since      time.Time

	lock      sync.Mutex
	salt      string
	variables map[string]Variable
	counts    map[string]int // By the beginning of their JSON.
}

// Refresh fetches the ruleset if it has changed. Call it at the start, then every 30 seconds: only a change is billed.
func (r *Rollkey) Refresh() error {
	var fetched struct {
		Salt      string
		Variables []Variable
	}
	status, body, etag, err := r.post("ruleset", nil, "If-None-Match", r.etag)
	if status == 200 && err == nil {
		err = decode(body, &fetched)
	} else if status != 304 && err == nil {
		etag, err = "", fmt.Errorf("%d %s", status, body)
	}
	// What the token may not read any more, the program may not use.
	if status == 401 || status == 403 || (status == 200 && err == nil) {
		r.lock.Lock()
		defer r.lock.Unlock()
		r.etag, r.salt, r.variables = etag, fetched.Salt, map[string]Variable{}
		for _, variable := range fetched.Variables {
			r.variables[variable.Name] = variable
		}
	}
	return err
}

// Get returns the text of a value, and counts the decision.
func (r *Rollkey) Get(name, seed, key string, context map[string]any) (string, error) {
	r.lock.Lock()
	variable, exists := r.variables[name]
	salt := r.salt
	r.lock.Unlock()
	if !exists {
		return "", fmt.Errorf("%s is not in the ruleset (expected a roll or a variable that is not secret): check the name", name)
	}
	value, row := variable.Value, fmt.Sprintf(`{"name":%s`, quoted(name))
	if variable.Kind == "ab_roll" {
		var side string
		side, row = Decide(variable, salt, seed, key, context)
		value = map[string]string{"a": variable.ValueA, "b": variable.ValueB}[side]
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[row]++
	return value, nil
}

// Report reports what was decided. Call it every ten seconds, and at the end. After an error because there is no answer, the next call
// sends the same report under the same key, so that the service counts it once.
func (r *Rollkey) Report() error {
	for {
		// The service forgets the key after an hour.
		if len(r.unanswered) == 0 || time.Since(r.since) > 30*time.Minute {
			r.unanswered, r.requestKey, r.since = r.take(), fmt.Sprintf("%x", random(16)), time.Now()
		}
		if len(r.unanswered) == 0 {
			return nil
		}
		status, body, _, err := r.post("report", map[string]any{"decisions": r.unanswered}, "X-Service-Request-Key", r.requestKey)
		if err != nil {
			return err
		}
		if status < 500 && status != 408 && status != 429 {
			r.unanswered = nil
		}
		if status != 200 {
			return fmt.Errorf("%d %s", status, body)
		}
	}
}

// take returns up to 1,000 counts, and removes them.
func (r *Rollkey) take() (rows []json.RawMessage) {
	r.lock.Lock()
	defer r.lock.Unlock()
	for row, count := range r.counts {
		if len(rows) < 1_000 {
			rows = append(rows, json.RawMessage(fmt.Sprintf(`%s,"count":%d}`, row, count)))
			delete(r.counts, row)
		}
	}
	return rows
}

// post returns status, body and ETag of the answer.
func (r *Rollkey) post(path string, more map[string]any, header, value string) (int, []byte, string, error) {
	body := map[string]any{"orgSlug": r.Org, "projectSlug": r.Project, "stageSlug": r.Stage}
	for name, each := range more {
		body[name] = each
	}
	text, _ := json.Marshal(body)
	request, err := http.NewRequest(http.MethodPost, r.URL+"/v1/env/"+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, "", err
	}
	request.Header.Set("Authorization", "Bearer "+r.Token)
	request.Header.Set("Content-Type", "application/json")
	if value != "" {
		request.Header.Set(header, value)
	}
	response, err := (&http.Client{Timeout: 5 * time.Second}).Do(request)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, response.Header.Get("ETag"), err
}

// decode keeps the text of numbers, since not each of them is a float64.
func decode(text []byte, to any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(to)
}

// Decide returns the side of a roll, and the beginning of the JSON that reports it, with what decided: the pin of the seed, the first rule
// that matches, or the chance.
func Decide(variable Variable, salt, seed, key string, context map[string]any) (string, string) {
	by, chance := "", any(variable.Chance)
	if seed != "" && variable.Pins != nil {
		pin := hex.EncodeToString(sha256Of(salt + seed)[:16])
		for side, pins := range variable.Pins {
			for _, each := range pins {
				if each == pin {
					by, chance = `"pin"`, side
				}
			}
		}
	}
	for index, rule := range variable.Rules {
		if by == "" && matches(rule.When, context) {
			by, chance = fmt.Sprintf(`"rule","rule":%d`, index+1), rule.Then
		}
	}
	if by == "" {
		by = fmt.Sprintf(`"chance","chance":%g`, variable.Chance)
	}
	side, isSide := chance.(string)
	if !isSide {
		hash := random(8)
		if seed != "" || key != "" {
			hash = sha256Of("ab_roll:" + variable.Name + ":" + seed + ":" + key)
		}
		side = "b"
		// The top 53 bits of the hash as 0 <= u < 1.
		if limit, _ := scalar(chance).(float64); float64(binary.BigEndian.Uint64(hash)>>11)/(1<<53) < limit {
			side = "a"
		}
	}
	return side, fmt.Sprintf(`{"name":%s,"decision":"%s","step":%s`, quoted(variable.Name), side, by)
}

func sha256Of(text string) []byte {
	hash := sha256.Sum256([]byte(text))
	return hash[:]
}

func quoted(text string) string {
	all, _ := json.Marshal(text)
	return string(all)
}

func random(length int) []byte {
	some := make([]byte, length)
	if _, err := rand.Read(some); err != nil {
		panic(err)
	}
	return some
}

// scalar returns a bool, a finite float64 or a string of UTF-8. It returns nil for all else, which fulfils nothing.
func scalar(value any) any {
	number := math.NaN()
	switch each := value.(type) {
	case nil, bool:
		return value
	case string:
		if utf8.ValidString(each) {
			return value
		}
	case json.Number:
		number, _ = strconv.ParseFloat(string(each), 64)
	default:
		if of := reflect.ValueOf(value); of.CanConvert(reflect.TypeOf(number)) {
			number = of.Convert(reflect.TypeOf(number)).Float()
		}
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return nil
	}
	return number
}

func matches(when map[string]map[string]any, context map[string]any) bool {
	for attribute, condition := range when {
		value := scalar(context[attribute])
		for operator, operand := range condition {
			if value == nil || !holds(operator, value, operand) {
				return false
			}
		}
	}
	return true
}

func holds(operator string, value, operand any) bool {
	text, isText := value.(string)
	number, isNumber := value.(float64)
	limit, _ := scalar(operand).(float64)
	operands, isList := operand.([]any)
	if !isList {
		operands = []any{operand}
	}
	isAny := func(test func(any) bool) bool {
		for _, each := range operands {
			if test(each) {
				return true
			}
		}
		return false
	}
	isIn := func(each any) bool { return value == scalar(each) }
	switch operator {
	case "in", "equals":
		return isAny(isIn)
	case "notIn":
		return !isAny(isIn)
	case "startsWith":
		return isText && isAny(func(each any) bool { return strings.HasPrefix(text, each.(string)) })
	case "endsWith":
		return isText && isAny(func(each any) bool { return strings.HasSuffix(text, each.(string)) })
	case "greaterThan":
		return isNumber && number > limit
	case "lessThan":
		return isNumber && number < limit
	case "semver":
		return isText && isVersionIn(text, operand.(string))
	case "before":
		return timeOf(value) < timeOf(operand)
	case "after":
		return timeOf(value) > timeOf(operand)
	}
	return false
}

var date = regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2})))?$`)

// timeOf returns a date or time of RFC 3339 in milliseconds since 1970, or NaN, which is neither before nor after anything.
func timeOf(value any) float64 {
	text, _ := value.(string)
	match := date.FindStringSubmatch(text)
	if match == nil {
		return math.NaN()
	}
	parts := make([]int, len(match))
	for at, part := range match {
		parts[at], _ = strconv.Atoi(part)
	}
	year, month, day, hour, minute, second := parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]
	moment := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if moment.Day() != day || int(moment.Month()) != month || hour > 23 || minute > 59 || second > 60 || parts[9] > 23 || parts[10] > 59 {
		return math.NaN()
	}
	east := parts[9]*60 + parts[10]
	if match[8] == "-" {
		east = -east
	}
	moment = moment.Add(time.Duration(hour*60+minute-east)*time.Minute + time.Duration(second)*time.Second)
	// A leap second ends June or December in UTC.
	if second == 60 && (moment.Unix()%86_400 != 0 || moment.Day() != 1 || moment.Month()%6 != 1) {
		return math.NaN()
	}
	milliseconds, _ := strconv.Atoi((match[7] + "000")[:3])
	return float64(moment.UnixMilli() + int64(milliseconds))
}

const (
	numberText = `(0|[1-9]\d{0,14})`
	identifier = `(?:0|[1-9]\d{0,14}|\d*[A-Za-z-][\dA-Za-z-]*)`
	suffix     = `(?:-(` + identifier + `(?:\.` + identifier + `)*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?`
	patch      = `(?:\.(?:[xX*]|` + numberText + suffix + `))?`
	minor      = `(?:\.(?:[xX*](?:\.[xX*])?|` + numberText + patch + `))?`
	spaces     = `[\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]+`
)

var (
	versionText    = regexp.MustCompile(`^v?` + numberText + `\.` + numberText + `\.` + numberText + suffix + `$`)
	comparatorText = regexp.MustCompile(`^(\^|~|<=|>=|<|>|=)?v?(?:[xX*](?:\.[xX*]){0,2}|` + numberText + minor + `)$`)
	space          = regexp.MustCompile(spaces)
	signAndSpace   = regexp.MustCompile(`([<>=^~])` + spaces)
)

// last is after every version.
const last = "~"

// versionKey returns a text that sorts as the version does: 51 characters of numbers, then the pre-release, or "~" for a release.
func versionKey(core []int, pre string) string {
	padded := append(append([]int{}, core...), 0, 0, 0)
	numbers := fmt.Sprintf("%016d.%016d.%016d.", padded[0], padded[1], padded[2])
	if pre == "" {
		return numbers + "~"
	}
	identifiers := strings.Split(pre, ".")
	for at, each := range identifiers {
		if number, err := strconv.Atoi(each); err == nil && each[0] != '-' {
			identifiers[at] = fmt.Sprintf("0%015d", number)
		} else {
			identifiers[at] = "1" + each
		}
	}
	return numbers + strings.Join(identifiers, "\x01")
}

// numbersOf returns the numbers up to the first one that is not there.
func numbersOf(parts []string) (core []int) {
	for _, part := range parts {
		if number, err := strconv.Atoi(part); err == nil {
			core = append(core, number)
		}
	}
	return core
}

// interval returns the first version that a word of a range contains, and the first after those. It returns false if the word is malformed.
func interval(word string) (from, to string, ok bool) {
	match := comparatorText.FindStringSubmatch(word)
	if match == nil {
		return "", "", false
	}
	sign, core := match[1], numbersOf(match[2:5])
	start, lowest, kept := versionKey(core, match[5]), versionKey(core, "0"), len(core)
	if kept == 0 && (sign == "<" || sign == ">") {
		return "", lowest, true
	} else if kept == 0 {
		return start, last, true
	}
	if sign == "^" {
		for kept = 1; kept < len(core) && core[kept-1] == 0; kept++ {
		}
	} else if sign == "~" && kept == 3 {
		kept = 2
	}
	following := append(append([]int{}, core[:kept-1]...), core[kept-1]+1)
	above, stop := versionKey(following, ""), versionKey(following, "0")
	if len(core) == 3 && sign != "^" && sign != "~" {
		lowest, above, stop = start, start+"\x00", start+"\x00"
	}
	switch sign {
	case "<":
		return "", lowest, true
	case "<=":
		return "", stop, true
	case ">":
		return above, last, true
	case ">=":
		return start, last, true
	}
	return start, stop, true
}

// isVersionIn returns whether a text is a version in a range. A pre-release must be compared with one of the same version.
func isVersionIn(text, versions string) bool {
	match := versionText.FindStringSubmatch(text)
	if match == nil || len(text) > 256 {
		return false
	}
	version, isIn := versionKey(numbersOf(match[1:4]), match[4]), false
	for _, alternative := range strings.Split(versions, "||") {
		isAllowed, isWithin, isEmpty := match[4] == "", true, true
		for _, word := range space.Split(signAndSpace.ReplaceAllString(alternative, "$1"), -1) {
			if word == "" {
				continue
			}
			from, to, ok := interval(word)
			if !ok {
				return false
			}
			isEmpty, isWithin = false, isWithin && from <= version && version < to
			for _, other := range []string{from, to} {
				isAllowed = isAllowed || (strings.HasPrefix(other, version[:51]) && other[51] != '~')
			}
		}
		if isEmpty {
			return false
		}
		isIn = isIn || (isWithin && isAllowed)
	}
	return isIn
}

func decideCases() {
	input := bufio.NewScanner(os.Stdin)
	for input.Buffer(nil, 1<<20); input.Scan(); {
		var each struct {
			Variable        Variable
			Salt, Seed, Key string
			Context         map[string]any
		}
		must(decode(input.Bytes(), &each))
		_, row := Decide(each.Variable, each.Salt, each.Seed, each.Key, each.Context)
		fmt.Println(row + "}")
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	if os.Args[1] == "--cases" {
		decideCases()
		return
	}
	of := func(part string) string { return os.Getenv("ROLLKEY_" + part) }
	rollkey := Rollkey{URL: of("URL"), Token: of("TOKEN"), Org: of("ORG"), Project: of("PROJECT"), Stage: of("STAGE")}
	seeds := os.Args[2:]
	if len(seeds) == 0 {
		seeds = []string{""}
	}
	for _, seed := range seeds {
		must(rollkey.Refresh())
		value, err := rollkey.Get(os.Args[1], seed, "", nil)
		must(err)
		fmt.Println(value)
	}
	if rollkey.Report() != nil {
		must(rollkey.Report())
	}
}
