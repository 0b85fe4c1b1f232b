# Evaluates a flag by OFREP: OFREP_URL=… OFREP_TOKEN=… ruby flag.rb KEY [TARGETING_KEY]
require 'erb'
require 'json'
require 'net/http'

# Returns the value of a flag, or the fallback if there is none.
def flag(key, fallback, context)
  uri = URI("#{ENV.fetch('OFREP_URL')}/ofrep/v1/evaluate/flags/#{ERB::Util.url_encode(key)}")
  request = Net::HTTP::Post.new(uri)
  request['Authorization'] = "Bearer #{ENV.fetch('OFREP_TOKEN')}"
  request['Content-Type'] = 'application/json'
  request.body = { context: }.to_json
  options = { use_ssl: uri.scheme == 'https', open_timeout: 5, read_timeout: 5 }
  response = Net::HTTP.start(uri.host, uri.port, options) { |http| http.request(request) }
  answer = JSON.parse(response.body)
  return answer.fetch('value', fallback) if response.is_a?(Net::HTTPOK)

  warn "#{response.code} #{answer['errorDetails']}"
  fallback
rescue SystemCallError, IOError, Timeout::Error, SocketError, JSON::ParserError => e
  warn e.message
  fallback
end

key, targeting_key = ARGV
puts flag(key, 'fallback', { targetingKey: targeting_key }.compact).to_json
