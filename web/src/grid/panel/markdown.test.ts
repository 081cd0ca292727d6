// @vitest-environment jsdom
import {beforeAll, describe, expect, test} from 'vitest'
import {partLength, partsOf} from './parts'

let render: (text: string) => DocumentFragment
beforeAll(async () => ({render} = await import('./markdown')))

/** Renders into the document, where scripts and handlers would run. */
function shown(text: string): HTMLElement {
  const box = document.createElement('div')
  document.body.replaceChildren(box)
  box.append(render(text))
  return box
}

const html = (text: string): string => shown(text).innerHTML

describe('Markdown', () => {
  const cases: [string, string, string][] = [
    ['paragraphs and line breaks', 'a\nb\n\nc', '<p dir="auto">a<br>b</p>\n<p dir="auto">c</p>\n'],
    ['emphasis', '**a** *b* ~~c~~ `d`', '<p dir="auto"><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>\n'],
    ['headings below those of the panel, without gaps', '### a\n# b\n## c', '<h4 dir="auto">a</h4>\n<h4 dir="auto">b</h4>\n<h5 dir="auto">c</h5>\n'],
    ['code', '```js\n<b>\n```', '<pre><code>&lt;b&gt;\n</code></pre>\n'],
    ['raw HTML', '<b>x</b> <!-- y -->', '<p dir="auto">&lt;b&gt;x&lt;/b&gt; &lt;!-- y --&gt;</p>\n'],
    ['Markdown inside raw HTML', '<div>\n**x**\n</div>', '<p dir="auto">&lt;div&gt;<br><strong>x</strong><br>&lt;/div&gt;</p>\n'],
    ['a number list that begins later', '3. a', '<ol start="3">\n<li dir="auto">a</li>\n</ol>\n'],
  ]
  test.each(cases)('%s', (_, text, expected) => expect(html(text)).toBe(expected))

  test('check boxes', () => expect(shown('- [x] a\n- [ ] b').textContent).toMatch(/☑ a\s+☐ b/))

  test('links open in a new tab and tell nothing', () => {
    const links = [...shown('[a](https://a.example/x?b&amp;c) http://b.example <mailto:c@d.example>').querySelectorAll('a')]
    expect(links.map(a => a.getAttribute('href'))).toEqual(['https://a.example/x?b&c', 'http://b.example/', 'mailto:c@d.example'])
    for (const a of links) {
      expect(a.target).toBe('_blank')
      expect(a.rel).toBe('noopener noreferrer nofollow')
    }
  })

  test('images are links, or words within a link', () => {
    expect(shown('![a cat](https://a.example/cat.png)').querySelector('a')?.outerHTML).toMatch(/href="https:\/\/a.example\/cat.png".*>a cat<\/a>/)
    expect(shown('![](https://a.example/cat.png)').textContent).toContain('https://a.example/cat.png')
    const both = shown('[![a cat](https://a.example/cat.png)](https://b.example/)')
    expect([...both.querySelectorAll('a')].map(a => [a.getAttribute('href'), a.textContent])).toEqual([['https://b.example/', 'a cat']])
  })

  test('a link without words shows its URL', () => expect(shown('[](https://a.example/)').querySelector('a')?.textContent).toBe('https://a.example/'))

  test('a table scrolls by the keyboard', () => {
    const frame = shown('|a|b|\n|-|-:|\n|1|2|').querySelector<HTMLElement>('.markdown-table')
    expect(frame?.tabIndex).toBe(0)
    expect(frame?.querySelectorAll('td')[1]?.getAttribute('align')).toBe('right')
  })
})

const evil = 'alert(1)'
const attacks = [
  `<script>${evil}</script>`,
  `<img src=x onerror=${evil}>`,
  `<svg onload=${evil}>`,
  `<svg><script>${evil}</script></svg>`,
  `<svg><a xlink:href="javascript:${evil}"><text>x</text></a></svg>`,
  `<math><mi xlink:href="javascript:${evil}">x</mi></math>`,
  `<iframe srcdoc="<script>${evil}</script>"></iframe>`,
  `<object data="javascript:${evil}"></object>`,
  `<form action="javascript:${evil}"><button>x</button></form>`,
  `<base href="javascript:/">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${evil}">`,
  `<style>@import 'https://evil.example/x.css'</style>`,
  `<a href="javascript:${evil}">x</a>`,
  `<details open ontoggle=${evil}>`,
  `<template><script>${evil}</script></template>`,
  `[x](javascript:${evil})`,
  `[x](JaVaScRiPt:${evil})`,
  `[x](javascript&colon;${evil})`,
  `[x](javascript&#58;${evil})`,
  `[x](&#106;avascript:${evil})`,
  `[x](java&Tab;script:${evil})`,
  `[x](<java\tscript:${evil}>)`,
  `[x](<\u0001javascript:${evil}>)`,
  `[x](<  javascript:${evil}>)`,
  `[x](javascript:%61lert(1))`,
  `[x](vbscript:msgbox(1))`,
  `[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[x](data:image/svg+xml,<svg/onload=${evil}>)`,
  `[x](file:///etc/passwd)`,
  `[x](blob:https://evil.example/1)`,
  `[x](view-source:javascript:${evil})`,
  `[x](//evil.example/)`,
  `[x](/?project=1)`,
  `[x](https://a.example/" onmouseover="${evil})`,
  `[x](https://a.example/ "\\" onmouseover=\\"${evil}")`,
  `[x](https://a.example/ '"><script>${evil}</script>')`,
  `<javascript:${evil}>`,
  `<https://a.example/"onmouseover="${evil}>`,
  `https://a.example/"onmouseover="${evil}`,
  `![x](javascript:${evil})`,
  `![x" onerror="${evil}](x)`,
  `![x](https://evil.example/pixel.gif)`,
  `![x](x "onerror=${evil}")`,
  `[r]\n\n[r]: javascript:${evil}`,
  `[r]\n\n[r]: https://a.example/ 'x" onclick="${evil}'`,
  `[![x](javascript:${evil})](javascript:${evil})`,
  '[[[[x](javascript:alert(1))](javascript:alert(2))](javascript:alert(3))](javascript:alert(4))',
  `[a](javascript:[b](javascript:${evil}))`,
  `\`\`\`"><script>${evil}</script>\nx\n\`\`\``,
  `\`\`\`\n</code></pre><img src=x onerror=${evil}>\n\`\`\``,
  `\`<img src=x onerror=${evil}>\``,
  `|<img src=x onerror=${evil}>|\n|-|\n|<svg/onload=${evil}>|`,
  `# <img src=x onerror=${evil}>`,
  `- [x] <img src=x onerror=${evil}>`,
  `&lt;img src=x onerror=${evil}&gt;`,
  `\\<img src=x onerror=${evil}\\>`,
  // Texts that a browser parses differently when they are written and parsed again.
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${evil}&gt;">`,
  `<noscript><p title="</noscript><img src=x onerror=${evil}>">`,
  `<svg></p><style><a id="</style><img src=1 onerror=${evil}>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=${evil}>`,
  `<listing>&lt;img src=1 onerror=${evil}&gt;</listing>`,
  `<xmp><p title="</xmp><img src=x onerror=${evil}>">`,
  `<svg><desc><![CDATA[</desc><script>${evil}</script>]]></svg>`,
  `<![CDATA[<img src=x onerror=${evil}>]]>`,
  `<?xml-stylesheet href="javascript:${evil}"?>`,
  `<a id="attributes"><a id="parentNode" name="innerHTML">`,
]

describe('what an attacker writes is text', () => {
  const allowed = /^(A|BLOCKQUOTE|BR|CODE|DEL|DIV|EM|H[456]|HR|LI|OL|P|PRE|STRONG|TABLE|TBODY|TD|TH|THEAD|TR|UL)$/
  const harmless = ['align', 'aria-label', 'class', 'dir', 'href', 'rel', 'role', 'start', 'tabindex', 'target', 'title']
  const check = (box: HTMLElement) => {
    for (const e of box.querySelectorAll('*')) {
      expect(e.tagName).toMatch(allowed)
      expect(e.namespaceURI).toBe('http://www.w3.org/1999/xhtml')
      for (const a of e.attributes) expect(harmless).toContain(a.name)
      if (e.hasAttribute('href')) expect((e as HTMLAnchorElement).href).toMatch(/^(https?|mailto):/)
    }
  }
  test.each(attacks.map(a => [a]))('%s', attack => {
    const box = shown(attack)
    check(box)
    // Also when somebody copies its HTML elsewhere.
    const again = document.createElement('div')
    again.innerHTML = box.innerHTML
    check(again)
    expect(box.textContent.trim()).not.toBe('')
  })

  test('what the check itself finds', () => {
    const box = document.createElement('div')
    for (const bad of ['<img>', '<p onclick="x"></p>', '<svg></svg>', '<a href="javascript:x">x</a>']) {
      box.innerHTML = bad
      expect(() => check(box)).toThrow()
    }
  })
})

describe('parts', () => {
  const paragraph = `${'Lorem ipsum '.repeat(20)}\n\n`
  test.each([
    ['nothing', '', 1],
    ['a short text', 'abc', 1],
    ['paragraphs', paragraph.repeat(1000), 15],
    ['one line', 'x'.repeat(3 * partLength), 3],
    ['pairs of surrogates', 'a' + '😀'.repeat(partLength), 3],
    ['lines', 'line\n'.repeat(partLength), 6],
  ])('of %s are short, and lose nothing', (_, text, count) => {
    const parts = partsOf(text)
    expect(parts.join('')).toBe(text)
    expect(parts).toHaveLength(count)
    for (const p of parts) {
      expect(p.length).toBeLessThanOrEqual(partLength)
      expect(p).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/)
    }
  })

  test('end at an empty line that is not in code', () => {
    const text = `${'a\n'.repeat(30)}\n\`\`\`\n${'b\n'.repeat(10)}\n\`\`\`\n${'c\n'.repeat(30)}`
    expect(partsOf(text, 100)[0]).toBe(`${'a\n'.repeat(30)}\n`)
  })
})
