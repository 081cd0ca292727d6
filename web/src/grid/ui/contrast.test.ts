// The text of a tinted option has at least the contrast 4.5 of WCAG AA, whatever its color.
import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'

const css = readFileSync(new URL('styles.css', import.meta.url), 'utf8')
type Color = [number, number, number]
const channels = (hex: string) => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)) as Color
/** Returns a color of the light and of the dark theme. */
const themes = (name: string) => new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css)!.slice(1).map(channels)
const share = (selector: string) => Number(new RegExp(`\\${selector} \\{\\s*background: color-mix\\(in srgb, var\\(--tint\\) (\\d+)%`).exec(css)![1]) / 100
const luminance = (c: Color) => {
  const [r, g, b] = c.map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as Color
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const contrast = (a: Color, b: Color) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05)
const colors = [0, 128, 255].flatMap(r => [0, 128, 255].flatMap(g => [0, 128, 255].map(b => [r, g, b] as Color)))

test.each([
  ['.pill.tinted', 'text'],
  ['.pill.closed.tinted', 'muted'],
])('%s in both themes', (selector, text) => {
  const part = share(selector)
  themes('back').forEach((back, theme) => {
    for (const tint of colors) {
      const mixed = back.map((v, i) => v * (1 - part) + tint[i]! * part) as Color
      expect(contrast(mixed, themes(text)[theme]!), String(tint)).toBeGreaterThanOrEqual(4.5)
    }
  })
})
