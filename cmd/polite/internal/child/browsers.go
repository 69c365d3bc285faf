package child

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// browserNames are the names of Chromium and of what is built on it.
func browserNames() []string {
	return []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "google-chrome-beta", "chrome",
		"chrome-headless-shell", "headless-shell", "headless_shell", "microsoft-edge", "microsoft-edge-stable", "brave-browser",
	}
}

// browserVariables are where programs look for a browser.
func browserVariables() []string {
	return []string{"CHROME_PATH", "CHROME_BIN", "PUPPETEER_EXECUTABLE_PATH"}
}

// browsers writes a stand-in for each browser, and returns the variables that lead to them.
// No variable makes a browser accept a certificate: flags do. Where no script can stand in,
// there are none.
func browsers(f folder, gate Gate, env environment) (set map[string]string, err error) {
	set = make(map[string]string)
	if runtime.GOOS == "windows" {
		return set, nil
	}
	var usual string // the first that is found
	for _, name := range browserNames() {
		browser, err := lookUp(name, env)
		if err != nil {
			continue
		}
		standIn, err := f.write(filepath.Join("bin", name), script(browser, f, gate), 0o700)
		if err != nil {
			return nil, err
		}
		if usual == "" {
			usual = standIn
		}
	}
	for i, name := range browserVariables() {
		standIn := usual
		if own := env.get(name); own != "" {
			if standIn, err = f.write(fmt.Sprintf("browser-%d", i), script(own, f, gate), 0o700); err != nil {
				return nil, err
			}
		}
		if standIn != "" {
			set[name] = standIn
		}
	}
	if usual != "" {
		set["PATH"] = filepath.Dir(usual) + string(filepath.ListSeparator) + env.get("PATH")
	}
	return set, nil
}

// script returns a shell script that starts a browser behind the proxy. The browser accepts
// the key of the proxy only if its profile is named: it gets an empty one, unless the program
// names its own. Of lists of features the browser takes the last, so they are joined.
func script(browser string, f folder, gate Gate) []byte {
	flags := make([]string, 0, len(browserFlags(gate)))
	for _, flag := range browserFlags(gate) {
		flags = append(flags, quoted(flag))
	}
	return fmt.Appendf(nil, `#!/bin/sh
profile=%s
features=%s
for argument; do
	case $argument in
	--user-data-dir=*) profile= ;;
	--disable-features=*) features=$features,${argument#*=} ;;
	esac
done
for argument; do
	shift
	case $argument in
	--disable-features=*) ;;
	*) set -- "$@" "$argument" ;;
	esac
done
exec %s %s "--disable-features=$features" ${profile:+"$profile"} "$@"
`, quoted("--user-data-dir="+f.path("profile")), strings.Join(idleFeatures(), ","), quoted(browser), strings.Join(flags, " "))
}

// browserFlags are the flags of a browser whose every request goes through the proxy, and
// that makes none by itself.
func browserFlags(gate Gate) []string {
	const nowhere = "http://127.0.0.1:1" // the browser's own services; no proxy is asked for them
	return []string{
		"--proxy-server=http://" + gate.URL.Host,
		"--ignore-certificate-errors-spki-list=" + gate.Pin,
		"--disable-quic", // goes past proxies
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--dns-prefetch-disable",
		"--disable-background-networking",
		"--disable-component-update",
		"--component-updater=url-source=" + nowhere,
		"--disable-component-extensions-with-background-pages",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-sync",
		"--gaia-url=" + nowhere,
		"--gcm-checkin-url=" + nowhere,
		"--google-base-url=" + nowhere,
		"--no-first-run",
		"--no-default-browser-check",
		"--no-pings",
	}
}

// idleFeatures are those by which a browser asks its maker for something by itself.
func idleFeatures() []string {
	return []string{
		"NetworkTimeServiceQuerying", "OptimizationHints", "OptimizationGuideModelDownloading", "MediaRouter",
		"AimEnabled", "AimServerEligibilityEnabled", "AimServerRequestOnStartupEnabled",
	}
}

// quoted returns text as a word of the shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
