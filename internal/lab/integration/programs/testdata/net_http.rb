require "net/http"

ARGV.each { |url| puts Net::HTTP.get_response(URI(url)).code }
