package local

import "testing"

// TestPlatformOf is an internal test because a test runs on one platform only.
func TestPlatformOf(t *testing.T) {
	for _, test := range []struct{ goos, goarch, want string }{
		{"linux", "amd64", "linux-x64"},
		{"linux", "arm64", "linux-arm64"},
		{"darwin", "amd64", "darwin-x64"},
		{"darwin", "arm64", "darwin-arm64"},
		{"windows", "amd64", "win32-x64"},
		{"windows", "arm64", ""},
		{"freebsd", "amd64", ""},
		{"linux", "386", ""},
	} {
		got, ok := platformOf(test.goos, test.goarch)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("platformOf(%s, %s) = %q, %v; want %q", test.goos, test.goarch, got, ok, test.want)
		}
	}
}
