# Decides variables of Rollkey inside a program (docs/in-process.md), with the standard library alone.
#
# ruby decide.rb NAME [SEED…]  prints the value for each seed, of the stage that ROLLKEY_URL, _TOKEN, _ORG, _PROJECT, _STAGE name
# ruby decide.rb --cases       prints the decision for each line {variable, salt, seed, key, context} of its input
require 'date'
require 'digest'
require 'json'
require 'net/http'
require 'securerandom'

# Decisions of one stage. Any thread may call get, and one thread refresh and report.
class Rollkey
  def initialize(url:, token:, org:, project:, stage:)
    @url = url
    @headers = { 'Authorization' => "Bearer #{token}", 'Content-Type' => 'application/json' }
    @stage = { orgSlug: org, projectSlug: project, stageSlug: stage }
    @variables = {}
    @counts = Hash.new(0)
    @lock = Mutex.new
  end

  # Fetches the ruleset if it has changed. Call it at the start, then every 30 seconds: only a change is billed.
  def refresh
    response = post('ruleset', {}, 'If-None-Match' => @etag)
    # What the token may not read any more, the program may not use.
    @etag, @variables = nil, {} if %w[401 403].include?(response.code)
    return if response.code == '304'
    raise "#{response.code} #{response.body}" if response.code != '200'

    ruleset = JSON.parse(response.body)
    @variables = ruleset['variables'].to_h { |variable| [variable['name'], [variable, ruleset['salt']]] }
    @etag = response['ETag']
  end

  # Returns the text of a value, and counts the decision. Raises KeyError.
  def get(name, seed: '', key: '', context: {})
    variable, salt = @variables.fetch(name) do
      raise KeyError, "#{name} is not in the ruleset (expected a roll or a variable that is not secret): check the name"
    end
    value, row = variable['value'], { name: }
    if variable['kind'] == 'ab_roll'
      row = Rules.decide(variable, salt, seed, key, context)
      value = variable[row[:decision] == 'a' ? 'valueA' : 'valueB']
    end
    @lock.synchronize { @counts[row] += 1 }
    value
  end

  # Reports what was decided. Call it every ten seconds, and at the end. If it raises because there is no answer, the next call sends
  # the same report under the same key, so that the service counts it once.
  def report
    loop do
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      @unanswered = nil if @unanswered && now - @unanswered[:since] > 1_800 # The service forgets the key after an hour.
      @unanswered ||= { key: SecureRandom.uuid, rows: take, since: now }
      break @unanswered = nil if @unanswered[:rows].empty?

      response = post('report', { decisions: @unanswered[:rows] }, 'X-Service-Request-Key' => @unanswered[:key])
      status = response.code.to_i
      @unanswered = nil if status < 500 && ![408, 429].include?(status)
      raise "#{status} #{response.body}" if status != 200
    end
  end

  private

  def take
    @lock.synchronize { @counts.keys.first(1_000).map { |row| { **row, count: @counts.delete(row) } } }
  end

  def post(path, body, headers)
    uri = URI("#{@url}/v1/env/#{path}")
    request = Net::HTTP::Post.new(uri, @headers.merge(headers.compact))
    request.body = @stage.merge(body).to_json
    options = { use_ssl: uri.scheme == 'https', open_timeout: 5, read_timeout: 5 }
    Net::HTTP.start(uri.host, uri.port, options) { |http| http.request(request) }
  end
end

# How a roll decides.
module Rules
  module_function

  # Returns the side of a roll and what decided, as it is reported: the pin of the seed, the first rule that matches, or the chance.
  def decide(variable, salt, seed = '', key = '', context = {})
    name, chance = variable.values_at('name', 'chance')
    pin = Digest::SHA256.hexdigest(salt + seed)[0, 32] if variable['pins'] && !seed.empty?
    side = %w[a b].find { |each| variable['pins'][each].include?(pin) } if pin
    return { name:, decision: side, step: 'pin' } if side

    step = { step: 'chance', chance: }
    index = variable['rules']&.index { |rule| rule['when'].all? { |field, condition| fulfils?(context&.fetch(field, nil), condition) } }
    step, chance = { step: 'rule', rule: index + 1 }, variable['rules'][index]['then'] if index
    unless chance.is_a?(String)
      unit = seed.empty? && key.empty? ? SecureRandom.random_number : bucket(name, seed, key)
      chance = unit < chance ? 'a' : 'b'
    end
    { name:, decision: chance, **step }
  end

  # Returns 0 <= u < 1: the top 53 bits of the hash.
  def bucket(name, seed, key)
    (Digest::SHA256.digest("ab_roll:#{name}:#{seed}:#{key}").unpack1('Q>') >> 11).fdiv(2**53)
  end

  # Returns a boolean, a finite number as float, or a well-formed text. Returns nil for all else, which fulfils nothing.
  def scalar(value)
    case value
    when true, false then value
    when String then value if value.encode('UTF-8').valid_encoding?
    when Integer, Float then value.to_f if value.to_f.finite?
    end
  rescue EncodingError
    nil
  end

  def in?(value, operands)
    operands.any? { |each| value == scalar(each) }
  end

  OPERATORS = {
    'in' => ->(value, operand) { in?(value, operand) },
    'notIn' => ->(value, operand) { !in?(value, operand) },
    'equals' => ->(value, operand) { in?(value, [operand]) },
    'startsWith' => ->(value, operand) { value.is_a?(String) && value.start_with?(*operand) },
    'endsWith' => ->(value, operand) { value.is_a?(String) && value.end_with?(*operand) },
    'greaterThan' => ->(value, operand) { value.is_a?(Float) && value > operand.to_f },
    'lessThan' => ->(value, operand) { value.is_a?(Float) && value < operand.to_f },
    'semver' => ->(value, operand) { value.is_a?(String) && version_in?(value, operand) },
    'before' => ->(value, operand) { time_of(value) < time_of(operand) },
    'after' => ->(value, operand) { time_of(value) > time_of(operand) },
  }.freeze

  def fulfils?(attribute, condition)
    value = scalar(attribute)
    !value.nil? && condition.all? { |name, operand| OPERATORS[name]&.call(value, operand) }
  end

  DATE = /\A(\d{4})-(\d{2})-(\d{2})(?:[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2})))?\z/

  # Returns a date or time of RFC 3339 in milliseconds since a fixed moment, or NaN, which is neither before nor after anything.
  def time_of(text)
    match = DATE.match(text) if text.is_a?(String)
    return Float::NAN unless match

    year, month, day, hour, minute, second, east_hour, east_minute = match.values_at(1, 2, 3, 4, 5, 6, 9, 10).map(&:to_i)
    return Float::NAN if hour > 23 || minute > 59 || second > 60 || east_hour > 23 || east_minute > 59
    return Float::NAN unless Date.valid_date?(year, month, day, Date::GREGORIAN)

    east = (east_hour * 60 + east_minute) * (match[8] == '-' ? -1 : 1)
    days, seconds = ((hour * 60 + minute - east) * 60 + second).divmod(86_400)
    date = Date.new(year, month, day, Date::GREGORIAN) + days
    # A leap second ends June or December in UTC.
    return Float::NAN if second == 60 && (seconds != 0 || date.day != 1 || ![1, 7].include?(date.month))

    (date.jd * 86_400 + seconds) * 1_000 + match[7].to_s[0, 3].ljust(3, '0').to_i
  end

  NUMBER = /(0|[1-9]\d{0,14})/
  IDENTIFIER = /(?:0|[1-9]\d{0,14}|\d*[A-Za-z-][\dA-Za-z-]*)/
  SUFFIX = /(?:-(#{IDENTIFIER}(?:\.#{IDENTIFIER})*))?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?/
  VERSION = /\Av?#{NUMBER}\.#{NUMBER}\.#{NUMBER}#{SUFFIX}\z/
  PATCH = /(?:\.(?:[xX*]|#{NUMBER}#{SUFFIX}))?/
  MINOR = /(?:\.(?:[xX*](?:\.[xX*])?|#{NUMBER}#{PATCH}))?/
  COMPARATOR = /\A(\^|~|<=|>=|<|>|=)?v?(?:[xX*](?:\.[xX*]){0,2}|#{NUMBER}#{MINOR})\z/
  SPACE = /[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+/

  # Returns a text that sorts as the version does: 51 characters of numbers, then the pre-release, or "~" for a release.
  def version_key(core, pre)
    identifiers = pre&.split('.')&.map { |each| each.match?(/\A\d+\z/) ? format('0%015d', each.to_i) : "1#{each}" }
    format('%016d.%016d.%016d.', *[*core, 0, 0, 0].first(3)) + (identifiers&.join("\x01") || '~')
  end

  # Returns the first version that a word of a range contains, and the first after those; nil if the word is malformed.
  def interval(word)
    match = COMPARATOR.match(word) or return
    sign, pre = match[1] || '=', match[5]
    core = match.values_at(2, 3, 4).compact.map(&:to_i)
    start, lowest, last = version_key(core, pre), version_key(core, '0'), '~'
    return %w[< >].include?(sign) ? ['', lowest] : [start, last] if core.empty?

    kept = { '^' => (core.index(&:positive?) || core.size - 1) + 1, '~' => [core.size, 2].min }[sign] || core.size
    following = [*core.first(kept - 1), core[kept - 1] + 1]
    above, stop = version_key(following, nil), version_key(following, '0')
    lowest, above, stop = start, "#{start}\0", "#{start}\0" if core.size == 3 && !'^~'.include?(sign)
    { '<' => ['', lowest], '<=' => ['', stop], '>' => [above, last], '>=' => [start, last] }[sign] || [start, stop]
  end

  # Returns whether a text is a version in a range. A pre-release must be compared with one of the same version.
  def version_in?(text, range)
    match = VERSION.match(text) if text.size <= 256
    alternatives = range.split('||', -1).map do |each|
      each.gsub(/([<>=^~])#{SPACE}/, '\1').split(SPACE).reject(&:empty?).map { |word| interval(word) }
    end
    return false if !match || alternatives.any? { |each| each.empty? || each.include?(nil) }

    version = version_key(match.values_at(1, 2, 3).map(&:to_i), match[4])
    alternatives.any? do |each|
      allowed = !match[4] || each.flatten.any? { |other| other[0, 51] == version[0, 51] && other[51] != '~' }
      allowed && each.all? { |start, stop| version >= start && version < stop }
    end
  end
end

def main(name, *arguments)
  if name == '--cases'
    $stdin.set_encoding('UTF-8')
    $stdin.each_line { |line| puts Rules.decide(*JSON.parse(line).values_at('variable', 'salt', 'seed', 'key', 'context')).to_json }
  else
    rollkey = Rollkey.new(**%i[url token org project stage].to_h { |part| [part, ENV.fetch("ROLLKEY_#{part.upcase}")] })
    (arguments.empty? ? [''] : arguments).each do |seed|
      rollkey.refresh
      puts rollkey.get(name, seed:)
    end
    begin
      rollkey.report
    rescue StandardError
      rollkey.report
    end
  end
end

main(*ARGV.map { |argument| argument.dup.force_encoding('UTF-8') }) if $PROGRAM_NAME == __FILE__
