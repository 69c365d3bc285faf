package child

import (
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
)

// An environment is a list of variables, as in "NAME=value".
type environment []string

// get returns the value of a variable; "" if there is none.
func (e environment) get(name string) string {
	for _, variable := range slices.Backward(e) { // the last one counts
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// with returns e with variables set.
func (e environment) with(set map[string]string) environment {
	all := slices.DeleteFunc(slices.Clone(e), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, replaced := set[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		all = append(all, name+"="+set[name])
	}
	return all
}

// variables returns what a program finds in its environment, beside what is there already:
// where the proxy is, and what to trust. HTTP libraries agree on neither, so all names that
// are in use are set.
func variables(gate Gate, paths files, env environment) map[string]string {
	set := map[string]string{
		"JAVA_TOOL_OPTIONS":   strings.TrimSpace(env.get("JAVA_TOOL_OPTIONS") + " " + javaOptions(gate, paths)),
		"NODE_USE_ENV_PROXY":  "1", // Node.js looks at the variables only then
		"PERL_LWP_ENV_PROXY":  "1", // so does LWP
		"NODE_EXTRA_CA_CERTS": paths.ca,
		"DENO_CERT":           paths.ca,
		"PHP_INI_SCAN_DIR":    env.get("PHP_INI_SCAN_DIR") + string(filepath.ListSeparator) + paths.php, // an empty first name is PHP's own folder
		"WGETRC":              paths.wget,
		"WGET2RC":             paths.wget2,
		"POLITE_CACHE":        paths.cache, // in the same one, a polite behind this one would wait for itself
	}
	for _, name := range []string{
		"SSL_CERT_FILE", "NIX_SSL_CERT_FILE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "REQUESTS_CA_BUNDLE", "PIP_CERT", "HTTPLIB2_CA_CERTS",
		"AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO", "PERL_LWP_SSL_CA_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
	} {
		set[name] = paths.bundle
	}
	for _, scheme := range []string{"http", "https", "all", "ws", "wss"} {
		setBoth(set, scheme+"_proxy", gate.URL.String())
	}
	setBoth(set, "no_proxy", "localhost,127.0.0.1,::1") // a program may talk to itself
	return set
}

// setBoth sets a variable in lower and in upper case.
func setBoth(set map[string]string, name, value string) {
	set[name], set[strings.ToUpper(name)] = value, value
}

// javaOptions are the options of a Java machine. Its own list of hosts without a proxy has
// this machine.
func javaOptions(gate Gate, paths files) string {
	host, port, _ := net.SplitHostPort(gate.URL.Host)
	options := []string{
		"-Dhttp.proxyHost=" + host, "-Dhttp.proxyPort=" + port, "-Dhttps.proxyHost=" + host, "-Dhttps.proxyPort=" + port,
		"-Djavax.net.ssl.trustStore=" + paths.java, "-Djavax.net.ssl.trustStoreType=PKCS12", "-Djavax.net.ssl.trustStorePassword=" + javaPassword,
	}
	for i, option := range options {
		if strings.ContainsAny(option, " \t") {
			options[i] = `"` + option + `"`
		}
	}
	return strings.Join(options, " ")
}
