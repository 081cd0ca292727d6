package fold_test

import (
	"strings"
	"testing"

	"issuegrid/internal/fold"
)

// scripts are samples of ordinary text and of the characters that cost most to fold.
var scripts = []struct{ name, text string }{
	{"ASCII", "The quick brown fox jumps over the lazy dog, and Then Again. "},
	{"ASCII, lower case", "the quick brown fox jumps over the lazy dog, and then again. "},
	{"German", "Die Größenänderung der Außenflügel wird für Prüfzwecke überwacht. "},
	{"Japanese", "橋梁の設計図面を確認してください。ボルトの数量が違います。"},
	{"Cyrillic", "Проверьте чертёж моста; Количество болтов неверно указано. "},
	{"Korean", "교량 설계 도면을 확인하십시오. 볼트 수량이 다릅니다. "},
	{"U+FDFA", "\ufdfa"},
	{"marks", "a\u0301\u0323\u0308\u0344"},
	{"U+1FB7", "\u1fb7"},
	{"U+0344", "\u0344"},
	{"U+302E", "\u302e"},
	{"marks that are reordered", "\u302e\U0001D165\U0001D16D\u1734\U00016FF0\u0301"},
	{"a letter and a mark", "a\u302e"},
	{"letters of Hangul", "\u1112\u1161\u11ab"},
	{"not UTF-8", "\xff\xe2\x82a"},
}

// BenchmarkFold measures String.
func BenchmarkFold(b *testing.B) {
	fold.String("É")
	for _, script := range scripts {
		b.Run(script.name, func(b *testing.B) {
			text := strings.Repeat(script.text, 1+(16<<10)/len(script.text))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				fold.String(text)
			}
		})
	}
}
